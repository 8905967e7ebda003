package board

import (
	"errors"
	"strings"

	"redline/agent/plan"
	"redline/agent/readahead"
	"redline/edits"
	"redline/edits/track"
	"redline/workspace"
)

// place updates the file from what was read: where it is, whether the plan can put it at its
// path, its text, and the places of the hunks of p in that.
func (f *heldFile) place(l *readahead.Files, p *plan.Plan) {
	f.lookForMove(l, p)
	f.placeLive(l, p)
	f.lookInTheWay(l, p)
}

// placeLive is place for a file whose path is known.
func (f *heldFile) placeLive(l *readahead.Files, p *plan.Plan) {
	path := f.PathIn(p)
	file, err := l.File(path)
	if f.Unreadable = namesAnother(l.Folders(), p, path); f.Unreadable != "" {
		file = workspace.File{Exists: true} // that of another name may be another file
	} else if err != nil {
		f.Unreadable = unreadable(l, path, err)
		file = workspace.File{Exists: true} // what cannot be read has no text, but is not gone
	}
	live, before := f.Live, ""
	if live != nil {
		before = live.Text()
	}
	switch {
	case file.Buffer != nil:
		live = file.Buffer.Lines
	case live == nil || live.Text() != file.Text:
		live = edits.NewLines(file.Text)
	}
	if f.Live != live || !f.follows(p) {
		f.Live, f.placedFor, f.undone = live, p, undone{}
		ref, pieces := f.reference(appliedIn(p))
		f.Placement = track.Place(ref, pieces, live.Text())
		f.Has = make([]bool, len(f.Change.Hunks))
		for i, hunk := range f.Change.Hunks {
			f.Has[i] = p.Progress.Hunk(hunk.ID).Status == plan.HunkApplied
		}
		f.lookForMade()
	}
	if f.Exists && !file.Exists {
		f.disk.text = before
	}
	f.Exists = file.Exists
	if file.Exists {
		f.disk.sought, f.disk.moved = false, ""
	}
	f.view = nil
}

// unreadable says, for the user, why there is no text at path. err is why it could not be read.
func unreadable(l *readahead.Files, path string, err error) string {
	if _, isDir, err := l.Stat(path); err == nil && isDir {
		return "a folder of the name " + path + " exists now"
	}
	if r, ok := errors.AsType[*workspace.Refusal](err); ok {
		short := *r // without the advice, which is for a model
		short.Reason, _, _ = strings.Cut(r.Reason, ";")
		err = &short
	}
	return err.Error()
}

// lookInTheWay updates whether a creation or a move can put its file at the new path.
func (f *heldFile) lookInTheWay(l *readahead.Files, p *plan.Plan) {
	path, was := f.PathIn(p), f.inTheWay
	f.inTheWay = ""
	switch {
	case f.Change.Action == plan.Create:
		f.inTheWay = inTheWay(l, path)
	case f.Change.Action == plan.Rename && path == f.Change.Path && !l.SameFile(pathsOf(f.Change)):
		f.inTheWay = inTheWay(l, f.Change.NewPath)
		if _, open := l.Buffer(f.Change.NewPath); open && f.inTheWay == "" {
			f.inTheWay = "a new file of the name " + f.Change.NewPath + " is open now"
		}
	}
	if why := namesAnother(l.Folders(), p, path); why != "" && (f.Change.Action == plan.Create || f.Change.Action == plan.Rename) {
		f.inTheWay = why
	}
	if f.inTheWay != was {
		f.view = nil
	}
}

// inTheWay says why a file cannot be put at path, "" if it can.
func inTheWay(l *readahead.Files, path string) string {
	if b, open := l.Buffer(path); open && !isBlank(b.Lines) {
		return "a file of the name " + path + " exists now"
	}
	switch exists, isDir, err := l.Stat(path); {
	case isDir:
		return "a folder of the name " + path + " exists now"
	case err != nil:
		return err.Error()
	case exists:
		return "a file of the name " + path + " exists now"
	}
	return ""
}

// follows reports whether the hunks of p are followed from edit to edit already. Then do not
// search for them again: where a block is repeated, the text alone does not say which one is
// meant.
func (f *heldFile) follows(p *plan.Plan) bool {
	if f.placedFor == p || f.placedFor == nil {
		return f.placedFor == p
	}
	whole := f.Change.Action == plan.Create || f.Change.Action == plan.Delete
	for i, hunk := range f.Change.Hunks {
		applied := p.Progress.Hunk(hunk.ID).Status == plan.HunkApplied
		if _, ok := f.Placement.At(i); applied != f.Has[i] && (whole || !ok) {
			return false
		}
	}
	return true
}

// decidedBetween reports whether the file's record differs between two values of its plan.
// If not, its hunks are where they were.
func (f *heldFile) decidedBetween(was, now *plan.Plan) bool {
	if was.Current != now.Current {
		return true
	}
	for _, hunk := range f.Change.Hunks {
		if was.Progress.Hunk(hunk.ID).Status != now.Progress.Hunk(hunk.ID).Status {
			return true
		}
	}
	before, after := was.Progress.File(was.Current, f.Change.Path), now.Progress.File(now.Current, f.Change.Path)
	return before.Status != after.Status || before.Move != after.Move
}

// placeAll places the hunks of all files of a plan.
func (t *table) placeAll(l *readahead.Files, h *entry) {
	for _, f := range h.files {
		f.place(l, h.Plan())
	}
	t.changed(h)
}

// placeClosed places the hunks of the files that no editor shows in their texts as just read:
// nothing reports changes on the disk reliably.
func (t *table) placeClosed(l *readahead.Files, h *entry) {
	for _, f := range h.files {
		if _, open := t.ws.Buffer(f.PathIn(h.Plan())); !open {
			f.place(l, h.Plan())
		} else {
			f.lookInTheWay(l, h.Plan()) // the disk under the buffer
		}
		t.changed(h)
	}
}

// reference returns the file's text with only the named hunks applied, and the lines of
// each hunk in it.
func (f *heldFile) reference(applied func(id string) bool) (string, []edits.Span) {
	return plan.Reference(f.Base, f.Proposed, f.Change.Hunks, applied)
}
