package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.uber.org/zap"

	"redline/agent"
	"redline/agent/plan"
	"redline/edits"
	"redline/internal/phrase"
)

// execution is an approval, a review or an undo being carried out, as far as the user is
// told what came of it.
type execution struct {
	undo   bool
	review bool            // the user picks in the editor's own review
	before agent.PlanState // the plan when it began
	paths  []string        // of the files that it is about; nil for all
}

func (x execution) verb() string {
	if x.undo {
		return "taken back"
	}
	if x.review {
		return "reviewed"
	}
	return "applied"
}

// executions are those that went on after their command was answered, by plan:
// what came of them is told when they end.
type executions struct {
	mu   sync.Mutex
	open map[int]execution
}

func (e *executions) add(x execution) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open == nil {
		e.open = map[int]execution{}
	}
	e.open[x.before.Plan] = x
}

// take returns the execution of a plan that the user is still to be told of,
// and forgets it.
func (e *executions) take(plan int) (x execution, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	x, ok = e.open[plan]
	delete(e.open, plan)
	return x, ok
}

// carryOut has the agent carry out a decision and tells what came of it: now,
// or when it ends if the agent answers before that.
func (s *session) carryOut(ctx context.Context, a *agent.Agent, d agent.Decide, undo bool) (any, error) {
	if undo {
		return s.perform(ctx, a, d, execution{undo: true}, a.Undo)
	}
	return s.perform(ctx, a, d, execution{}, a.Approve)
}

// perform is carryOut for any execution; run has the agent carry it out.
func (s *session) perform(ctx context.Context, a *agent.Agent, d agent.Decide, x execution,
	run func(context.Context, agent.Decide) (agent.Result, error)) (any, error) {
	before, err := a.PlanState(ctx, d.Plan, edits.UTF16)
	if err != nil {
		return nil, err
	}
	earlier, waits := s.executions.take(d.Plan)
	x.before = before
	r, err := run(ctx, d)
	if err != nil {
		switch {
		case ctx.Err() != nil && errors.Is(err, ctx.Err()): // it goes on all the same
			s.tellLater(a, x)
		case waits:
			s.tellLater(a, earlier)
		}
		return nil, err
	}
	if r.InWords() { // how it goes is told at the end of that turn
		s.messages.info(fmt.Sprintf("plan %d is being worked out: you will see the edits before anything changes.", d.Plan))
		return r, nil
	}
	x.paths = []string{}
	ended := r.State != string(plan.Executing) || r.Turn != "" // else its commands are carried out
	for _, f := range r.Files {
		x.paths = append(x.paths, f.Path)
		ended = ended && f.Status != string(plan.FileApplying)
	}
	if len(r.Files) == 0 && r.Turn != "" {
		return r, nil // commands alone: the end of their turn tells
	}
	if !ended {
		s.messages.info(fmt.Sprintf("plan %d is still being %s: the editor has not answered yet.", d.Plan, x.verb()))
		s.tellLater(a, x)
	} else if now, ok := s.planState(a, d.Plan); ok {
		s.tellOutcome(x, now)
	}
	return r, nil
}

// planState is a plan as it is after something was done, when that is to be
// told: nothing depends on it.
func (s *session) planState(a *agent.Agent, n int) (agent.PlanState, bool) {
	p, err := a.PlanState(s.conn.Context(), n, edits.UTF16)
	if err != nil {
		s.log.Warn("what came of a decision could not be read", zap.Error(err))
	}
	return p, err == nil
}

// tellLater tells what came of an execution when it ends, which may have been
// just now.
func (s *session) tellLater(a *agent.Agent, x execution) {
	s.executions.add(x)
	if now, ok := s.planState(a, x.before.Plan); ok {
		s.tellEnded(now)
	}
}

// tellUnderway tells of what is still being carried out after a turn decided
// it, when that ends.
func (s *session) tellUnderway(undo bool) {
	for _, p := range s.snapshot().Plans {
		now, ok := s.planState(s.agent, p.Plan.Number)
		if paths := applying(now); ok && len(paths) > 0 {
			s.tellLater(s.agent, execution{undo: undo, before: now, paths: paths})
		}
	}
}

// tellEnded tells what came of the execution of a plan that was to be told
// later, if it has ended.
func (s *session) tellEnded(now agent.PlanState) {
	if now.State == string(plan.Executing) && !runsCommand(now) || len(applying(now)) > 0 {
		return
	}
	if x, ok := s.executions.take(now.Plan); ok {
		s.tellOutcome(x, now)
	}
}

// runsCommand tells whether a command of the plan runs: then its edits are made.
func runsCommand(p agent.PlanState) bool {
	return slices.ContainsFunc(p.Commands, func(c agent.CommandState) bool { return c.Status == string(plan.CommandRunning) })
}

// applying are the paths of the files that the editor was asked to change and
// has not answered for.
func applying(p agent.PlanState) []string {
	var paths []string
	for _, f := range p.Files {
		if f.Status == string(plan.FileApplying) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// tellOutcome says what an execution did, what it did not do and why, and which
// files are not saved yet.
func (s *session) tellOutcome(x execution, now agent.PlanState) {
	was := appliedOf(x.before)
	is := appliedOf(now)
	var changes, files int
	var paths, problems []string
	uncertain := false
	for _, f := range now.Files {
		if x.paths != nil && !slices.Contains(x.paths, f.Path) {
			continue
		}
		paths = append(paths, f.Path, f.NewPath)
		did := 0
		for _, part := range partsOf(f) {
			if is[part] == !x.undo && was[part] == x.undo {
				did++
			}
		}
		if changes += did; did > 0 {
			files++
		}
		uncertain = uncertain || f.Status == string(plan.FileUnverified)
		if f.Reason != "" && (f.Status != string(plan.FileStale) || x.review && !x.wasStale(f.Path)) {
			problems = append(problems, f.Path+": "+sentence(f.Reason))
		}
	}
	if x.undo {
		more, moreFiles := earlierTaken(x.before, now)
		changes, files = changes+more, files+moreFiles
	}
	already := changes == 0 && !x.undo && inText(now, x.paths)
	text := x.summary(now.Plan, changes, files, uncertain)
	if already {
		text = fmt.Sprintf("plan %d: it was in your text already, nothing had to be changed.", now.Plan)
	}
	if left := x.left(now); x.review && changes > 0 && left > 0 {
		text += fmt.Sprintf(" %s not let through: still pending.", phrase.Count(left, "change"))
	}
	if len(problems) > 0 {
		text += " " + strings.Join(problems, " ")
	}
	text += s.unsaved(paths)
	if changes == 0 && !x.review && !already || len(problems) > 0 {
		s.messages.warn(text)
	} else {
		s.messages.info(text)
	}
}

// summary says in one sentence what an execution came to.
func (x execution) summary(plan, changes, files int, uncertain bool) string {
	verb := x.verb()
	if x.review {
		verb = "applied"
	}
	switch {
	case changes > 0:
		return fmt.Sprintf("plan %d: %s in %s %s.", plan, phrase.Count(changes, "change"), phrase.Count(files, "file"), verb)
	case uncertain:
		return fmt.Sprintf("plan %d: it cannot be told whether it was %s.", plan, verb)
	case x.review:
		return fmt.Sprintf("plan %d: no change was let through in the review.", plan)
	}
	return fmt.Sprintf("plan %d: nothing was %s.", plan, verb)
}

// wasStale tells whether a file was stale before the execution.
func (x execution) wasStale(path string) bool {
	return slices.ContainsFunc(x.before.Files, func(f agent.FileState) bool {
		return f.Path == path && f.Status == string(plan.FileStale)
	})
}

// left counts the parts of the execution's files that are pending.
func (x execution) left(now agent.PlanState) int {
	n := 0
	for _, f := range now.Files {
		if x.paths != nil && !slices.Contains(x.paths, f.Path) {
			continue
		}
		if len(f.Hunks) == 0 && f.Status == string(plan.FilePending) {
			n++
		}
		for _, h := range f.Hunks {
			if h.Status == string(plan.HunkPending) || h.Status == string(plan.HunkStale) {
				n++
			}
		}
	}
	return n
}

// partsOf names what of a file is applied by itself: its hunks, or the file
// where there are none.
func partsOf(f agent.FileState) []string {
	if len(f.Hunks) == 0 {
		return []string{f.Path}
	}
	var ids []string
	for _, h := range f.Hunks {
		ids = append(ids, h.ID)
	}
	return ids
}

// appliedOf is the set of the parts of a plan's files that are applied.
func appliedOf(p agent.PlanState) map[string]bool {
	applied := map[string]bool{}
	for _, f := range p.Files {
		if len(f.Hunks) == 0 {
			applied[f.Path] = f.Status == string(plan.FileApplied)
		}
		for _, h := range f.Hunks {
			applied[h.ID] = h.Status == string(plan.HunkApplied)
		}
	}
	return applied
}

// unsaved names the files among paths that the user has still to save, as a
// sentence that follows another; "" when there are none. A buffer that is what
// its file is has nothing to save, also where the editor still marks it, and
// neither has one without a text where there is no file: it was taken back.
func (s *session) unsaved(paths []string) string {
	var names []string
	for _, path := range paths {
		b, ok := s.workspace.Buffer(path)
		if !ok || !b.Dirty || slices.Contains(names, path) || s.workspace.AsOnDisk(b) {
			continue
		}
		if exists, _, err := s.workspace.Stat(path); err == nil && !exists && edits.Blank(b.Lines.Text()) {
			continue
		}
		names = append(names, path)
	}
	if len(names) == 0 {
		return ""
	}
	return " Not saved yet: " + strings.Join(names, ", ") + "."
}

// earlierTaken counts what is not applied any more of earlier revisions, and
// the files that it was in.
func earlierTaken(before, now agent.PlanState) (changes, files int) {
	in := map[string]bool{}
	for name, path := range before.Earlier {
		if _, still := now.Earlier[name]; !still {
			changes++
			in[path] = true
		}
	}
	return changes, len(in)
}

// inText tells whether all of the files are applied.
func inText(now agent.PlanState, paths []string) bool {
	for _, f := range now.Files {
		if slices.Contains(paths, f.Path) && f.Status != string(plan.FileApplied) {
			return false
		}
	}
	return len(paths) > 0
}
