package brief

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/internal/lazyregexp"
)

// maxMentions is how many mentions of a message count.
const maxMentions = 20

// mention is a name after an @ in the user's own words.
type mention struct {
	written     string // as written, with the @
	name        string // of a file, a folder or a symbol
	first, last int    // lines from 1; 0 for none
}

// mentionsIn returns the mentions in a text, each once, in order. An @ counts only at the start
// of a word and outside of code (backticks), so that neither an address nor an annotation is a
// mention. A name with spaces is quoted: @"a file.txt".
func mentionsIn(text string) []mention {
	var found []mention
	known := map[string]bool{}
	for _, piece := range withoutCode(text) {
		before := ' '
		for i := 0; i < len(piece); {
			r, size := utf8.DecodeRuneInString(piece[i:])
			if r == '@' && (unicode.IsSpace(before) || strings.ContainsRune("([{,;:", before)) {
				written, name := nameAt(piece[i:])
				if name != "" && !known[written] {
					known[written] = true
					found = append(found, newMention(written, name))
				}
				size = max(size, len(written))
				r = 'x' // no word begins right after a name
			}
			before = r
			i += size
		}
	}
	return found
}

// nameAt returns the mention at the start of text, and the name in it.
func nameAt(text string) (written, name string) {
	rest := text[1:]
	if strings.HasPrefix(rest, `"`) {
		quoted, _, ok := strings.Cut(rest[1:], `"`)
		if !ok || strings.ContainsAny(quoted, "\r\n") {
			return "@", ""
		}
		return text[:len(quoted)+3], quoted
	}
	end := strings.IndexFunc(rest, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'“”‘’`<>()[]{},;|*@", r)
	})
	if end < 0 {
		end = len(rest)
	}
	name = strings.TrimRight(rest[:end], ".:!?")
	return text[:1+len(name)], name
}

// lineForm matches a name with lines: a.go:10, a.go:10-20, a.go#L10, a.go#L10-L20.
var lineForm = lazyregexp.New(`^(.+?)(?::|#L)(\d{1,9})(?:-L?(\d{1,9}))?$`)

func newMention(written, name string) mention {
	m := mention{written: written, name: name}
	if parts := lineForm().FindStringSubmatch(name); parts != nil {
		m.name = parts[1]
		m.first, _ = strconv.Atoi(parts[2])
		m.last = m.first
		if parts[3] != "" {
			m.last, _ = strconv.Atoi(parts[3])
		}
	}
	return m
}

// withoutCode returns the pieces of text outside of backticks.
func withoutCode(text string) []string {
	var pieces []string
	for text != "" {
		start := strings.IndexByte(text, '`')
		if start < 0 {
			return append(pieces, text)
		}
		run := len(text[start:]) - len(strings.TrimLeft(text[start:], "`"))
		end := closing(text[start+run:], run)
		if end < 0 { // nothing closes these backticks
			pieces = append(pieces, text[:start])
			text = text[start+run:]
			continue
		}
		pieces = append(pieces, text[:start])
		text = text[start+run+end+run:]
	}
	return pieces
}

// closing returns the offset of a run of exactly n backticks in text, or -1.
func closing(text string, n int) int {
	for at := 0; ; {
		start := strings.IndexByte(text[at:], '`')
		if start < 0 {
			return -1
		}
		start += at
		run := len(text[start:]) - len(strings.TrimLeft(text[start:], "`"))
		if run == n {
			return start
		}
		at = start + run
	}
}
