package decide

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// takeBack reverts the files of an approval that were changed before the editor refused one,
// because an approval changes all of its files or none. It sends a request for each file, so
// that a file that cannot be reverted does not block the others.
func (ds *Decisions) takeBack(x *checked, outcomes []edits.Applied, failure edits.Applied) error {
	landed := x.held.Plan().Clone() // as if only the changed files were approved
	for i, o := range outcomes {
		if o.Status == edits.Done {
			x.Parts[i].Mark(landed, plan.HunkApplied, "")
		}
	}
	asked := len(outcomes)
	for len(outcomes) < len(x.Parts) {
		outcomes = append(outcomes, edits.Applied{Status: edits.Refused, Reason: fmt.Sprintf("it was not begun, because %s could not be changed", failure.Path)})
	}
	var left, unsure []string
	var open []int // indices of parts whose revert the editor has not answered
	for i, o := range slices.Backward(outcomes) {
		path, part := x.changes[i].Path, x.Parts[i]
		switch o.Status {
		case edits.Unknown, edits.Unverified:
			unsure = append(unsure, path)
			continue
		case edits.Refused, edits.Half:
			continue
		}
		switch stays, status := ds.takeBackOne(x.held, landed, part); {
		case status == edits.Unknown || status == edits.Unverified:
			outcomes[i] = edits.Applied{Status: status, Reason: "it is not known yet whether it was taken back"}
			unsure, open = append(unsure, path), append(open, i)
		case status == edits.Half:
			outcomes[i] = edits.Applied{Status: status, Reason: "the editor took back only a part of it: look at it, and undo the rest in the editor"}
			left = append(left, path)
		case status == edits.Done && len(stays) == 0:
			outcomes[i] = edits.Applied{Status: edits.Refused, Reason: fmt.Sprintf("it was taken back, because %s could not be changed", failure.Path)}
			ds.board.TakenBack(x.held, x.execution, i, outcomes[i].Reason)
		case status == edits.Done:
			outcomes[i] = partlyTaken(part, stays)
			left = append(left, fmt.Sprintf("%s (%s)", path, phrase.Named("hunk", stays)))
		default:
			left = append(left, fmt.Sprintf("%s (%s)", path, phrase.Named("hunk", part.IDs())))
		}
	}
	if err := ds.record(x, outcomes, open...); err != nil {
		return err
	}
	text := ""
	switch {
	case len(left) > 0:
		text = fmt.Sprintf(" Still changed, because it could not be taken back: %s.", strings.Join(left, ", "))
	case len(unsure) > 0:
	case failure.Status != edits.Half:
		text = " Nothing of this approval stays applied."
	case asked > 1:
		text = " The other files of this approval are as they were."
	}
	return applyFailed(failure, text, unsure)
}

// takeBackOne reverts the changes to one file. stays lists the ids of the hunks that the user
// has changed since; they are not reverted. status is the editor's answer, or Refused if there
// was nothing to ask for.
func (ds *Decisions) takeBackOne(h *board.Held, landed *plan.Plan, p view.Part) (stays []string, status edits.Status) {
	p.File = ds.board.PlacedAs(h, p.File, landed)
	c, stays := backward(landed, p)
	if p = p.Without(stays); p.Empty() {
		return stays, edits.Refused
	}
	defer ds.presence.WhileTakingBack(c.Path)()
	outcomes, err := ds.session.Editor().Apply(ds.root, []edits.Change{c}, nil)
	switch {
	case len(outcomes) == 1:
		return stays, outcomes[0].Status
	case err != nil:
		return stays, edits.Unknown
	}
	return stays, edits.Refused
}

// partlyTaken returns the outcome of a part that was reverted except for the hunks in stays.
func partlyTaken(p view.Part, stays []string) edits.Applied {
	o := edits.Applied{Status: edits.Unverified, Reason: "it could not be taken back completely, because it has changed since"}
	for _, i := range p.Hunks {
		l := edits.Absent
		if slices.Contains(stays, p.File.Change.Hunks[i].ID) {
			l = edits.Landed
		}
		o.Landings = append(o.Landings, l)
	}
	return o
}

// noteTakingBack records that a part was applied, and that the editor was asked to revert it and
// has not answered: the text will show the outcome.
func noteTakingBack(next *plan.Plan, p view.Part) {
	path := p.File.Change.Path
	m := next.Progress.File(next.Current, path)
	p.Mark(next, plan.HunkApplied, "")
	next.Progress.MarkSent(next.Current, path, p.Sent(plan.VerdictUndo))
	next.Progress.MarkFile(next.Current, path, m.Status, m.Reason)
}

// halfUndone returns the refusal of an undo after the editor refused a file. It says which files
// were undone: they stay undone, and another undo continues with the rest.
func (x *checked) halfUndone(outcomes []edits.Applied, failure edits.Applied) error {
	var done, left, unsure []string
	for i, c := range x.changes {
		switch {
		case i >= len(outcomes) || outcomes[i].Status == edits.Refused:
			left = append(left, c.Path)
		case outcomes[i].Status == edits.Done:
			done = append(done, c.Path)
		case outcomes[i].Status != edits.Half: // the failure describes a half-made change
			unsure = append(unsure, c.Path)
		}
	}
	text := ""
	if len(done) > 0 {
		text = fmt.Sprintf(" Taken back: %s.", strings.Join(done, ", "))
		if len(left) > 0 {
			text += fmt.Sprintf(" Still applied: %s; undo the plan again for the rest.", strings.Join(left, ", "))
		}
	}
	return applyFailed(failure, text, unsure)
}

// applyFailed returns the refusal of a decision after the editor did not make a change. text
// describes the other files, except for those in unsure, whose state is unknown.
func applyFailed(failure edits.Applied, text string, unsure []string) error {
	what := failure.Path
	if failure.Status != edits.Half {
		what += " was not changed"
	}
	text = fmt.Sprintf("%s: %s.%s", what, phrase.TrimStop(failure.Reason), text)
	if len(unsure) > 0 {
		text += fmt.Sprintf(" It is not known whether %s was changed: look at it.", strings.Join(unsure, ", "))
	}
	return &plan.Refusal{Kind: plan.ApplyFailed, Reason: text}
}
