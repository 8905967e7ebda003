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

// witness keeps the texts that a file has had in the editor since a change was
// sent for it, to find out whether the editor has put the edits into other
// lines than those that they were made for. Kakoune and Kate do that: they take
// no notice of the version, and the lines may have moved while the edits were on
// their way. The text at the end cannot tell it from typing, but a client
// reports what happens to a text in order.
type witness struct {
	position.Mapper
	path   string
	before string              // the text that the edits were made for
	edits  []edits.Edit        // of before
	sent   []protocol.TextEdit // the same, as the client was asked for them

	mu    sync.Mutex
	texts []seen // oldest first
	next  int    // index in texts of the first that was not looked at
	size  int    // bytes
	wrong *misplacement
	right bool // the text was once what the edits make of one of the texts before
}

// seen is one text that a file had.
type seen struct {
	lines        *edits.Lines
	right, wrong string // what the edits make of it, moved to where they belong and unmoved, if that is known and another text
}

// misplacement is what an editor did that put edits into the wrong lines.
type misplacement struct{ before, after string }

// What a witness keeps at most.
const (
	maxSeen      = 64
	maxSeenBytes = 16 << 20
)

// note keeps the texts of an event.
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
		w.texts = append(w.texts, seen{lines: lines})
		w.size += len(lines.Text())
	}
	for len(w.texts) > 2 && (len(w.texts) > maxSeen || w.size > maxSeenBytes) {
		w.size -= len(w.texts[0].lines.Text())
		w.texts, w.next = w.texts[1:], max(w.next-1, 0)
	}
}

// saw returns what the editor did if it put the edits into the wrong lines, nil
// if it did not, and whether it put them into the right ones: as far as it has
// told.
func (w *witness) saw() (wrong *misplacement, right bool) {
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

// expect works out what the editor may make of a text, right and wrong. Where
// there is no right text, or none that differs, the text itself stands for it.
func (w *witness) expect(s *seen) {
	text := s.lines.Text()
	s.right, s.wrong = text, text
	if text == w.before {
		if right, err := edits.Apply(text, w.edits); err == nil {
			s.right = right
		}
		return
	}
	moved, _, conflicts := track.Rebase(w.before, w.edits, text)
	if right, err := edits.Apply(text, moved); err == nil && len(conflicts) == 0 {
		s.right = right
	}
	es := make([]edits.Edit, len(w.sent))
	for i, e := range w.sent {
		es[i] = edits.Edit{Span: w.Span(s.lines, e.Range), New: e.NewText}
	}
	if unmoved, err := edits.Apply(text, es); err == nil && unmoved != s.right {
		s.wrong = unmoved
	}
}

// witnesses are those of the changes that are on their way.
type witnesses struct {
	observe sync.Once
	mu      sync.Mutex
	all     []*witness
}

// watch has the texts of a file kept from now on, for a change that is about to
// be sent.
func (a *Applier) watch(s *sending) {
	if s.change.Kind != edits.Update || s.witness != nil {
		return
	}
	s.witness = &witness{Mapper: a.mapper, path: s.change.Path, before: s.before, edits: s.edits, sent: a.textEdits(s)}
	w := &a.witnesses
	w.mu.Lock()
	w.all = append(w.all, s.witness)
	w.mu.Unlock()
	w.observe.Do(func() {
		a.workspace.Observe(func(e workspace.BufferEvent) {
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, witness := range w.all {
				witness.note(e)
			}
		})
	})
}

// unwatch ends what watch began.
func (a *Applier) unwatch(s *sending) {
	if s.witness == nil {
		return
	}
	w := &a.witnesses
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = slices.DeleteFunc(w.all, func(other *witness) bool { return other == s.witness })
}

// misplaced returns what the editor did if it put the change into the wrong
// lines, nil if it did not.
func (s *sending) misplaced() *misplacement {
	if s.witness == nil {
		return nil
	}
	wrong, _ := s.witness.saw()
	return wrong
}

// arrived tells whether the change was seen to come into the right lines,
// whatever the user has made of them since.
func (s *sending) arrived() bool {
	if s.witness == nil {
		return false
	}
	wrong, right := s.witness.saw()
	return right && wrong == nil
}
