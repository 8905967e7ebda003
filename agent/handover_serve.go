package agent

import (
	"context"
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/view"
	"redline/internal/phrase"
)

// handoverServer carries out, in the editor of a session, what other processes hand over to it.
type handoverServer struct {
	a      *Agent
	client string // the editor's name for itself
	key    string // the workspace that other processes know to be open here, "" for none
	end    func() // so that they no longer do
}

// ServeHandovers carries out decisions that other processes hand over to the editor of this session,
// until ctx ends. It looks for them at intervals of every. client is the editor's name for itself.
func (a *Agent) ServeHandovers(ctx context.Context, every time.Duration, client string) {
	s := &handoverServer{a: a, client: client, end: func() {}}
	defer func() { s.end() }()
	s.look(ctx)
	a.Session.Every(ctx, every, func() { s.look(ctx) })
}

// look publishes which workspace is open, and takes what is handed over.
func (s *handoverServer) look(ctx context.Context) {
	own := s.a.Session
	if !s.a.Kept() {
		return
	}
	if key := own.Key(); key != s.key {
		s.end()
		s.key, s.end = key, func() {}
		if key != "" {
			end, err := own.Store.Serve(key, s.client)
			if err != nil {
				own.Log.Warn("other processes do not see that the workspace is open here", zap.Error(err))
			}
			s.end = end
		}
	}
	if s.key == "" {
		return
	}
	waiting, err := own.Store.Handovers(ctx, s.key)
	if err != nil && ctx.Err() == nil {
		own.Log.Debug("decisions that were handed over could not be read", zap.Error(err))
	}
	for _, h := range waiting {
		if !s.mine(ctx, &h) {
			continue
		}
		if ok, err := own.Store.TakeHandover(ctx, h.ID, s.client); ok && err == nil {
			own.Spawn(func() { s.carryOut(&h) })
		}
	}
}

// mine reports whether this editor is to take a handover now: it is the only one, or it has a file of the
// plan open, and no other has unsaved text of one. Otherwise it leaves half of the time to the others.
func (s *handoverServer) mine(ctx context.Context, h *store.Handover) bool {
	if len(s.a.Session.Store.Editors(s.key)) < 2 || time.Now().After(h.Asked.Add(h.TakeBy.Sub(h.Asked)/2)) {
		return true
	}
	held, err := s.a.Board.Find(ctx, h.Plan)
	if err != nil {
		return false
	}
	elsewhere, open := s.a.Presence.Elsewhere(), false
	for _, f := range s.a.Board.Seen(held).Files {
		if elsewhere(f.Path) != "" {
			return false
		}
		_, here := s.a.Session.Workspace.Buffer(f.Path)
		open = open || here
	}
	return open
}

// carryOut carries out a handover that this process has taken, and answers it.
func (s *handoverServer) carryOut(h *store.Handover) {
	answer := func(state store.HandoverState, answer handedAnswer) {
		if err := s.a.Session.Store.AnswerHandover(context.Background(), h.ID, state, answerText(answer)); err != nil {
			s.a.Session.Log.Error("a decision that was handed over could not be answered", zap.Int("plan", h.Plan), zap.Error(err))
		}
	}
	decided := make(chan struct{})
	running := false
	err := session.Contain(func() (err error) {
		running, err = s.decide(h, func(err error) {
			<-decided
			failed := ""
			if err != nil {
				failed = phrase.SentenceOf(err)
			}
			answer(store.HandoverEnded, handedAnswer{Failed: failed})
		})
		return err
	})
	switch refused, ok := plan.RefusalOf(err); {
	case err != nil && !ok:
		s.a.Session.Log.Error("a decision that was handed over failed", zap.Int("plan", h.Plan), zap.Error(err))
		refused = &plan.Refusal{Kind: plan.ApplyFailed, Reason: phrase.SentenceOf(err)}
		fallthrough
	case err != nil:
		answer(store.HandoverEnded, handedAnswer{Refused: refused})
	case running:
		answer(store.HandoverRunning, handedAnswer{})
	default:
		answer(store.HandoverEnded, handedAnswer{})
	}
	close(decided)
}

// decide carries out what was handed over, and reports whether its commands still run: ended is called when
// they have ended, with the error of one that failed.
func (s *handoverServer) decide(h *store.Handover, ended func(error)) (running bool, err error) {
	var d Handed
	if err := json.Unmarshal([]byte(h.Choice), &d); err != nil {
		return false, err
	}
	d.Plan, d.Revision, d.Hash, d.Way, d.Client = h.Plan, h.Revision, h.Hash, view.Way(h.Way), h.Client
	d.through, d.handover = s.client, h.ID
	ctx := s.a.Session.Context()
	switch {
	case d.Undo:
		_, err = s.a.Undo(ctx, d.request(Parts{Whole: true}))
	case len(d.Run) == 0:
		err = s.a.CarryOut(ctx, d.Choice, func(error) {})
	default:
		running, err = true, s.a.CarryOut(ctx, d.Choice, ended)
	}
	return running, err
}
