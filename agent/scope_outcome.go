package agent

import (
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

// noteOutcome marks in p the outcome of one part of an execution. stays says that another
// part of a refused approval stays applied.
func noteOutcome(p *plan.Plan, r *plan.Revision, verdict plan.Verdict, part part, o edits.Applied, stays bool) {
	if part.file.Outside {
		if o.Status == edits.Done {
			part.notePast(p)
		}
		return
	}
	path := part.file.Change.Path
	landed, missed := markApplied, markPending
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
		if !part.told(o) {
			p.Progress.MarkFile(r.Number, path, plan.FileUnverified, o.Reason)
			return
		}
		// The text shows each hunk: some landed and some did not.
		applied := func(l edits.Landing) bool { return (l == edits.Landed) == (verdict == plan.VerdictApprove) }
		for k, i := range part.hunks {
			status := plan.HunkPending
			if applied(o.Landings[k]) {
				status = plan.HunkApplied
			}
			p.Progress.MarkHunk(part.file.Change.Hunks[i].ID, status, "")
		}
		switch {
		case !part.move || o.Move == edits.Unclear:
		case applied(o.Move):
			p.Progress.MarkFile(r.Number, path, plan.FileApplied, "")
		default:
			p.Progress.MarkFile(r.Number, path, plan.FilePending, "")
		}
		p.Progress.MarkFile(r.Number, path, plan.FileFailed, o.Reason)
	}
}

// told reports whether an outcome is known for each hunk of the part, or, without hunks,
// for its move.
func (part part) told(o edits.Applied) bool {
	if len(part.hunks) == 0 {
		return part.move && o.Move != edits.Unclear
	}
	return len(o.Landings) == len(part.hunks) && !slices.Contains(o.Landings, edits.Unclear)
}

// markApplied marks a part as applied.
func markApplied(p *plan.Plan, r *plan.Revision, part part) {
	for _, i := range part.hunks {
		p.Progress.MarkHunk(part.file.Change.Hunks[i].ID, plan.HunkApplied, "")
	}
	part.close(p, r, plan.FileApplied)
}

// markPending marks a part as pending, with what earlier revisions have applied of it.
func markPending(p *plan.Plan, r *plan.Revision, part part) {
	for _, i := range part.hunks {
		p.Progress.MarkHunk(part.file.Change.Hunks[i].ID, plan.HunkPending, "")
	}
	part.notePast(p)
	if !part.file.Outside {
		part.close(p, r, plan.FilePending)
	}
}

// close marks a file as settled, and its move as move says if the part has one.
func (part part) close(p *plan.Plan, r *plan.Revision, move plan.FileStatus) {
	if part.move {
		p.Progress.MarkFile(r.Number, part.file.Change.Path, move, "")
	} else {
		p.Progress.Settle(r.Number, part.file.Change.Path, "")
	}
}

// noteReviewed notes what the user let through of one part: each hunk by
// itself. What was not let through is pending, without a failure.
func noteReviewed(p *plan.Plan, r *plan.Revision, part part, o edits.Applied) {
	path := part.file.Change.Path
	switch o.Status {
	case edits.Done:
		markApplied(p, r, part)
		return
	case edits.Unknown:
		p.Progress.MarkFile(r.Number, path, plan.FileApplying, o.Reason)
		return
	case edits.Refused:
		o.Landings, o.Move = slices.Repeat([]edits.Landing{edits.Absent}, len(part.hunks)), edits.Absent
	}
	var unclear []string
	for k, i := range part.hunks {
		id := part.file.Change.Hunks[i].ID
		switch {
		case k >= len(o.Landings) || o.Landings[k] == edits.Unclear:
			unclear = append(unclear, id)
		case o.Landings[k] == edits.Landed:
			p.Progress.MarkHunk(id, plan.HunkApplied, "")
		default:
			p.Progress.MarkHunk(id, plan.HunkPending, "")
		}
	}
	moving := part.move && o.Move == edits.Unclear
	switch {
	case part.move && o.Move == edits.Landed:
		p.Progress.MarkFile(r.Number, path, plan.FileApplied, o.Reason)
	case part.move && o.Move == edits.Absent:
		p.Progress.MarkFile(r.Number, path, plan.FilePending, o.Reason)
	default:
		p.Progress.Settle(r.Number, path, o.Reason)
	}
	if len(unclear) > 0 || moving {
		p.Progress.MarkSent(r.Number, path, plan.Sent{Verdict: plan.VerdictReview, Hunks: unclear, Move: moving})
		p.Progress.MarkFile(r.Number, path, plan.FileUnverified, o.Reason)
	}
}

// partOf is the part of a plan that an editor was asked for.
func partOf(f *view.File, sent plan.Sent) part {
	p := part{file: f, move: sent.Move}
	for i, hunk := range f.Change.Hunks {
		for _, id := range sent.Hunks {
			if hunk.ID == id {
				p.hunks = append(p.hunks, i)
			}
		}
	}
	return p
}
