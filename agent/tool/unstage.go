package tool

import (
	"context"
	"fmt"

	"redline/internal/phrase"
)

// Unstaging is the name of the tool that takes operations out of a draft again.
const Unstaging = "unstage"

// Unstage makes the tool that takes operations out of a draft again, for a turn that continues
// after a question. take returns the answer for the model.
func Unstage(take func(names []string) (text string, err error)) Tool {
	return define(Tool{
		Name: Unstaging,
		params: params{
			{name: "operations", kind: stringsKind, required: true, about: `Like ["n2"].`},
		},
		run: func(_ context.Context, _ *Env, c call) Result {
			names := c.strings("operations")
			if len(names) == 0 {
				return failure(c.tool, fmt.Errorf("name at least one operation"))
			}
			text, err := take(names)
			if err != nil {
				return failure(c.tool, err)
			}
			short := make([]string, len(names))
			for i, name := range names {
				short[i] = phrase.ClipBytes(name, 40)
			}
			return Result{Text: text, TakenBack: true, Summary: spaced("take out " + phrase.And(short))}
		},
	})
}
