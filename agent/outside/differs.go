package outside

import (
	"fmt"
	"strings"

	"redline/edits"
	"redline/internal/fence"
	"redline/internal/phrase"
)

// Left is a file as an agent has left it in its copy, and as the next copy has it.
type Left struct {
	Path   string
	Became string // what the user decided: "approved", "rejected"; "" for nothing yet
	Was    string // the text that the agent left
	Is     string // the text now
	Gone   bool   // the agent has removed it
	Exists bool   // it is there now
	Hidden bool   // its text may not be shown
}

// as reports whether the file is as the agent has left it.
func (l *Left) as() bool { return l.Gone != l.Exists && (l.Gone || l.Was == l.Is) }

// maxDiff is the size of the difference of a file in a brief, in bytes.
const maxDiff = 4 << 10

// Differs says what differs from what an agent has left, for the agent: what the user has approved or
// rejected, and how texts have changed since. lost says why something was thrown away, as a part of a
// sentence; "" for nothing.
func Differs(files []Left, lost string) string {
	var b strings.Builder
	for i := range files {
		l := &files[i]
		name := edits.VisibleLine(l.Path)
		switch {
		case l.as() && l.Became == "":
			continue
		case l.as():
			fmt.Fprintf(&b, "- %s: %s, and as you left it.\n", name, l.Became)
			continue
		}
		fmt.Fprintf(&b, "- %s: ", name)
		if l.Became != "" {
			fmt.Fprintf(&b, "%s; ", l.Became)
		}
		switch {
		case !l.Exists:
			b.WriteString("it is not there.\n")
		case l.Gone:
			b.WriteString("it is there again.\n")
		case l.Hidden:
			b.WriteString("it is not as you left it.\n")
		default:
			diff := phrase.ClipBytes(edits.Unified("as you left it", "as it is now", l.Was, l.Is, 3), maxDiff)
			marks := fence.Around(diff)
			fmt.Fprintf(&b, "it is not as you left it:\n\n%sdiff\n%s\n%s\n\n", marks, strings.TrimSuffix(diff, "\n"), marks)
		}
	}
	text := strings.TrimSpace(b.String())
	if text != "" {
		text = "This differs from what you left:\n\n" + text + "\n\nOther files may have changed too."
	}
	if lost != "" {
		text = strings.TrimSpace(fmt.Sprintf("What you changed in your last turn was thrown away: %s.\n\n%s", phrase.TrimStop(lost), text))
	}
	return text
}
