package decide

import (
	"io/fs"

	"redline/agent/board"
	"redline/agent/view"
)

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
