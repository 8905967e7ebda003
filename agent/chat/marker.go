package chat

import (
	"strings"
)

// marker is where "redline:" begins a comment in a line. Offsets are in bytes
// from the start of the line.
type marker struct {
	code   int    // end of the code before the comment, without the spaces after it
	lead   int    // start of the comment's leader
	leader string // "//", "#", "/*" …; "" for a line inside a block comment
	gap    bool   // a space follows the leader
	text   int    // start of what follows "redline:"
	own    bool   // only spaces precede the leader
}

const word = "redline:"

// blocks has the leaders of block comments and what closes them.
var blocks = map[string]string{
	"/*": "*/", "/**": "*/", "{/*": "*/}", "<!--": "-->", "(*": "*)", "{-": "-}",
}

// trailing has the leaders of comments that may follow code in its line.
var trailing = map[string]bool{"//": true, "#": true, "--": true, ";": true, "/*": true, "<!--": true}

// isLeader reports whether a line comment of some language starts with s. A leader that often
// has another meaning counts only with a space after it.
func isLeader(s string, gap bool) bool {
	switch s {
	case "//", "///", "//!", "#", "##", "--", "---", "!", "::":
		return true
	case "'", `"`, "*":
		return gap
	}
	return strings.Trim(s, ";") == "" || strings.Trim(s, "%") == "" || gap && strings.EqualFold(s, "REM")
}

// findMarker returns the first comment of the line that starts with
// "redline:".
func findMarker(line string) (marker, bool) {
	for at := 0; ; {
		colon := strings.IndexByte(line[at:], ':')
		if colon < 0 {
			return bareMarker(line)
		}
		at += colon + 1
		if at < len(word) || !strings.EqualFold(line[at-len(word):at], word) {
			continue
		}
		if m, ok := markerBefore(line, at); ok {
			return m, true
		}
	}
}

// bareMarker returns the marker of a line that starts with "redline:" itself. It counts only
// in a block comment.
func bareMarker(line string) (marker, bool) {
	lead := len(line) - len(strings.TrimLeft(line, " \t"))
	text := lead + len(word)
	if len(line) < text || !strings.EqualFold(line[lead:text], word) {
		return marker{}, false
	}
	return marker{lead: lead, text: text, own: true}, true
}

// markerBefore returns the marker whose "redline:" ends at text, if a comment's leader is
// before it.
func markerBefore(line string, text int) (marker, bool) {
	before := line[:text-len(word)]
	head := strings.TrimRight(before, " \t")
	lead := strings.LastIndexAny(head, " \t") + 1
	code := strings.TrimRight(head[:lead], " \t")
	m := marker{
		code: len(code), lead: lead, leader: head[lead:],
		gap: len(head) < len(before), text: text, own: code == "",
	}
	if m.leader == "" {
		return marker{}, false
	}
	if _, block := blocks[m.leader]; !block && !isLeader(m.leader, m.gap) {
		return marker{}, false
	}
	return m, m.own || trailing[m.leader] && !endsInString(code)
}

// endsInString guesses whether code ends inside a string literal: most
// languages write them in double quotes or backticks.
func endsInString(code string) bool {
	quotes := strings.Count(code, `"`) - strings.Count(code, `\"`)
	return quotes%2 == 1 || strings.Count(code, "`")%2 == 1
}

// continued returns the text of a line comment directly below the marker's that belongs to it:
// one with the same leader that does not start a request itself. If the marker's comment has a
// space after its leader, the line needs one too, which keeps directives such as //go:embed out.
// If the marker's comment follows code, the line's must begin in the same column.
func (m marker) continued(line string) (text string, ok bool) {
	body := strings.TrimLeft(line, " \t")
	if len(body) < len(m.leader) || !strings.EqualFold(body[:len(m.leader)], m.leader) {
		return "", false
	}
	if !m.own && len(line)-len(body) != m.lead {
		return "", false
	}
	if _, another := findMarker(line); another {
		return "", false
	}
	text = body[len(m.leader):]
	switch {
	case text == "", m.leader == "":
		return text, true
	case m.gap:
		return text, text[0] == ' ' || text[0] == '\t'
	}
	return text, !strings.ContainsRune("/!#;%-*", rune(text[0]))
}
