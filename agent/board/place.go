package board

import (
	"errors"
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/track"
	"redline/workspace"
)

// place updates the file with what was read: where it is, whether the plan can put it at its
// path, its text, and the places of the hunks of p in that text.
func (f *heldFile) place(l *ReadAhead, p *plan.Plan) {
	f.lookForMove(l, p)
	f.placeLive(l, p)
	f.lookInTheWay(l, p)
}

// placeLive does what place does, for a file whose path is known.
func (f *heldFile) placeLive(l *ReadAhead, p *plan.Plan) {
	path := f.PathIn(p)
	file, err := l.File(path)
	if f.Unreadable = namesAnother(l.Folders(), p, path); f.Unreadable != "" {
		file = workspace.File{Exists: true} // the same path may now name another file
	} else if err != nil {
		f.Unreadable = unreadable(l, path, err)
		file = workspace.File{Exists: true} // a file that cannot be read has no text, but is not gone
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
		ref, pieces := plan.Reference(f.Base, f.Proposed, f.Change.Hunks, p.Progress.Applied) // the text with the applied hunks
		f.Placement = track.Place(ref, pieces, live.Text())
		f.Has = make([]bool, len(f.Change.Hunks))
		for i, hunk := range f.Change.Hunks {
			f.Has[i] = p.Progress.Applied(hunk.ID)
		}
		f.lookForMade()
	}
	if f.Exists && !file.Exists {
		f.disk.text = before
	}
	f.Exists, f.Links = file.Exists, file.Links
	if file.Exists {
		f.disk.sought, f.disk.moved = false, ""
	}
	f.view = nil
}

// unreadable tells the user why there is no text at path. err is why it could not be read.
func unreadable(l *ReadAhead, path string, err error) string {
	if _, isDir, err := l.Stat(path); err == nil && isDir {
		return "a folder of the name " + path + " exists now"
	}
	if r, ok := errors.AsType[*workspace.Refusal](err); ok {
		short := *r // without the advice, which is meant for a model
		short.Reason, _, _ = strings.Cut(r.Reason, ";")
		err = &short
	}
	return err.Error()
}

// lookInTheWay updates whether a creation or a move can put its file at the new path.
func (f *heldFile) lookInTheWay(l *ReadAhead, p *plan.Plan) {
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

// inTheWay returns why a file cannot be put at path, "" if it can.
func inTheWay(l *ReadAhead, path string) string {
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

// follows reports whether the hunks of p are already followed from edit to edit. Then do not
// search for them again: if a block is repeated, the text alone does not show which one is
// meant.
func (f *heldFile) follows(p *plan.Plan) bool {
	if f.placedFor == p || f.placedFor == nil {
		return f.placedFor == p
	}
	whole := f.Change.Action == plan.Create || f.Change.Action == plan.Delete
	for i, hunk := range f.Change.Hunks {
		applied := p.Progress.Applied(hunk.ID)
		if _, ok := f.Placement.At(i); applied != f.Has[i] && (whole || !ok) {
			return false
		}
	}
	return true
}

// decidedBetween reports whether the record of a change differs between two values of its plan. If it
// does not, its hunks have not moved. That an editor is about to be asked for them moves none.
func decidedBetween(c *plan.Change, was, now *plan.Plan) bool {
	if was.Current != now.Current {
		return true
	}
	for _, hunk := range c.Hunks {
		if is := now.Progress.Hunk(hunk.ID).Status; is != was.Progress.Hunk(hunk.ID).Status && is != plan.HunkApproved {
			return true
		}
	}
	before, after := was.Progress.File(was.Current, c.Path), now.Progress.File(now.Current, c.Path)
	return before.Status != after.Status && after.Status != plan.FileApplying || before.Move != after.Move
}

// placeClosed places the hunks of files that no editor shows in their texts, which were just
// read: nothing reports changes on the disk reliably.
func (t *table) placeClosed(l *ReadAhead, h *entry) {
	for _, f := range h.files {
		if _, open := t.ws.Buffer(f.PathIn(h.Plan())); !open {
			f.place(l, h.Plan())
		} else {
			f.lookInTheWay(l, h.Plan()) // the disk under the buffer
		}
		if f.view == nil {
			t.changed(h)
		}
	}
}

// lookForMade finds the hunks that the user has applied or reverted by hand: their place has the
// text that an approval or an undo would make. From then on they are followed in that form.
func (f *heldFile) lookForMade() {
	if f.Change.Action == plan.Create || f.Change.Action == plan.Delete {
		return // whole files are compared separately, see wholeMade
	}
	placed, turned := f.Placement.Switch(func(i int) string {
		hunk := f.Change.Hunks[i]
		if f.Has[i] {
			return f.Base[hunk.Old.Start:hunk.Old.End]
		}
		return f.Proposed[hunk.New.Start:hunk.New.End]
	})
	if len(turned) == 0 {
		return
	}
	has := append([]bool(nil), f.Has...) // views may have the old one
	for _, i := range turned {
		has[i] = !has[i]
	}
	f.Placement, f.Has = placed, has
}

// wholeMade reports whether the user has created or deleted the file by hand, as the plan would.
func (f *heldFile) wholeMade() bool {
	switch f.Change.Action {
	case plan.Create:
		return f.Holds(f.Proposed)
	case plan.Delete:
		return !f.Exists
	}
	return false
}

// lookForMove sets f.Moved: whether the user has moved by hand a file that p is to move. That is
// so if the old path is empty, and the new one has a text that this file had.
func (f *heldFile) lookForMove(l *ReadAhead, p *plan.Plan) {
	was := f.Moved
	f.Moved = false
	if f.Change.Action != plan.Rename || p.Progress.File(p.Current, f.Change.Path).Move != plan.FilePending {
		return
	}
	if old, err := l.File(f.Change.Path); err != nil || old.Exists {
		return
	}
	now, err := l.File(f.Change.NewPath)
	if err != nil || !now.Exists {
		return
	}
	f.Moved = was || now.Text == f.Base || now.Text == f.Proposed || f.Live != nil && now.Text == f.Live.Text()
}

// namedFolders returns the directory for each first part of a path if the workspace has several
// folders, else nil.
func namedFolders(folders []workspace.Folder) map[string]string {
	if len(folders) < 2 {
		return nil
	}
	named := map[string]string{}
	for _, f := range folders {
		named[f.Name] = f.Dir
	}
	return named
}

// namesAnother returns why a path of a plan now names another file than when the plan was made,
// "" if it does not. With another set of folders, app/a.txt in the folder app could be
// app/app/a.txt, and a creation would go there.
func namesAnother(folders []workspace.Folder, p *plan.Plan, path string) string {
	was, is := p.Progress.Folders, namedFolders(folders)
	first, _, _ := strings.Cut(path, "/")
	switch {
	case was == nil && is == nil:
		return ""
	case was == nil: // Read says what is missing, unless a folder happens to have that name
		if _, by := is[first]; !by {
			return ""
		}
		return fmt.Sprintf("plan %d was made when the workspace had one folder: open that alone to decide on it", p.Number)
	case is[first] != was[first] || is == nil:
		return fmt.Sprintf("plan %d was made with the workspace folder %s, which is %s: open the same folders again to decide on it", p.Number, first, was[first])
	}
	return ""
}
