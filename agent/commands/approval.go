package commands

import (
	"cmp"
	"fmt"

	"redline/agent/board"
	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/rules"
	"redline/agent/view"
	"redline/internal/phrase"
)

// Approval lists commands of a plan that were approved together.
type Approval struct {
	hash  string            // of the revision that they were approved at
	ids   []string          // of the operations, in order
	rules map[string]string // command → the user's own rule that allows it; not there if the decision does
	left  []string          // ids of commands that the user meant to approve too, and that cannot run yet
	edit  string            // the edit that the first of these comes after
	After *board.Execution  // of the edits that were approved with them, nil for none
}

// None reports whether no command was approved.
func (a Approval) None() bool { return len(a.ids) == 0 }

// ByDecision returns the commands that the decision allows, not a rule: a rule's decision is
// recorded before its command begins.
func (a Approval) ByDecision() (ids []string) {
	for _, id := range a.ids {
		if a.rules[id] == "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// Mark marks the commands in p as pending: earlier results do not count any more.
func (a Approval) Mark(p *plan.Plan) {
	for _, id := range a.ids {
		if p.Progress.Command(id).Status != plan.CommandWaitingForSave {
			p.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandPending})
		}
	}
}

// Approves returns the commands that a decision approves. It refuses a named command that cannot
// run now; of a whole plan it leaves out such commands. The user's rules count when the plan is
// approved as a whole, up to the first command that they do not allow, and not at all if the
// decision says to run no command. parts are approved with the commands.
func (ex *Executors) Approves(v *view.Plan, d decision.Request, s decision.Scope, parts []decision.Part) (Approval, error) {
	p, r := v.Plan, v.Revision
	a := Approval{hash: r.Hash, rules: map[string]string{}}
	named := d.Operation != "" && len(s.Commands) > 0
	switch {
	case d.NoCommands && d.AllowCommands:
		return Approval{}, refusal.New(refusal.Invalid, "Plan %d: commands cannot be allowed and left out at once.", p.Number)
	case d.NoCommands && named:
		return Approval{}, refusal.New(refusal.Invalid, "%s of plan %d is a command, and the approval says that none is to run: leave that out to run it.", d.Operation, p.Number)
	case d.NoCommands, !named && !s.Whole:
		return a, nil
	}
	candidates := s.Commands
	if s.Whole {
		candidates = p.Runnable(r)
	}
	ready := newReadiness(p, r, parts)
	for _, id := range candidates {
		o, _ := r.Operation(id)
		switch v := ex.rules.Judge(o); {
		case v.Answer == rules.Deny && (named || d.AllowCommands):
			return Approval{}, deniedBy(v, id, p.Number)
		case named || d.AllowCommands:
		case v.Answer != rules.Allow:
			return a, nil // those after it come after it
		default:
			a.rules[id] = v.Rule
		}
		if named {
			switch status := p.Progress.Command(id).Status; status {
			case plan.CommandSucceeded, plan.CommandRejected, plan.CommandRunning:
				return Approval{}, refusal.New(refusal.WrongState, "Command %s of plan %d is %s already.", id, p.Number, status)
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
			return Approval{}, refusal.New(refusal.WrongState, "Command %s of plan %d comes after %s, which is not applied: approve that first, or reject it.", id, p.Number, missing)
		}
	}
	return a, nil
}

// LeftBehind says which commands were not approved with the others, because an edit before them
// is neither applied nor about to be; "" for none.
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
func deniedBy(v rules.Verdict, id string, plan int) error {
	if v.Rule == "" {
		return refusal.New(refusal.NotAllowed, "Command %s of plan %d is refused: your own rules deny some commands, and whether it runs one cannot be known (%s). Reject it, or ask for it in a simpler form.", id, plan, v.Why)
	}
	return refusal.New(refusal.NotAllowed, "Your own rule %q denies command %s of plan %d: reject it, or change the rule in your settings.", v.Rule, id, plan)
}
