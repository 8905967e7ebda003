package apply

import (
	"context"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"redline/edits"
	"redline/edits/track"
	"redline/lsp/position"
	"redline/workspace"
	"redline/workspace/judge"
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
		if !a.files.Await(moment, &t.Attempt) && a.files.Changed(&t.Attempt).Buffer != nil {
			a.files.Await(ctx, &t.Attempt)
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
	a.files.Await(ctx, &t.Attempt)
}

// verify checks the text for a change that the client has accepted. If the client put
// it into the wrong lines, verify reverts it and sends it again; if the client skipped
// it because its text is newer, verify sends it again; at most maxResends times. It
// sends nothing on top of a text that it cannot explain.
func (a *Applier) verify(ctx context.Context, t *attempt) {
	for !t.Finished {
		file := a.files.Changed(&t.Attempt)
		wrong := t.Misplaced()
		switch {
		case wrong != nil:
			if !a.revertMisplaced(ctx, t, wrong) {
				return
			}
		case !t.Skipped(file) || t.Explained(file.Text) && t.resent == maxResends:
			a.finishAccepted(ctx, t)
			return
		case !t.Explained(file.Text):
			t.FinishElsewhere()
			return
		}
		if t.resent == maxResends {
			t.Refuse("The text kept changing, so the editor put the change into the wrong lines each time, and it was taken back: approve it again")
			return
		}
		if a.retry(t); t.Finished {
			return
		}
		if err := a.send(ctx, []*attempt{t}); err != nil || t.Finished {
			return
		}
		a.await(ctx, t)
	}
}

// finishAccepted records the result of a change that the client accepted, from its text.
func (a *Applier) finishAccepted(ctx context.Context, t *attempt) {
	t.FinishAccepted(a.files, func() { a.revertPartial(ctx, t) })
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
	if !back.Finished && a.send(ctx, []*attempt{back}) == nil && !back.Finished {
		a.await(ctx, back)
		a.verify(ctx, back)
	}
	return back.Finished && back.Result.Status == edits.Done
}

// revertMisplaced reverts what the editor put into the wrong lines, and keeps everything
// typed since. If that fails, it finishes the change as half made and returns false.
func (a *Applier) revertMisplaced(ctx context.Context, t *attempt, wrong *judge.Misplacement) bool {
	ok := a.revert(ctx, t, edits.Change{
		Path: t.Change.Path, Base: wrong.After, Edits: edits.EditsOf(edits.Diff(wrong.After, wrong.Before)),
	})
	if !ok {
		t.FinishMisplaced("and it could not be taken back")
	}
	return ok
}

// finishFailed records a change that was not made as a whole.
func (a *Applier) finishFailed(ctx context.Context, t *attempt, reason string) {
	t.FinishFailed(a.files, reason, func() { a.revertPartial(ctx, t) })
}

// revertPartial reverts the part of a change that was made, if that is clearly safe.
func (a *Applier) revertPartial(ctx context.Context, t *attempt) {
	if c, ok := t.Revert(a.files); ok {
		a.revert(ctx, t, c)
	}
}

// restoreBOM restores the byte order mark of a text: some clients keep the mark in the
// text, and an edit of the first line goes over it or before it.
func (a *Applier) restoreBOM(ctx context.Context, t *attempt) {
	file := a.files.Changed(&t.Attempt)
	if t.Open != nil || !t.BOM || file.Buffer == nil || file.BOM || !a.encoder.keepsBOM.Load() {
		return
	}
	want, err := edits.Apply(t.Before, t.Edits)
	if err != nil || strings.Replace(file.Text, edits.BOM, "", 1) != want {
		return // somebody has typed: the start of the text is theirs
	}
	all := edits.Edit{Span: edits.Span{End: len(file.Text)}, New: edits.BOM + want}
	back := &attempt{
		Attempt: judge.Attempt{
			Change: edits.Change{Path: t.Path()}, Open: file.Buffer,
			Existed: true, Before: file.Text, Edits: edits.Refine(file.Text, all),
		},
		uri: file.URI,
	}
	batch := []*attempt{back}
	answer, err := a.request(ctx, batch, a.encoder.workspaceEdit(batch), a.Timeouts.ApplyEdit)
	if err == nil && answer.verdict == accepted {
		ctx, cancel := context.WithTimeout(ctx, a.Timeouts.Verify)
		defer cancel()
		a.Workspace.AwaitText(ctx, t.Path(), func(f workspace.File) bool { return f.BOM })
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
	wrong *judge.Misplacement
	right bool // some text was what the edits make of an earlier one
}

// version is one text of a file.
type version struct {
	lines        *edits.Lines
	right, wrong string // the text after the edits, with them moved to where they belong, and unmoved; lines' own text if there is none
}

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
// nil, and whether it put them into the right ones, as far as it has reported.
func (w *witness) saw() (wrong *judge.Misplacement, right bool) {
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
					w.wrong = &judge.Misplacement{Before: was, After: text}
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
	t.witness = &witness{positions: w.positions, path: t.Change.Path, before: t.Before, edits: t.Edits, sent: sent}
	t.Saw = t.witness.saw
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
