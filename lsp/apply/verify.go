package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"redline/edits"
	"redline/edits/track"
	"redline/internal/phrase"
	"redline/lsp/position"
	"redline/workspace"
)

// verifyAll checks the texts for the changes that the client has accepted. A file that
// is not open after a moment will not be opened any more; the text of an open one may
// take longer to arrive. verifyAll calls verified after each.
func (a *Applier) verifyAll(caller context.Context, batch []*attempt, verified func()) {
	ctx, cancel := context.WithTimeout(caller, a.Timeouts.Verify)
	defer cancel()
	moment, cancel := context.WithTimeout(ctx, a.Timeouts.Hidden)
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
	ctx, cancel := context.WithTimeout(ctx, a.Timeouts.Verify)
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
		if t.change.Kind == edits.Rename && a.Workspace.SameFile(t.change.Path, t.change.NewPath) {
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
	answer, err := a.request(ctx, batch, a.encoder.workspaceEdit(batch), a.Timeouts.ApplyEdit)
	if err == nil && answer.verdict == accepted {
		ctx, cancel := context.WithTimeout(ctx, a.Timeouts.Verify)
		defer cancel()
		a.Workspace.AwaitText(ctx, t.path(), func(f workspace.File) bool { return f.BOM })
	}
}

// witness keeps the texts that a file has had in the editor since a change was sent, to
// find out whether the editor put the edits into the wrong lines. Kakoune and Kate do
// that: they ignore the version, and the lines may have moved while the edits were on
// their way. The final text does not show whether the edits or the user's typing made
// it, but a client reports its changes in order.
type witness struct {
	positions position.Mapper
	path      string
	before    string              // the text that the edits were made for
	edits     []edits.Edit        // of before
	sent      []protocol.TextEdit // the same edits, as sent to the client

	mu    sync.Mutex
	texts []version // oldest first
	next  int       // index in texts of the first not compared yet
	size  int       // bytes
	wrong *misplacement
	right bool // some text was what the edits make of an earlier one
}

// version is one text of a file.
type version struct {
	lines        *edits.Lines
	right, wrong string // the text after the edits, with them moved to where they belong, and unmoved; lines' own text if there is none
}

// misplacement is the text before and after an editor put edits into the wrong
// lines.
type misplacement struct{ before, after string }

// Limits of what a witness keeps.
const (
	maxVersions     = 64
	maxVersionBytes = 16 << 20
)

// note keeps the texts before and after an event.
func (w *witness) note(e workspace.BufferEvent) {
	if e.Path != w.path {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, lines := range []*edits.Lines{e.Before, e.After} {
		if lines == nil || len(w.texts) > 0 && w.texts[len(w.texts)-1].lines == lines {
			continue
		}
		w.texts = append(w.texts, version{lines: lines})
		w.size += len(lines.Text())
	}
	for len(w.texts) > 2 && (len(w.texts) > maxVersions || w.size > maxVersionBytes) {
		w.size -= len(w.texts[0].lines.Text())
		w.texts, w.next = w.texts[1:], max(w.next-1, 0)
	}
}

// saw returns the misplacement if the editor put the edits into the wrong lines, else
// nil, and whether it put them into the right ones, as far as it has reported. A nil
// witness has seen nothing.
func (w *witness) saw() (wrong *misplacement, right bool) {
	if w == nil {
		return nil, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for ; w.wrong == nil && w.next < len(w.texts); w.next++ {
		text := w.texts[w.next].lines.Text()
		if w.next > 0 {
			w.expect(&w.texts[w.next-1])
		}
		for _, earlier := range w.texts[:w.next] {
			if was := earlier.lines.Text(); text != was {
				w.right = w.right || text == earlier.right
				if text == earlier.wrong && w.wrong == nil {
					w.wrong = &misplacement{was, text}
				}
			}
		}
	}
	return w.wrong, w.right
}

// expect sets v.right and v.wrong, the texts that the editor may make of v. If there is
// none, or none that differs, it sets the text of v itself.
func (w *witness) expect(v *version) {
	text := v.lines.Text()
	v.right, v.wrong = text, text
	if text == w.before {
		if right, err := edits.Apply(text, w.edits); err == nil {
			v.right = right
		}
		return
	}
	moved, _, conflicts := track.Rebase(w.before, w.edits, text)
	if right, err := edits.Apply(text, moved); err == nil && len(conflicts) == 0 {
		v.right = right
	}
	es := make([]edits.Edit, len(w.sent))
	for i, e := range w.sent {
		es[i] = edits.Edit{Span: w.positions.Span(v.lines, e.Range), New: e.NewText}
	}
	if unmoved, err := edits.Apply(text, es); err == nil && unmoved != v.right {
		v.wrong = unmoved
	}
}

// misplaced returns the misplacement if the editor put the change into the wrong lines,
// else nil.
func (t *attempt) misplaced() *misplacement {
	wrong, _ := t.witness.saw()
	return wrong
}

// arrived reports whether the change was seen in the right lines, whatever the user has
// done to them since.
func (t *attempt) arrived() bool {
	wrong, right := t.witness.saw()
	return right && wrong == nil
}

// watcher keeps a witness for each change that is on its way.
type watcher struct {
	workspace *workspace.Workspace
	positions position.Mapper
	observe   sync.Once

	mu        sync.Mutex
	witnesses []*witness
}

// watch adds a witness for an update that is about to be sent; sent holds its edits as
// the client gets them.
func (w *watcher) watch(t *attempt, sent []protocol.TextEdit) {
	t.witness = &witness{positions: w.positions, path: t.change.Path, before: t.before, edits: t.edits, sent: sent}
	w.mu.Lock()
	w.witnesses = append(w.witnesses, t.witness)
	w.mu.Unlock()
	w.observe.Do(func() {
		w.workspace.Observe(func(e workspace.BufferEvent) {
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, witness := range w.witnesses {
				witness.note(e)
			}
		})
	})
}

// Changes reports whether an edit of Redline's to a file is on its way or not verified yet.
func (a *Applier) Changes(path string) bool {
	a.watcher.mu.Lock()
	defer a.watcher.mu.Unlock()
	return slices.ContainsFunc(a.watcher.witnesses, func(w *witness) bool { return w.path == path })
}

// unwatch removes the witness of an attempt.
func (w *watcher) unwatch(t *attempt) {
	if t.witness == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.witnesses = slices.DeleteFunc(w.witnesses, func(other *witness) bool { return other == t.witness })
}
