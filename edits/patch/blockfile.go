package patch

import (
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

// path returns the file that the block on line first is for, from the lines
// since the block before: the one that is named by itself just above it, else
// the only one that they name; that of the block before if they name none, and
// either it is the only one so far or there are but blank lines and fences. Words of a sentence that look like a path never decide, but
// can make it unclear. plain tells that the name stands by itself, so that it
// can be that of a new file.
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

// maxTags is how many lines of nothing but a tag can stand between a path and a block,
// besides one that is its fence.
const maxTags = 3

// above returns the path behind the fence above line first, or that is all that
// the line above says; "" if there is none. Blank lines between do not count.
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

// skipBlank returns the last line up to i, after the block before, that is not
// blank.
func (b *blocks) skipBlank(i int) int {
	for i >= b.after && b.bare(i) == "" {
		i--
	}
	return i
}

// mentions are what some lines name, each once.
type mentions struct {
	named []string // paths that stand by themselves or in backticks, two at most: more do not make it clearer
	words []string // words of a sentence that look like paths, at most maxWords
	prose bool     // there is text
}

// maxWords is how many words are kept: one can be that of a path that is named
// too, and two others make it unclear which file is meant.
const maxWords = 3

// others returns the words that are no path that is named.
func (m *mentions) others() []string {
	return slices.DeleteFunc(m.words, func(word string) bool { return slices.Contains(m.named, word) })
}

// read takes in a line.
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

// name takes in a path, "" for none.
func (m *mentions) name(path string) {
	if path == "" || len(m.named) > 1 || slices.Contains(m.named, path) {
		return
	}
	m.named = append(m.named, path)
}

// tag is a line of nothing but a tag, which stands where a fence could.
var tag = lazyregexp.New(`^</?[A-Za-z][\w-]*(\s+[\w-]+="[^"<>]*")*\s*>$`)

// opensCode tells whether a line begins or ends code in prose.
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

// alone returns the path that is all that a line says, but for Markdown's marks,
// the number of an item, a tag around it and the marks of a comment, "" if there is none.
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

// spacedPath tells whether what is in backticks looks like the path of a file
// with blanks in it.
func spacedPath(s string) bool {
	return strings.Contains(s, " ") && pathLike(strings.ReplaceAll(s, " ", "_"))
}

// extension is how the names of most files end.
var extension = lazyregexp.New(`\.\w{1,10}$`)

// pathLike tells whether a word looks like the path of a file.
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
