// Package sessiontest begins sessions for tests: on a workspace and a store in temporary
// folders, with an editor in memory that the test can script.
package sessiontest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/edits"
	"redline/workspace"
)

// Fixture is a session with its workspace and store.
type Fixture struct {
	*session.Session
	Dir    string // the workspace's folder
	State  string // the store's folder
	Editor *Editor

	// OnDisk is called before the workspace accesses the disk; nil does nothing. Set it before the
	// session is used.
	OnDisk func()

	t *testing.T
}

// New begins a session on a new workspace without files. vfs names the store's disk, ""
// for the usual one.
func New(t *testing.T, vfs string) *Fixture {
	t.Helper()
	return On(t, vfs, t.TempDir(), t.TempDir(), bare)
}

// Again begins another session on the same workspace and store, beside this one or, if
// this one was stopped, after it.
func (f *Fixture) Again() *Fixture { return On(f.t, "", f.Dir, f.State, bare) }

// bare makes a session that has no owners yet.
func bare(ws *workspace.Workspace, kept *store.Store) *session.Session {
	return session.New(ws, kept, nil, nil)
}

// On begins the session that create returns, on the workspace folder dir and a store in the folder
// state, on the disk vfs.
func On(t *testing.T, vfs, dir, state string, create func(*workspace.Workspace, *store.Store) *session.Session) *Fixture {
	f := &Fixture{Dir: dir, State: state, t: t}
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: state, Access: func() {
		if f.OnDisk != nil {
			f.OnDisk()
		}
	}})
	kept := store.NewOn(vfs, state)
	f.Session = create(ws, kept)
	f.Editor = &Editor{Disk: workspace.NewDisk(ws)}
	f.Attach(f.Editor)
	t.Cleanup(func() {
		f.End()
		kept.Close()
	})
	return f
}

// End stops the session and waits for its work in the background.
func (f *Fixture) End() {
	f.Stop()
	if !f.Wait(20 * time.Second) {
		f.t.Error("work of the session goes on after its end")
	}
}

// Write writes a file of the workspace.
func (f *Fixture) Write(name, text string) {
	f.t.Helper()
	path := filepath.Join(f.Dir, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// Read returns a file of the workspace, "" if there is none.
func (f *Fixture) Read(name string) string {
	data, _ := os.ReadFile(filepath.Join(f.Dir, filepath.FromSlash(name)))
	return string(data)
}

// Timeout returns a context that ends with the test, or after a time limit that is long enough for
// a trial that builds.
func Timeout(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Editor is an editor that changes files on disk and records the events that it gets. The
// functions replace its own answers; set them before the session uses it.
type Editor struct {
	Disk     *workspace.Disk
	OnApply  func(edits.Change) (edits.Applied, bool) // false: the change is made on disk
	OnReview func([]state.Proposal) []edits.Applied   // nil: no change is accepted
	OnAsk    func(context.Context, state.Question) (state.EditorAnswer, error)
	OnEvent  func(state.Event)
	Terminal bool // it can show no files
	OneWay   bool // it can show differences in one way only

	mu     sync.Mutex
	asked  []edits.Change
	events []state.Event
	hears  []func(state.Event)
	news   chan struct{} // closed at the next event
}

// Apply makes the changes on disk, up to the first that is not made.
func (e *Editor) Apply(ctx context.Context, changes []edits.Change, landed func(n int)) ([]edits.Applied, error) {
	e.mu.Lock()
	e.asked = append(e.asked, changes...)
	e.mu.Unlock()
	var out []edits.Applied
	for _, c := range changes {
		if e.OnApply != nil {
			if applied, ok := e.OnApply(c); ok {
				out = append(out, applied)
				if applied.Status == edits.Refused || applied.Status == edits.Unknown {
					return out, nil
				}
				if applied.Status != edits.Done {
					landed = nil
				}
				if landed != nil {
					landed(len(out))
				}
				continue
			}
		}
		applied, err := e.Disk.Apply(ctx, []edits.Change{c})
		out = append(out, applied...)
		if err != nil || len(applied) == 0 || applied[0].Status != edits.Done {
			return out, err
		}
		if landed != nil {
			landed(len(out))
		}
	}
	return out, nil
}

// Asked returns the requested changes, in order.
func (e *Editor) Asked() []edits.Change {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.asked)
}

// Review accepts the changes that OnReview returns.
func (e *Editor) Review(_ context.Context, _ int, proposals []state.Proposal) ([]edits.Applied, error) {
	if e.OnReview == nil {
		return nil, nil
	}
	return e.OnReview(proposals), nil
}

// CanShow reports whether it is not a terminal.
func (e *Editor) CanShow() bool { return !e.Terminal }

// Follows reports true.
func (e *Editor) Follows() bool { return true }

// ShowsDiffs reports whether it is neither a terminal nor an editor with one way to show them.
func (e *Editor) ShowsDiffs() bool { return !e.Terminal && !e.OneWay }

// Show does nothing.
func (e *Editor) Show(context.Context, state.Location) error { return nil }

// Ask gives no answer.
func (e *Editor) Ask(ctx context.Context, q state.Question) (state.EditorAnswer, error) {
	if e.OnAsk != nil {
		return e.OnAsk(ctx, q)
	}
	return state.EditorAnswer{}, nil
}

// Notify records the event.
func (e *Editor) Notify(got state.Event) {
	if e.OnEvent != nil {
		e.OnEvent(got)
	}
	e.mu.Lock()
	hears := slices.Clone(e.hears)
	e.mu.Unlock()
	for _, f := range hears {
		f(got)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.events = append(e.events, got)
	if e.news != nil {
		close(e.news)
		e.news = nil
	}
}

// Hear calls f at each event of a kind from now on, before the event is recorded. It may be called
// while the session uses the editor.
func (e *Editor) Hear(kind state.EventKind, f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hears = append(e.hears, func(got state.Event) {
		if got.Kind == kind {
			f()
		}
	})
}

// Events returns the recorded events of some kinds, of all kinds if none is named.
func (e *Editor) Events(kinds ...state.EventKind) []state.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.filter(kinds)
}

// Notices returns the texts and errors of the notices so far.
func (e *Editor) Notices() (all []string) {
	for _, got := range e.Events(state.Noticed) {
		all = append(all, got.Text+got.Error)
	}
	return all
}

func (e *Editor) filter(kinds []state.EventKind) []state.Event {
	var out []state.Event
	for _, got := range e.events {
		for _, kind := range kinds {
			if got.Kind == kind {
				out = append(out, got)
			}
		}
		if len(kinds) == 0 {
			out = append(out, got)
		}
	}
	return out
}

// Await waits for n events of some kinds, and returns them.
func (e *Editor) Await(t *testing.T, n int, kinds ...state.EventKind) []state.Event {
	t.Helper()
	e.Until(t, fmt.Sprintf("there are %d events %v", n, kinds), func() bool { return len(e.Events(kinds...)) >= n })
	return e.Events(kinds...)
}

// Until waits until a condition is true. It checks again at each event.
func (e *Editor) Until(t *testing.T, what string, so func() bool) {
	t.Helper()
	ctx := Timeout(t)
	for {
		e.mu.Lock()
		if e.news == nil {
			e.news = make(chan struct{})
		}
		news := e.news // before the check, so that no event is missed
		e.mu.Unlock()
		if so() {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			t.Fatalf("this did not become so: %s; the events are %+v", what, e.Events())
		}
	}
}
