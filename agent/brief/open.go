package brief

import (
	"fmt"
	"strings"
)

// maxOpen is how many open documents are listed.
const maxOpen = 50

// showOpen lists the documents that are open in the editor, and which of them are unsaved.
func (g *gatherer) showOpen() {
	var names []string
	left := 0
	for _, b := range g.files.Buffers() {
		if !g.inWorkspace(b.Path) || g.hidden(b.Path) {
			continue // outside the workspace, Redline's own, or secret
		}
		name := shown(b.Path)
		if b.Dirty {
			name += " (unsaved)"
		}
		if n := Tokens(name) + 1; len(names) == maxOpen || n > g.room {
			left++
		} else {
			names = append(names, name)
			g.room -= n
		}
	}
	if len(names) > 0 {
		g.add("open in the editor:\n  "+strings.Join(names, "\n  "), "")
	}
	if left > 0 {
		g.omit(Omission{What: fmt.Sprintf("%d documents that are open", left), Why: "they have no room", Room: true})
	}
}
