package tool

import (
	"context"
	"fmt"
	"strings"

	"redline/internal/phrase"
)

var outline = define(Tool{
	Name: "outline",
	params: params{
		{name: "path", kind: stringKind, required: true, about: "The file, relative to the workspace."},
	},
	run: func(_ context.Context, env *Env, c call) Result {
		fail := func(err error) Result { return failure("outline "+c.text("path"), err) }
		path, err := file(env, c.text("path"))
		if err != nil {
			return fail(err)
		}
		text, exists, err := env.Draft.Read(path)
		if err != nil {
			return fail(err)
		}
		if !exists {
			return fail(fmt.Errorf("%s %slist the files to see what there is", shown(path), env.Draft.Missing(path)))
		}
		symbols := env.Workspace.Outline(path, text)
		rows := make([]string, len(symbols))
		for i, s := range symbols {
			rows[i] = fmt.Sprintf("%d: %s%s %s", s.Line, strings.Repeat("  ", min(s.Depth, 20)), spaced(s.Kind), phrase.ClipBytes(spaced(s.Name), 200))
		}
		r := Result{Text: listing(rows, 0, ""), Summary: "outline " + shown(path)}
		if len(rows) == 0 {
			r.Text = "no declarations found; read the file instead"
		}
		return r
	},
})
