package commands

import (
	"slices"

	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/refusal"
)

// readiness tells which commands of a plan can run once the approved parts are applied.
// Make one for all commands of a plan: there may be thousands.
type readiness struct {
	plan     *plan.Plan
	revision *plan.Revision
	depend   *plan.Dependencies
	index    map[string]int  // id of an operation → its place in the revision
	then     *plan.Plan      // the plan once the approved parts are applied
	decided  map[string]bool // edits that were looked at already
	met      map[string]bool // commands that miss nothing
}

func newReadiness(p *plan.Plan, r *plan.Revision, approved []decision.Part) *readiness {
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

// missing returns an edit that the command depends on and that is neither applied, nor rejected,
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

// checkCondition refuses a command whose step has a condition that does not hold, or that stays
// open with the commands and parts approved before it.
func (n *readiness) checkCondition(o *plan.Operation, before []string) error {
	s, ok := n.revision.Step(o.Step)
	if !ok || s.When == nil {
		return nil
	}
	switch answer, why := n.plan.Holds(n.revision, s); answer {
	case plan.AnswerYes:
		return nil
	case plan.AnswerNo:
		return refusal.New(refusal.WrongState, "Command %s of plan %d is not run: step %s is carried out %s, and %s.", o.ID, n.plan.Number, s.ID, s.When, why)
	}
	for _, id := range n.plan.Deciding(n.revision, o) {
		other, _ := n.revision.Operation(id)
		if other.IsCommand() && !slices.Contains(before, id) || !other.IsCommand() && !n.isDecided(id) {
			return refusal.New(refusal.WrongState, "Command %s of plan %d is run %s, which is not known before %s is done: approve that first.", o.ID, n.plan.Number, s.When, id)
		}
	}
	return nil
}

// isDecided reports whether all that an edit made is applied or rejected once the approved parts
// are applied.
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

// leavesOpen reports whether something that an operation made of a change is neither applied nor
// rejected then. If later operations have replaced all that it made, the whole change counts.
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
