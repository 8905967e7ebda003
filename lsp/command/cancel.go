package command

import (
	"context"

	"redline/lsp/wire"
)

type CancelArgs struct {
	Turn string `json:"turn,omitempty"` // only this turn; all of them when absent, also those that wait with a question
}

// cancelled is the result of redline.cancel.
type cancelled struct {
	Cancelled []string `json:"cancelled"`
}

// cancel cancels a turn, or all of them. It does not wait for the messages before it, which
// may be what takes too long.
func (r *Runner) cancel(args CancelArgs) (wire.Run, error) {
	return func(context.Context) (any, error) {
		if r.Backend.Agent() == nil {
			return cancelled{[]string{}}, nil
		}
		return cancelled{r.Backend.Agent().Cancel(args.Turn)}, nil
	}, nil
}
