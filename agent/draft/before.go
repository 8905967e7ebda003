package draft

// Before returns the text that a file of the workspace had when the draft first
// looked at it, and false if it has not looked at it or there was none.
func (d *Draft) Before(path string) (text string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, ok := d.bases[path]
	return b.text, ok && b.exists
}
