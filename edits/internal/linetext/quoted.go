package linetext

import (
	"strings"

	"redline/internal/lazyregexp"
)

// Quotes finds the parts of a text that may be inside string literals of whatever language.
type Quotes struct {
	text   string
	line   int                  // where the last line that was asked about starts
	before [len(quoteMarks)]int // how many marks are before it
	all    [len(quoteMarks)]int // how many the text has
	here   [][2]int             // the here-documents
}

// quoteMarks bound strings that can have several lines.
var quoteMarks = [...]string{`"`, "`", "'''"}

// QuotesOf returns the quotes of a text.
func QuotesOf(text string) *Quotes {
	q := &Quotes{text: text, here: heredocs(text)}
	for i, mark := range quoteMarks {
		q.all[i] = marksIn(text, mark)
	}
	return q
}

// May reports whether an offset may be inside a string: after a quotation mark on its line
// without a second one, in a string of several lines, or in a here-document. Where the
// marks of the text do not come in pairs, it may. Offsets must not fall from call to call.
func (q *Quotes) May(offset int) bool {
	start := strings.LastIndexByte(q.text[:offset], '\n') + 1
	end := len(q.text)
	if i := strings.IndexByte(q.text[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	for i, mark := range quoteMarks {
		q.before[i] += marksIn(q.text[q.line:start], mark)
	}
	q.line = start
	if quotedInLine(q.text[start:end], offset-start) {
		return true
	}
	for i, n := range q.before {
		if n%2 == 1 || n > 0 && q.all[i]%2 == 1 {
			return true
		}
	}
	for _, span := range q.here {
		if span[0] <= start && start < span[1] {
			return true
		}
	}
	return false
}

// quotedInLine is May for a line by itself.
func quotedInLine(line string, offset int) bool {
	open := byte(0)
	for i := 0; i < offset; i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case open == 0 && (c == '"' || c == '\'' || c == '`'):
			open = c
		case c == open:
			open = 0
		}
	}
	if open != 0 {
		return true
	}
	for _, mark := range []string{`"`, "'", "`"} {
		if strings.Contains(line[:offset], mark) && strings.Count(line, mark)%2 == 1 {
			return true
		}
	}
	return false
}

// marksIn counts a mark in a text, but not after a backslash or between two apostrophes.
func marksIn(text, mark string) int {
	n := 0
	for at := 0; ; {
		i := strings.Index(text[at:], mark)
		if i < 0 {
			return n
		}
		i += at
		at = i + len(mark)
		escapes := 0
		for escapes < i && text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 && !(len(mark) == 1 && strings.HasSuffix(text[:i], "'") && strings.HasPrefix(text[at:], "'")) {
			n++
		}
	}
}

// heredoc matches the start of a text of several lines in a shell, Ruby, PHP or Perl, and the
// word that ends it.
var heredoc = lazyregexp.New(`<<[-~<]?\s?["']?([A-Za-z_]\w*)`)

// heredocs returns where text has here-documents: from their starts to the lines that end
// them.
func heredocs(text string) [][2]int {
	if !strings.Contains(text, "<<") {
		return nil
	}
	ends := map[string][]int{} // the lines that are only a word
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if word := strings.Trim(text[at:end], " \t\r\n;"); word != "" && !strings.ContainsAny(word, " \t(") {
			ends[word] = append(ends[word], at)
		}
		at = end
	}
	var out [][2]int
	for _, m := range heredoc().FindAllStringSubmatchIndex(text, -1) {
		word := text[m[2]:m[3]]
		for len(ends[word]) > 0 && ends[word][0] < m[1] {
			ends[word] = ends[word][1:]
		}
		if rest := ends[word]; len(rest) > 0 {
			out = append(out, [2]int{m[0], rest[0]})
		}
	}
	return out
}
