package draft

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
	"redline/workspace"
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

// Parked is the staged work of a turn that waits for the user's answer: the operations, and
// their files as pinned. Unpark restores the draft.
type Parked struct {
	Operations []plan.Operation `json:"operations"` // the turn's, in order, without ids
	Files      []Pinned         `json:"files"`
	Plan       *Submission      `json:"plan,omitempty"`    // what the model has submitted, nil for nothing
	Refused    []Undone         `json:"refused,omitempty"` // the turn's refused calls that were not made good
}

// Pinned is a file of the workspace when a draft first looked at it.
type Pinned struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	Text   []byte `json:"text,omitempty"`
	Mode   uint32 `json:"mode,omitempty"` // permission bits
	BOM    bool   `json:"bom,omitempty"`  // a byte order mark comes before the text
}

// Park returns what was staged since the draft was made or resumed. It leaves out files
// that were only looked at: the turn looks at them again.
func (draft *Draft) Park() Parked {
	d, done := draft.open()
	defer done()
	p := Parked{Operations: slices.Clone(d.operations[d.begun:])}
	if d.submittedNow {
		submitted := d.submission.clone()
		p.Plan = &submitted
	}
	for _, r := range d.refused {
		if !r.earlier {
			p.Refused = append(p.Refused, r.Undone)
		}
	}
	for path, b := range d.bases {
		if _, concerned := d.files[path]; concerned {
			p.Files = append(p.Files, Pinned{Path: path, Exists: b.exists, Text: []byte(b.text), Mode: b.mode, BOM: b.bom})
		}
	}
	slices.SortStableFunc(p.Files, func(a, b Pinned) int { return cmp.Compare(a.Path, b.Path) })
	return p
}

// Unpark restores the draft of a parked turn. begin makes the draft that the turn began with,
// empty or resumed, over a workspace with the pinned files. Unpark returns the operations
// that it cannot stage again as [Lost]. Then it updates the draft to the current files where
// its changes still have a place: see [Draft.CatchUp].
func Unpark(w Reader, p Parked, begin func(Reader) (*Draft, error), replay Replay) (draft *Draft, lost []Lost, err error) {
	draft, err = begin(newThen(w, p.Files))
	if err != nil {
		return nil, nil, err
	}
	d, done := draft.open()
	lost = d.unpark(p, replay)
	d.w = w
	done()
	draft.Refuse(p.Refused...)
	draft.CatchUp()
	return draft, lost, nil
}

// unpark stages the parked operations again, and returns those that it cannot stage.
func (d *content) unpark(p Parked, replay Replay) (lost []Lost) {
	d.begun = len(d.operations)
	if p.Plan != nil {
		d.submission, d.submittedNow = *p.Plan, true
	}
	for _, o := range p.Operations {
		if o.IsCommand() { // it does not depend on the draft
			d.add(o)
			continue
		}
		before := d.clone()
		if _, err := d.restage(replay, o); err != nil {
			why := err.Error()
			if _, ok := errors.AsType[errOther](err); ok {
				why = "it came to something else"
			}
			d.become(before)
			lost = append(lost, Lost{Operation: o, Path: o.Path, Why: why})
		}
	}
	return lost
}

// CatchUp updates a draft whose files were pinned some time ago to the current files: it
// rebases each file that the draft changes onto its current text. A file in which a change no
// longer has a place stays as pinned, and shows as stale when the draft is sealed.
func (draft *Draft) CatchUp() {
	d, done := draft.open()
	defer done()
	now := map[string]base{}  // the files that have changed, by path
	next := map[string]file{} // the draft's results for them
	for path, f := range d.files {
		was, pinned := d.bases[f.origin]
		if !f.exists || !pinned || !was.exists {
			continue
		}
		live, err := d.w.Read(f.origin)
		if err != nil || !live.Exists || live.Text == was.text {
			continue // gone or unreadable: Seal reports that
		}
		areas := f.areas
		if areas == nil {
			areas = blame.AreasOf(edits.Diff(was.text, f.text), blame.Source{Calls: f.operations})
		}
		text, areas, left := rebase(was.text, areas.Edits(f.text), areas.Sources(), live.Text)
		if left > 0 {
			continue
		}
		moved := *f
		moved.text, moved.areas = text, areas
		now[f.origin] = base{text: live.Text, exists: true, mode: uint32(live.Mode.Perm()), bom: live.BOM}
		next[path] = moved
	}
	for path := range now {
		if d.sharedBase(path) {
			delete(now, path) // it continues in two places, which cannot both be rebased
		}
	}
	for path, f := range next {
		if b, ok := now[f.origin]; ok {
			d.bases[f.origin] = b
			d.files[path] = &f
			if d.touched == nil {
				d.touched = map[string]bool{}
			}
			d.touched[path] = true // its line numbers have changed
		}
	}
}

// then is the workspace with some files in their pinned state.
type then struct {
	Reader
	files map[string]Pinned
}

func newThen(w Reader, files []Pinned) *then {
	t := &then{Reader: w, files: map[string]Pinned{}}
	for _, f := range files {
		t.files[f.Path] = f
	}
	return t
}

// Read returns a pinned file as it was, any other as it is.
func (t *then) Read(path string) (workspace.File, error) {
	f, ok := t.files[path]
	if !ok {
		return t.Reader.Read(path)
	}
	return workspace.File{Text: string(f.Text), Exists: f.Exists, Mode: fs.FileMode(f.Mode), BOM: f.BOM}, nil
}

// LimitOf returns the limit of the workspace.
func (t *then) LimitOf(path string) int64 { return limitOf(t.Reader, path) }

// SameFile and IsLink ask the workspace.
func (t *then) SameFile(a, b string) bool {
	n, ok := t.Reader.(namer)
	return ok && n.SameFile(a, b)
}

func (t *then) IsLink(path string) bool {
	n, ok := t.Reader.(namer)
	return ok && n.IsLink(path)
}
