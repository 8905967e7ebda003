package decide

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/edits/track"
	"redline/internal/phrase"
)

// Undo undoes what was applied from a plan, a file or a hunk, and keeps everything that the user
// has typed since: it is a three-way merge. What is undone is pending again. If the new lines of
// a hunk were changed since, the undo is refused as stale and names the hunk, unless the decision
// says to skip such hunks. Undo also undoes what earlier revisions of the plan have applied,
// after the current revision's changes; no revision offers that for approval any more.
func (ds *Decisions) Undo(ctx context.Context, d view.Request) (state.Result, error) {
	s, err := ds.open(ctx, plan.Undo, d)
	if err != nil {
		return state.Result{}, err
	}
	return ds.decide(ctx, s, d, ds.checkUndo)
}

// checkUndo checks an undo and plans its changes.
func (ds *Decisions) checkUndo(opened *seen, d view.Request) (*checked, error) {
	v, l := opened.view, opened.files
	s, past, err := appliedIn(v, d)
	if err != nil {
		return nil, err
	}
	x := &checked{Intent: board.Intent{Verdict: plan.VerdictUndo}, held: opened.Held, next: v.Plan.Clone()}
	rewinds, conflicts := ds.rewinds(l, v, s, past)
	for _, w := range rewinds {
		switch change := w.change(); {
		case w.part.Empty():
		case change.Kind == edits.Update && len(change.Edits) == 0: // the user has reverted it already
			w.part.Mark(x.next, plan.HunkPending, "")
			x.Made = append(x.Made, w.part)
		default:
			x.Parts, x.changes = append(x.Parts, w.part), append(x.changes, change)
		}
	}
	shareFolders(x.changes)
	if len(conflicts) > 0 && (!d.SkipStale || !x.edits()) {
		return nil, &plan.Refusal{Kind: plan.Stale, Hunks: conflicts, Reason: fmt.Sprintf("The text of %s of plan %d was changed since it was applied: take it back by hand.",
			phrase.Named("hunk", conflicts), v.Plan.Number)}
	}
	x.record = view.RecordDecision(v.Plan, v.Revision, d, plan.VerdictUndo, slices.Concat(x.Parts, x.Made), ds.now())
	return x, nil
}

// appliedIn finds what a request names of the applied parts of a plan: those of the current revision,
// and those that only earlier revisions have applied. It refuses a request that names nothing applied.
func appliedIn(v *view.Plan, d view.Request) (s view.Scope, past []view.EarlierPart, err error) {
	past, named, onlyPast := view.EarlierIn(v, d)
	if !onlyPast {
		if s, err = view.ScopeOf(v, named, plan.HunkApplied); err != nil {
			return s, nil, err
		}
	}
	if len(s.Parts)+len(past) == 0 {
		return s, nil, plan.Refuse(plan.WrongState, "Nothing that you named in plan %d is applied.", v.Plan.Number)
	}
	return s, past, nil
}

// rewind is the undo of the applied changes to one file.
type rewind struct {
	part    view.Part
	current edits.Change // for what the current revision has applied
	now     fileState    // the file after the steps so far
}

// change returns one change for all steps, from the file's current text.
func (w *rewind) change() edits.Change {
	if len(w.part.Earlier) == 0 {
		return w.current
	}
	return stateOf(w.part.File).changeTo(w.now)
}

// rewinds computes the undo of each file, from the newest revision to the oldest. conflicts lists
// the ids of hunks, and the paths of moves, that cannot be undone; no rewind includes them.
func (ds *Decisions) rewinds(l *board.ReadAhead, v *view.Plan, s view.Scope, past []view.EarlierPart) (rewinds []*rewind, conflicts []string) {
	for _, p := range s.Parts {
		c, stale := backward(v.Plan, p)
		conflicts = append(conflicts, stale...)
		w := &rewind{part: p.Without(stale), current: c, now: after(c)}
		if w.part.Empty() {
			w.now = stateOf(p.File)
		}
		rewinds = append(rewinds, w)
	}
	for _, p := range past {
		path := p.LivePath(v.Plan)
		i := slices.IndexFunc(rewinds, func(w *rewind) bool { return w.now.path == path })
		if i < 0 {
			i = len(rewinds)
			f := board.FileAt(ds.ws, l, v, path)
			rewinds = append(rewinds, &rewind{part: view.Part{File: f}, now: stateOf(f)})
		}
		w := rewinds[i]
		next, done, stuck := backEarlier(p, w.now)
		next.folders = append(next.folders, v.Plan.Progress.Files[p.Change.Path].Folders...)
		conflicts = append(conflicts, stuck...)
		if w.now = next; len(done.Hunks) > 0 || done.Move {
			w.part.Earlier = append(w.part.Earlier, done)
		}
	}
	return rewinds, conflicts
}

// shareFolders gives each change that removes or moves a file the folders of all changes, since
// their order decides which change empties a folder.
func shareFolders(changes []edits.Change) {
	var all []string
	for _, c := range changes {
		all = append(all, c.Folders...)
	}
	if all = innermostFirst(all); len(all) == 0 {
		return
	}
	for i := range changes {
		if k := changes[i].Kind; k == edits.Delete || k == edits.Rename {
			changes[i].Folders = all
		}
	}
}

// innermostFirst sorts folders, the deepest first, and removes duplicates.
func innermostFirst(folders []string) []string {
	slices.SortFunc(folders, func(a, b string) int {
		if d := strings.Count(b, "/") - strings.Count(a, "/"); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(folders)
}

// stateOf returns the current file.
func stateOf(f *view.File) fileState {
	return fileState{path: f.Path, text: f.Live.Text(), exists: f.Exists}
}

// bringBack returns the change that restores a deleted file.
func bringBack(path, text string, form plan.Form) edits.Change {
	return edits.Change{Path: path, Kind: edits.Create, Text: text, Mode: form.Mode, BOM: form.BOM, Charset: form.Charset, Restore: true}
}

// backward returns the change that undoes an applied part of a plan in the file's current text.
// conflicts lists the ids of hunks whose new lines were changed since; the change leaves them.
func backward(p *plan.Plan, of view.Part) (c edits.Change, conflicts []string) {
	f := of.File
	c = edits.Change{Path: f.Path, Base: f.Live.Text(), Charset: f.Change.Charset, AsShown: !f.Outside}
	switch f.Change.Action {
	case plan.Create:
		c.Kind, c.Restore, c.Folders = edits.Delete, true, p.Progress.File(p.Current, f.Change.Path).Folders
		if f.Exists && !f.Holds(f.Proposed) {
			conflicts = append(conflicts, f.Change.Hunks[0].ID)
		}
		return c, conflicts
	case plan.Delete:
		c = bringBack(f.Change.Path, f.Base, p.Progress.DeletedForm(f.Change))
		if f.Exists && !f.Holds(f.Base) { // some editors keep the buffer of a deleted file
			conflicts = append(conflicts, f.Change.Hunks[0].ID)
		}
		return c, conflicts
	}
	if of.Move {
		c.Kind, c.NewPath = edits.Rename, f.Change.Path
		c.Folders = p.Progress.File(p.Current, f.Change.Path).Folders
	}
	for _, i := range of.Hunks {
		hunk := f.Change.Hunks[i]
		span, ok := f.Placement.At(i)
		if ok && !f.Has[i] {
			continue // the user has reverted it already
		}
		back := edits.Edit{Span: span, New: f.Base[hunk.Old.Start:hunk.Old.End]}
		if !ok || f.Unreadable != "" || !track.KeepsLines(c.Base, back) {
			conflicts = append(conflicts, hunk.ID)
			continue
		}
		c.Edits = append(c.Edits, back)
	}
	return c, conflicts
}

// backEarlier undoes a part that an earlier revision has applied, in the file as the previous
// steps leave it. It returns the part that it could undo, and the ids of hunks and paths of
// moves that have no place any more.
func backEarlier(c view.EarlierPart, f fileState) (after fileState, left view.EarlierPart, conflicts []string) {
	hunks, none := c.Change.Hunks, view.EarlierPart{Earlier: c.Earlier}
	switch c.Change.Action {
	case plan.Create:
		if !f.exists || f.text != c.Proposed {
			return f, none, []string{hunks[0].ID}
		}
		return fileState{path: f.path, folders: f.folders}, c, nil
	case plan.Delete:
		if f.exists {
			return f, none, []string{hunks[0].ID}
		}
		return fileState{path: c.Change.Path, text: c.Base, exists: true, form: c.Deleted}, c, nil
	}
	if !f.exists {
		for _, i := range c.Hunks {
			conflicts = append(conflicts, hunks[i].ID)
		}
		if c.Move {
			conflicts = append(conflicts, c.Change.NewPath)
		}
		return f, none, conflicts
	}
	ref, pieces := plan.Reference(c.Base, c.Proposed, hunks, func(id string) bool {
		return slices.ContainsFunc(c.Hunks, func(i int) bool { return hunks[i].ID == id })
	})
	es := make([]edits.Edit, len(c.Hunks))
	for k, i := range c.Hunks {
		es[k] = edits.Edit{Span: pieces[i], New: c.Base[hunks[i].Old.Start:hunks[i].Old.End]}
	}
	out, _, stuck := track.Rebase(ref, es, f.text)
	text, err := edits.Apply(f.text, out)
	if err != nil {
		return f, none, []string{c.Change.Path}
	}
	left = none
	for k, i := range c.Hunks {
		if slices.Contains(stuck, k) {
			conflicts = append(conflicts, hunks[i].ID)
		} else {
			left.Hunks = append(left.Hunks, i)
		}
	}
	f.text, f.form.Charset, f.asShown = text, c.Change.Charset, true
	if c.Move {
		f.path, left.Move = c.Change.Path, true
	}
	return f, left, conflicts
}

// fileState is a file as the steps of an undo so far leave it.
type fileState struct {
	path   string
	text   string
	exists bool
	form   plan.Form // of a file that is restored; of others, only the charset, if asShown is set

	asShown bool

	folders []string // folders to remove with it if they are empty
}

// after returns the file after a change.
func after(c edits.Change) fileState {
	f := fileState{path: c.Path, exists: true, folders: c.Folders, form: plan.Form{Charset: c.Charset}, asShown: c.AsShown}
	switch c.Kind {
	case edits.Delete:
		f.exists = false
		return f
	case edits.Create:
		f.text, f.form = c.Text, plan.Form{Mode: c.Mode, BOM: c.BOM, Charset: c.Charset}
		return f
	case edits.Rename:
		f.path = c.NewPath
	}
	if text, err := edits.Apply(c.Base, c.Edits); err == nil {
		f.text = text
	}
	return f
}

// changeTo returns the one change that turns was, the current file, into f. The change has no
// edits if they are equal.
func (was fileState) changeTo(f fileState) (c edits.Change) {
	switch {
	case !was.exists && !f.exists:
		return c
	case !f.exists:
		return edits.Change{Path: was.path, Kind: edits.Delete, Base: was.text, Restore: true, Folders: f.folders}
	case !was.exists:
		return bringBack(f.path, f.text, f.form)
	}
	c = edits.Change{Path: was.path, Base: was.text, Edits: edits.EditsOf(edits.Diff(was.text, f.text)), Charset: f.form.Charset, AsShown: f.asShown}
	if f.path != was.path {
		c.Kind, c.NewPath, c.Folders = edits.Rename, f.path, f.folders
	}
	return c
}

// Before returns what undoing all of a plan would leave of the files that it has changed, as texts
// that differ from the disk, and these files as they are now. It changes nothing. ok is false if
// nothing of the plan is applied, or if a part of it cannot be undone any more.
func (ds *Decisions) Before(h *board.Held) (before, now view.TriedTexts, ok bool) {
	tx := ds.board.Lock(h)
	v, l := tx.See()
	tx.Unlock()
	s, past, err := appliedIn(v, view.Request{Plan: h.Number()})
	if err != nil {
		return nil, nil, false
	}
	rewinds, conflicts := ds.rewinds(l, v, s, past)
	if len(conflicts) > 0 {
		return nil, nil, false
	}
	before, now = view.TriedTexts{}, view.TriedTexts{}
	for _, w := range rewinds {
		if was := stateOf(w.part.File); was.exists {
			now[was.path], before[was.path] = view.TriedText{Text: was.text}, view.TriedText{Gone: true}
		}
	}
	for _, w := range rewinds {
		if w.now.exists {
			before[w.now.path] = textOf(w.part.File, w.now)
		}
	}
	return before, now, true
}

// textOf returns the file that f was, which is described by was.
func textOf(f *view.File, was fileState) view.TriedText {
	mode := was.form.Mode
	if mode == 0 {
		mode = f.Change.Mode
	}
	return view.TriedText{Text: was.text, BOM: was.form.BOM, Mode: fs.FileMode(mode)}
}

// Reversal is the undo of the applied changes to one file, for a draft that proposes it.
type Reversal struct {
	Change edits.Change // the change to the current file; an update without edits if the user has reverted it already
	Hunks  []string     // ids of the hunks that it undoes
}

// Reversals returns what an undo of the named part of a plan would change. It changes nothing.
// The plan may be in any state, even drafting in the turn that asks. conflicts lists the ids of
// hunks whose new lines were changed since, and the paths of moves that cannot be undone; no
// reversal includes them. It refuses a part with nothing applied.
func (ds *Decisions) Reversals(ctx context.Context, d view.Request) (back []Reversal, conflicts []string, err error) {
	tx, err := ds.board.Open(ctx, d.Plan)
	if err != nil {
		return nil, nil, err
	}
	defer tx.Unlock()
	if tx.Executing() {
		return nil, nil, plan.Refuse(plan.Busy, "Plan %d is being carried out: wait until that is done.", d.Plan)
	}
	v, l := tx.See()
	s, past, err := appliedIn(v, d)
	if err != nil {
		return nil, nil, err
	}
	rewinds, conflicts := ds.rewinds(l, v, s, past)
	for _, w := range rewinds {
		if w.part.Empty() {
			continue
		}
		c := w.change()
		c.Path = cmp.Or(c.Path, w.part.File.Path) // for a missing file, as before
		back = append(back, Reversal{c, w.part.IDs()})
	}
	return back, conflicts, nil
}
