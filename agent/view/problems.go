package view

import (
	"time"

	"redline/agent/plan"
	"redline/edits"
	"redline/workspace"
)

// BasisOf returns what a check of texts is about that began with the plan as v shows it.
func BasisOf(v *Plan, texts TriedTexts, began time.Time) plan.Basis {
	b := plan.Basis{Began: began}
	b.Texts, b.Applied = withApplied(texts.Names(), v)
	return b
}

// Problems returns what language servers have reported about the texts that an open plan would leave now. It returns nil
// if nothing is known about exactly these texts. It reads no file.
func Problems(ws *workspace.Workspace, v *Plan) *plan.Problems {
	p := v.Plan.Problems
	if p == nil || !v.Plan.State.Open() || !presentOf(ws, v).are(p.Basis) {
		return nil
	}
	if all, _ := workspace.Follows(ws, p.Basis.Began); !all { // it is of an earlier session, and the disk has changed
		return nil
	}
	return p
}

// ProblemsIn returns those of the problems that lie in the new lines of the undecided hunk with index i. They must be
// about the texts that the plan would leave now.
func (f *File) ProblemsIn(i int, p *plan.Problems) (within []plan.Problem) {
	if p == nil || len(p.Added) == 0 {
		return nil
	}
	first, after := f.proposedLines(i)
	for _, one := range p.Added {
		if line := one.Range.Start.Line; one.Path == f.proposedAt() && line >= first && line < after {
			within = append(within, one)
		}
	}
	return within
}

// proposedAt returns the path of the file after an approval of the whole plan.
func (f *File) proposedAt() string {
	if f.Change.Action == plan.Rename {
		return f.Change.NewPath
	}
	return f.Path
}

// proposedLines returns which lines of the text of [File.ProposedNow] a hunk has, from 0.
func (f *File) proposedLines(i int) (first, after int) {
	live := f.Live.Text()
	span, _ := f.Placement.At(i)
	first = edits.CountLines(live[:span.Start])
	for k := range f.Change.Hunks {
		other, _ := f.Placement.At(k)
		if status, _ := f.StatusOf(k); k != i && status == plan.HunkPending && other.Start <= span.Start && (other.Start < span.Start || k < i) {
			first += edits.CountLines(f.newText(k)) - edits.CountLines(live[other.Start:other.End])
		}
	}
	return first, first + edits.CountLines(f.newText(i))
}
