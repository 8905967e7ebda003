package conversation_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/store"
)

// stubborn is a model that answers only when until returns, even if its turn is cancelled.
type stubborn struct {
	model.Provider
	begun chan struct{}
	until func()
}

func (m stubborn) Complete(context.Context, model.Request, func(model.Event)) (model.Reply, error) {
	close(m.begun)
	m.until()
	return model.Reply{Text: "At last."}, nil
}

// An editor that restarts its server can decide with the next server at once: the files that the
// old server had unsaved do not count while its turns end.
func TestAnEndingSessionHasNothingUnsaved(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	next := store.New(s.State)
	defer next.Close()
	others := next.NewSession()
	defer others.Close()
	await := func(unsaved bool) {
		for end := time.Now().Add(3 * time.Minute); (len(others.Others()) > 0) != unsaved; runtime.Gosched() {
			if time.Now().After(end) {
				t.Errorf("the other session never sees that files are unsaved: %v", unsaved)
				return
			}
		}
	}
	core, logged := observer.New(zapcore.WarnLevel)
	m := stubborn{s.Model, make(chan struct{}), func() { await(false) }}
	s.With(func(o *agent.Options) { o.Model, o.Log = m, zap.New(core) })
	s.Open("a.txt")
	s.TypeAt("a.txt", "one", "typed ")
	await(true)
	if _, _, err := s.Agent.Turns.Send(conversation.Message{Text: "what is in a.txt?", Client: "test", Mode: "ask"}); err != nil {
		t.Fatal(err)
	}
	<-m.begun
	s.Agent.Close()
	if n := logged.FilterMessage("a turn did not end in time").Len(); n > 0 {
		t.Error("the files were unsaved until the session gave the turn up")
	}
}
