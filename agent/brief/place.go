package brief

import "fmt"

// maxSelection is how many bytes of a selection a request has.
const maxSelection = 16 << 10

// place adds where the request was made, and the selection in up to half of the room.
func (g *gatherer) place() {
	r := g.request
	if r.Path == "" {
		return
	}
	g.add("file: "+shown(r.Path), "")
	if r.Lines != nil {
		g.add(fmt.Sprintf("lines: %d-%d", r.Lines[0]+1, r.Lines[1]+1), "")
	}
	if r.Selection == "" {
		return
	}
	if g.hidden(r.Path) {
		g.omit(Omission{What: "the selection", Why: r.Path + " may hold secrets and is shown only if you name it in your request", Asked: true})
		return
	}
	room := min(g.limits.Tokens/2, maxSelection/4)
	text, lines, whole := g.fit(r.Selection, room)
	switch {
	case whole:
		g.add("selection:", text)
	case lines == 0:
		g.omit(Omission{What: "the selection", Why: "its first line has no room", Asked: true, Room: true})
	default:
		g.add(fmt.Sprintf("selection, its first %d lines:", lines), text)
		g.omit(Omission{What: "the rest of the selection", Why: "it has no room", Asked: true, Room: true})
	}
}
