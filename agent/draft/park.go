package draft

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
	"redline/workspace"
)

// Parked is what a turn has staged, kept while it waits for its user: the operations,
// and their files as they were pinned. Unpark makes the draft from it again.
type Parked struct {
	Operations []plan.Operation `json:"operations"` // those of the turn, in order, without ids
	Files      []Pinned         `json:"files"`
	Plan       *Submission      `json:"plan,omitempty"`    // what the turn has submitted, nil for nothing
	Refused    []plan.Refused   `json:"refused,omitempty"` // what of the turn's patches was refused and not staged later
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
		p.Plan = &Submission{d.submission.Goal, slices.Clone(d.submission.Steps)}
	}
	for _, r := range d.refused {
		if !r.earlier {
			p.Refused = append(p.Refused, r.Refused)
		}
	}
	for path, b := range d.bases {
		if _, concerned := d.files[path]; concerned {
			p.Files = append(p.Files, Pinned{Path: path, Exists: b.exists, Text: []byte(b.text), Mode: b.mode, BOM: b.bom})
		}
	}
	slices.SortFunc(p.Files, func(a, b Pinned) int { return cmp.Compare(a.Path, b.Path) })
	return p
}

// Unpark makes a parked draft again. begin makes the draft that the turn began with,
// empty or resumed, over a workspace in which the pinned files are as they were. Unpark
// returns the operations that it cannot stage again as [Lost]. Then it brings the draft
// to the current files, as far as its changes have a place in them: see
// [Draft.CatchUp].
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
		if o.IsCommand() { // nothing of it depends on the draft
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

// CatchUp brings a draft whose files were pinned some time ago to the current files: it
// rebases each file that the draft changes onto its current text. A file in which a
// change has no place any more stays as pinned, and shows as stale when the draft is
// sealed.
func (draft *Draft) CatchUp() {
	d, done := draft.open()
	defer done()
	now := map[string]base{}  // the files that have become others, by path
	next := map[string]file{} // and what the draft makes of them
	for path, f := range d.files {
		was, pinned := d.bases[f.origin]
		if !f.exists || !pinned || !was.exists {
			continue
		}
		live, err := d.w.Read(f.origin)
		if err != nil || !live.Exists || live.Text == was.text {
			continue // gone or unreadable: that is said when it is sealed
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
			delete(now, path) // what continues it in two places cannot follow in one
		}
	}
	for path, f := range next {
		if b, ok := now[f.origin]; ok {
			d.bases[f.origin] = b
			d.files[path] = &f
			if d.touched == nil {
				d.touched = map[string]bool{}
			}
			d.touched[path] = true // its lines have other numbers now
		}
	}
}

// then is the workspace with some files as they were.
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

// Read returns a file as it was pinned, any other as it is.
func (t *then) Read(path string) (workspace.File, error) {
	f, ok := t.files[path]
	if !ok {
		return t.Reader.Read(path)
	}
	return workspace.File{Text: string(f.Text), Exists: f.Exists, Mode: fs.FileMode(f.Mode), BOM: f.BOM}, nil
}

// MaxFile is what the workspace takes.
func (t *then) MaxFile() int64 {
	if l, ok := t.Reader.(limited); ok {
		return l.MaxFile()
	}
	return 8 << 20
}

// SameFile and IsLink are the workspace's.
func (t *then) SameFile(a, b string) bool {
	n, ok := t.Reader.(namer)
	return ok && n.SameFile(a, b)
}

func (t *then) IsLink(path string) bool {
	n, ok := t.Reader.(namer)
	return ok && n.IsLink(path)
}
