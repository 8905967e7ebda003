package agent

import (
	"context"
	"fmt"

	"redline/agent/store"
	"redline/agent/trace"
	"redline/edits"
	"redline/internal/phrase"
)

// undertaken runs a turn's work so that the next session knows of it if this process
// ends before the work does.
func (a *Agent) undertaken(t *turn, work func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		end, err := a.store.Undertake(a.workspaceKey(), store.Underway{Began: a.now(), Request: trace.WithoutSecrets(phrase.FirstLine(t.message.Text, 120))})
		if err != nil {
			a.log.Debug("that a turn began could not be noted", errorField(err))
		}
		defer end()
		return work(ctx)
	}
}

// tellCutOff tells which turns of earlier sessions were cut off: their users wait
// for an answer that will not come. What a turn had made a revision of is there; the
// rest of it is gone.
func (a *Agent) tellCutOff() {
	for _, u := range a.store.CutOff(a.workspaceKey()) {
		a.notify(Event{Kind: Noticed, Text: fmt.Sprintf("A turn was cut off when Redline ended: %q. Send it again if you still want it.", edits.Visible(u.Request))})
	}
}
