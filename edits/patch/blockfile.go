package patch

import (
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

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

// opensCode reports whether a line opens or closes code in prose.
func opensCode(line string) bool { return isFence(line) || tag().MatchString(line) }

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
