package agent

import (
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/rules"
)

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

// deniedBy is the refusal of a command that the user's own rules deny.
func deniedBy(v rules.Verdict, id string, plan int) error {
	if v.Rule == "" {
		return refusal.New(refusal.NotAllowed, "Command %s of plan %d is refused: your own rules deny some commands, and whether it runs one cannot be known (%s). Reject it, or ask for it in a simpler form.", id, plan, v.Why)
	}
	return refusal.New(refusal.NotAllowed, "Your own rule %q denies command %s of plan %d: reject it, or change the rule in your settings.", v.Rule, id, plan)
}

// allowed marks commands of p that are approved as pending: an earlier result is over.
func allowed(p *plan.Plan, ids []string) {
	for _, id := range ids {
		if p.Progress.Command(id).Status != plan.CommandWaitingForSave {
			p.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandPending})
		}
	}
}
