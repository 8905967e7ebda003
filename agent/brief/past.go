package brief

import (
	"cmp"
	"slices"
	"strings"

	"redline/agent/plan"
)

// Past has the last result of each command that has run in a workspace, the newest first: approved
// commands and trials.
type Past []Outcome

// Outcome is the last known result of a command. A failure counts only if it is known not to come
// from a plan.
type Outcome struct {
	Command, Folder string
	Passed          bool
}

// PastOf returns the results of plans, which are sorted by age, the newest first.
func PastOf(plans []*plan.Plan) (all Past) {
	known := map[[2]string]bool{}
	add := func(line, folder string, passed, failed bool) {
		o := Outcome{strings.TrimSpace(line), folder, passed}
		if key := [2]string{o.Command, folder}; (passed || failed) && !known[key] {
			known[key], all = true, append(all, o)
		}
	}
	for _, p := range plans {
		for i := range slices.Backward(p.Revisions) {
			for _, o := range slices.Backward(p.Revisions[i].CommandLines()) {
				m := p.Progress.Command(o.ID)
				passed := m.Status == plan.CommandSucceeded && m.ExitCode != nil && *m.ExitCode == 0
				add(o.Command, o.Folder(), passed, m.Status == plan.CommandFailed && failsWithout(m.Verdict))
			}
		}
		for _, t := range slices.Backward(p.Trials) {
			add(t.Command, t.Cwd, t.Passed(), failsWithout(t.Verdict()))
		}
	}
	return all
}

// failsWithout reports whether a failure was there without a plan's edits too.
func failsWithout(c plan.Class) bool { return c == plan.FailsAsBefore || c == plan.StillFails }

// of returns the index of the last result of a check, len(p) if there is none.
func (p Past) of(c Check) int {
	i := slices.IndexFunc(p, func(o Outcome) bool { return o.Command == c.Command && o.Folder == c.Folder })
	if i < 0 {
		return len(p)
	}
	return i
}

// Fails reports whether a check is known to fail without a plan's edits.
func (p Past) Fails(c Check) bool {
	i := p.of(c)
	return i < len(p) && !p[i].Passed
}

// Order sorts checks: those that have passed last come first, those that are known to fail last. It
// keeps the order of the others.
func (p Past) Order(found []Check) []Check {
	place := func(c Check) int {
		if p.Fails(c) {
			return len(p) + 1
		}
		return p.of(c)
	}
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b Check) int { return cmp.Compare(place(a), place(b)) })
	return sorted
}
