// Package draft is the revision under construction during a turn: a layer of
// operations over the workspace. Whoever reads through it sees the files as
// they would be after the operations; the files themselves are never touched,
// since nothing here can write.
package draft

import (
	"context"
	"slices"
	"strings"
	"sync"

	"redline/agent/plan"
	"redline/edits/blame"
	"redline/workspace"
)

// Reader is all that a draft needs of the workspace: the text of a file as it
// is now. What cannot be read is a [*workspace.Refusal].
type Reader interface {
	Read(path string) (workspace.File, error)
}

// namer is a Reader that also knows about names on the disk, as
// [workspace.Workspace] does. Of a Reader that does not, all names differ and no
// file is a link.
type namer interface {
	SameFile(a, b string) bool
	IsLink(path string) bool
}

// limited is a Reader that reads files up to a size in bytes, as
// [workspace.Workspace] does. The files of the draft may come to that. Of a
// Reader that is not, they may have 8 MiB.
type limited interface{ MaxFile() int64 }

// Draft is a layer of operations over the workspace. Paths are workspace paths
// that were cleaned already. Its methods may be called from any goroutine.
// Every method that stages an operation fails with a [*Refusal], an
// [*match.Refusal] or a [*workspace.Refusal] when the operation is not
// possible, which is an answer for the model; nothing is staged then.
type Draft struct {
	mu      sync.Mutex
	guarded content // see open
}

// open returns what the draft holds, for its caller alone until done is called.
func (draft *Draft) open() (d *content, done func()) {
	draft.mu.Lock()
	return &draft.guarded, draft.mu.Unlock
}

// content is what a draft holds. Who has it has the draft to itself: open has
// returned it, or nobody else knows the draft yet.
type content struct {
	layer
	operations []plan.Operation
	steps      map[string]bool // the steps that operations belong to
	notes      []string        // of Resume
	submission Submission      // see Submit
	begun      int             // how many operations there were when the turn began
	start      *content        // as it was then; nil: without any operation
	whole      bool            // no operation of the turn can be done without, see Lean
	touched    map[string]bool // files that this turn has changed in an earlier draft, see GoOn
	refused    []refused       // what of patches was refused and not staged since, see Refuse

	submittedNow bool // by this turn
}

// layer is the files as the operations have made them, over those of the workspace.
type layer struct {
	w       Reader
	maxFile int64            // bytes
	bases   map[string]base  // what the workspace had when a file was first looked at
	files   map[string]*file // what the operations made of it; a file that none concerns is not here
}

// base is a file of the workspace, pinned.
type base struct {
	text   string
	exists bool
	mode   uint32 // permission bits
	bom    bool   // a byte order mark comes before the text
}

// file is what the operations have made of a path. It is replaced, never
// changed in place.
type file struct {
	exists     bool
	text       string
	origin     string      // the path whose base this file continues, "" for a file of the draft's own
	mode       uint32      // permission bits that an operation has named for a file of the draft's own, 0 for none
	bom        bool        // a file of the draft's own has a byte order mark before the text
	areas      blame.Areas // where it differs from that base, if it has an origin
	operations []int       // those that made it so, as indices, ascending
	movers     []int       // those of them that moved it here
	covered    []int       // those of them before it was last written as a whole
	kept       *kept       // set while it is as an earlier revision left it
}

// knower is a Reader that knows which files a path at which there is none may have been
// meant for, as [workspace.Workspace] does.
type knower interface {
	Alike(ctx context.Context, missing string, overlay workspace.Overlay) []string
}

// New returns an empty draft over the workspace.
func New(w Reader) *Draft {
	return &Draft{guarded: *newContent(w)}
}

func newContent(w Reader) *content {
	l := layer{w: w, maxFile: 8 << 20, bases: map[string]base{}, files: map[string]*file{}}
	if w, ok := w.(limited); ok {
		l.maxFile = w.MaxFile()
	}
	return &content{layer: l, steps: map[string]bool{}}
}

// Read returns a file as the draft has it. The first look at a file pins its
// base: later changes of the workspace are not seen.
func (draft *Draft) Read(path string) (text string, exists bool, err error) {
	d, done := draft.open()
	defer done()
	f, err := d.look(path)
	if err != nil {
		return "", false, err
	}
	return f.text, f.exists, nil
}

// Overlay returns the files that the operations concern, to be seen over the
// workspace.
func (draft *Draft) Overlay() workspace.Overlay {
	d, done := draft.open()
	defer done()
	return d.overlay()
}

// overlay is [Draft.Overlay].
func (l *layer) overlay() workspace.Overlay {
	o := make(workspace.Overlay, len(l.files))
	for path, f := range l.files {
		o[path] = workspace.Overlaid{Text: f.text, Deleted: !f.exists}
	}
	return o
}

// Operations returns all staged operations in order. Those that no earlier
// revision had have no ids yet.
func (draft *Draft) Operations() []plan.Operation {
	d, done := draft.open()
	defer done()
	return slices.Clone(d.operations)
}

// Steps returns how many different steps the operations belong to.
func (draft *Draft) Steps() int {
	d, done := draft.open()
	defer done()
	return len(d.steps)
}

// Empty tells whether nothing is staged.
func (draft *Draft) Empty() bool {
	d, done := draft.open()
	defer done()
	return len(d.operations) == 0
}

// Paths returns the paths that the operations concern, sorted.
func (draft *Draft) Paths() []string {
	d, done := draft.open()
	defer done()
	paths := make([]string, 0, len(d.files))
	for path := range d.files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// Looked returns the paths that were looked at or changed, in no order.
func (draft *Draft) Looked() []string {
	d, done := draft.open()
	defer done()
	paths := make([]string, 0, len(d.bases))
	for path := range d.bases {
		paths = append(paths, path)
	}
	return paths
}

// look returns the file as it is in the draft. The first look pins its base.
func (l *layer) look(path string) (*file, error) {
	if f, ok := l.files[path]; ok {
		return f, nil
	}
	b, ok := l.bases[path]
	if !ok {
		now, err := l.w.Read(path)
		if err != nil {
			return nil, err
		}
		if now.Buffer != nil { // what is on disk was looked at; an editor may show anything
			if err := l.editable(path, now.Text); err != nil {
				return nil, err
			}
		}
		if !now.Exists {
			now.Text = "" // an editor may show a line end
		}
		b = base{text: now.Text, exists: now.Exists, mode: uint32(now.Mode.Perm()), bom: now.BOM}
		l.bases[path] = b
	}
	return &file{exists: b.exists, text: b.text, origin: path}, nil
}

// asBegun tells whether f, the file at path, is as it was when the turn began,
// so that what the model knows of its line numbers still holds.
func (d *content) asBegun(path string, f *file) bool {
	return !d.touched[path] && !slices.ContainsFunc(f.operations, func(i int) bool { return i >= d.begun })
}

// existing is look for a file that must be there.
func (l *layer) existing(path string) (*file, error) {
	f, err := l.look(path)
	if err == nil && !f.exists {
		err = refuse(path, "%s", l.missing(path)+"list the files, or create it with write_file")
	}
	return f, err
}

// vacant is look for a path at which a file is to be put.
func (l *layer) vacant(path string) (*file, error) {
	f, err := l.look(path)
	if err != nil {
		return nil, err
	}
	for i, c := range path {
		if c == '/' {
			if above, ok := l.files[path[:i]]; ok && above.exists {
				return nil, refuse(path, "cannot be created: %s is a file", path[:i])
			}
		}
	}
	inside := path + "/"
	for other, below := range l.files {
		if below.exists && strings.HasPrefix(other, inside) {
			return nil, refuse(path, "is a folder; name a file in it")
		}
	}
	return f, nil
}

// stage adds an operation and makes f, which it has led to, the file at path.
func (d *content) stage(op plan.Operation, path string, f *file) {
	op.Path = path
	f.operations = append(slices.Clip(f.operations), len(d.operations))
	d.add(op)
	d.files[path] = f
	d.settleRefused(path)
}

func (d *content) add(op plan.Operation) {
	d.operations = append(d.operations, op)
	d.steps[op.Step] = true
}
