package decide

import (
	"context"
	"fmt"
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
	h, err := ds.find(ctx, d.Plan)
	if err != nil {
		return state.Result{}, err
	}
	return ds.decide(ctx, h, d, ds.checkUndo)
}

// checkUndo checks an undo and plans its changes.
func (ds *Decisions) checkUndo(tx *board.Tx, d view.Request) (*checked, error) {
	v, l, err := tx.Look(plan.Undo, d)
	if err != nil {
		return nil, err
	}
	s, past, err := appliedIn(v, d)
	if err != nil {
		return nil, err
	}
	x := &checked{Intent: board.Intent{Verdict: plan.VerdictUndo}, held: tx.Held, next: v.Plan.Clone()}
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
	return edits.Change{Path: path, Kind: edits.Create, Text: text, Mode: form.Mode, BOM: form.BOM, Restore: true}
}

// backward returns the change that undoes an applied part of a plan in the file's current text.
// conflicts lists the ids of hunks whose new lines were changed since; the change leaves them.
func backward(p *plan.Plan, of view.Part) (c edits.Change, conflicts []string) {
	f := of.File
	c = edits.Change{Path: f.Path, Base: f.Live.Text()}
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
