package agent

import (
	"context"
	"time"

	"redline/agent/plan"
	"redline/agent/stats"
)

// Stats returns how the plans of the workspace, or with all of every workspace,
// have fared that were made at or after since.
func (a *Agent) Stats(ctx context.Context, all bool, since time.Time) (stats.Stats, error) {
	key := a.workspaceKey()
	if all {
		key = ""
	}
	var c stats.Counter
	err := a.store.Histories(ctx, key, since, func(h plan.History) error {
		c.Add(h)
		return nil
	})
	return c.Stats(), err
}
