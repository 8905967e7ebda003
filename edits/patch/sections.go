package patch

import (
	"path"
	"strings"

	"redline/edits"
)

// Files whose parts are not told by indentation or brackets.
const (
	markdown = "markdown"
	sql      = "sql"
)

// kindOf returns the kind of the file at a path, "" for most.
func kindOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx":
		return markdown
	case ".sql":
		return sql
	}
	return ""
}

// sectionEnd returns where the section of a header ends, in a file whose sections are not told by
// indentation: before the next title of its level or above it in Markdown, and before the next statement that
// begins with the same word in SQL. ok is false if the header opens no such section.
func sectionEnd(name string, l *edits.Lines, line int) (end int, ok bool) {
	header := strings.TrimSpace(content(l, line))
	switch kindOf(name) {
	case markdown:
		level := titleLevel(header)
		if level == 0 {
			return 0, false
		}
		fence := ""
		for i := line + 1; i < l.Count(); i++ {
			text := strings.TrimSpace(content(l, i))
			switch n := titleLevel(text); {
			case fence != "":
				if strings.HasPrefix(text, fence) {
					fence = ""
				}
			case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
				fence = text[:3]
			case n > 0 && n <= level:
				return l.Line(i).Start, true
			}
		}
		return len(l.Text()), true
	case sql:
		word, _, more := strings.Cut(header, " ")
		if !more || !isWord(word) || strings.HasSuffix(header, ";") || strings.HasSuffix(header, ",") {
			return 0, false
		}
		last := header
		for i := line + 1; i < l.Count(); i++ {
			text := strings.TrimSpace(content(l, i))
			if first, _, _ := strings.Cut(text, " "); strings.EqualFold(first, word) && indent(l, i) <= indent(l, line) && strings.HasSuffix(last, ";") {
				return l.Line(i).Start, true
			}
			if text != "" {
				last = text
			}
		}
	}
	return 0, false
}

// titleLevel returns the level of a title in Markdown, 0 if the line is none.
func titleLevel(line string) int {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	if n > 6 || n == len(line) || line[n] != ' ' {
		return 0
	}
	return n
}

// isNext reports whether a line is where the part below a heading ends, since a program would have
// written it as the heading of what follows: it begins with a word, or with the same sign as the heading,
// such as a selector in CSS. In Markdown only titles count.
func isNext(name, heading, line string) bool {
	if line == "" || heading == "" {
		return false
	}
	if kindOf(name) == markdown && titleLevel(heading) > 0 {
		return titleLevel(line) > 0
	}
	return isWord(line) || !isWord(heading) && heading[0] != '#' && line[0] == heading[0] && isWord(line[1:])
}
