package apply

import (
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"redline/edits"
	"redline/edits/track"
	"redline/lsp/position"
	"redline/workspace"
)

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

// unwatch removes the witness of an attempt.
func (w *watcher) unwatch(t *attempt) {
	if t.witness == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.witnesses = slices.DeleteFunc(w.witnesses, func(other *witness) bool { return other == t.witness })
}
