package preview

import (
	"strings"

	"redline/agent/plan"
)

// layout is where a preview lists the commands of a plan.
type layout int

const (
	// apart: all commands in a section of their own, as Redline writes previews now.
	apart layout = iota

	// among: commands among the other operations, in their steps, as earlier versions wrote
	// previews. Read still accepts them.
	among
)

// commandsHeading begins the section of the commands.
const commandsHeading = "## Commands"

// layoutOf returns the layout of a page that is a preview of a revision.
func layoutOf(p *page, r *plan.Revision) layout {
	for _, i := range p.rest {
		if strings.TrimRight(p.lines[i], " \t") == commandsHeading {
			return apart
		}
	}
	for i := range r.Operations {
		if r.Operations[i].IsCommand() {
			return among
		}
	}
	return apart
}

// entry is an item of a list of steps and operations, by its index in the revision.
type entry struct {
	step, operation int // the index of the other kind is -1
	inStep          bool
}

// entries returns the items of a revision in the order in which they are shown, and how many
// steps and edits are not shown. If commands have their own section, all of them are shown.
func (l layout) entries(r *plan.Revision) (shown []entry, left int) {
	known := make(map[string]bool, len(r.Steps))
	for i := range r.Steps {
		known[r.Steps[i].ID] = true
	}
	inSteps := map[string][]int{} // the operations of each step
	var loose, commands []int     // the operations without a step, and the separate commands
	for k := range r.Operations {
		o := &r.Operations[k]
		switch {
		case l == apart && o.IsCommand():
			commands = append(commands, k)
		case known[o.Step]:
			inSteps[o.Step] = append(inSteps[o.Step], k)
		default:
			loose = append(loose, k)
		}
	}
	for i := range r.Steps {
		id := r.Steps[i].ID
		shown = append(shown, entry{step: i, operation: -1})
		for _, k := range inSteps[id] {
			shown = append(shown, entry{step: -1, operation: k, inStep: true})
		}
		delete(inSteps, id) // if two steps have the same name, the first has them
	}
	for _, k := range loose {
		shown = append(shown, entry{step: -1, operation: k})
	}
	if left = len(shown) - l.most(); left > 0 {
		shown = shown[:l.most()]
	}
	for _, k := range commands {
		shown = append(shown, entry{step: -1, operation: k, inStep: known[r.Operations[k].Step]})
	}
	return shown, max(left, 0)
}

// most returns how many steps and operations are listed at most, not counting separate commands.
func (l layout) most() int {
	if l == among {
		return 2000
	}
	return maxItems
}
