package tool

import (
	"context"
	"errors"
	"slices"
)

// SortMessage is the name of the tool by which a model sorts the user's message with its first call.
const SortMessage = "sort_message"

// What a message can want besides work. None of these changes anything: a model's word never
// approves.
const (
	WantsPlan    = "plan"    // to be told in words what would be done
	WantsProceed = "proceed" // that the plan that waits is carried out
	WantsShow    = "show"    // to see the plan again
)

// Wants has all of them.
var Wants = []string{WantsPlan, WantsProceed, WantsShow}

// Sorting makes the tool for it. take reports why the turn cannot take that way now; the model reads
// the error. A call that is taken ends the run.
func Sorting(take func(wants string) error) Tool {
	return define(Tool{
		Name: SortMessage,
		params: params{
			{name: "wants", kind: stringKind, required: true, oneOf: Wants},
		},
		run: func(_ context.Context, _ *Env, c call) Result {
			wants := c.text("wants")
			if !slices.Contains(Wants, wants) {
				return failure(c.tool, errors.New("wants must be plan, proceed or show"))
			}
			if err := take(wants); err != nil {
				return failure(c.tool, err)
			}
			return Result{Text: "sorted", Summary: "the message wants: " + wants, Wants: wants}
		},
	})
}
