// Package session has what all parts of one session share: the workspace, the store,
// the clock, the log, the editor, and work in the background.
package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/state"
	"redline/agent/store"
	"redline/internal/tasks"
	"redline/workspace"
)

// Session is one run of Redline on one workspace. Its methods may be called from any goroutine.
type Session struct {
	Workspace *workspace.Workspace
	Store     *store.Store
	Log       *zap.Logger
	Now       func() time.Time
	Began     time.Time // when the session began

	editor  state.Editor
	observe []func(state.Event)
	root    context.Context
	stop    context.CancelFunc
	work    tasks.Group
	showing showing

	mu   sync.Mutex
	said map[string]bool
	keys map[string]string // see Key, by the folders' names
}

// New begins a session. It reads and opens nothing, so a server starts at once. Without a
// log nothing is logged; without a clock it is time.Now.
func New(ws *workspace.Workspace, st *store.Store, log *zap.Logger, now func() time.Time) *Session {
	if log == nil {
		log = zap.NewNop()
	}
	if now == nil {
		now = time.Now
	}
	s := &Session{Workspace: ws, Store: st, Log: log, Now: now, Began: now()}
	s.root, s.stop = context.WithCancel(context.Background())
	return s
}

// Attach sets the editor that holds the user's text. Call it once, before the first
// message or decision.
func (s *Session) Attach(ed state.Editor) { s.editor = ed }

// Editor returns the editor of the session, nil before [Session.Attach].
func (s *Session) Editor() state.Editor { return s.editor }

// CanShow reports whether an editor is attached that can show files and pages.
func (s *Session) CanShow() bool { return s.editor != nil && s.editor.CanShow() }

// ShowsDiffs reports whether an editor is attached that shows differences in the way that it is
// asked to.
func (s *Session) ShowsDiffs() bool { return s.editor != nil && s.editor.ShowsDiffs() }

// Observe makes f receive each event before the editor does. Call it before the session's
// first event. f must not block.
func (s *Session) Observe(f func(state.Event)) { s.observe = append(s.observe, f) }

// Notify sends an event to the observers and the editor. It never blocks.
func (s *Session) Notify(e state.Event) {
	for _, f := range s.observe {
		f(e)
	}
	s.NotifyOnly(e)
}

// NotifyOnly sends an event only to the editor.
func (s *Session) NotifyOnly(e state.Event) {
	if s.editor != nil {
		s.editor.Notify(e)
	}
}

// Context returns the context of the session: it ends with the session, and every other
// context is derived from it.
func (s *Session) Context() context.Context { return s.root }

// Over reports whether the session is ending.
func (s *Session) Over() bool { return s.root.Err() != nil }

// Spawn runs f on another goroutine, which [Session.Wait] waits for. A panic in f is logged and
// ends nothing else.
func (s *Session) Spawn(f func()) {
	s.work.Go(func() {
		if err := Contain(func() error { f(); return nil }); err != nil {
			s.LogPanic("work in the background panicked", err)
		}
	})
}

// Stop ends the session's context, and with it every turn.
func (s *Session) Stop() { s.stop() }

// Wait waits at most atMost for all work in the background to end, and reports whether it has
// ended.
func (s *Session) Wait(atMost time.Duration) bool { return s.work.Wait(atMost) }

// Every calls f at intervals of wait, until ctx or the session ends.
func (s *Session) Every(ctx context.Context, wait time.Duration, f func()) {
	ticker := time.NewTicker(wait)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.root.Done():
			return
		case <-ticker.C:
			f()
		}
	}
}

// First reports whether it is called with this notice for the first time in the session. Use it
// for what the user should read only once.
func (s *Session) First(notice string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.said[notice] {
		return false
	}
	if s.said == nil {
		s.said = map[string]bool{}
	}
	s.said[notice] = true
	return true
}

// Key returns the name of the workspace in the store: the directory of its first folder
// without symbolic links, so that it has the same plans however it was opened; "" if no
// folder is open.
func (s *Session) Key() string {
	folders := s.Workspace.Folders()
	if len(folders) == 0 {
		return ""
	}
	dir := folders[0].Dir
	s.mu.Lock()
	defer s.mu.Unlock()
	key, known := s.keys[dir]
	if !known {
		key = KeyOf(s.root, s.Store, dir)
		if s.keys == nil {
			s.keys = map[string]string{}
		}
		s.keys[dir] = key
	}
	return key
}

// KeyOf is [Session.Key] for a folder without a session. A folder that does not exist has
// its own name.
func KeyOf(ctx context.Context, st *store.Store, dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || real == dir {
		return dir
	}
	if kept, err := st.HasPlans(ctx, dir); err == nil && kept {
		return dir
	}
	return real
}

// NewID returns a random id. No other session uses it: conversations outlive theirs.
func NewID(prefix string) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails (Go 1.24)
	return prefix + hex.EncodeToString(b[:])
}

// showing records, for the audit log, which plans the session has shown.
type showing struct {
	mu      sync.Mutex // guards the rest
	seen    map[sight]bool
	news    int  // counts calls of StoreSoon
	storing bool // a goroutine is storing
}

// soon is how long records that nobody waits for may wait for a transaction to go with: that of a
// decision which follows at once, as with redline run --approve.
const soon = 100 * time.Millisecond

// sight is one revision of a plan in one client.
type sight struct {
	workspace      string
	plan, revision int
	hash, client   string
}

// Shown records that a client was shown a revision of a plan, once in a session. It does not
// wait: the record is stored soon, and before those of later decisions. What is shown after Stop
// is stored when the store is closed.
func (s *Session) Shown(plan, revision int, hash, client string) {
	what := sight{s.Key(), plan, revision, hash, client}
	s.showing.mu.Lock()
	seen := s.showing.seen[what]
	if s.showing.seen == nil {
		s.showing.seen = map[sight]bool{}
	}
	s.showing.seen[what] = true
	if !seen {
		s.Store.Shown(what.workspace, plan, revision, hash, client, s.Now().UTC())
	}
	s.showing.mu.Unlock()
	if !seen {
		s.StoreSoon()
	}
}

// StoreSoon has the store write what waits for its next transaction, if none comes soon. What is
// noted after Stop is stored when the store is closed.
func (s *Session) StoreSoon() {
	s.showing.mu.Lock()
	defer s.showing.mu.Unlock()
	s.showing.news++
	if !s.showing.storing && !s.Over() {
		s.showing.storing = true
		s.Spawn(s.storeWaiting)
	}
}

// storeWaiting stores what waits until there is nothing new.
func (s *Session) storeWaiting() {
	for {
		tasks.Pause(s.root, soon) // or until no decision comes any more
		s.showing.mu.Lock()
		news := s.showing.news
		s.showing.mu.Unlock()
		err := Contain(func() error { return s.Store.Flush(context.WithoutCancel(s.root)) })
		if err != nil {
			s.Log.Warn("what was shown could not be recorded", zap.Error(err))
		}
		s.showing.mu.Lock()
		more := err == nil && s.showing.news != news // the next call stores again what failed
		s.showing.storing = more
		s.showing.mu.Unlock()
		if !more {
			return
		}
	}
}

// panicked is a panic that was turned into an error at the boundary of a turn or an
// execution.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string {
	return "A bug in Redline stopped this; the log says where"
}

// Contain runs f and returns a panic as an error, so that a fault in one turn does not end
// the server.
func Contain(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicked{value: r, stack: debug.Stack()}
		}
	}()
	return f()
}

// LogPanic logs the value and the stack of a panic, if err is one that [Contain] returned,
// and reports whether it is.
func (s *Session) LogPanic(what string, err error, fields ...zap.Field) bool {
	var p *panicked
	if !errors.As(err, &p) {
		return false
	}
	s.Log.Error(what, append(fields, zap.String("value", fmt.Sprint(p.value)), zap.ByteString("stack", p.stack))...)
	return true
}
