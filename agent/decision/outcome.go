package decision

import (
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

// NoteOutcome marks in p the outcome of one part of an execution. stays says that another
// part of a refused approval stays applied.
func NoteOutcome(p *plan.Plan, r *plan.Revision, verdict plan.Verdict, part Part, o edits.Applied, stays bool) {
	if part.File.Outside {
		if o.Status == edits.Done {
			part.notePast(p)
		}
		return
	}
	path := part.File.Change.Path
	landed, missed := MarkApplied, MarkPending
	if verdict == plan.VerdictUndo {
		landed, missed = missed, landed
	}
	switch o.Status {
	case edits.Done:
		landed(p, r, part)
	case edits.Refused:
		missed(p, r, part)
		if verdict == plan.VerdictApprove && stays {
			p.Progress.MarkFile(r.Number, path, plan.FileFailed, o.Reason)
		} else {
			p.Progress.Settle(r.Number, path, o.Reason)
		}
	case edits.Unknown:
		p.Progress.MarkFile(r.Number, path, plan.FileApplying, o.Reason)
	case edits.Unverified, edits.Half:
		if !part.Told(o) {
			p.Progress.MarkFile(r.Number, path, plan.FileUnverified, o.Reason)
			return
		}
		// The text shows each hunk: some landed and some did not.
		applied := func(l edits.Landing) bool { return (l == edits.Landed) == (verdict == plan.VerdictApprove) }
		for k, i := range part.Hunks {
			status := plan.HunkPending
			if applied(o.Landings[k]) {
				status = plan.HunkApplied
			}
			p.Progress.MarkHunk(part.File.Change.Hunks[i].ID, status, "")
		}
		switch {
		case !part.Move || o.Move == edits.Unclear:
		case applied(o.Move):
			p.Progress.MarkFile(r.Number, path, plan.FileApplied, "")
		default:
			p.Progress.MarkFile(r.Number, path, plan.FilePending, "")
		}
		p.Progress.MarkFile(r.Number, path, plan.FileFailed, o.Reason)
	}
}

// Told reports whether o has an outcome for each hunk of the part, or, without hunks, for its
// move.
func (part Part) Told(o edits.Applied) bool {
	if len(part.Hunks) == 0 {
		return part.Move && o.Move != edits.Unclear
	}
	return len(o.Landings) == len(part.Hunks) && !slices.Contains(o.Landings, edits.Unclear)
}

// MarkApplied marks a part as applied.
func MarkApplied(p *plan.Plan, r *plan.Revision, part Part) {
	for _, i := range part.Hunks {
		p.Progress.MarkHunk(part.File.Change.Hunks[i].ID, plan.HunkApplied, "")
	}
	part.Close(p, r, plan.FileApplied)
}

// MarkPending marks a part as pending, with what earlier revisions have applied of it.
func MarkPending(p *plan.Plan, r *plan.Revision, part Part) {
	for _, i := range part.Hunks {
		p.Progress.MarkHunk(part.File.Change.Hunks[i].ID, plan.HunkPending, "")
	}
	part.notePast(p)
	if !part.File.Outside {
		part.Close(p, r, plan.FilePending)
	}
}

// Close marks a file as settled, and gives its move, if the part has one, the given status.
func (part Part) Close(p *plan.Plan, r *plan.Revision, move plan.FileStatus) {
	if part.Move {
		p.Progress.MarkFile(r.Number, part.File.Change.Path, move, "")
	} else {
		p.Progress.Settle(r.Number, part.File.Change.Path, "")
	}
}

// NoteReviewed marks in p which hunks of a part the user has accepted in a review. The others
// are pending, without a failure.
func NoteReviewed(p *plan.Plan, r *plan.Revision, part Part, o edits.Applied) {
	path := part.File.Change.Path
	switch o.Status {
	case edits.Done:
		MarkApplied(p, r, part)
		return
	case edits.Unknown:
		p.Progress.MarkFile(r.Number, path, plan.FileApplying, o.Reason)
		return
	case edits.Refused:
		o.Landings, o.Move = slices.Repeat([]edits.Landing{edits.Absent}, len(part.Hunks)), edits.Absent
	}
	var unclear []string
	for k, i := range part.Hunks {
		id := part.File.Change.Hunks[i].ID
		switch {
		case k >= len(o.Landings) || o.Landings[k] == edits.Unclear:
			unclear = append(unclear, id)
		case o.Landings[k] == edits.Landed:
			p.Progress.MarkHunk(id, plan.HunkApplied, "")
		default:
			p.Progress.MarkHunk(id, plan.HunkPending, "")
		}
	}
	moving := part.Move && o.Move == edits.Unclear
	switch {
	case part.Move && o.Move == edits.Landed:
		p.Progress.MarkFile(r.Number, path, plan.FileApplied, o.Reason)
	case part.Move && o.Move == edits.Absent:
		p.Progress.MarkFile(r.Number, path, plan.FilePending, o.Reason)
	default:
		p.Progress.Settle(r.Number, path, o.Reason)
	}
	if len(unclear) > 0 || moving {
		p.Progress.MarkSent(r.Number, path, plan.Sent{Verdict: plan.VerdictReview, Hunks: unclear, Move: moving})
		p.Progress.MarkFile(r.Number, path, plan.FileUnverified, o.Reason)
	}
}

// PartOf returns the part of a plan that an editor was asked for.
func PartOf(f *view.File, sent plan.Sent) Part {
	p := Part{File: f, Move: sent.Move}
	for i, hunk := range f.Change.Hunks {
		for _, id := range sent.Hunks {
			if hunk.ID == id {
				p.Hunks = append(p.Hunks, i)
			}
		}
	}
	return p
}
