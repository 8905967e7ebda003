package decide

import (
	"cmp"
	"fmt"
	"slices"

	"redline/agent/board"
	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/phrase"
)

// Approval lists commands of a plan that were approved together.
type Approval struct {
	hash  string            // the revision at which they were approved
	ids   []string          // ids of the operations, in order
	rules map[string]string // command id to the user's own rule that allows it; no entry if the decision allows it
	left  []string          // ids of commands that were also to be approved, but cannot run yet
	edit  string            // the edit that the first of these must follow
	After *board.Execution  // the execution of the edits that were approved with them, nil for none
}

// None reports whether no command was approved.
func (a Approval) None() bool { return len(a.ids) == 0 }

// ByDecision returns the commands that the decision itself allows. A rule's decision is recorded
// later, before its command begins.
func (a Approval) ByDecision() (ids []string) {
	for _, id := range a.ids {
		if a.rules[id] == "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// Mark marks the commands in p as pending: earlier results no longer count.
func (a Approval) Mark(p *plan.Plan) {
	for _, id := range a.ids {
		if p.Progress.Command(id).Status != plan.CommandWaitingForSave {
			p.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandPending})
		}
	}
}

// Approves returns the commands that a decision approves; parts are approved with them. It
// refuses a named command that cannot run now; when the whole plan is approved it leaves such
// commands out. The user's rules count when the plan is approved as a whole, up to the first
// command that they do not allow, and not at all if the decision says to run no command.
func (ex *Executors) Approves(v *view.Plan, d view.Request, s view.Scope, parts []view.Part) (Approval, error) {
	p, r := v.Plan, v.Revision
	a := Approval{hash: r.Hash, rules: map[string]string{}}
	named := d.Operation != "" && len(s.Commands) > 0
	switch {
	case d.NoCommands && d.AllowCommands:
		return Approval{}, plan.Refuse(plan.Invalid, "Plan %d: commands cannot be allowed and left out at once.", p.Number)
	case d.NoCommands && named:
		return Approval{}, plan.Refuse(plan.Invalid, "%s of plan %d is a command, but the approval allows none: leave that out to run it.", d.Operation, p.Number)
	case d.NoCommands, !named && !s.Whole:
		return a, nil
	}
	candidates := s.Commands
	if s.Whole {
		candidates = p.Runnable(r)
	}
	if len(candidates) == 0 {
		return a, nil
	}
	ready := newReadiness(p, r, parts)
	for _, id := range candidates {
		o, _ := r.Operation(id)
		switch v := ex.rules.Judge(o); {
		case v.Answer == commands.Deny && (named || d.AllowCommands):
			return Approval{}, deniedBy(v, id, p.Number)
		case named || d.AllowCommands:
		case v.Answer != commands.Allow:
			return a, nil // the commands after it must not run before it
		default:
			a.rules[id] = v.Rule
		}
		if named {
			switch status := p.Progress.Command(id).Status; status {
			case plan.CommandSucceeded, plan.CommandRejected, plan.CommandRunning:
				return Approval{}, plan.Refuse(plan.WrongState, "Command %s of plan %d is %s already.", id, p.Number, status)
			}
		}
		missing := ready.missing(id)
		condition := ready.checkCondition(o, a.ids)
		if missing != "" && s.Whole && d.AllowCommands {
			a.left, a.edit = append(a.left, id), cmp.Or(a.edit, missing)
		}
		switch {
		case !named && (missing != "" || condition != nil):
		case condition != nil:
			return Approval{}, condition
		case missing == "":
			a.ids = append(a.ids, id)
		default:
			return Approval{}, plan.Refuse(plan.WrongState, "Command %s of plan %d comes after %s, which is not applied: approve that first, or reject it.", id, p.Number, missing)
		}
	}
	return a, nil
}

// LeftBehind names, in a sentence, the commands that were not approved with the others, because
// an edit before them is neither applied nor about to be; "" if there are none.
func (a Approval) LeftBehind(plan int) string {
	switch len(a.left) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("Plan %d: command %s is not run, because it comes after %s, which is not applied.", plan, a.left[0], a.edit)
	}
	return fmt.Sprintf("Plan %d: %s are not run, because they come after %s, which is not applied.", plan, phrase.Named("command", phrase.FirstOf(a.left, 5, "other")), a.edit)
}

// deniedBy returns the refusal of a command that the user's own rules deny.
func deniedBy(v commands.Verdict, id string, number int) error {
	if v.Rule == "" {
		return plan.Refuse(plan.NotAllowed, "Command %s of plan %d is refused: your own rules deny some commands, and whether it runs one cannot be known (%s). Reject it, or ask for it in a simpler form.", id, number, v.Why)
	}
	return plan.Refuse(plan.NotAllowed, "Your own rule %q denies command %s of plan %d: reject it, or change the rule in your settings.", v.Rule, id, number)
}

// readiness determines which commands of a plan can run once the approved parts are applied. Make
// one for all commands of a plan: there may be thousands.
type readiness struct {
	plan     *plan.Plan
	revision *plan.Revision
	depend   *plan.Dependencies
	index    map[string]int  // id of an operation → its place in the revision
	then     *plan.Plan      // the plan once the approved parts are applied
	decided  map[string]bool // whether an edit is decided, by id; a cache
	met      map[string]bool // commands whose dependencies are all met
}

func newReadiness(p *plan.Plan, r *plan.Revision, approved []view.Part) *readiness {
	n := &readiness{
		plan: p, revision: r, depend: r.Dependencies(), then: p,
		index: make(map[string]int, len(r.Operations)), decided: map[string]bool{}, met: map[string]bool{},
	}
	for i := range r.Operations {
		n.index[r.Operations[i].ID] = i
	}
	if len(approved) > 0 {
		n.then = p.Clone()
	}
	for _, part := range approved {
		part.Mark(n.then, plan.HunkApplied, "")
	}
	return n
}

// missing returns an edit that the command depends on and that is neither applied nor rejected
// nor about to be applied; "" for none.
func (n *readiness) missing(id string) string {
	seen := map[string]bool{id: true}
	for queue := n.depend.Of(id); len(queue) > 0; queue = queue[1:] {
		one := queue[0]
		if seen[one] {
			continue
		}
		seen[one] = true
		i, ok := n.index[one]
		command := ok && n.revision.Operations[i].IsCommand()
		if command && n.met[one] {
			continue
		}
		queue = append(queue, n.depend.Of(one)...)
		if !ok || command {
			continue // the user may leave a command out
		}
		if !n.isDecided(one) {
			return one
		}
	}
	n.met[id] = true
	return ""
}

// checkCondition refuses a command whose step has a condition that does not hold, or that the
// commands and parts approved before it leave open.
func (n *readiness) checkCondition(o *plan.Operation, before []string) error {
	s, ok := n.revision.Step(o.Step)
	if !ok || s.When == nil {
		return nil
	}
	switch answer, why := n.plan.Holds(n.revision, s); answer {
	case plan.AnswerYes:
		return nil
	case plan.AnswerNo:
		return plan.Refuse(plan.WrongState, "Command %s of plan %d is not run: step %s is carried out %s, and %s.", o.ID, n.plan.Number, s.ID, s.When, why)
	}
	for _, id := range n.plan.Deciding(n.revision, o) {
		other, _ := n.revision.Operation(id)
		if other.IsCommand() && !slices.Contains(before, id) || !other.IsCommand() && !n.isDecided(id) {
			return plan.Refuse(plan.WrongState, "Command %s of plan %d is run %s, which is not known before %s is done: approve that first.", o.ID, n.plan.Number, s.When, id)
		}
	}
	return nil
}

// isDecided reports whether everything that an edit made is applied or rejected once the approved
// parts are applied.
func (n *readiness) isDecided(operation string) bool {
	is, known := n.decided[operation]
	if !known {
		is = !slices.ContainsFunc(n.revision.Changes, func(c plan.Change) bool {
			return slices.Contains(c.Operations, operation) && n.leavesOpen(&c, operation)
		})
		n.decided[operation] = is
	}
	return is
}

// leavesOpen reports whether, after that, some part of an operation's change is neither applied
// nor rejected. If later operations have replaced all that it made, the whole change counts.
func (n *readiness) leavesOpen(c *plan.Change, operation string) bool {
	made := func(h plan.Hunk) bool { return slices.Contains(c.MakersOf(&h), operation) }
	move := slices.Contains(c.Movers(), operation)
	whole := !move && !slices.ContainsFunc(c.Hunks, made)
	if moved := n.then.Progress.File(n.revision.Number, c.Path).Move; (move || whole && c.Action == plan.Rename) && moved != plan.FileApplied && moved != plan.FileRejected {
		return true
	}
	return slices.ContainsFunc(c.Hunks, func(h plan.Hunk) bool {
		status := n.then.Progress.Hunk(h.ID).Status
		return (whole || made(h)) && status != plan.HunkApplied && status != plan.HunkRejected
	})
}
