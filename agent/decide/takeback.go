package decide

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/edits"
	"redline/internal/phrase"
)

// takeBack undoes the files of an approval that were changed before the editor refused one: an
// approval changes all of its files or none. It asks for each file by itself, so that a file
// which cannot be undone does not keep the others from it.
func (ds *Decisions) takeBack(x *checked, outcomes []edits.Applied, failure edits.Applied) error {
	landed := x.held.Plan().Clone() // as if the changed files were all that was approved
	for i, o := range outcomes {
		if o.Status == edits.Done {
			x.Parts[i].Mark(landed, plan.HunkApplied, "")
		}
	}
	final := make([]edits.Applied, len(x.Parts))
	var left, unsure []string
	var open []int // the editor has not answered for their take-back
	for i := range slices.Backward(x.Parts) {
		switch {
		case i >= len(outcomes):
			final[i] = edits.Applied{Status: edits.Refused, Reason: fmt.Sprintf("it was not begun, because %s could not be changed", failure.Path)}
			continue
		case outcomes[i].Status != edits.Done:
			final[i] = outcomes[i]
			if outcomes[i].Status == edits.Unknown || outcomes[i].Status == edits.Unverified {
				unsure = append(unsure, x.changes[i].Path)
			}
			continue
		}
		stays, status := ds.takeBackOne(x.held, landed, x.Parts[i])
		switch {
		case status == edits.Unknown || status == edits.Unverified:
			final[i] = edits.Applied{Status: status, Reason: "it was to be taken back, and it cannot be seen yet whether it was"}
			unsure, open = append(unsure, x.changes[i].Path), append(open, i)
		case status == edits.Half:
			final[i] = edits.Applied{Status: status, Reason: "it was to be taken back, and the editor did that by half: look at it, and undo the rest in the editor"}
			left = append(left, x.changes[i].Path)
		case status == edits.Done && len(stays) == 0:
			final[i] = edits.Applied{Status: edits.Refused, Reason: fmt.Sprintf("it was taken back, because %s could not be changed", failure.Path)}
		case status == edits.Done:
			final[i] = partlyTaken(x.Parts[i], stays)
			left = append(left, fmt.Sprintf("%s (%s)", x.changes[i].Path, phrase.Named("hunk", stays)))
		default:
			final[i] = outcomes[i]
			left = append(left, fmt.Sprintf("%s (%s)", x.changes[i].Path, phrase.Named("hunk", decision.Scope{Parts: x.Parts[i : i+1]}.IDs())))
		}
	}
	if err := ds.record(x, final, open...); err != nil {
		return err
	}
	text := notChanged(failure)
	switch {
	case len(left) > 0:
		text += fmt.Sprintf(" Still changed, because it could not be taken back: %s.", strings.Join(left, ", "))
	case failure.Status == edits.Half && len(outcomes) > 1 && len(unsure) == 0:
		text += " The other files of this approval are as they were."
	case failure.Status != edits.Half && len(unsure) == 0:
		text += " Nothing of this approval stays applied."
	}
	if len(unsure) > 0 {
		text += fmt.Sprintf(" It cannot be seen what became of %s: look at it.", strings.Join(unsure, ", "))
	}
	return &refusal.Error{Kind: refusal.ApplyFailed, Reason: text}
}

// takeBackOne undoes the changes of one file. stays are the ids of the hunks that the user has
// changed since, which stay. status is the editor's answer, Refused if there was nothing to ask
// for.
func (ds *Decisions) takeBackOne(h *board.Held, landed *plan.Plan, p decision.Part) (stays []string, status edits.Status) {
	p.File = ds.board.PlacedAs(h, p.File, landed)
	c, stays := backward(landed, p)
	if p = p.Without(stays); p.Empty() {
		return stays, edits.Refused
	}
	defer ds.presence.WhileTakingBack(c.Path)()
	outcomes, err := ds.session.Editor().Apply(ds.root, []edits.Change{c})
	switch {
	case len(outcomes) == 1:
		return stays, outcomes[0].Status
	case err != nil:
		return stays, edits.Unknown
	}
	return stays, edits.Refused
}

// partlyTaken is the outcome of a part of which some hunks stay.
func partlyTaken(p decision.Part, stays []string) edits.Applied {
	o := edits.Applied{Status: edits.Unverified, Reason: "it could not be taken back whole, because it was changed since"}
	for _, i := range p.Hunks {
		l := edits.Absent
		if slices.Contains(stays, p.File.Change.Hunks[i].ID) {
			l = edits.Landed
		}
		o.Landings = append(o.Landings, l)
	}
	return o
}

// noteTakingBack records that a part was applied, and that the editor was asked to undo it and
// has not answered: the text will show the outcome.
func noteTakingBack(next *plan.Plan, p decision.Part) {
	path := p.File.Change.Path
	m := next.Progress.File(next.Current, path)
	p.Mark(next, plan.HunkApplied, "")
	next.Progress.MarkSent(next.Current, path, p.Sent(plan.VerdictUndo))
	next.Progress.MarkFile(next.Current, path, m.Status, m.Reason)
}
