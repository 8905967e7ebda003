package lsptest

import (
	"encoding/json"
	"slices"
	"sync"
)

// news wakes those who wait for something to change.
type news struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced at each change
}

// next returns a channel that is closed at the next change.
func (n *news) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

// signal wakes everyone who waits.
func (n *news) signal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.changed)
	n.changed = make(chan struct{})
}

// received owns what the server has sent to be shown.
type received struct {
	news *news

	mu          sync.Mutex
	diagnostics map[string][]Diagnostic // pushed, by the key of the file
	pulled      map[string][]Diagnostic
	others      map[string][]Diagnostic // of other servers
	messages    []Message
	progress    []Progress
	shown       []string
	virtual     map[string]Virtual // open ones, by URI
	refreshes   map[string]int     // by method
	events      []json.RawMessage
	applied     int
}

func newReceived(n *news) *received {
	return &received{
		news: n, diagnostics: map[string][]Diagnostic{}, pulled: map[string][]Diagnostic{}, others: map[string][]Diagnostic{},
		virtual: map[string]Virtual{}, refreshes: map[string]int{},
	}
}

// add has f note something, and wakes everyone who waits.
func (r *received) add(f func()) {
	r.mu.Lock()
	f()
	r.mu.Unlock()
	r.news.signal()
}

// of returns what is shown of a file: what was pushed, then what was pulled.
func (r *received) of(key string) []Diagnostic {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Concat(r.diagnostics[key], r.pulled[key])
}

// ofOthers returns what other servers report of a file.
func (r *received) ofOthers(key string) []Diagnostic {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.others[key])
}

// hasPulled reports whether the diagnostics of a file were asked for and are kept.
func (r *received) hasPulled(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, has := r.pulled[key]
	return has
}

// forget drops what is shown of a file that is closed: what was pulled, and what was
// pushed too if the editor does that.
func (r *received) forget(key string, pushed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pulled, key)
	if pushed {
		delete(r.diagnostics, key)
	}
}

// reset drops what a server that has ended had shown.
func (r *received) reset() {
	r.add(func() {
		clear(r.diagnostics)
		clear(r.pulled)
		for i := range r.progress {
			r.progress[i].Done = true
		}
	})
}

// copied returns a copy of a list of r.
func copied[T any](r *received, list *[]T) []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(*list)
}

// Messages returns what was shown by showMessage and showMessageRequest, oldest first.
func (r *received) Messages() []Message { return copied(r, &r.messages) }

// Progress returns every progress that was begun, oldest first.
func (r *received) Progress() []Progress { return copied(r, &r.progress) }

// Shown returns the URIs of the documents that the server had shown, oldest first.
func (r *received) Shown() []string { return copied(r, &r.shown) }

// Events returns the redline/event notifications, oldest first.
func (r *received) Events() []json.RawMessage { return copied(r, &r.events) }

// Applied returns how many edits of the server were carried out.
func (r *received) Applied() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.applied
}
