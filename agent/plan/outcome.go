package plan

import "slices"

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

// Operations returns the status of each operation of revision r, in order: that of a
// command, or that of the operation's changes to its file. For several files, it is that
// of the first file that is not applied.
func (p *Plan) Operations(r *Revision) []string {
	files := map[string]FileStatus{} // by operation id
	for i := range r.Changes {
		c := &r.Changes[i]
		file, _ := p.File(r, c)
		for _, id := range c.Operations {
			status := p.madeBy(r, c, id, file)
			if known, ok := files[id]; !ok || known == FileApplied {
				files[id] = status
			}
		}
	}
	out := make([]string, len(r.Operations))
	for i := range r.Operations {
		switch o := &r.Operations[i]; {
		case o.IsCommand():
			out[i] = string(p.Progress.Command(o.ID).Status)
		case files[o.ID] == "":
			out[i] = string(FilePending)
		default:
			out[i] = string(files[o.ID])
		}
	}
	return out
}

// madeBy returns the status of an operation's part of a change: its hunks, and the move
// if it moved the file. It returns file, the status of the file, if the operation made
// the whole change, or if later operations have replaced its part.
func (p *Plan) madeBy(r *Revision, c *Change, id string, file FileStatus) FileStatus {
	var made []HunkStatus
	var hunks []string
	for i := range c.Hunks {
		if h := &c.Hunks[i]; len(h.Operations) == 0 || slices.Contains(h.Operations, id) {
			made, hunks = append(made, p.Progress.Hunk(h.ID).Status), append(hunks, h.ID)
		}
	}
	move := slices.Contains(c.Movers(), id)
	all := len(hunks) == len(c.Hunks) && (move || c.Action != Rename)
	if all || len(hunks) == 0 && !move {
		return file
	}
	mark := p.Progress.File(r.Number, c.Path)
	if move {
		made = append(made, HunkStatus(mark.Move))
	}
	status := FileOf(made)
	switch mark.Status {
	case FileApplying, FileUnverified:
		if s := mark.Sent; s == nil || move && s.Move || slices.ContainsFunc(hunks, func(id string) bool { return slices.Contains(s.Hunks, id) }) {
			return mark.Status
		}
	case FileFailed:
		if status == FilePending {
			return FileFailed
		}
	}
	return status
}

// Steps returns the status of each step of revision r, in order. A step has failed if one
// of its operations has; it is completed if nothing is left to do and something was done.
// A step that was rejected as a whole stays pending, and one whose condition does not
// hold is skipped. A step without operations is done when the plan is, see
// [Plan.settleEmpty]. operations is the result of [Plan.Operations] for r.
func (p *Plan) Steps(r *Revision, operations []string) []StepStatus {
	of := map[string]*extent{}
	for i := range r.Operations {
		step := r.Operations[i].Step
		if of[step] == nil {
			of[step] = &extent{}
		}
		of[step].add(operations[i])
		of[step].settled = of[step].settled || p.Progress.Command(r.Operations[i].ID).Settled
	}
	out := make([]StepStatus, len(r.Steps))
	for i, s := range r.Steps {
		out[i] = of[s.ID].status()
	}
	if p.State == Completed {
		p.settleEmpty(r, of, out)
	}
	return out
}

// settleEmpty sets the status of the steps without operations of a completed plan: nothing was to
// be changed for them, so they are completed. They stay pending where that is not so: the turn has
// left something undone, an operation of the step was taken out, or a step before it was not done.
func (p *Plan) settleEmpty(r *Revision, of map[string]*extent, statuses []StepStatus) {
	if !r.Unfinished.None() {
		return
	}
	taken := p.TakenOut(r)
	undone := func(step string) bool {
		i := slices.IndexFunc(r.Steps, func(s Step) bool { return s.ID == step })
		return i >= 0 && statuses[i] != StepCompleted
	}
	for range r.Steps { // one may come before another
		for i := range r.Steps {
			s := &r.Steps[i]
			if of[s.ID] != nil || slices.ContainsFunc(taken, func(o Operation) bool { return o.Step == s.ID }) {
				continue
			}
			switch answer, _ := p.Holds(r, s); {
			case answer == AnswerNo:
				statuses[i] = StepSkipped
			case answer == AnswerYes && !slices.ContainsFunc(s.DependsOn, undone):
				statuses[i] = StepCompleted
			}
		}
	}
}

// extent is the progress of the operations of one step together.
type extent struct {
	open, begun, failed, skipped bool
	settled                      bool // the skipped commands are skipped for good
}

func (e *extent) add(operation string) {
	switch operation {
	case string(FileFailed):
		e.failed = true
	case string(FileApplied), string(CommandSucceeded):
		e.begun = true
	case string(FileApplying), string(FileUnverified), string(CommandRunning):
		e.begun, e.open = true, true
	case string(CommandSkipped):
		e.skipped = true
	case string(FileRejected):
	default:
		e.open = true
	}
}

// status returns the status of the step, pending for a step without operations.
func (e *extent) status() StepStatus {
	switch {
	case e == nil:
		return StepPending
	case e.failed:
		return StepFailed
	case e.begun && e.open:
		return StepInProgress
	case e.begun:
		return StepCompleted
	case e.settled && !e.open:
		return StepSkipped
	}
	return StepPending
}
