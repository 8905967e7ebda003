package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"redline/agent"
	"redline/agent/view"
)

// The ways in which a decision is carried out, as the page reads them.
const (
	byDisk   = "disk"   // by this process, which changes the files on disk
	byEditor = "editor" // by the editor that has the workspace open, in its buffers
)

// carryOut carries out a decision: through the editor that has the workspace open, and on disk if none
// has. It returns once the texts are verified; the commands run afterwards.
func (s *Server) carryOut(ctx context.Context, v *view.Plan, d agent.Handed) (way string, err error) {
	if d.Approves() { // the editor's server has its own rules
		if err := s.o.Forbidden.Check(d.Plan, d.Way); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // a page that is closed takes nothing back
	defer cancel()
	go func() {
		select {
		case <-s.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	ended := s.work.begin(d.Run)
	done := func(err error) {
		ended(err)
		s.news.tell()
	}
	handled, err := s.a.HandOver(ctx, v, d, s.o.TakeWithin, done)
	switch {
	case handled:
		way = byEditor
	case err == nil:
		way, err = byDisk, onDisk(ctx, s.a, d, done)
	}
	if err != nil {
		ended(s.Failed()) // as it was
	}
	return way, err
}

// onDisk carries out a decision in this process.
func onDisk(ctx context.Context, a *agent.Agent, d agent.Handed, done func(error)) error {
	ctx = context.WithoutCancel(ctx)
	if !d.Undo {
		return a.CarryOut(ctx, d.Choice, done)
	}
	_, err := a.Undo(ctx, view.Request{Plan: d.Plan, Revision: d.Revision, Hash: d.Hash, Way: d.Way, Client: d.Client})
	if err == nil {
		done(nil)
	}
	return err
}

// patient gives a handler that waits for an editor the time that it needs.
func patient(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
		handle(w, r)
	}
}

// editorOf returns the editor that has the workspace open.
func editorOf(a *agent.Agent) Editor {
	names := a.Editors()
	return Editor{Open: len(names) > 0, Name: strings.Join(names, ", ")}
}

// pendingOn returns the decision on a plan that an editor carries out, nil if none does.
func pendingOn(ctx context.Context, a *agent.Agent, plan int) *Pending {
	h, ok := a.CarriedOut(ctx, plan)
	if !ok {
		return nil
	}
	return &Pending{Since: h.Asked.Format(time.RFC3339), By: h.Editor}
}
