package workspace

import "strings"

// mask blanks out comments and strings of several lines. A start without an end does not
// count.
type mask struct {
	lang   *language
	until  string         // the end of the block that the next line begins in; "" outside of blocks
	ends   map[string]int // for each block end, the last line that contains it, from 1
	number int            // of the last line
}

func newMask(lang *language, text string) *mask {
	m := &mask{lang: lang, ends: map[string]int{}}
	for _, b := range lang.blocks {
		if last := strings.LastIndex(text, b[1]); last >= 0 {
			m.ends[b[1]] = strings.Count(text[:last], "\n") + 1
		}
	}
	return m
}

// next returns the code of the next line, without its end.
func (m *mask) next(line string) string {
	m.number++
	line = strings.TrimRight(line, "\r\n")
	if m.until == "" && !strings.ContainsAny(line, m.lang.special()) {
		return line
	}
	code := []byte(line)
	for i := 0; i < len(line); {
		n, blank := m.step(line[i:])
		if blank {
			for j := i; j < i+n; j++ {
				code[j] = ' '
			}
		}
		i += n
	}
	return strings.TrimRight(string(code), " \t")
}

// step returns the number of bytes at the start of rest that belong together, and whether
// to blank them out.
func (m *mask) step(rest string) (n int, blank bool) {
	if m.until != "" {
		end := strings.Index(rest, m.until)
		if end < 0 {
			return len(rest), true
		}
		n, m.until = end+len(m.until), ""
		return n, true
	}
	for _, c := range m.lang.comments {
		if strings.HasPrefix(rest, c) {
			return len(rest), true
		}
	}
	for _, b := range m.lang.blocks {
		if !strings.HasPrefix(rest, b[0]) {
			continue
		}
		if end := strings.Index(rest[len(b[0]):], b[1]); end >= 0 {
			return len(b[0]) + end + len(b[1]), true
		}
		if m.ends[b[1]] > m.number {
			m.until = b[1]
			return len(rest), true
		}
	}
	if strings.IndexByte(m.lang.quotes, rest[0]) >= 0 {
		if end := textEnd(rest); end > 0 {
			return end, false
		}
	}
	return 1, false
}

// maxQuoted is how far to look for the end of a quoted string, in bytes: a line may be a
// megabyte of quotes.
const maxQuoted = 4096

// textEnd returns the index of the end of the quoted string at the start of rest, or 0 if
// it does not end on its line, like an apostrophe.
func textEnd(rest string) int {
	for i := 1; i < min(len(rest), maxQuoted); i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			return i + 1
		}
	}
	return 0
}
