package decision

import (
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/workspace"
)

// Unsaved reports whether something is applied to a file that an editor has not saved yet.
func Unsaved(disk Disk, p *plan.Plan, f *view.File) bool {
	return HasApplied(p, f.Change) && OnlyInEditor(disk, f.PathIn(p))
}

// Disk is the workspace, now or as it was when it was read.
type Disk interface {
	Buffer(path string) (*workspace.Buffer, bool)
	Stat(path string) (exists, isDir bool, err error)
}

// OnlyInEditor reports whether an editor has the file and has not saved it.
func OnlyInEditor(disk Disk, path string) bool {
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

// HasApplied reports whether a hunk of the change is applied.
func HasApplied(p *plan.Plan, c *plan.Change) bool {
	return slices.ContainsFunc(c.Hunks, func(h plan.Hunk) bool { return p.Progress.Hunk(h.ID).Status == plan.HunkApplied })
}

// MayHaveAny reports whether anything of a change is applied, or was applied in a buffer that was
// closed without being saved.
func MayHaveAny(p *plan.Plan, c *plan.Change) bool {
	moved := p.Progress.File(p.Current, c.Path).Move == plan.FileApplied
	return moved || slices.ContainsFunc(c.Hunks, func(h plan.Hunk) bool { return p.Progress.Hunk(h.ID).MayBeThere() })
}
