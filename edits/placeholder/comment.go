package placeholder

import (
	"strings"

	"redline/internal/fence"
)

// enclosures are what stands around a comment that ends where it says so.
var enclosures = [][2]string{
	{"{/*", "*/}"}, {"{{/*", "*/}}"}, {"{{!--", "--}}"}, {"{{!", "}}"}, {"{{#", "}}"}, {"/*", "*/"}, {"<!--", "-->"},
	{"<%--", "--%>"}, {"<%#", "%>"}, {"{#", "#}"}, {"@*", "*@"}, {"(*", "*)"}, {"{-", "-}"}, {"--[[", "]]"}, {"#|", "|#"},
}

// marks are what begins a comment that goes to the end of its line.
var marks = []string{"//", "#", "--", ";", "%", "REM ", "rem "}

// comment returns what a line says that is a comment and nothing else. wide
// tells that the words are set off, as an example in a comment is, or are
// documentation.
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

// isComment reports whether a line looks like one of a comment, in any language.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"//", "#", "--", ";", "%", "* ", "/*", "<!--"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return line == "*"
}

// fenced tells, line by line, what is inside something that is not the file's
// own text: a block of code in prose, or a comment of several lines.
type fenced struct {
	language
	end string // what ends it, "" outside
}

// skip takes the next line and reports whether it is inside.
func (f *fenced) skip(line string) bool {
	line = strings.TrimSpace(line)
	if f.end != "" {
		if f.prose && fence.Closes(line, f.end) || !f.prose && strings.Contains(line, f.end) {
			f.end = ""
		}
		return true
	}
	marks, _, opens := fence.Open(line)
	switch {
	case f.prose && opens:
		f.end = marks
		return true
	case !f.prose && strings.HasPrefix(line, "/*") && !strings.Contains(line[2:], "*/"):
		f.end = "*/"
		return true
	}
	return false
}
