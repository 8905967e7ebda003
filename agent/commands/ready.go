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
	approved []decision.Part // about to be applied
	depend   *plan.Dependencies
	index    map[string]int  // id of an operation → its place in the revision
	status   []string        // of each operation
	met      map[string]bool // edits that were looked at already, and commands that miss nothing
}

func newReadiness(p *plan.Plan, r *plan.Revision, approved []decision.Part) *readiness {
	n := &readiness{
		plan: p, revision: r, approved: approved, depend: r.Dependencies(), status: p.Operations(r),
		index: make(map[string]int, len(r.Operations)), met: map[string]bool{},
	}
	for i := range r.Operations {
		n.index[r.Operations[i].ID] = i
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
		met, known := n.met[one]
		if !known {
			status := plan.FileStatus(n.status[i])
			met = status == plan.FileApplied || status == plan.FileRejected || n.isApproved(one)
			n.met[one] = met
		}
		if !met {
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
		if other.IsCommand() && !slices.Contains(before, id) || !other.IsCommand() && !n.isApproved(id) {
			return refusal.New(refusal.WrongState, "Command %s of plan %d is run %s, which is not known before %s is done: approve that first.", o.ID, n.plan.Number, s.When, id)
		}
	}
	return nil
}

// isApproved reports whether the approved parts cover everything undecided that an operation
// made. A file with nothing undecided need not be among them.
func (n *readiness) isApproved(operation string) bool {
	for i := range n.revision.Changes {
		c := &n.revision.Changes[i]
		if !slices.Contains(c.Operations, operation) {
			continue
		}
		hunks, moves := n.undecidedBy(operation, c)
		for _, p := range n.approved {
			if p.File.Change == c {
				hunks = slices.DeleteFunc(hunks, func(k int) bool { return slices.Contains(p.Hunks, k) })
				moves = moves && !p.Move
			}
		}
		if len(hunks) > 0 || moves {
			return false
		}
	}
	return true
}

// undecidedBy returns the undecided hunks of a change, by index, that an operation made, and
// whether it made a move that is undecided. If later operations have replaced everything that it
// made, it returns all undecided hunks.
func (n *readiness) undecidedBy(operation string, c *plan.Change) (hunks []int, move bool) {
	move = slices.Contains(c.Movers(), operation)
	made := func(k int) bool { return slices.Contains(c.MakersOf(&c.Hunks[k]), operation) }
	all := !move
	for k := range c.Hunks {
		all = all && !made(k)
	}
	for k := range c.Hunks {
		switch status := n.plan.Progress.Hunk(c.Hunks[k].ID).Status; {
		case status == plan.HunkApplied || status == plan.HunkRejected:
		case all || made(k):
			hunks = append(hunks, k)
		}
	}
	moved := n.plan.Progress.File(n.revision.Number, c.Path).Move
	return hunks, (move || all && c.Action == plan.Rename) && moved != plan.FileApplied && moved != plan.FileRejected
}
