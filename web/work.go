package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/phrase"
)

// work is what decisions of the page still carry out, and how the last one with commands ended.
type work struct {
	mu     sync.Mutex
	begun  int
	runs   map[int][]string // the commands of each decision that is being carried out
	failed error            // why a command of the last decision with commands has failed
	asked  int              // requests under way that change something
	shut   bool             // no other one may begin
}

// enter lets a request begin that changes something, unless the review has ended. Call leave when it
// is answered.
func (w *work) enter() (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.shut {
		w.asked++
	}
	return !w.shut
}

func (w *work) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked--
}

// shutIf lets no request that changes something begin any more, or lets them begin again.
func (w *work) shutIf(shut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shut = shut
}

// answers reports whether a request that changes something is under way.
func (w *work) answers() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked > 0
}

// begin notes a decision and the commands that it runs. Call done when all of them have ended.
func (w *work) begin(commands []string) (done func(failed error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun++
	n := w.begun
	if w.runs == nil {
		w.runs = map[int][]string{}
	}
	w.runs[n] = commands
	return func(failed error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.runs, n); len(commands) > 0 {
			w.failed = failed
		}
	}
}

// now reports whether a decision is being carried out, and which commands it runs.
func (w *work) now() (busy bool, commands []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.runs {
		commands = append(commands, c...)
	}
	return len(w.runs) > 0, commands
}

// Failed returns why a command has failed that was approved here, nil if none has, or if the commands
// that were approved after it have succeeded.
func (s *Server) Failed() error {
	s.work.mu.Lock()
	defer s.work.mu.Unlock()
	return s.work.failed
}

// busy reports whether a decision is being carried out, or a revision is being made.
func (s *Server) busy() bool {
	working, _ := s.work.now()
	return working || s.work.answers() || drafting(s.a)
}

// drafting reports whether a revision is being made.
func drafting(a *agent.Agent) bool {
	turns, _ := a.Conversations.Running()
	return len(turns) > 0
}

// whileOpen makes a handler refuse what comes after the end of the review, perhaps from another tab.
// The end waits for a request that has begun before.
func (s *Server) whileOpen(handle handler) handler {
	return func(r *http.Request) (any, error) {
		if s.work.enter() {
			defer s.news.tell()
			defer s.work.leave()
			return handle(r)
		}
		text := "The review has ended before this came: nothing of it was done."
		select {
		case <-s.ended:
			text += "\n" + s.why
		default: // how it has ended is not known yet
		}
		return nil, &problem{http.StatusGone, text}
	}
}

// Settle waits until all that the user has approved or asked for here has ended. It calls waits once
// if there is something to wait for.
func (s *Server) Settle(ctx context.Context, waits func()) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for said := false; ; said = true {
		news := s.news.wait()
		if !s.busy() {
			return nil
		}
		if !said {
			waits()
		}
		select {
		case <-news:
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// closing says how the plan is when the user ends the review.
func (s *Server) closing(p *state.Plan) []string {
	out := []string{}
	if told := decidedOf(p); told != "" {
		out = append(out, told)
	}
	busy, chosen := s.work.now()
	for _, c := range p.Commands {
		line := plan.CommandIn(c.Command, c.Cwd)
		switch plan.CommandStatus(c.Status) {
		case plan.CommandSucceeded:
			out = append(out, line+" has succeeded.")
		case plan.CommandFailed:
			out = append(out, line+" has failed.")
		case plan.CommandRunning:
			out = append(out, line+" is still running.")
		case plan.CommandPending:
			if slices.Contains(chosen, c.ID) {
				out = append(out, line+" is about to run.")
			}
		}
	}
	switch {
	case busy:
		return append(out, "redline review waits in its terminal for what still runs; Ctrl+C stops it.")
	case drafting(s.a):
		return append(out, "A new revision is being made: redline review waits for it in its terminal; Ctrl+C stops it.")
	case len(out) == 0:
		out = append(out, "Nothing was decided.")
	}
	return append(out, fmt.Sprintf("Plan %d %s.", p.Plan, plan.State(p.State).Predicate()))
}

// decidedOf says how many changes of a plan are decided: "2 changes are applied, 1 is rejected.", or
// "" if none is.
func decidedOf(p *state.Plan) string {
	statuses := map[string]int{}
	for _, f := range p.Files {
		if len(f.Hunks) == 0 {
			statuses[f.Status]++
		}
		for _, h := range f.Hunks {
			statuses[h.Status]++
		}
	}
	var parts []string
	for _, status := range []plan.HunkStatus{plan.HunkApplied, plan.HunkRejected, plan.HunkPending, plan.HunkStale} {
		n := statuses[string(status)]
		if n == 0 {
			continue
		}
		count, word := fmt.Sprint(n), string(status)
		if len(parts) == 0 {
			count = phrase.Count(n, "change")
		}
		if status == plan.HunkPending {
			word = "undecided"
		}
		verb := "are"
		if n == 1 {
			verb = "is"
		}
		parts = append(parts, fmt.Sprintf("%s %s %s", count, verb, word))
	}
	if statuses[string(plan.HunkApplied)]+statuses[string(plan.HunkRejected)] == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + "."
}
