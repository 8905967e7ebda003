package agent

import (
	"redline/agent/plan"
	"redline/agent/state"
)

// Snapshot is everything that a feature needs to show plans, as of one moment.
type Snapshot struct {
	Plans   []*PlanView  // the plans of this session, by number
	Running []state.Turn // turns that are queued or running, oldest first
}

// Plan returns the plan with the given number, nil if there is nothing of it to show.
func (s *Snapshot) Plan(n int) *PlanView {
	for _, p := range s.Plans {
		if p.Plan.Number == n {
			return p
		}
	}
	return nil
}

// PlanView is one plan at its current revision.
type PlanView struct {
	Plan     *plan.Plan // must not be changed
	Revision *plan.Revision
	Files    []*FileView   // as in Revision.Changes
	Past     []*pastChange // what earlier revisions have applied besides, newest first
	Preview  string        // workspace path of the preview file, "" if none could be written
	Ruled    int           // how many commands the user's own rules run when the plan is approved as a whole
	Asked    string        // the request that has made the revision without naming the plan, in one line, "" for none: /apart makes it a plan of its own
}

// File returns the plan's file with the given path, old or new, nil for none.
func (v *PlanView) File(path string) *FileView {
	for _, f := range v.Files {
		if f.Change.Path == path || f.Change.NewPath != "" && f.Change.NewPath == path {
			return f
		}
	}
	return nil
}

// mark is what is stored of a file beyond its hunks.
func (v *PlanView) mark(f *FileView) plan.FileMark {
	return v.Plan.Progress.File(v.Revision.Number, f.Change.Path)
}
