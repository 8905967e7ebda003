package lsptest

import (
	"encoding/json"
	"slices"
	"sync"
)

// news wakes those who wait for a change.
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

// signal wakes all waiters.
func (n *news) signal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.changed)
	n.changed = make(chan struct{})
}

// received owns what the server has sent for display.
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

// add calls f with the lock held, to record something, and wakes all waiters.
func (r *received) add(f func()) {
	r.mu.Lock()
	f()
	r.mu.Unlock()
	r.news.signal()
}

// of returns the diagnostics shown for a file: the pushed ones, then the pulled ones.
func (r *received) of(key string) []Diagnostic {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Concat(r.diagnostics[key], r.pulled[key])
}

// ofOthers returns the diagnostics of other servers for a file.
func (r *received) ofOthers(key string) []Diagnostic {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.others[key])
}

// hasPulled reports whether pulled diagnostics of a file are kept.
func (r *received) hasPulled(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, has := r.pulled[key]
	return has
}

// forget drops the diagnostics of a closed file: the pulled ones, and the pushed ones too if pushed is
// true.
func (r *received) forget(key string, pushed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pulled, key)
	if pushed {
		delete(r.diagnostics, key)
	}
}

// reset drops what a server that has ended was showing.
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

// Messages returns the messages of showMessage and showMessageRequest, oldest first.
func (r *received) Messages() []Message { return copied(r, &r.messages) }

// Progress returns every progress that has begun, oldest first.
func (r *received) Progress() []Progress { return copied(r, &r.progress) }

// Shown returns the URIs of the documents that the server asked to show, oldest first.
func (r *received) Shown() []string { return copied(r, &r.shown) }

// Events returns the redline/event notifications, oldest first.
func (r *received) Events() []json.RawMessage { return copied(r, &r.events) }

// Applied returns how many edits of the server the editor has carried out.
func (r *received) Applied() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.applied
}
