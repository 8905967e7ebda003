package patch

import (
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

// blocks reads search/replace blocks in prose.
type blocks struct {
	input
	at      int
	after   int    // the line after the last block
	last    string // the file of the last block
	several bool   // the blocks so far are of several files
	files   []File
}

func parseBlocks(in input) ([]File, error) {
	b := &blocks{input: in}
	for b.at < len(b.lines) {
		line := b.bare(b.at)
		switch {
		case opener().MatchString(line):
			if err := b.block(); err != nil {
				return nil, err
			}
			continue
		case conflict().MatchString(line):
			return nil, refuseLine(b.at, "(%s) is a mark without the ones that belong to it: a block is a line <<<<<<< SEARCH, the text, a line =======, the new text, a line >>>>>>> REPLACE.", quoted(line))
		case structural(b.lines, b.at):
			return nil, errRefusal(errMixed)
		case isStray(line):
			return nil, refuseMark(b.at, line)
		}
		b.at++
	}
	return b.files, nil
}

// block reads a block from its first mark on.
func (b *blocks) block() error {
	first := b.at
	path, plain, err := b.path(first)
	if err != nil {
		return err
	}
	b.several = b.several || b.last != "" && b.last != path
	b.last = path
	end, isEnd := first+1, b.ends(first)
	for ; !isEnd(b.bare(end)); end++ {
		switch {
		case end >= len(b.lines):
			return refuseFile(path, "The block on line %d of the patch has no end, a line >>>>>>> REPLACE: the patch is cut off. Send it whole.", first+1)
		case conflict().MatchString(b.bare(end)), strings.HasPrefix(b.bare(end), b.bare(first)[:1]) && opener().MatchString(b.bare(end)):
			return refuseFile(path, "The block on line %d of the patch has another mark in it (%s), so it is not clear where its texts end. If the file holds such lines, change it with edit_file.", first+1, quoted(b.bare(end)))
		}
	}
	middle, err := b.divider(path, first, end)
	if err != nil {
		return err
	}
	b.at, b.after = end+1, end+1
	begin := b.numbered(first+1, middle)
	b.files = append(b.files, File{Path: path, Chunks: []Chunk{{
		Old: joined(b.lines[begin:middle]), New: joined(b.lines[middle+1 : end]), fresh: plain && middle == begin, block: true,
		lead: middle, tail: middle, // a block does not mark lines that stay: take as many as are the same
	}}})
	return nil
}

var (
	lineNumber = lazyregexp.New(`^:(?:start|end)_line:\s*\d+$`)
	dashes     = lazyregexp.New(`^-{5,}$`)
)

// numbered returns the line where the text begins between lines i and end: some models
// put line numbers before it, and a line of dashes below them. Only the text decides its
// place.
func (b *blocks) numbered(i, end int) int {
	first := i
	for i < end && lineNumber().MatchString(b.bare(i)) {
		i++
	}
	if i > first && i < end && dashes().MatchString(b.bare(i)) {
		i++
	}
	return i
}

// maxDivider is how many signs the line between two texts may have, if any line has no
// more.
const maxDivider = 9

// divider returns the line between the two texts of the block from first to end: the
// line with as many marks as those around them, else the only one. A line under a title
// looks the same.
func (b *blocks) divider(path string, first, end int) (int, error) {
	var alike, usual, all []int
	mark := b.bare(first)
	width := len(mark) - len(strings.TrimLeft(mark, mark[:1]))
	for i := first + 1; i < end; i++ {
		line := b.bare(i)
		if !divider().MatchString(line) {
			continue
		}
		all = append(all, i)
		if len(line) <= maxDivider {
			usual = append(usual, i)
		}
		if len(line) == width {
			alike = append(alike, i)
		}
	}
	switch {
	case len(alike) > 0:
		all = alike
	case len(usual) > 0:
		all = usual
	}
	switch len(all) {
	case 1:
		return all[0], nil
	case 0:
		return 0, refuseFile(path, "The block on line %d of the patch has no line ======= between the text and the new text.", first+1)
	}
	return 0, refuseFile(path, "The block on line %d of the patch has %d lines that could be the one between the text and the new text. If the file holds such lines, change it with edit_file.", first+1, len(all))
}

// joined returns lines as a text.
func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// path returns the file of the block on line first, from the lines since the block before
// it: a name by itself just above the block, else the only name in them. If they name
// none, it is the file of the block before, provided that all blocks so far are of that
// file or that only blank lines and fences are between. Words in a sentence that look
// like a path never decide, but can make it unclear. plain means that the name stands by
// itself, so that it can name a new file.
func (b *blocks) path(first int) (path string, plain bool, err error) {
	if path := b.above(first); path != "" {
		return path, true, nil
	}
	var m mentions
	for i := b.after; i < first && len(m.named) < 2; i++ {
		m.read(b.bare(i))
	}
	words := m.others()
	switch {
	case len(m.named) == 1 && len(words) == 0:
		return m.named[0], false, nil
	case len(m.named)+len(words) > 1:
		all := slices.Concat(m.named, words)
		return "", false, refuseLine(first, "starts a block, and it is not clear which file it is for: %s and %s are named before it. Put its path, and nothing else, on the line above.", quoted(all[0]), quoted(all[1]))
	case len(words) == 1:
		return "", false, refuseLine(first, "starts a block, and it is not clear whether %s is its file. Put its path, and nothing else, on the line above.", quoted(words[0]))
	case b.last == "" || m.prose && b.several:
		return "", false, refuseLine(first, "starts a block, but no file is named before it. Put its path, and nothing else, on the line above.")
	}
	return b.last, true, nil
}

// maxTags is how many lines that are only a tag can stand between a path and a block,
// besides the fence.
const maxTags = 3

// above returns the path in the fence above line first, or the path that the line above
// consists of, or "". Blank lines between do not count.
func (b *blocks) above(first int) string {
	i := b.skipBlank(first - 1)
	if i >= b.after && opensCode(b.bare(i)) {
		if path := fencePath(b.bare(i)); path != "" {
			return path
		}
		i = b.skipBlank(i - 1)
		for range maxTags {
			if i < b.after || !tag().MatchString(b.bare(i)) {
				break
			}
			i = b.skipBlank(i - 1)
		}
	}
	if i < b.after || opensCode(b.bare(i)) {
		return ""
	}
	return alone(b.bare(i))
}

// skipBlank returns the last line up to i, after the block before, that is not blank.
func (b *blocks) skipBlank(i int) int {
	for i >= b.after && b.bare(i) == "" {
		i--
	}
	return i
}

// mentions are the names in some lines, each once.
type mentions struct {
	named []string // paths that stand by themselves or in backticks, two at most: more do not make it clearer
	words []string // words of a sentence that look like paths, at most maxWords
	prose bool     // there is prose
}

// maxWords is how many words are kept: one can be part of a path that is named too, and
// two others make it unclear which file is meant.
const maxWords = 3

// others returns the words that are not a named path.
func (m *mentions) others() []string {
	return slices.DeleteFunc(m.words, func(word string) bool { return slices.Contains(m.named, word) })
}

// read adds the names of a line.
func (m *mentions) read(line string) {
	if opensCode(line) {
		m.name(fencePath(line))
		return
	}
	m.prose = m.prose || line != ""
	if path := alone(line); path != "" {
		m.name(path)
		return
	}
	for _, in := range inBackticks().FindAllStringSubmatch(line, -1) {
		if pathLike(in[1]) || spacedPath(in[1]) {
			m.name(in[1])
		}
	}
	for word := range strings.FieldsSeq(inBackticks().ReplaceAllString(line, " ")) {
		word = strings.TrimRight(strings.Trim(word, "\"'()[]{}<>*,;:!?#"), "\"'()[]{}<>*,;:!?.")
		if len(m.words) < maxWords && pathLike(word) && !slices.Contains(m.words, word) {
			m.words = append(m.words, word)
		}
	}
}

// name adds a path, unless it is "".
func (m *mentions) name(path string) {
	if path == "" || len(m.named) > 1 || slices.Contains(m.named, path) {
		return
	}
	m.named = append(m.named, path)
}

// tag matches a line that is only a tag, which can stand for a fence.
var tag = lazyregexp.New(`^</?[A-Za-z][\w-]*(\s+[\w-]+="[^"<>]*")*\s*>$`)

// codeTag matches a tag for code with the name of a language, as in "<source>python".
var codeTag = lazyregexp.New(`^<(?:source|sourcecode|code|codeblock|pre)>[A-Za-z][\w+#-]{0,20}$`)

// opensCode reports whether a line opens or closes code in prose.
func opensCode(line string) bool {
	return isFence(line) || tag().MatchString(line) || codeTag().MatchString(line)
}

// fencePath returns the path in the line that starts a fence: "```go a/b.go",
// "```a/b.go", "```go:a/b.go", "```go title="a/b.go"", "<file path="a/b.go">".
func fencePath(line string) string {
	info := strings.Trim(strings.TrimSpace(strings.TrimLeft(line, "`~")), "</>")
	for word := range strings.FieldsSeq(info) {
		if i := strings.LastIndexAny(word, ":="); i >= 0 {
			word = word[i+1:]
		}
		if word = strings.Trim(word, `"'{}`); pathLike(word) {
			return word
		}
	}
	return ""
}

var (
	inBackticks = lazyregexp.New("`([^`]+)`")
	wrapped     = lazyregexp.New(`^\s*(?:<(?:path|file|file_path|filepath|filename)>\s*([^<>]+?)\s*</[a-z_]+>|<!--\s*(.+?)\s*-->|(?://|/\*)\s*(.+?)\s*(?:\*/)?)$`)
	decoration  = lazyregexp.New(`^[#>*\s-]*(?:\d+[.)]\s+)?\**(?:(?i:file|path|filename)\s*:[\s*]*)?(.*?)[:*\s]*$`)
)

// alone returns the path that a line consists of, apart from marks of Markdown, the
// number of an item, a tag around it and the marks of a comment. It returns "" if there
// is none.
func alone(line string) string {
	if in := wrapped().FindStringSubmatch(line); in != nil {
		line = in[1] + in[2] + in[3]
	}
	name := decoration().FindStringSubmatch(line)[1]
	if in := inBackticks().FindStringSubmatch(name); in != nil && in[0] == name && (pathLike(in[1]) || spacedPath(in[1])) {
		return in[1]
	}
	if name = strings.Trim(name, `"'`); pathLike(name) {
		return name
	}
	return ""
}

// spacedPath reports whether words in backticks look like the path of a file with
// spaces in it.
func spacedPath(s string) bool {
	return strings.Contains(s, " ") && pathLike(strings.ReplaceAll(s, " ", "_"))
}

// extension is how the names of most files end.
var extension = lazyregexp.New(`\.\w{1,10}$`)

// pathLike reports whether a word looks like the path of a file.
func pathLike(word string) bool {
	switch word {
	case "Makefile", "Dockerfile", "LICENSE", "README", "Gemfile", "Rakefile", "Procfile", "Jenkinsfile", "Vagrantfile", "Justfile", "justfile":
		return true
	}
	if strings.ContainsAny(word, " \t\"'`<>|*") || strings.HasSuffix(word, "/") || strings.HasPrefix(word, "//") || strings.Contains(word, "://") {
		return false
	}
	return strings.Contains(word, "/") || extension().MatchString(word) || len(word) > 1 && word[0] == '.' && isWordRune(rune(word[1]))
}

// The lines around the two texts of a search/replace block. Models miscount the marks,
// and mix the names that several tools use.
var (
	opener  = lazyregexp.New(`^(?:<{5,} ?(?:SEARCH|ORIGINAL)|-{5,} ?SEARCH)>?\s*$`)
	divider = lazyregexp.New(`^={5,}\s*$`)
	// A block ends with the signs that match those it begins with, if there is such a
	// line: the text of one kind of block may show the other.
	closer     = lazyregexp.New(`^>{5,} ?(?:REPLACE|UPDATED)>?\s*$`)
	plusCloser = lazyregexp.New(`^[+-]{5,} ?REPLACE>?\s*$`)
	// conflict is what version control writes around two texts, or a mark
	// of a block that is out of place.
	conflict = lazyregexp.New(`^(<{5,9}|>{5,9}|\|{5,9})( |$)`)
)

// isOpener reports whether a line begins a block with the signs "<".
func isOpener(line string) bool { return strings.HasPrefix(line, "<") && opener().MatchString(line) }

// ends returns a function that recognizes the last line of the block that begins with
// line first. That line has the matching signs or, if there is no such line before the
// next block, those of the other kind.
func (b *blocks) ends(first int) func(line string) bool {
	own, other := closer().MatchString, plusCloser().MatchString
	sign := b.bare(first)[:1]
	if sign == "-" {
		own, other = other, own
	}
	others := 0 // lines with the other signs, up to the next block of either kind
	inOther := false
	for i := first + 1; i < len(b.lines); i++ {
		switch line := b.bare(i); {
		case own(line):
			return own
		case !opener().MatchString(line):
			if !inOther && other(line) {
				others++
			}
			continue
		case !strings.HasPrefix(line, sign):
			inOther = true
			continue
		}
		break
	}
	if others == 1 {
		return other
	}
	return own
}

// mark is the meaning of a line of a search/replace block, however it is written.
type mark int

const (
	noMark mark = iota
	markOpen
	markDivide
	markClose
)

var (
	meantOpen  = lazyregexp.New(`^(?:<{3,}\s*(?:SEARCH|ORIGINAL)\b|<{5,}\s*(?i:SEARCH|ORIGINAL)\b|-{4,}\s*SEARCH\b|---\s*SEARCH>?$)`)
	meantClose = lazyregexp.New(`^(?:>{3,}\s*(?:REPLACE|UPDATED)\b|>{5,}\s*(?i:REPLACE|UPDATED)\b|\+{4,}\s*REPLACE\b|-{5,} ?REPLACE>?$|\+\+\+\s*REPLACE>?$)`)
)

// maxMark is how many bytes of a line are read.
const maxMark = 256

// meant returns the mark that a line is meant as: it may be indented, have more signs
// or fewer, or text after it. A line below a title counts as the line between the
// texts.
func meant(line string) mark {
	line = strings.TrimSpace(line)
	if len(line) < 3 {
		return noMark
	}
	line = line[:min(len(line), maxMark)]
	switch line[0] {
	case '<', '-':
		if meantOpen().MatchString(line) {
			return markOpen
		}
		if meantClose().MatchString(line) {
			return markClose
		}
	case '=':
		if strings.HasPrefix(line, "===") {
			return markDivide
		}
	case '>', '+':
		if meantClose().MatchString(line) {
			return markClose
		}
	}
	return noMark
}

// isStray reports whether a line outside blocks is meant to begin or end one, but does
// not.
func isStray(line string) bool {
	is := meant(line)
	return is == markOpen || is == markClose
}

// refuseMark refuses a line that is not a valid mark.
func refuseMark(i int, line string) *Refusal {
	return refuseLine(i, "(%s) is no mark of a block as it has to be. Nothing was changed. A block is a line <<<<<<< SEARCH, the text, a line =======, the new text, a line >>>>>>> REPLACE. Each mark begins its line and has nothing else on it; the path stands on the line above the block. Send the block again so.", quoted(strings.TrimSpace(line)))
}
