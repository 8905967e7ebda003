package conversation

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"redline/agent/event"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/trace"
	"redline/edits"
	"redline/internal/phrase"
)

// undertaken returns work with a record in the store while it runs, from which the next
// session learns of it if this process ends first.
func undertaken(s *session.Session, work func(context.Context, *Turn) error) func(context.Context, *Turn) error {
	return func(ctx context.Context, t *Turn) error {
		end, err := s.Store.Undertake(s.Key(), store.Underway{
			Began: s.Now(), Request: trace.WithoutSecrets(phrase.FirstLine(t.Request.Text, 120)),
		})
		if err != nil {
			s.Log.Debug("that a turn began could not be noted", zap.Error(err))
		}
		defer end()
		return work(ctx, t)
	}
}

// notifyCutOff tells the user which turns of earlier sessions were cut off and will have no
// answer. A revision that such a turn has made is stored; the rest of its work is lost.
func notifyCutOff(s *session.Session) {
	for _, u := range s.Store.CutOff(s.Key()) {
		s.Notify(event.Event{Kind: event.Noticed, Text: fmt.Sprintf("A turn was cut off when Redline ended: %q. Send it again if you still want it.", edits.Visible(u.Request))})
	}
}
