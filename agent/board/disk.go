package board

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"redline/agent/plan"
	"redline/edits"
	"redline/workspace"
)

// maxLooks is how many files one look checks; the next look continues after them.
const maxLooks = 256

// onDisk is the result of the last look at a file of a plan.
type onDisk struct {
	path, target string // where the plan moves the file, or where it seems to be; "" for neither
	stamps       [2]workspace.Stamp

	last   workspace.Stamp // the file's stamp when it last existed
	text   string          // its text at that time; set once it is gone
	sought bool            // it is gone, and was searched for
	moved  string          // it is gone, and seems to be at target
}

// diskLook is one file to check.
type diskLook struct {
	plan *Held
	file *heldFile
	onDisk
}

// DiskWatch finds files of open plans that no editor shows and that have changed on the disk.
type DiskWatch struct {
	b       *Board
	looking sync.Mutex // held during a look; guards next
	next    int        // the file to look at next

	mu       sync.Mutex      // guards reported; no other lock is taken while it is held
	reported map[string]bool // paths since the last look; nil: no look is due
}

// Changed reports that files or folders changed on the disk. The plans' files among them are
// checked soon, together with everything reported until then.
func (w *DiskWatch) Changed(paths []string) {
	b := w.b
	w.mu.Lock()
	defer w.mu.Unlock()
	if b.root.Err() != nil || len(paths) == 0 {
		return
	}
	if w.reported == nil {
		w.reported = map[string]bool{}
		b.session.Spawn(func() { w.Look(b.root, true) })
	}
	for _, p := range paths {
		w.reported[p] = true
	}
}

// Look places the hunks of files that have changed on the disk again and announces their
// plans. If said is true, it checks only the reported paths, else up to maxLooks files. It
// changes no file.
func (w *DiskWatch) Look(ctx context.Context, said bool) {
	w.looking.Lock()
	defer w.looking.Unlock()
	b, news := w.b, map[*Held]bool{}
	for _, l := range w.due(said) {
		if ctx.Err() != nil {
			return
		}
		now := l.look(b.ws)
		if !now.stamps[0].Differs(l.stamps[0]) && !now.stamps[1].Differs(l.stamps[1]) {
			continue
		}
		if w.placeAgain(l, now) {
			news[l.plan] = true
		}
		if l.plan.mark(l.file).Asked() && b.Reconciler.tryReconcile(ctx, l.plan, evidence{asked: true}) {
			news[l.plan] = true
		}
	}
	for _, h := range b.Plans("") {
		t := b.lock()
		e := evidence{past: t.of(h).pastLeft}.and(b.Reconciler.closedFiles(t.of(h)))
		gone := t.gone(t.of(h))
		t.unlock()
		found := w.seek(ctx, h, gone)
		if b.Reconciler.tryReconcile(ctx, h, e) || found {
			news[h] = true
		}
	}
	for h := range news {
		b.Announce(h, "")
	}
}

// due lists the files to check: the reported ones, or the next of all.
func (w *DiskWatch) due(said bool) []diskLook {
	var paths map[string]bool
	if said {
		w.mu.Lock()
		paths, w.reported = w.reported, nil
		w.mu.Unlock()
	}
	t := w.b.lock()
	defer t.unlock()
	var all []diskLook
	for _, n := range slices.Sorted(maps.Keys(t.plans)) {
		h := t.plans[n]
		if !h.Plan().State.Open() && !unsettled(h.Plan(), h.Revision()) || h.execution != nil && !h.execution.waiting {
			continue
		}
		for _, f := range h.files {
			l := diskLook{plan: h.Held, file: f, onDisk: f.diskNow(h.Plan())}
			if _, open := t.ws.Buffer(l.path); !open && (!said || l.in(paths)) {
				all = append(all, l)
			}
		}
	}
	if said || len(all) <= maxLooks {
		return all
	}
	first := w.next % len(all)
	w.next = first + maxLooks
	return append(all[first:], all[:first]...)[:maxLooks]
}

// diskNow returns where to check for the file, with the stamps of the last look there.
func (f *heldFile) diskNow(p *plan.Plan) onDisk {
	d := f.disk
	d.path, d.target = f.PathIn(p), d.moved
	if f.Change.Action == plan.Rename && d.path == f.Change.Path {
		d.target = f.Change.NewPath
	}
	if d.path != f.disk.path || d.target != f.disk.target {
		d.stamps = [2]workspace.Stamp{} // the last look was at another path
	}
	return d
}

// in reports whether one of the paths is the file or a folder above it.
func (d *onDisk) in(paths map[string]bool) bool {
	for _, name := range []string{d.path, d.target} {
		if name == "" {
			continue
		}
		if paths["."] || paths[name] {
			return true
		}
		for k, c := range name {
			if c == '/' && paths[name[:k]] {
				return true
			}
		}
	}
	return false
}

// look returns d with the current stamps.
func (d onDisk) look(ws *workspace.Workspace) onDisk {
	d.stamps = [2]workspace.Stamp{ws.Stamp(d.path), {}}
	if d.target != "" {
		d.stamps[1] = ws.Stamp(d.target)
	}
	return d
}

// placeAgain places the hunks of a file that may have changed on the disk, and reports whether
// anything about it has changed.
func (w *DiskWatch) placeAgain(l diskLook, now onDisk) bool {
	h, f := l.plan, l.file
	t, read := w.b.lockReadFile(f.Change)
	defer t.unlock()
	if t.of(h).file(f.Change.Path) != f || f.PathIn(h.Plan()) != now.path {
		return false // there is a new revision
	}
	before := *f
	f.disk.path, f.disk.target, f.disk.stamps = now.path, now.target, now.stamps
	if now.stamps[0].There() {
		f.disk.last = now.stamps[0]
	}
	if f.disk.moved != "" && f.disk.moved == now.target && !now.stamps[1].There() {
		f.disk.moved, f.disk.sought = "", false // search for it again
	}
	f.place(read, h.Plan())
	if f.Live == before.Live && f.Exists == before.Exists && f.Unreadable == before.Unreadable &&
		f.inTheWay == before.inTheWay && f.Moved == before.Moved && f.disk.moved == before.disk.moved {
		return false
	}
	t.changed(t.of(h))
	return true
}

// gone are missing files of a plan that must be searched for.
type gone struct {
	files []*heldFile
	lost  []workspace.Lost // for each file
}

// gone returns the plan's missing files that were not searched for yet.
func (t *table) gone(h *entry) (g gone) {
	for _, f := range h.files {
		missing := !f.Exists && (f.Change.Action == plan.Update || f.Change.Action == plan.Rename && !f.Moved)
		if !missing || f.disk.sought || len(g.files) == maxLooks || !h.Plan().State.Open() {
			continue
		}
		f.disk.sought = true
		ref, _ := plan.Reference(f.Base, f.Proposed, f.Change.Hunks, h.Plan().Progress.Applied)
		g.files = append(g.files, f)
		g.lost = append(g.lost, workspace.Lost{
			Path: f.PathIn(h.Plan()), Was: f.disk.last, Texts: []string{f.disk.text, ref, f.Base, f.Proposed},
		})
	}
	return g
}

// seek searches for missing files, again at the next look if ctx ended the search. It reports
// whether it found any.
func (w *DiskWatch) seek(ctx context.Context, h *Held, g gone) bool {
	if len(g.lost) == 0 {
		return false
	}
	b := w.b
	moved := b.ws.FindMoved(ctx, g.lost)
	t := b.lock()
	defer t.unlock()
	found := false
	for i, f := range g.files {
		if moved[i] == "" && ctx.Err() != nil {
			f.disk.sought = false // the search did not finish
		}
		if moved[i] == "" || f.Exists {
			continue
		}
		f.disk.moved, f.view, found = moved[i], nil, true
	}
	if found {
		t.changed(t.of(h))
	}
	return found
}

// goneReason tells the user that a file is gone, and where it seems to be.
func (f *heldFile) goneReason() string {
	if f.disk.moved == "" {
		return "the file is gone"
	}
	return "the file is gone; it seems to be " + f.disk.moved + " now"
}

// ReadAhead has the contents of files that were read before a lock was taken, for code that needs
// them while it holds the lock: typing waits for the lock, and a disk may be slow. For a file that
// an editor shows, it has the editor's text at the last call of [ReadAhead.Missing]; for others,
// the disk's at the time of reading. It is for one goroutine.
type ReadAhead struct {
	ws    *workspace.Workspace
	seen  map[string]*seen
	pairs map[Paths]pair
}

// Paths are the names of one file. New is "" unless the file moves.
type Paths struct{ Old, New string }

// seen is one name of a file.
type seen struct {
	buffer *workspace.Buffer // nil: no editor shows it
	shown  bool              // an editor showed it when it was read, so the disk's text was not read

	file   workspace.File
	err    error
	onDisk workspace.OnDisk
}

// pair says whether the disk distinguishes two names that differ only in case.
type pair struct{ same, spelledOld, spelledNew bool }

// NewReadAhead returns a ReadAhead that has read nothing yet.
func NewReadAhead(ws *workspace.Workspace) *ReadAhead {
	return &ReadAhead{ws: ws, seen: map[string]*seen{}, pairs: map[Paths]pair{}}
}

// Missing returns the files that still must be read, each once. For the others it takes the
// current texts of editors. Call it while you hold the lock; if nothing is missing, continue
// without releasing it.
func (f *ReadAhead) Missing(files []Paths) (missing []Paths) {
	asked := map[Paths]bool{}
	for _, p := range files {
		if asked[p] {
			continue
		}
		asked[p] = true
		old, moved := f.take(p.Old), p.New == "" || f.take(p.New)
		if _, known := f.pairs[p]; !old || !moved || !known && alike(p) {
			missing = append(missing, p)
		}
	}
	return missing
}

// alike reports whether the two names may lead to one file.
func alike(p Paths) bool { return p.Old != p.New && strings.EqualFold(p.Old, p.New) }

// take takes an editor's text of a name that was read, and reports whether enough was read.
func (f *ReadAhead) take(path string) bool {
	s := f.seen[path]
	if s == nil {
		return false
	}
	b, shown := f.ws.Buffer(path)
	if !shown {
		b = nil
	}
	s.buffer = b
	return shown == s.shown
}

// Read reads files. Do not call it while you hold a lock.
func (f *ReadAhead) Read(files []Paths) {
	for _, p := range files {
		f.read(p.Old)
		if p.New != "" {
			f.read(p.New)
		}
		if alike(p) {
			f.pairs[p] = pair{f.ws.SameFile(p.Old, p.New), f.ws.HasName(p.Old), f.ws.HasName(p.New)}
		}
	}
}

func (f *ReadAhead) read(path string) {
	s := &seen{}
	s.file, s.err = f.ws.Read(path)
	s.buffer, s.shown, s.onDisk = s.file.Buffer, s.file.Buffer != nil, s.file.OnDisk
	if s.err != nil { // then it says nothing about the disk, or whether an editor shows it
		s.onDisk.Exists, s.onDisk.IsDir, s.onDisk.Err = f.ws.Stat(path)
		_, s.shown = f.ws.Buffer(path)
	}
	f.seen[path] = s
}

// errNotRead means that the file was not among those to read.
var errNotRead = errors.New("it was not read")

// File returns the file as [workspace.Workspace.Read] does.
func (f *ReadAhead) File(path string) (workspace.File, error) {
	s := f.seen[path]
	if s == nil {
		return workspace.File{Path: path}, errNotRead
	}
	file := s.file
	if b := s.buffer; s.err == nil && b != nil {
		file.URI, file.Buffer, file.Text, file.BOM = b.URI, b, b.Lines.Text(), b.BOM
		file.Exists = !edits.Blank(file.Text) || s.onDisk.Exists || s.onDisk.Err != nil
	}
	return file, s.err
}

// Buffer returns an editor's text of the file, as [workspace.Workspace.Buffer] does.
func (f *ReadAhead) Buffer(path string) (*workspace.Buffer, bool) {
	if s := f.seen[path]; s != nil && s.buffer != nil {
		return s.buffer, true
	}
	return nil, false
}

// Folders returns the current workspace folders.
func (f *ReadAhead) Folders() []workspace.Folder { return f.ws.Folders() }

// Stat describes the file on disk, as [workspace.Workspace.Stat] does.
func (f *ReadAhead) Stat(path string) (exists, isDir bool, err error) {
	s := f.seen[path]
	if s == nil {
		return false, false, errNotRead
	}
	return s.onDisk.Exists, s.onDisk.IsDir, s.onDisk.Err
}

// SameFile reports whether the names of a file that moves lead to one file on the disk.
func (f *ReadAhead) SameFile(p Paths) bool { return f.pairs[p].same }

// Spelled reports which of the two names of a moving file the folders on the disk have. It is
// known only for names that differ only in case.
func (f *ReadAhead) Spelled(p Paths) (old, moved bool) {
	return f.pairs[p].spelledOld, f.pairs[p].spelledNew
}
