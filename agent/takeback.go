package agent

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/edits"
)

// takeBack undoes the files of an approval that were changed before one was
// refused: all files land, or none stay. Each file is asked for by itself, so
// that one which cannot be taken back does not keep the others.
func (a *Agent) takeBack(h *heldPlan, x *execution, outcomes []edits.Applied, failure edits.Applied) error {
	landed := h.plan.Clone() // as if what landed were all that was approved
	for i, o := range outcomes {
		if o.Status == edits.Done {
			markApplied(landed, h.revision, x.parts[i])
		}
	}
	final := make([]edits.Applied, len(x.parts))
	var left, unsure []string
	for i := range slices.Backward(x.parts) {
		switch {
		case i >= len(outcomes):
			final[i] = edits.Applied{Status: edits.Refused, Reason: fmt.Sprintf("it was not begun, because %s could not be changed", failure.Path)}
			continue
		case outcomes[i].Status != edits.Done:
			final[i] = outcomes[i]
			if outcomes[i].Status != edits.Refused {
				unsure = append(unsure, x.changes[i].Path)
			}
			continue
		}
		if a.takeBackOne(landed, x.parts[i]) {
			final[i] = edits.Applied{Status: edits.Refused, Reason: fmt.Sprintf("it was taken back, because %s could not be changed", failure.Path)}
		} else {
			final[i] = outcomes[i]
			left = append(left, x.changes[i].Path)
		}
	}
	if err := a.record(h, x, final); err != nil {
		return err
	}
	text := fmt.Sprintf("%s was not changed: %s.", failure.Path, trimDot(failure.Reason))
	switch {
	case len(left) > 0:
		text += fmt.Sprintf(" Still changed, because it could not be taken back: %s.", strings.Join(left, ", "))
	case len(unsure) == 0:
		text += " Nothing of this approval stays applied."
	}
	if len(unsure) > 0 {
		text += fmt.Sprintf(" It cannot be seen what became of %s: look at it.", strings.Join(unsure, ", "))
	}
	return &Refusal{Kind: ApplyFailed, Reason: text}
}

// takeBackOne undoes what landed of one file, and tells whether that worked.
func (a *Agent) takeBackOne(landed *plan.Plan, p part) bool {
	a.mu.Lock()
	a.place(landed, p.file)
	c, conflicts := backward(landed, p)
	a.mu.Unlock()
	if len(conflicts) > 0 {
		return false
	}
	outcomes, err := a.editor.Apply(a.root, []edits.Change{c})
	return err == nil && len(outcomes) == 1 && outcomes[0].Status == edits.Done
}
