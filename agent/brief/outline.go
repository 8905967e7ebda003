package brief

import (
	"fmt"
	"strings"

	"redline/internal/phrase"
	"redline/workspace"
)

// showOutline adds an outline of the file at the place of the request, in the room that is
// left.
func (g *gatherer) showOutline() {
	path := g.request.Path
	if !g.inWorkspace(path) || g.ctx.Err() != nil || g.room <= 0 || g.hidden(path) || !g.exists(path) {
		return
	}
	text, exists, err := g.draft.Read(path)
	if err != nil || !exists {
		return // a tool says why if the model reads the file
	}
	symbols := g.files.Outline(path, text)
	if len(symbols) == 0 {
		return
	}
	rows, lines, whole := g.fit(outlineRows(symbols), g.room)
	if lines > 0 {
		g.add("outline of "+shown(path)+":", rows)
	}
	if !whole {
		g.omit(Omission{What: "the outline of " + path, Why: fmt.Sprintf("%d of its %d symbols have no room; use the outline tool", len(symbols)-lines, len(symbols)), Room: true})
	}
}

func outlineRows(symbols []workspace.Symbol) string {
	var b strings.Builder
	for _, s := range symbols {
		fmt.Fprintf(&b, "%d: %s%s %s\n", s.Line, strings.Repeat("  ", min(s.Depth, 20)), shown(s.Kind), shown(phrase.StartBytes(s.Name, 200)))
	}
	return b.String()
}
