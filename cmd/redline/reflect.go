package main

import (
	"context"
	"fmt"

	"redline/agent"
	"redline/edits"
)

// reflect asks the model to analyse the turn of a run, whatever its result. It reports a
// failure, which does not change the result of the run.
func reflect(ctx context.Context, a *agent.Agent, con *console, result *runResult) {
	text, err := a.Reflect(ctx, result.turn)
	if err != nil {
		fmt.Fprintf(con.err, "redline: the turn could not be analysed: %s\n", edits.Visible(err.Error()))
		return
	}
	result.Reflection = &text
	if !con.json {
		fmt.Fprintf(con.out, "\nReflection: %s\n", edits.Visible(text))
	}
}
