package draft

// Before returns the text that a file of the workspace had when the draft first
// looked at it, and false if it has not looked at it or there was none.
func (draft *Draft) Before(path string) (text string, ok bool) {
	d, done := draft.open()
	defer done()
	b, ok := d.bases[path]
	return b.text, ok && b.exists
}
