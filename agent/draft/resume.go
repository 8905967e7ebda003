package draft

import (
	"fmt"
	"slices"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
)

// kept is a change of an earlier revision, without what was rejected. It stays as it
// is, with its base, until an operation touches its file.
type kept struct {
	change         *plan.Change
	base, proposed string
	areas          blame.Areas
	movers         []int // the operations that moved the file
}

// resumption is a change of an earlier revision that is being put into a draft.
type resumption struct {
	kept
	joined     string         // base with the applied hunks
	pending    []edits.Edit   // edits of joined, in whole lines: the undecided hunks
	sources    []blame.Source // the hunk of each edit
	operations []int
}

// Resume returns a draft with what the current revision of a plan proposes, for a rework. It
// leaves out rejected hunks, moves and commands, and operations that no longer change anything; the
// steps stay. In the draft, a file is the live text with the hunks that still have a place in
// it. text returns the text of a blob. Resume fails if text does, or if the plan has no
// revision; a file that cannot be read any more stays as in the revision.
func Resume(w Reader, p *plan.Plan, text func(plan.Blob) (string, error)) (*Draft, error) {
	r, ok := p.Revision(p.Current)
	if !ok {
		return nil, fmt.Errorf("plan %d has no revision to begin with", p.Number)
	}
	d := newContent(w)
	d.submission.Steps, d.submission.Report = r.Steps, r.Report
	indices := d.resumeOperations(p, r)
	d.begun = len(d.operations)
	for i := range r.Changes {
		c := &r.Changes[i]
		baseText, err := text(c.Base)
		if err != nil {
			return nil, err
		}
		proposed, err := text(c.Proposed)
		if err != nil {
			return nil, err
		}
		res := resumption{kept: kept{change: c, base: baseText}}
		res.operations, res.movers = of(indices, c.Operations), of(indices, c.Movers())
		res.split(p, proposed, indices)
		d.resume(p, r, res)
	}
	for _, f := range r.Unfinished.Refused {
		d.refused = append(d.refused, refused{Undone: Undone{Refused: f}, earlier: true, alike: d.meantBy(f.Path)})
	}
	d.start = d.clone()
	return &Draft{guarded: *d}, nil
}

// resumeOperations adds the operations that still have an effect, and returns their indices by
// id.
func (d *content) resumeOperations(p *plan.Plan, r *plan.Revision) map[string]int {
	stays := map[string]bool{}
	for i := range r.Changes {
		c := &r.Changes[i]
		if moveOf(p, r, c) == plan.FilePending || moveOf(p, r, c) == plan.FileApplied || slices.ContainsFunc(c.Hunks, unrejected(p)) {
			for _, id := range c.Operations {
				stays[id] = true
			}
		}
	}
	indices := map[string]int{}
	d.ran = map[string]bool{}
	for i := range r.Operations {
		o := &r.Operations[i]
		d.ran[o.ID] = p.Progress.Command(o.ID).Status == plan.CommandSucceeded
		if stays[o.ID] || o.IsCommand() && p.Progress.Command(o.ID).Status != plan.CommandRejected {
			indices[o.ID] = len(d.operations)
			d.add(*o)
		}
	}
	return indices
}

// of returns the indices of the operations with the given ids, ascending.
func of(indices map[string]int, ids []string) []int {
	var out []int
	for _, id := range ids {
		if k, ok := indices[id]; ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// moveOf returns the status of the move that a change makes, or "" if it makes none.
func moveOf(p *plan.Plan, r *plan.Revision, c *plan.Change) plan.FileStatus {
	if c.Action != plan.Rename {
		return ""
	}
	return p.Progress.File(r.Number, c.Path).Move
}

func unrejected(p *plan.Plan) func(plan.Hunk) bool {
	return func(h plan.Hunk) bool { return p.Progress.Hunk(h.ID).Status != plan.HunkRejected }
}

// split computes two texts of a change: proposed without what was rejected, and joined, with
// only what was applied. It also computes the hunks as areas and edits, under their names, so
// that an untouched hunk stays the same hunk.
func (res *resumption) split(p *plan.Plan, proposed string, indices map[string]int) {
	hunks := res.change.Hunks
	status := func(id string) plan.HunkStatus { return p.Progress.Hunk(id).Status }
	var news, olds []edits.Span // the lines of each hunk, in res.proposed and in res.joined
	res.proposed, news = plan.Reference(res.base, proposed, hunks, func(id string) bool { return status(id) != plan.HunkRejected })
	res.joined, olds = plan.Reference(res.base, proposed, hunks, func(id string) bool { return status(id) == plan.HunkApplied })
	for i, h := range hunks {
		source := blame.Source{Step: h.Match, ID: h.ID, Calls: of(indices, res.change.MakersOf(&h))}
		switch status(h.ID) {
		case plan.HunkRejected:
			continue
		case plan.HunkApplied:
		default:
			res.pending = append(res.pending, edits.Edit{Span: olds[i], New: proposed[h.New.Start:h.New.End]})
			res.sources = append(res.sources, source)
		}
		res.areas = append(res.areas, blame.Area{Old: h.Old, New: news[i], Source: source})
	}
}

// resume puts one change into the draft.
func (d *content) resume(p *plan.Plan, r *plan.Revision, res resumption) {
	c, move := res.change, moveOf(p, r, res.change)
	left := slices.ContainsFunc(c.Hunks, unrejected(p))
	if !left && move != plan.FilePending {
		return
	}
	switch {
	case c.Action == plan.Create:
		d.pin(c.Path, base{})
		f := &file{exists: true, text: res.proposed, mode: c.Mode, bom: c.BOM, operations: res.operations, kept: &res.kept}
		if now := d.bases[c.Path]; now.exists {
			f.origin = c.Path
			if p.Progress.Applied(c.Hunks[0].ID) {
				f.text = now.text
			}
			f.areas = blame.AreasOf(edits.Diff(now.text, f.text), blame.Source{Calls: res.operations})
		}
		d.files[c.Path] = f
	case c.Action == plan.Delete:
		d.pin(c.Path, base{text: res.base, exists: c.BaseExists, mode: c.Mode, bom: c.BOM})
		d.files[c.Path] = &file{operations: res.operations, kept: &res.kept}
	case move == plan.FilePending:
		f := d.moveOn(c.Path, res)
		f.movers, f.kept = res.movers, &res.kept
		d.respell(c.Path, c.NewPath)
		d.pin(c.NewPath, base{})
		d.files[c.NewPath] = f
		d.files[c.Path] = &file{operations: res.operations, kept: &res.kept}
	case move == plan.FileApplied:
		d.files[c.NewPath] = d.moveOn(c.NewPath, res)
	case move == plan.FileRejected:
		d.files[c.Path] = d.moveOn(c.Path, res)
	default:
		f := d.moveOn(c.Path, res)
		f.kept = &res.kept
		d.files[c.Path] = f
	}
}

// moveOn returns the result of an update, based on the live text at path.
func (d *content) moveOn(path string, res resumption) *file {
	d.pin(path, base{text: res.joined, exists: true, mode: res.change.Mode})
	now := d.bases[path]
	if !now.exists {
		return &file{exists: true, text: res.proposed, operations: res.operations}
	}
	text, areas, left := rebase(res.joined, res.pending, res.sources, now.text)
	if left > 0 {
		d.notes = append(d.notes, fmt.Sprintf("%s was changed since it was proposed to change it, in the same lines as %s.", path, changes(left)))
	}
	return &file{exists: true, text: text, origin: path, areas: areas, operations: res.operations}
}

// News returns the operations staged since the draft was made or resumed, in order.
func (draft *Draft) News() []plan.Operation {
	d, done := draft.open()
	defer done()
	return slices.Clone(d.operations[d.begun:])
}

// HasNews reports whether the turn has staged something, here or in an earlier draft.
func (draft *Draft) HasNews() bool {
	d, done := draft.open()
	defer done()
	return len(d.operations) > d.begun || len(d.touched) > 0
}

// ContinueFrom makes a draft that was resumed in the middle of a turn continue from the turn's
// earlier draft. A file that was only looked at keeps its base. It no longer trusts line numbers
// of a file that the turn has changed or proposed to change. The submitted plan and the refused
// calls stay. Call it before any other method.
func (draft *Draft) ContinueFrom(before *Draft) {
	was := copyOf(before)
	d, done := draft.open()
	defer done()
	if was.submittedNow {
		d.submission, d.submittedNow = was.submission, true
	}
	d.refused = was.refused
	d.touched = was.touched
	if d.touched == nil {
		d.touched = map[string]bool{}
	}
	for path := range was.files {
		d.touched[path] = true
	}
	for path, b := range was.bases {
		if _, known := d.bases[path]; !known && !d.touched[path] {
			d.bases[path] = b
		}
	}
}

func (n errOther) Error() string { return fmt.Sprintf("it came to %d operations", int(n)) }

// errOther means that an operation became none, or several, when it was staged again.
type errOther int

// restage stages an operation again, under its id and step.
func (d *content) restage(replay Replay, o plan.Operation) ([]Staged, error) {
	at := len(d.operations)
	alone := &Draft{guarded: *d}
	staged, err := replay(alone, o)
	*d = alone.guarded
	if n := len(d.operations) - at; err == nil && n != 1 {
		err = errOther(n)
	}
	if err != nil {
		return nil, err
	}
	o.Path = d.operations[at].Path
	d.operations[at] = o
	return staged, nil
}
