package brief

import (
	"fmt"
	"strings"
)

// maxOpen is how many open documents are named.
const maxOpen = 50

// showOpen names what is open in the editor: what the user looks at, and which
// of it is not on disk yet.
func (g *gatherer) showOpen() {
	var names []string
	left := 0
	for _, b := range g.files.Buffers() {
		if !g.inWorkspace(b.Path) || g.hidden(b.Path) {
			continue // elsewhere, Redline's own, or nobody's business
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
