package draft

import (
	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
)

// Adopt makes a text, without a byte order mark, the whole text of a file, exactly as it is: unlike
// with [Draft.Write] nothing of it stands for other lines, and it is not made to fit the file. A new
// file gets the mode and the mark of to.
func (draft *Draft) Adopt(path string, to File, op plan.Operation) error {
	d, done := draft.open()
	defer done()
	f, err := d.vacant(path)
	if err == nil {
		err = d.fits(path, len(to.Text))
	}
	if err == nil {
		err = noNUL(path, to.Text)
	}
	switch {
	case err != nil:
		return err
	case f.exists && f.text == to.Text:
		return idle(path, "has that text already, so there is nothing to change")
	}
	next := &file{exists: true, text: to.Text, mode: to.Mode, bom: to.BOM, operations: f.operations, movers: f.movers}
	if f.exists {
		next.origin, next.mode, next.bom = f.origin, f.mode, f.bom
	}
	if next.origin != "" {
		next.areas = blame.AreasOf(edits.Diff(d.bases[next.origin].text, to.Text), blame.Source{Calls: []int{len(d.operations)}})
	}
	d.stage(op, path, next)
	return nil
}
