package tool

import (
	"context"
	"fmt"

	"redline/edits"
	"redline/internal/phrase"
)

var openLocation = define(Tool{
	Name: "open_location",
	params: params{
		pathParam,
		{name: "line", kind: integerKind, about: "The line, from 1."},
	},
	run: func(_ context.Context, env *Env, c call) Result {
		path, err := file(env, c.text("path"))
		if err != nil {
			return failure("open "+c.text("path"), err)
		}
		text, exists, err := env.Draft.Read(path)
		line := max(0, c.int("line"))
		switch {
		case err != nil:
			return failure("open "+path, err)
		case !exists:
			return failure("open "+path, fmt.Errorf("there is no file %s to open", path))
		case line > edits.CountLines(text)+1:
			return failure("open "+path, fmt.Errorf("%s has only %s", path, phrase.Count(edits.CountLines(text), "line")))
		}
		what := "open " + shown(path)
		if line > 0 {
			what += fmt.Sprintf(", line %d", line)
		}
		return show(env, what, func(e Editor) error { e.OpenLocation(path, line); return nil })
	},
})
