package plan

// FileOf returns the status of a file from the statuses of its hunks, if nothing else is left to
// decide: stale if one is stale, pending while one is undecided, applied if one was applied,
// else rejected.
func FileOf(hunks []HunkStatus) FileStatus {
	var stale, undecided, applied bool
	for _, s := range hunks {
		switch s {
		case HunkStale:
			stale = true
		case HunkApplied:
			applied = true
		case HunkPending, HunkApproved:
			undecided = true
		}
	}
	switch {
	case stale:
		return FileStale
	case undecided:
		return FilePending
	case applied:
		return FileApplied
	}
	return FileRejected
}

// File returns the stored status of the change of one file of revision r, and the reason
// if known. A moved file is pending until the move itself is decided too; that happens
// with the whole file.
func (p *Plan) File(r *Revision, c *Change) (FileStatus, string) {
	mark := p.Progress.File(r.Number, c.Path)
	switch mark.Status {
	case FileApplying, FileFailed, FileUnverified:
		return mark.Status, mark.Why(c)
	}
	if c.Action == Rename && (mark.Move == FilePending || len(c.Hunks) == 0) {
		return mark.Move, mark.Why(c)
	}
	statuses := make([]HunkStatus, len(c.Hunks))
	for i, h := range c.Hunks {
		statuses[i] = p.Progress.Hunk(h.ID).Status
	}
	status := FileOf(statuses)
	if status == FileRejected && c.Action == Rename {
		status = mark.Move
	}
	return status, mark.Why(c)
}

// Undecided holds the parts of a revision that still wait for the user.
type Undecided struct {
	Hunks    []string // ids
	Moves    []string // paths of files to be moved
	Commands []string // ids of operations
}

// None reports whether everything is decided.
func (u Undecided) None() bool { return len(u.Hunks)+len(u.Moves)+len(u.Commands) == 0 }

// Undecided returns the parts of revision r that are pending, stale or skipped, or
// approved but not carried out yet.
func (p *Plan) Undecided(r *Revision) Undecided {
	var u Undecided
	for i := range r.Changes {
		c := &r.Changes[i]
		if c.Action == Rename {
			if p.Progress.File(r.Number, c.Path).Move == FilePending {
				u.Moves = append(u.Moves, c.Path)
			}
		}
		for _, h := range c.Hunks {
			if s := p.Progress.Hunk(h.ID).Status; s != HunkApplied && s != HunkRejected {
				u.Hunks = append(u.Hunks, h.ID)
			}
		}
	}
	for i := range r.Operations {
		if o := &r.Operations[i]; o.IsCommand() {
			switch m := p.Progress.Command(o.ID); m.Status {
			case CommandPending, CommandWaitingForSave, CommandRunning, CommandSkipped:
				if !m.Settled {
					u.Commands = append(u.Commands, o.ID)
				}
			}
		}
	}
	return u
}

// Runs returns the commands of revision r, in order.
func (p *Plan) Runs(r *Revision) []string {
	var ids []string
	for i := range r.Operations {
		if r.Operations[i].IsCommand() {
			ids = append(ids, r.Operations[i].ID)
		}
	}
	return ids
}

// Runnable returns the commands of revision r that an approval can be about, in order:
// those that are not settled, and failed ones, from which an execution continues.
func (p *Plan) Runnable(r *Revision) []string {
	var ids []string
	for i := range r.Operations {
		if o := &r.Operations[i]; o.IsCommand() {
			switch m := p.Progress.Command(o.ID); {
			case m.Status == CommandSucceeded, m.Status == CommandRejected, m.Status == CommandRunning, m.Tolerated, m.Settled:
			default:
				ids = append(ids, o.ID)
			}
		}
	}
	return ids
}

// Applied reports whether any hunk or move of the plan, in any revision, is applied now.
func (p *Plan) Applied() bool {
	for _, m := range p.Progress.Hunks {
		if m.Status == HunkApplied {
			return true
		}
	}
	for _, m := range p.Progress.Files {
		if m.Move == FileApplied {
			return true
		}
	}
	return false
}

// TakeBack records that edits of the plan were taken back. A command that failed as it does without
// the plan is pending again: what was known of it is of those edits.
func (p *Plan) TakeBack() {
	p.Progress.TakenBack = !p.Applied()
	for id, m := range p.Progress.Commands {
		if m.Verdict == FailsAsBefore {
			p.Progress.MarkCommand(id, CommandMark{Status: CommandPending})
		}
	}
}

// Outcome returns the event that ends an execution of revision r. ok is false while a file is
// still applying or a command running: the plan stays executing until the text settles it. An
// unverified file may be applied, so with one the result is never that nothing changed.
func (p *Plan) Outcome(r *Revision) (event Event, ok bool) {
	var failed, unverified, done bool
	for i := range r.Changes {
		switch p.Progress.File(r.Number, r.Changes[i].Path).Status {
		case FileApplying:
			return "", false
		case FileFailed:
			failed = true
		case FileUnverified:
			unverified = true
		}
	}
	for i := range r.Operations {
		switch m := p.Progress.Command(r.Operations[i].ID); m.Status {
		case CommandRunning:
			return "", false
		case CommandFailed:
			failed, done = failed || !m.Tolerated, true
		case CommandSucceeded:
			done = true
		}
	}
	switch {
	case failed:
		return ExecutionFailed, true
	case unverified:
		return PartExecuted, true
	case !done && !p.Applied():
		return NothingApplied, true
	case p.Undecided(r).None():
		return PlanExecuted, true
	}
	return PartExecuted, true
}

// AfterReject returns the event that follows the rejection of parts of revision r: the
// end of the plan if nothing is left to decide, the start of a review if the plan was
// awaiting approval, else none.
func (p *Plan) AfterReject(r *Revision) (event Event, ok bool) {
	switch {
	case !p.Undecided(r).None():
		return UserReviewing, p.State == AwaitingApproval
	case p.carriedOut(r):
		return RejectRest, true
	}
	return Reject, true
}

// carriedOut reports whether any part of the plan has an effect. After an undo of all edits only
// those would count that were applied since: a user who takes the edits back after a command and
// rejects the rest has not completed the plan.
func (p *Plan) carriedOut(r *Revision) bool {
	if p.Progress.TakenBack {
		return p.Applied()
	}
	for i := range r.Operations {
		switch p.Progress.Command(r.Operations[i].ID).Status {
		case CommandSucceeded, CommandFailed:
			return true
		}
	}
	return p.Applied()
}
