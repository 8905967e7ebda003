package agent

import (
	"cmp"
	"fmt"
	"slices"

	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/internal/phrase"
)

// needs finds out what commands of a plan depend on. It is made once for all of them:
// there may be thousands.
type needs struct {
	held     *heldPlan
	approved []part // the parts that are about to be applied
	depend   *plan.Dependencies
	index    map[string]int  // of the operations, by id
	status   []string        // of each
	met      map[string]bool // edits that were looked at already, and commands that miss nothing
}

// needs is about the plan as it is, with the parts that are about to be applied.
func (h *heldPlan) needs(approved []part) *needs {
	n := &needs{
		held: h, approved: approved, depend: h.revision().Dependencies(), status: h.plan().Operations(h.revision()),
		index: make(map[string]int, len(h.revision().Operations)), met: map[string]bool{},
	}
	for i := range h.revision().Operations {
		n.index[h.revision().Operations[i].ID] = i
	}
	return n
}

// missing returns an edit that the command depends on and that is neither
// applied, nor rejected, nor among those that are about to be applied; "" for
// none.
func (n *needs) missing(id string) string {
	seen := map[string]bool{id: true}
	for queue := n.depend.Of(id); len(queue) > 0; queue = queue[1:] {
		one := queue[0]
		if seen[one] {
			continue
		}
		seen[one] = true
		i, ok := n.index[one]
		command := ok && n.held.revision().Operations[i].IsCommand()
		if command && n.met[one] {
			continue
		}
		queue = append(queue, n.depend.Of(one)...)
		if !ok || command {
			continue // a command that was left out is the user's to leave out
		}
		met, known := n.met[one]
		if !known {
			status := plan.FileStatus(n.status[i])
			met = status == plan.FileApplied || status == plan.FileRejected || n.held.isAmong(one, n.approved)
			n.met[one] = met
		}
		if !met {
			return one
		}
	}
	n.met[id] = true
	return ""
}

// leftBehind says which commands an approval of the whole plan with its commands
// leaves, since an edit before them is neither applied nor about to be; "" for none.
func (h *heldPlan) leftBehind(commands []string, approved []part) string {
	needs := h.needs(approved)
	var left []string
	after := ""
	for _, id := range h.plan().Runnable(h.revision()) {
		if slices.Contains(commands, id) {
			continue
		}
		if missing := needs.missing(id); missing != "" {
			left, after = append(left, id), cmp.Or(after, missing)
		}
	}
	switch len(left) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("Plan %d: command %s is not run, because it comes after %s, which is not applied.", h.plan().Number, left[0], after)
	}
	return fmt.Sprintf("Plan %d: %s are not run, because they come after %s, which is not applied.", h.plan().Number, phrase.Named("command", phrase.FirstOf(left, 5, "other")), after)
}

// mayRun refuses a command whose step has a condition that does not hold, or that
// is not settled by the commands and the parts that are approved before it.
func (h *heldPlan) mayRun(o *plan.Operation, commands []string, edits []part) error {
	s, ok := h.revision().Step(o.Step)
	if !ok || s.When == nil {
		return nil
	}
	switch answer, why := h.plan().Holds(h.revision(), s); answer {
	case plan.AnswerYes:
		return nil
	case plan.AnswerNo:
		return refusal.New(refusal.WrongState, "Command %s of plan %d is not run: step %s is carried out %s, and %s.", o.ID, h.plan().Number, s.ID, s.When, why)
	}
	for _, id := range h.plan().Deciding(h.revision(), o) {
		other, _ := h.revision().Operation(id)
		if other.IsCommand() && !slices.Contains(commands, id) || !other.IsCommand() && !h.isAmong(id, edits) {
			return refusal.New(refusal.WrongState, "Command %s of plan %d is run %s, which is not known before %s is done: approve that first.", o.ID, h.plan().Number, s.When, id)
		}
	}
	return nil
}

// isAmong reports whether the parts cover everything undecided that an operation made.
// A file with nothing undecided need not be among them.
func (h *heldPlan) isAmong(operation string, parts []part) bool {
	for _, f := range h.files {
		if !slices.Contains(f.change.Operations, operation) {
			continue
		}
		hunks, moves := h.undecidedBy(operation, f)
		for _, p := range parts {
			if p.file.Change == f.change {
				hunks = slices.DeleteFunc(hunks, func(k int) bool { return slices.Contains(p.hunks, k) })
				moves = moves && !p.move
			}
		}
		if len(hunks) > 0 || moves {
			return false
		}
	}
	return true
}

// undecidedBy returns the hunks of a file, by index, that an operation made and that
// are neither applied nor rejected, and whether the same is so of a move by it. Where
// later operations have put something else in place of all that it made, it is the
// whole file.
func (h *heldPlan) undecidedBy(operation string, f *heldFile) (hunks []int, move bool) {
	c := f.change
	move = slices.Contains(c.Movers(), operation)
	made := func(k int) bool { return slices.Contains(c.MakersOf(&c.Hunks[k]), operation) }
	all := !move
	for k := range c.Hunks {
		all = all && !made(k)
	}
	for k := range c.Hunks {
		switch status := h.plan().Progress.Hunk(c.Hunks[k].ID).Status; {
		case status == plan.HunkApplied || status == plan.HunkRejected:
		case all || made(k):
			hunks = append(hunks, k)
		}
	}
	moved := h.mark(f).Move
	return hunks, (move || all && c.Action == plan.Rename) && moved != plan.FileApplied && moved != plan.FileRejected
}
