package apply

import (
	"context"

	"redline/edits"
)

// maxDepth is how often a revert may itself be reverted.
const maxDepth = 3

// revert makes a change that takes back what the editor has made of another,
// and reports whether that is out of the text.
func (a *Applier) revert(ctx context.Context, of *attempt, c edits.Change) bool {
	if of.depth == maxDepth {
		return false
	}
	back := a.prepare(c)
	back.depth = of.depth + 1
	defer func() { a.watcher.unwatch(back) }()
	if !back.finished && a.send(ctx, []*attempt{back}) == nil && !back.finished {
		a.await(ctx, back)
		a.verify(ctx, back)
	}
	return back.finished && back.result.Status == edits.Done
}

// revertMisplaced takes back what the editor put into the wrong lines, around all
// that was typed since. If that does not work the change is finished with what is
// where, and it returns false.
func (a *Applier) revertMisplaced(ctx context.Context, t *attempt, wrong *misplacement) bool {
	ok := a.revert(ctx, t, edits.Change{
		Path: t.change.Path, Base: wrong.after, Edits: edits.EditsOf(edits.Diff(wrong.after, wrong.before)),
	})
	if !ok {
		t.finishMisplaced("and it could not be taken back")
	}
	return ok
}

// finishMisplaced records that the editor put the change into the wrong lines
// and that it is still there.
func (t *attempt) finishMisplaced(besides string) {
	t.finishHalf("The editor put the change into the wrong lines of " + t.change.Path +
		", because the text was changed while it was on its way, " + besides + ": undo it in the editor.")
}

// finishFailed records a change that was not made as a whole. Many clients make
// the steps of a change one by one and stop at the first that fails: what is
// there then is reverted where that is safe, and reported where it is not.
func (a *Applier) finishFailed(ctx context.Context, t *attempt, reason string) {
	partial := a.files.partial(t)
	if partial != "" {
		a.revertPartial(ctx, t)
		partial = a.files.partial(t)
	}
	if partial == "" {
		if t.change.Kind == edits.Rename && a.workspace.SameFile(t.change.Path, t.change.NewPath) {
			// Some clients take a file for one in its own way.
			reason += " Close " + t.change.Path + " and approve again: then Redline renames it on the disk."
		}
		t.finish(edits.Applied{Status: edits.Refused, Reason: reason})
		return
	}
	file := a.files.changed(t)
	t.finish(edits.Applied{Status: edits.Half, Reason: reason + " " + partial, Text: file.Text})
}

// revertPartial takes back what is there of a change, if that is clearly safe:
// edits in a text that nobody has typed into since.
func (a *Applier) revertPartial(ctx context.Context, t *attempt) {
	if t.change.Kind == edits.Create {
		return // the client was not asked to create the file, so it is not ours
	}
	if t.path() != t.change.Path && a.files.named(t.path(), t.change.Path) {
		return
	}
	if now := a.files.text(t.change.Path); t.madeInPart(now) {
		a.revert(ctx, t, edits.Change{Path: t.change.Path, Base: now, Edits: edits.Invert(t.before, t.made(now))})
	}
}
