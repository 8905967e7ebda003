package placeholder

import (
	"strings"

	"redline/internal/fence"
)

// enclosures are the marks around a comment with an explicit end.
var enclosures = [][2]string{
	{"{/*", "*/}"}, {"{{/*", "*/}}"}, {"{{!--", "--}}"}, {"{{!", "}}"}, {"{{#", "}}"}, {"/*", "*/"}, {"<!--", "-->"},
	{"<%--", "--%>"}, {"<%#", "%>"}, {"{#", "#}"}, {"@*", "*@"}, {"(*", "*)"}, {"{-", "-}"}, {"--[[", "]]"}, {"#|", "|#"},
}

// marks begin a comment that goes to the end of its line.
var marks = []string{"//", "#", "--", ";", "%", "REM ", "rem "}

// comment returns the text of a line that is only a comment. wide means that the words
// are set off, like an example in a comment, or are documentation.
func comment(l language, line string) (body string, wide, ok bool) {
	line = strings.TrimSpace(line)
	for _, e := range enclosures {
		if l.prose && e[0] != "<!--" && e[0] != "{/*" {
			continue
		}
		inner, opened := strings.CutPrefix(line, e[0])
		inner, closed := strings.CutSuffix(inner, e[1])
		if opened && closed && !strings.Contains(inner, e[1]) {
			return inner, strings.HasPrefix(inner, "*"), true // "/** */" is documentation
		}
	}
	if l.prose {
		return "", false, false
	}
	if l.mark != "" && strings.HasPrefix(line, l.mark) {
		return line[len(l.mark):], false, true
	}
	for _, mark := range marks {
		rest, ok := strings.CutPrefix(line, mark)
		if !ok {
			continue
		}
		if mark == "//" && (strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "!")) {
			return "", false, false // documentation
		}
		rest = strings.TrimLeft(rest, mark[:1])
		return rest, strings.HasPrefix(rest, "  ") || strings.HasPrefix(rest, "\t"), true
	}
	return "", false, false
}

// isComment reports whether a line looks like a comment line in any language.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"//", "#", "--", ";", "%", "* ", "/*", "<!--"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return line == "*"
}

// fenced follows, line by line, which lines are not the file's own text: those in a block
// of code in prose, or in a comment of several lines.
type fenced struct {
	language
	code    fence.Reader
	comment bool // inside a comment
}

// skip takes the next line and reports whether it is inside.
func (f *fenced) skip(line string) bool {
	line = strings.TrimSpace(line)
	switch {
	case f.prose:
		return f.code.Next(line)
	case f.comment:
		f.comment = !strings.Contains(line, "*/")
		return true
	}
	f.comment = strings.HasPrefix(line, "/*") && !strings.Contains(line[2:], "*/")
	return f.comment
}
