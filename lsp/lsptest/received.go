package lsptest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
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

// patience bounds an Await whose context has no deadline.
const patience = 3 * time.Minute

// Expectation is a condition that an editor comes to meet.
type Expectation struct {
	what  string
	check func(*Editor) bool
}

// Expect returns an expectation with the given check; what describes it in a few words.
func Expect(what string, check func(*Editor) bool) Expectation { return Expectation{what, check} }

// again is how often an expectation is checked while nothing arrives.
const again = 50 * time.Millisecond

// Await returns once the expectation holds. It checks now, after each message and each act of the
// user, and every 50 ms. If ctx is done first (or 3 minutes pass, if it has no deadline), it returns an
// error that contains the transcript.
func (e *Editor) Await(ctx context.Context, x Expectation) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	for {
		changed, ended := e.news.next(), e.linked().conn.Done()
		if e.setup.outlives {
			ended = nil
		}
		if x.check(e) {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(again): // it may depend on something that no message reports
		case <-ended:
			return fmt.Errorf("the connection ended before this was so: %s; transcript:\n%s", x.what, e.Transcript())
		case <-ctx.Done():
			return fmt.Errorf("this did not become so: %s; transcript:\n%s", x.what, e.Transcript())
		}
	}
}

// DiagnosticCount expects a file to have n diagnostics.
func DiagnosticCount(path string, n int) Expectation {
	return Expect(fmt.Sprintf("%s has %d diagnostics", path, n), func(e *Editor) bool { return len(e.Diagnostics(path)) == n })
}

// DiagnosticCode expects a file to have a diagnostic with this code.
func DiagnosticCode(path, code string) Expectation {
	return Expect(fmt.Sprintf("%s has a diagnostic %s", path, code), func(e *Editor) bool {
		return slices.ContainsFunc(e.Diagnostics(path), func(d Diagnostic) bool { return d.Code() == code })
	})
}

// MessageContains expects the server to have shown a message that contains this text.
func MessageContains(text string) Expectation {
	return Expect(fmt.Sprintf("a message says %q", text), func(e *Editor) bool {
		return slices.ContainsFunc(e.Messages(), func(m Message) bool { return strings.Contains(m.Text, text) })
	})
}

// TextEquals expects a file to have this text.
func TextEquals(path, text string) Expectation {
	return Expect(fmt.Sprintf("%s is %q", path, text), func(e *Editor) bool { return e.Text(path) == text })
}

// TextContains expects a file to contain this text.
func TextContains(path, text string) Expectation {
	return Expect(fmt.Sprintf("%s holds %q", path, text), func(e *Editor) bool { return strings.Contains(e.Text(path), text) })
}

// Applied expects the editor to have carried out n edits of the server since the start.
func Applied(n int) Expectation {
	return Expect(fmt.Sprintf("%d edits were applied", n), func(e *Editor) bool { return e.Applied() == n })
}

// ProgressDone expects at least one progress, and all of them to have ended.
func ProgressDone() Expectation {
	return Expect("every progress has ended", func(e *Editor) bool {
		all := e.Progress()
		return len(all) > 0 && !slices.ContainsFunc(all, func(p Progress) bool { return !p.Done })
	})
}

// EventKind expects a redline/event of this kind.
func EventKind(kind string) Expectation {
	return Expect("an event "+kind, func(e *Editor) bool {
		return slices.ContainsFunc(e.Events(), func(raw json.RawMessage) bool {
			var event struct{ Kind string }
			return json.Unmarshal(raw, &event) == nil && event.Kind == kind
		})
	})
}

// ShownDocument expects the server to have shown a document whose URI has this suffix.
func ShownDocument(suffix string) Expectation {
	return Expect("a document "+suffix+" is shown", func(e *Editor) bool {
		return slices.ContainsFunc(e.Shown(), func(uri string) bool { return strings.HasSuffix(uri, suffix) })
	})
}

// And expects all of these to hold at the same time.
func And(all ...Expectation) Expectation {
	return Expect(join(all, " and "), func(e *Editor) bool {
		return !slices.ContainsFunc(all, func(x Expectation) bool { return !x.check(e) })
	})
}

// Or expects at least one of these to hold.
func Or(any ...Expectation) Expectation {
	return Expect(join(any, " or "), func(e *Editor) bool {
		return slices.ContainsFunc(any, func(x Expectation) bool { return x.check(e) })
	})
}

// Not expects x not to hold.
func Not(x Expectation) Expectation {
	return Expect("not: "+x.what, func(e *Editor) bool { return !x.check(e) })
}

func join(list []Expectation, word string) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, x.what)
	}
	return strings.Join(parts, word)
}
