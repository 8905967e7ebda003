package tool

import (
	"context"
	"fmt"
	"strings"

	"redline/internal/phrase"
	"redline/workspace"
)

var outline = define(Tool{
	Name:   "outline",
	params: params{pathParam},
	run: func(_ context.Context, env *Env, c call) Result {
		path, index, err := opened(env, c.text("path"))
		if err != nil {
			return failure("outline "+c.text("path"), err)
		}
		symbols := env.Workspace.Outline(path, index.Text())
		rows := make([]string, len(symbols))
		for i, s := range symbols {
			rows[i] = outlineRow(s)
		}
		r := Result{Text: listing(rows, 0, ""), Summary: "outline " + shown(path)}
		if len(rows) == 0 {
			r.Text = "no declarations found; read the file instead"
		}
		return r
	},
})

// outlineRow formats a declaration for models.
func outlineRow(s workspace.Symbol) string {
	return fmt.Sprintf("%d: %s%s %s", s.Line, strings.Repeat("  ", min(s.Depth, 20)), spaced(s.Kind), phrase.ClipBytes(spaced(s.Name), 200))
}
