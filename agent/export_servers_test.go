package agent

import (
	"context"

	"redline/agent/plan"
)

// CallServer makes an approved call.
func (a *Agent) CallServer(ctx context.Context, o *plan.Operation) (string, bool, error) {
	return a.reach.Call(ctx, o)
}
