package agent

import (
	"context"
	"maps"
	"slices"
	"time"

	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/rules"
	"redline/workspace/runner"
)

// Commands is how approved commands are run.
type Commands struct {
	Limits          runner.Limits // of each; a plan may ask for less time, not for more
	Caches          []string      // absolute directories besides the workspace that they may write
	Env             []string      // names of variables that they get besides the usual ones
	Secrets         []string      // what must not be in the output that is kept
	Confine         string        // see [runner.Command], as for the next
	Namespaces      string
	Own, OwnFolders []string
	Rules           *rules.Rules // the user's own; nil for none

	// Run runs one; nil: [runner.Run].
	Run func(ctx context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error)
}

// executor carries out the approved commands of one plan, one after the other, as
// a turn. There is at most one for a plan.
type executor struct {
	turn  *conversation.Turn
	edits *execution // the edits that were approved with the commands, nil for none
	wake  chan struct{}

	// guarded by Board.mu
	hash   string            // of the revision that they were approved at
	queue  []string          // ids of the operations, in order
	rules  map[string]string // of those that rules have allowed: which; until that is recorded
	at     map[string]bool   // those that do not wait for files to be saved
	open   int64             // guarded by the plan's lock: the record of the execution of the first of them while it waits, 0 for none
	told   bool              // the user knows that it waits
	ended  bool
	did    []string // what was done so far, a sentence each
	failed string   // why the plan has stopped, "" if it has not
}

// commandsOf returns the commands that a decision approves, in order, and for each that the
// user's own rules allow, not the decision, the name of the rule. It refuses a named command
// that cannot run now; of a whole plan it leaves such commands for later. Rules count when
// the plan is approved as a whole, up to the first command that they do not allow, and not
// at all if the decision says that no command is to run. approved are the parts that are
// approved with them.
func (ex *Executors) commandsOf(v *PlanView, d Decide, s scope, approved []part) (ids []string, byRule map[string]string, err error) {
	p, r := v.Plan, v.Revision
	named := d.Operation != "" && len(s.commands) > 0
	switch {
	case d.NoCommands && d.AllowCommands:
		return nil, nil, refusal.New(refusal.Invalid, "Plan %d: commands cannot be allowed and left out at once.", p.Number)
	case d.NoCommands && named:
		return nil, nil, refusal.New(refusal.Invalid, "%s of plan %d is a command, and the approval says that none is to run: leave that out to run it.", d.Operation, p.Number)
	case d.NoCommands, !named && !s.whole:
		return nil, nil, nil
	}
	candidates := s.commands
	if s.whole {
		candidates = p.Runnable(r)
	}
	ready := newReadiness(p, r, approved)
	for _, id := range candidates {
		o, _ := r.Operation(id)
		switch v := ex.rules.judge(o); {
		case v.Answer == rules.Deny && (named || d.AllowCommands):
			return nil, nil, deniedBy(v, id, p.Number)
		case named || d.AllowCommands:
		case v.Answer != rules.Allow:
			return ids, byRule, nil // those after it come after it
		default:
			if byRule == nil {
				byRule = map[string]string{}
			}
			byRule[id] = v.Rule
		}
		if named {
			switch status := p.Progress.Command(id).Status; status {
			case plan.CommandSucceeded, plan.CommandRejected, plan.CommandRunning:
				return nil, nil, refusal.New(refusal.WrongState, "Command %s of plan %d is %s already.", id, p.Number, status)
			}
		}
		missing := ready.missing(id)
		condition := ready.checkCondition(o, ids)
		switch {
		case !named && (missing != "" || condition != nil):
		case condition != nil:
			return nil, nil, condition
		case missing == "":
			ids = append(ids, id)
		default:
			return nil, nil, refusal.New(refusal.WrongState, "Command %s of plan %d comes after %s, which is not applied: approve that first, or reject it.", id, p.Number, missing)
		}
	}
	return ids, byRule, nil
}

// deniedBy refuses a command for what the user's own rules say of it.
func deniedBy(v rules.Verdict, id string, plan int) error {
	if v.Rule == "" {
		return refusal.New(refusal.NotAllowed, "Command %s of plan %d is refused: your own rules deny some commands, and whether it runs one cannot be known (%s). Reject it, or ask for it in a simpler form.", id, plan, v.Why)
	}
	return refusal.New(refusal.NotAllowed, "Your own rule %q denies command %s of plan %d: reject it, or change the rule in your settings.", v.Rule, id, plan)
}

// allowed notes in p that the commands are approved: what came of them before is
// over.
func allowed(p *plan.Plan, ids []string) {
	for _, id := range ids {
		if p.Progress.Command(id).Status != plan.CommandWaitingForSave {
			p.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandPending})
		}
	}
}

// launch has the approved commands carried out, after the edits of x, and
// returns the turn that does it. Those that the executor of the plan has already
// do not wait any longer.
func (ex *Executors) launch(x *checked) string {
	h := x.held
	ex.launching.Lock()
	defer ex.launching.Unlock()
	ex.board.mu.Lock()
	if e := ex.executor(h.plan().Number); e != nil && !e.ended && e.hash == h.revision().Hash {
		for _, id := range x.commands {
			if rule := x.rules[id]; rule != "" {
				e.rules[id] = rule
			}
			if slices.Contains(e.queue, id) {
				e.at[id] = true
			} else {
				e.queue = append(e.queue, id)
			}
		}
		h.inOrder(e.queue)
		e.stir()
		ex.board.mu.Unlock()
		return e.turn.ID
	}
	e := &executor{hash: h.revision().Hash, queue: slices.Clone(x.commands), at: map[string]bool{}, rules: map[string]string{}, wake: make(chan struct{}, 1)}
	maps.Copy(e.rules, x.rules)
	if x.edits() {
		e.edits = x.execution
	}
	n, conversation := h.plan().Number, h.plan().Conversation
	ex.board.mu.Unlock()
	ex.beginCommands(h, e, n, conversation)
	return e.turn.ID
}

// beginCommands begins the turn of an executor. The caller holds a.launching.
func (ex *Executors) beginCommands(h *heldPlan, e *executor, n int, name string) {
	known := make(chan struct{})
	e.turn = ex.conversations.Begin(name, counted(len(e.queue), n), func(ctx context.Context, _ *conversation.Turn) error {
		<-known
		return ex.carryOutCommands(ctx, h, e)
	}, func() {
		ex.runningMu.Lock()
		defer ex.runningMu.Unlock()
		if ex.executors[n] == e {
			delete(ex.executors, n)
		}
	})
	ex.runningMu.Lock()
	ex.executors[n] = e
	ex.runningMu.Unlock()
	close(known)
}

// inOrder sorts the ids of operations as the revision has them.
func (h *heldPlan) inOrder(ids []string) {
	at := func(id string) int {
		return slices.IndexFunc(h.revision().Operations, func(o plan.Operation) bool { return o.ID == id })
	}
	slices.SortFunc(ids, func(x, y string) int { return at(x) - at(y) })
}

// stir has the executor look again whether it can go on.
func (e *executor) stir() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// stirAll has all executors look again: a file was saved, or a plan has changed.
func (ex *Executors) stirAll() {
	ex.runningMu.Lock()
	defer ex.runningMu.Unlock()
	for _, e := range ex.executors {
		e.stir()
	}
}

// executor returns what runs the commands of a plan, nil if nothing does.
func (ex *Executors) executor(plan int) *executor {
	ex.runningMu.Lock()
	defer ex.runningMu.Unlock()
	return ex.executors[plan]
}

// lookEvery is how often an executor that waits looks again by itself: what
// another process does is not told.
const lookEvery = time.Second
