package conversation

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"redline/agent/event"
	"redline/agent/store"
	"redline/agent/trace"
	"redline/edits"
	"redline/internal/phrase"
)

// undertaken returns work that the next session knows of if this process ends first.
func (c *Conversations) undertaken(work func(context.Context, *Turn) error) func(context.Context, *Turn) error {
	return func(ctx context.Context, t *Turn) error {
		end, err := c.session.Store.Undertake(c.session.Key(), store.Underway{
			Began: c.session.Now(), Request: trace.WithoutSecrets(phrase.FirstLine(t.Request.Text, 120)),
		})
		if err != nil {
			c.session.Log.Debug("that a turn began could not be noted", zap.Error(err))
		}
		defer end()
		return work(ctx, t)
	}
}

// tellCutOff tells which turns of earlier sessions were cut off: their users wait for an
// answer that will not come. A revision that such a turn had made is there; the rest of
// its work is gone.
func (c *Conversations) tellCutOff() {
	for _, u := range c.session.Store.CutOff(c.session.Key()) {
		c.session.Notify(event.Event{Kind: event.Noticed, Text: fmt.Sprintf("A turn was cut off when Redline ended: %q. Send it again if you still want it.", edits.Visible(u.Request))})
	}
}
