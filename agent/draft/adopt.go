package draft

import (
	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
)

// Adopt makes a text, without a byte order mark, the whole text of a file, exactly as it is: unlike
// with [Draft.Write] nothing of it stands for other lines, and it is not made to fit the file. A new
// file gets the mode and the mark of to.
func (draft *Draft) Adopt(path string, to File, op plan.Operation) (Staged, error) {
	d, done := draft.open()
	defer done()
	f, err := d.vacant(path)
	if err == nil {
		err = d.fits(path, len(to.Text))
	}
	if err == nil {
		err = noNUL(path, to.Text)
	}
	if err == nil {
		err = d.holds(f.origin, path, to.Text, edits.Edit{New: to.Text})
	}
	switch {
	case err != nil:
		return Staged{}, err
	case f.exists && f.text == to.Text:
		return Staged{}, idle(path, "has that text already, so there is nothing to change")
	}
	s := Staged{Path: path, Action: Create}
	if f.exists {
		s.Action = Update
	}
	es := edits.EditsOf(edits.Diff(f.text, to.Text))
	if len(es) == 0 { // an empty new file
		es = []edits.Edit{{}}
	}
	s.measure(f.text, to.Text, es)
	next := &file{exists: true, text: to.Text, mode: to.Mode, bom: to.BOM, operations: f.operations, movers: f.movers}
	if f.exists {
		next.origin, next.mode, next.bom = f.origin, f.mode, f.bom
	}
	if next.origin != "" {
		next.areas = blame.AreasOf(edits.Diff(d.bases[next.origin].text, to.Text), blame.Source{Calls: []int{len(d.operations)}})
	}
	d.stage(op, path, next)
	return s, nil
}

// Whole calls stage, which stages several operations, and takes all of them back if it fails.
func Whole(draft *Draft, stage func() error) error {
	was := copyOf(draft)
	err := stage()
	if err == nil {
		return nil
	}
	d, done := draft.open()
	defer done()
	d.become(was)
	d.touched, d.refused = was.touched, was.refused
	return err
}
