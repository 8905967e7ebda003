package apply

import (
	"context"
	"fmt"
	"strings"

	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace"
)

// verifyAll checks the texts for the changes that the client has accepted. A file that
// is not open after a moment will not be opened any more; the text of an open one may
// take longer to arrive. verifyAll calls verified after each.
func (a *Applier) verifyAll(caller context.Context, batch []*attempt, verified func()) {
	ctx, cancel := context.WithTimeout(caller, a.timeouts.Verify)
	defer cancel()
	moment, cancel := context.WithTimeout(ctx, a.timeouts.Hidden)
	defer cancel()
	for _, t := range batch {
		if !a.files.await(moment, t) && a.files.changed(t).Buffer != nil {
			a.files.await(ctx, t)
		}
		a.restoreBOM(caller, t)
		a.verify(caller, t)
		verified()
	}
}

// await waits for a change, at most as long as a text may take to arrive.
func (a *Applier) await(ctx context.Context, t *attempt) {
	ctx, cancel := context.WithTimeout(ctx, a.timeouts.Verify)
	defer cancel()
	a.files.await(ctx, t)
}

// verify checks the text for a change that the client has accepted. If the client put
// it into the wrong lines, verify reverts it and sends it again; if the client skipped
// it because its text is newer, verify sends it again; at most maxResends times. It
// sends nothing on top of a text that it cannot explain.
func (a *Applier) verify(ctx context.Context, t *attempt) {
	for !t.finished {
		file := a.files.changed(t)
		wrong := t.misplaced()
		switch {
		case wrong != nil:
			if !a.revertMisplaced(ctx, t, wrong) {
				return
			}
		case !skipped(t, file) || t.explained(file.Text) && t.resent == maxResends:
			a.finishAccepted(ctx, t)
			return
		case !t.explained(file.Text):
			t.finishHalf("The editor says that it changed " + t.change.Path + ", but the new lines are not where they belong, and may be elsewhere: look at the file, and undo the edit in the editor.")
			return
		}
		if t.resent == maxResends {
			t.refuse("The text kept changing, so the editor put the change into the wrong lines each time, and it was taken back: approve it again")
			return
		}
		if a.retry(t); t.finished {
			return
		}
		if err := a.send(ctx, []*attempt{t}); err != nil || t.finished {
			return
		}
		a.await(ctx, t)
	}
}

// finishAccepted records the result of a change that the client accepted, from its text.
func (a *Applier) finishAccepted(ctx context.Context, t *attempt) {
	file := a.files.changed(t)
	switch landed := t.landing(file); {
	case landed == edits.Unclear && t.madeInPart(file.Text):
		a.finishFailed(ctx, t, fmt.Sprintf("The editor says that it changed %s, but it made only a part of that: %d of %s.", t.path(), len(t.made(file.Text)), phrase.Count(len(t.edits), "edit")))
	case landed != edits.Absent:
		t.finishLanded(file)
	case file.Buffer == nil && t.change.Kind != edits.Delete && (t.change.Kind != edits.Rename || a.files.partial(t) == ""):
		// A client may hold the text where nobody sees it (a hidden buffer that no
		// server is attached to, in Neovim).
		t.finish(edits.Applied{Status: edits.Unverified, Text: file.Text,
			Reason: "The editor says that it changed " + t.path() + ", but neither it nor the disk shows that: look at the file, and save it."})
	default:
		a.finishFailed(ctx, t, "The editor says that it changed "+t.path()+", but its text is as it was.")
	}
}

// maxDepth is how often a revert may itself be reverted.
const maxDepth = 3

// revert makes the change c, which reverts what the editor made of another change, and
// reports whether c landed.
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

// revertMisplaced reverts what the editor put into the wrong lines, and keeps everything
// typed since. If that fails, it finishes the change as half made and returns false.
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

// finishFailed records a change that was not made as a whole. Many clients make the
// steps of a change one by one and stop at the first that fails: finishFailed reverts
// the steps already made if that is safe, and reports them otherwise.
func (a *Applier) finishFailed(ctx context.Context, t *attempt, reason string) {
	partial := a.files.partial(t)
	if partial != "" {
		a.revertPartial(ctx, t)
		partial = a.files.partial(t)
	}
	if partial == "" {
		if t.change.Kind == edits.Rename && a.workspace.SameFile(t.change.Path, t.change.NewPath) {
			// Some clients think that the file is in its own way.
			reason += " Close " + t.change.Path + " and approve again: then Redline renames it on the disk."
		}
		t.finish(edits.Applied{Status: edits.Refused, Reason: reason})
		return
	}
	file := a.files.changed(t)
	t.finish(edits.Applied{Status: edits.Half, Reason: reason + " " + partial, Text: file.Text})
}

// revertPartial reverts the part of a change that was made, if that is clearly safe:
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

// restoreBOM restores the byte order mark of a text: some clients keep the mark in the
// text, and an edit of the first line goes over it or before it.
func (a *Applier) restoreBOM(ctx context.Context, t *attempt) {
	file := a.files.changed(t)
	if t.open != nil || !t.bom || file.Buffer == nil || file.BOM || !a.encoder.keepsBOM.Load() {
		return
	}
	want, err := edits.Apply(t.before, t.edits)
	if err != nil || strings.Replace(file.Text, edits.BOM, "", 1) != want {
		return // somebody has typed: the start of the text is theirs
	}
	all := edits.Edit{Span: edits.Span{End: len(file.Text)}, New: edits.BOM + want}
	back := &attempt{
		change: edits.Change{Path: t.path()}, uri: file.URI, open: file.Buffer,
		existed: true, before: file.Text, edits: edits.Refine(file.Text, all),
	}
	batch := []*attempt{back}
	answer, err := a.request(ctx, batch, a.encoder.workspaceEdit(batch), a.timeouts.ApplyEdit)
	if err == nil && answer.verdict == accepted {
		ctx, cancel := context.WithTimeout(ctx, a.timeouts.Verify)
		defer cancel()
		a.workspace.AwaitText(ctx, t.path(), func(f workspace.File) bool { return f.BOM })
	}
}
