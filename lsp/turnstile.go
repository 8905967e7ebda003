package lsp

// turnstile runs work in the order in which it came, though off the read loop.
type turnstile struct{ last chan struct{} }

// enter is called on the read loop. The work calls wait before it begins, and
// done when the next may begin.
func (t *turnstile) enter() (wait, done func()) {
	before, mine := t.last, make(chan struct{})
	t.last = mine
	wait = func() {
		if before != nil {
			<-before
		}
	}
	return wait, func() { close(mine) }
}
