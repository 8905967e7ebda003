package agent

import (
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/workspace"
)

// unsaved tells whether something is applied to a file that an editor has not
// saved yet.
func unsaved(disk disk, p *plan.Plan, f *view.File) bool {
	return hasApplied(p, f.Change) && onlyInEditor(disk, f.PathIn(p))
}

// disk is the workspace, now or as it was when it was read.
type disk interface {
	Buffer(path string) (*workspace.Buffer, bool)
	Stat(path string) (exists, isDir bool, err error)
}

// onlyInEditor tells whether an editor has the file, and has not saved it.
func onlyInEditor(disk disk, path string) bool {
	buffer, open := disk.Buffer(path)
	if !open {
		return false
	}
	if buffer.Dirty {
		return true
	}
	exists, _, err := disk.Stat(path) // the file may be deleted, and its buffer kept
	return err == nil && !exists
}

func hasApplied(p *plan.Plan, c *plan.Change) bool {
	for _, hunk := range c.Hunks {
		if p.Progress.Hunk(hunk.ID).Status == plan.HunkApplied {
			return true
		}
	}
	return false
}

// mayHaveAny reports whether anything of a change is applied, or was until its buffer went.
func mayHaveAny(p *plan.Plan, c *plan.Change) bool {
	moved := p.Progress.File(p.Current, c.Path).Move == plan.FileApplied
	return moved || slices.ContainsFunc(c.Hunks, func(h plan.Hunk) bool { return p.Progress.Hunk(h.ID).MayBeThere() })
}
