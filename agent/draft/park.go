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

// MaxFile returns the limit of the workspace.
func (t *then) MaxFile() int64 {
	if l, ok := t.Reader.(limited); ok {
		return l.MaxFile()
	}
	return 8 << 20
}

// SameFile and IsLink ask the workspace.
func (t *then) SameFile(a, b string) bool {
	n, ok := t.Reader.(namer)
	return ok && n.SameFile(a, b)
}

func (t *then) IsLink(path string) bool {
	n, ok := t.Reader.(namer)
	return ok && n.IsLink(path)
}
