package generate

import (
	"fmt"
	"slices"
	"strings"

	"redline/fidelity/internal/cases"
)

// Usual sets of forms.
var (
	byText  = []string{"pairs", "blocks", "begin-patch", "unified"}
	pairs   = []string{"pairs"}
	blocks  = []string{"blocks"}
	begin   = []string{"begin-patch"}
	unified = []string{"unified"}
	patched = []string{"begin-patch", "unified"}
	worded  = []string{"pairs", "blocks"}
)

// style is how a call is written.
type style struct {
	end       string // line end of the call; "" is "\n"
	shift     int    // what is added to line numbers
	noNumbers bool   // unified: "@@ @@"
	miscount  int    // unified: what is added to the counts of lines
	head      string // the words after @@
	bare      bool   // lines that stay have no space before them
}

// state adds calls in some forms that make all edits.
func (m *maker) state(forms []string, o style, all ...edit) {
	for _, form := range forms {
		m.c.Calls = append(m.c.Calls, call(form, m.path, o, all))
	}
}

// call returns a call in a form that makes all edits.
func call(form, path string, o style, all []edit) cases.Call {
	if o.end == "" {
		o.end = "\n"
	}
	c := cases.Call{Form: form}
	switch form {
	case "pairs":
		c.Path = path
		for _, e := range all {
			c.Pairs = append(c.Pairs, cases.Pair{Old: strings.Join(e.old, o.end), New: strings.Join(e.new, o.end)})
		}
	case "blocks":
		for i, e := range all {
			if i > 0 {
				c.Text += o.end
			}
			c.Text += block(path, o.end, e)
		}
	case "begin-patch":
		c.Text = beginPatch(o.end, "*** Update File: "+path+o.end+chunks(o, all))
	case "unified":
		c.Text = "--- a/" + path + o.end + "+++ b/" + path + o.end + hunks(o, all)
	default:
		panic("no edits in the form " + form)
	}
	return c
}

func block(path, end string, e edit) string {
	return path + end + "<<<<<<< SEARCH" + end + text(e.old, end) + "=======" + end + text(e.new, end) + ">>>>>>> REPLACE" + end
}

func beginPatch(end, sections string) string {
	return "*** Begin Patch" + end + sections + "*** End Patch" + end
}

func chunks(o style, all []edit) string {
	var b strings.Builder
	for _, e := range all {
		b.WriteString(strings.TrimRight("@@ "+o.head, " ") + o.end + rows(o, e))
	}
	return b.String()
}

func hunks(o style, all []edit) string {
	var b strings.Builder
	for _, e := range all {
		now := e.line
		for _, other := range all {
			if other.line < e.line {
				now += len(other.new) - len(other.old)
			}
		}
		head := fmt.Sprintf("@@ -%d,%d +%d,%d @@", e.line+o.shift, len(e.old)+o.miscount, now+o.shift, len(e.new)+o.miscount)
		if o.noNumbers {
			head = "@@ @@"
		}
		b.WriteString(strings.TrimRight(head+" "+o.head, " ") + o.end + rows(o, e))
	}
	return b.String()
}

// rows returns the lines of a chunk: the lines that both texts have at the start and at the end stay.
func rows(o style, e edit) string {
	head, tail := 0, 0
	for head < min(len(e.old), len(e.new)) && e.old[head] == e.new[head] {
		head++
	}
	for tail < min(len(e.old), len(e.new))-head && e.old[len(e.old)-1-tail] == e.new[len(e.new)-1-tail] {
		tail++
	}
	stays := " "
	if o.bare {
		stays = ""
	}
	var b strings.Builder
	put := func(mark string, lines []string) {
		for _, line := range lines {
			b.WriteString(mark + line + o.end)
		}
	}
	put(stays, e.old[:head])
	put("-", e.old[head:len(e.old)-tail])
	put("+", e.new[head:len(e.new)-tail])
	put(stays, e.old[len(e.old)-tail:])
	return b.String()
}

// with inserts a line below the first of the change, which stays: into the file, and into both texts
// of the change. own is how the file has it, said how the call has it.
func (m *maker) with(own, said string) edit {
	at := m.spot.line // after its first line
	m.before = slices.Insert(slices.Clone(m.before), at, own)
	m.after = slices.Insert(slices.Clone(m.after), at, own)
	return edit{
		line: m.spot.line,
		old:  slices.Insert(slices.Clone(m.spot.old), 1, said),
		new:  slices.Insert(slices.Clone(m.spot.new), 1, said),
	}
}

// note returns a comment in the language, indented as the second line of the change.
func (m *maker) note(words string) string {
	return indentOf(m.spot.old[1]) + fmt.Sprintf(m.comment, words)
}
