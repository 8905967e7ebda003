package tool

import (
	"context"

	"redline/internal/phrase"
)

// maxPaths is the most paths in a list.
const maxPaths = 1000

var listFiles = define(Tool{
	Name: "list_files",
	params: params{
		{name: "path", kind: stringKind, about: "The folder, relative to the workspace; the whole workspace when absent."},
		{name: "glob", kind: stringKind, about: "Which files: *.go for names at any depth, cmd/**/*.go for paths."},
	},
	run: func(ctx context.Context, env *Env, c call) Result {
		dir := "."
		if name := c.text("path"); name != "" {
			clean, err := env.Workspace.Clean(name)
			if err != nil {
				return failure("list "+name, err)
			}
			dir = clean
		}
		paths, left, err := env.Workspace.List(ctx, dir, c.text("glob"), env.Draft.Overlay(), maxPaths)
		if err != nil {
			return failure("list "+dir, err)
		}
		rows := make([]string, len(paths))
		for i, p := range paths {
			rows[i] = shown(p)
		}
		r := Result{Text: listing(rows, left, ""), Summary: "list " + shown(dir) + ": " + phrase.Count(len(paths)+left, "file")}
		if len(rows) == 0 {
			r.Text = "no files"
		}
		return r
	},
})
