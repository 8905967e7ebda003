package plan

import "slices"

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
