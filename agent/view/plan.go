// Package view holds what a session shows of its plans, as of one moment: each plan at its
// current revision, with its hunks placed in the current texts. Views are immutable: they can be
// read without a lock, and later typing and decisions make new views.
//
// It also has decisions as values: what a user decides on ([Request]), the parts of a plan that a
// request names in the current texts ([Scope]), and how the outcome of a [Part] changes the plan's
// record. [TriedTexts] are what trials run on. The report_*.go files describe a plan to a model
// that works on it, for example [ReportStatus]. It changes no file and stores nothing.
package view

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/lazyregexp"
)

// Snapshot is everything needed to show the plans, as of one moment.
type Snapshot struct {
	Plans   []*Plan      // the plans of this session, by number
	Running []state.Turn // turns that are queued or running, oldest first
}

// Plan returns the plan with the given number, nil if the snapshot does not have it.
func (s *Snapshot) Plan(n int) *Plan {
	for _, p := range s.Plans {
		if p.Plan.Number == n {
			return p
		}
	}
	return nil
}

// Plan is one plan at its current revision.
type Plan struct {
	Plan     *plan.Plan // must not be changed
	Revision *plan.Revision
	Files    []*File    // in the order of Revision.Changes
	Earlier  []*Earlier // changes that only earlier revisions have applied, newest first
	Preview  string     // workspace path of the preview file, "" if none could be written
	Ruled    int        // how many commands the user's own rules run when the plan is approved as a whole
	Asked    string     // the request, in one line, that made the revision without naming the plan, "" for none: /apart makes it a plan of its own
}

// File returns the plan's file with the given path, old or new, nil for none.
func (v *Plan) File(path string) *File {
	for _, f := range v.Files {
		if f.Change.Path == path || f.Change.NewPath != "" && f.Change.NewPath == path {
			return f
		}
	}
	return nil
}

// Diff returns the unified diff of the revision against the texts that it was made from.
func (v *Plan) Diff() string {
	var text strings.Builder
	for _, f := range v.Files {
		text.WriteString(f.Change.Diff(f.Base, f.Proposed))
	}
	return text.String()
}

// Texts returns a lookup in the texts of the revision.
func (v *Plan) Texts() func(plan.Blob) string {
	texts := v.texts()
	return func(b plan.Blob) string { return texts[b] }
}

// TextsOr does what Texts does, and asks other for all other texts.
func (v *Plan) TextsOr(other func(plan.Blob) (string, error)) func(plan.Blob) (string, error) {
	texts := v.texts()
	return func(b plan.Blob) (string, error) {
		if text, ok := texts[b]; ok {
			return text, nil
		}
		return other(b)
	}
}

func (v *Plan) texts() map[plan.Blob]string {
	texts := make(map[plan.Blob]string, 2*len(v.Files))
	for _, f := range v.Files {
		texts[f.Change.Base], texts[f.Change.Proposed] = f.Base, f.Proposed
	}
	return texts
}

// AppliedParts returns the path of the file for each hunk (by id) and each move (by path) that is
// applied or made by hand, also those that only earlier revisions have applied.
func (v *Plan) AppliedParts() map[string]string {
	parts := v.EarlierPaths()
	for _, f := range v.Files {
		if f.Moved || f.Change.Action == plan.Rename && v.Mark(f).Move == plan.FileApplied {
			parts[f.Change.Path] = f.Path
		}
		for i := range f.Len() {
			if f.Applied(i) {
				parts[f.Change.Hunks[i].ID] = f.Path
			}
		}
	}
	return parts
}

// Mark returns the stored record of a file as a whole.
func (v *Plan) Mark(f *File) plan.FileMark {
	return v.Plan.Progress.File(v.Revision.Number, f.Change.Path)
}

// Earlier is a change of an earlier revision that is applied, at least in part, or may come back,
// and that the current revision does not contain.
type Earlier struct {
	Revision int // the number of the revision
	Change   *plan.Change
	Base     string
	Proposed string
	Hunks    []int     // indices in Change.Hunks
	Move     bool      // the revision has moved the file
	Deleted  plan.Form // for a deletion: the file when it was deleted
}

// Applied reports whether the hunk with index i of Change is still applied in p.
func (c *Earlier) Applied(p *plan.Plan, i int) bool {
	return p.Progress.Applied(c.Change.Hunks[i].ID)
}

// Moved reports whether the move is still applied in p.
func (c *Earlier) Moved(p *plan.Plan) bool {
	return c.Move && p.Progress.File(c.Revision, c.Change.Path).Move == plan.FileApplied
}

// LivePath returns where the file is, according to what was applied up to its revision.
func (c *Earlier) LivePath(p *plan.Plan) string {
	if c.Moved(p) {
		return c.Change.NewPath
	}
	return c.Change.Path
}

// EarlierPaths returns the path of the file for each hunk (by id) and each move (by path) that
// only earlier revisions have applied.
func (v *Plan) EarlierPaths() map[string]string {
	out := map[string]string{}
	for _, c := range v.Earlier {
		for _, i := range c.Hunks {
			if c.Applied(v.Plan, i) {
				out[c.Change.Hunks[i].ID] = c.Change.Path
			}
		}
		if c.Moved(v.Plan) {
			out[c.Change.Path] = c.Change.Path
		}
	}
	return out
}

// PreviewName returns the name of a revision's preview among Redline's own files:
// "plans/0001-r1.md".
func PreviewName(n, revision int) string {
	return fmt.Sprintf("plans/%04d-r%d.md", n, revision)
}

var previewForm = lazyregexp.New(`^([0-9]{4,9})-r([1-9][0-9]{0,8})\.md$`)

// PreviewOf returns the plan and revision of the preview with the given name or path. ok is
// false if it is not the name of a preview.
func PreviewOf(name string) (n, revision int, ok bool) {
	m := previewForm().FindStringSubmatch(path.Base(name))
	if m == nil || path.Base(path.Dir(name)) != "plans" {
		return 0, 0, false
	}
	n, _ = strconv.Atoi(m[1]) // at most nine digits
	revision, _ = strconv.Atoi(m[2])
	return n, revision, n > 0 && path.Base(name) == path.Base(PreviewName(n, revision))
}
