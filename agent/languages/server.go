package languages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"redline/agent/session"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/workspace"
	"redline/workspace/language"
	"redline/workspace/runner"
)

// server is one language server: running, or ready to be started.
type server struct {
	owner   *Servers
	adapter *language.Adapter
	program string // absolute
	folder  string // absolute, without links

	up      atomic.Bool            // it runs
	running atomic.Pointer[Server] // the running server, to read without taking the turn
	room    atomic.Bool            // it runs, or starts
	down    atomic.Bool            // it has failed since it has answered last
	uses    atomic.Int64           // counts their begins and ends

	preparing atomic.Pointer[context.CancelFunc] // ends a question that nobody waits for, see prepare

	turn chan struct{} // holds a value while somebody uses the server, and the fields below

	live   Server                         // nil: it does not run
	files  map[string]workspace.FileState // the files of the workspace at the last look, by absolute names
	untold []string                       // files that have changed on the disk, which the server does not know yet
	hidden []string                       // what the server's world hides
	known  []report
	idle   *time.Timer
	closed bool // it starts no more

	failed failure
	took   time.Duration // how long the last start took until it had loaded the workspace; 0 if that is not known
	begun  time.Time     // the last start, zero once took is known
}

// failure remembers a server that has failed, so that it is not started again and again.
type failure struct {
	why   error
	at    time.Time
	times int // since it has answered last
}

const (
	startWithin = time.Minute     // a server has answered by then
	showWithin  = 5 * time.Minute // a server has loaded the workspace, and taken texts
	lives       = 24 * time.Hour

	failedFor = 30 * time.Second // after the first failure; twice as long after each further one
	failedMax = 10 * time.Minute
)

// maxChanged is how many files may have changed for a server to hear of each. A server that is started anew
// is faster, and does not miss a folder that was renamed.
const maxChanged = 200

var (
	errClosed   = errors.New("the session ends")
	errNotReady = errors.New("it was not ready")
	errEnded    = errors.New("it has ended")
	errFault    = errors.New("it was ended after a fault in Redline")
)

// use calls job with the running server. It starts the server if that is needed. Others wait meanwhile.
// If ctx ends first, use returns; the start continues, since the next one needs it. job runs with a
// context that lives longer than ctx, for what must not be left half done.
func (s *server) use(ctx context.Context, job func(life context.Context, live Server) error) (err error) {
	if end := s.preparing.Load(); end != nil {
		(*end)()
	}
	for _, wait := range []chan struct{}{s.owner.busy, s.turn} {
		select {
		case wait <- struct{}{}:
			continue
		case <-ctx.Done():
			err = errNotReady
		case <-s.owner.session.Context().Done():
			err = errClosed
		}
		if wait == s.turn {
			<-s.owner.busy
		}
		return err
	}
	done := make(chan error, 1)
	s.owner.session.Spawn(func() {
		defer func() { <-s.turn; <-s.owner.busy }()
		done <- session.Contain(func() error { return s.serve(ctx, job) })
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errNotReady
	}
}

// serve runs a job for [server.use], whose caller has the turn.
func (s *server) serve(ctx context.Context, job func(context.Context, Server) error) error {
	s.uses.Add(1)
	if s.idle != nil {
		s.idle.Stop()
	}
	life := s.owner.session.Context()
	if s.live != nil && s.ended() {
		s.fail(errEnded)
	}
	if s.live == nil {
		if err := s.start(life); err != nil {
			return err
		}
	}
	err := ctx.Err()
	if err == nil {
		err = s.contained(func() error { return job(life, s.live) })
	}
	_, again := errors.AsType[*language.StartAgainError](err)
	switch broken, is := errors.AsType[*broken](err); {
	case again || is && life.Err() != nil:
		s.end()
	case is:
		s.fail(broken.why)
	case s.live == nil:
	case s.ended():
		s.fail(errEnded)
	default:
		n := s.uses.Add(1)
		s.idle = time.AfterFunc(s.owner.options.Idle, func() { s.endIdle(n) })
	}
	return err
}

// contained returns a panic of a job as a [*broken] error.
func (s *server) contained(job func() error) error {
	err := session.Contain(job)
	if s.owner.session.LogPanic("a question to a language server panicked", err) {
		return &broken{errFault}
	}
	return err
}

// broken is an error after which nobody knows what a server sees.
type broken struct{ why error }

func (e *broken) Error() string { return e.why.Error() }

func (s *server) ended() bool {
	select {
	case <-s.live.Done():
		return true
	default:
		return false
	}
}

// fail ends the server, and remembers why.
func (s *server) fail(why error) {
	s.end()
	s.failed.why, s.failed.at = why, s.owner.session.Now()
	s.failed.times++
	s.down.Store(true)
}

// end ends the server.
func (s *server) end() {
	s.running.Store(nil)
	if s.live != nil {
		s.live.Close()
	}
	s.live, s.files, s.untold, s.known = nil, nil, nil, nil
	s.up.Store(false)
	s.room.Store(false)
}

// endIdle ends the server unless somebody uses it.
func (s *server) endIdle(n int64) {
	select {
	case s.turn <- struct{}{}:
		s.owner.session.Spawn(func() {
			defer func() { <-s.turn }()
			if s.uses.Load() == n {
				s.end()
			}
		})
	default:
		if s.uses.Load() == n { // who used it last has not let go yet
			time.AfterFunc(s.owner.options.Idle, func() { s.endIdle(n) })
		}
	}
}

// stop ends the server, also while somebody uses it.
func (s *server) stop() {
	if live := s.running.Load(); live != nil {
		(*live).Close()
	}
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.end()
	s.failed = failure{} // it is not to blame
	s.down.Store(false)
}

// close ends the server once nobody uses it, for good.
func (s *server) close() {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.closed = true
	if s.idle != nil {
		s.idle.Stop()
	}
	s.end()
}

// start starts the server in a new world.
func (s *server) start(ctx context.Context) error {
	l := s.owner
	if s.closed {
		return errClosed
	}
	if err := l.allowed(ctx); err != nil { // it may have been forbidden since it was asked for
		return err
	}
	if f := s.failed; f.why != nil && l.session.Now().Sub(f.at) < min(failedFor<<min(f.times-1, 10), failedMax) {
		return f.why
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startWithin, fmt.Errorf("it did not start within %s", phrase.Took(startWithin.Milliseconds())))
	defer cancel()
	l.makeRoom(s)
	began := time.Now()
	live, err := s.launch(ctx)
	if err != nil {
		if l.session.Over() {
			return errClosed
		}
		s.fail(err)
		l.session.Log.Sugar().Warnf("%s does not start: %s", s.adapter.Name, err)
		return err
	}
	s.live, s.begun = live, began
	s.running.Store(&live)
	s.up.Store(true)
	l.watch()
	return nil
}

func (s *server) launch(ctx context.Context) (Server, error) {
	l := s.owner
	if _, err := s.look(ctx); err != nil { // before the world has the files
		return nil, err
	}
	w, err := l.trials.World(ctx, []string{s.program})
	if err != nil {
		return nil, err
	}
	w.Memory, s.hidden = l.options.Memory, w.Hidden
	line, err := commandLine(append([]string{s.program}, s.adapter.Command[1:]...))
	if err != nil {
		return nil, err
	}
	command := runner.Command{Line: line, Dir: s.folder, World: w, Limits: runner.Limits{Time: lives}, Left: l.ws.Leftovers()}
	return l.options.Start(ctx, command, language.Options{Adapter: s.adapter, Folder: s.folder, Read: s.read, Log: l.session.Log})
}

// commandLine quotes words for the shell.
func commandLine(words []string) (string, error) {
	var quoted []string
	for _, w := range words {
		one, err := syntax.Quote(w, syntax.LangPOSIX)
		if err != nil {
			return "", err
		}
		quoted = append(quoted, one)
	}
	return strings.Join(quoted, " "), nil
}

// read returns the text of a file on the disk, as a server may see it.
func (s *server) read(name string) (language.Text, error) {
	l := s.owner
	path, inside := l.trials.PathOf(name)
	if !inside {
		return language.Text{Gone: true}, nil
	}
	f, err := l.ws.ReadSaved(path)
	switch {
	case err != nil:
		return language.Text{}, err
	case l.trials.Withholds(path, f.Text):
		return language.Text{}, errors.New("it may hold secrets")
	}
	return language.Text{Gone: !f.Exists, Text: f.Text}, nil
}

// look returns the files of the workspace that have changed on the disk since the last look, by absolute
// names, sorted: a server may read other folders than its own.
func (s *server) look(ctx context.Context) (changed []string, err error) {
	l := s.owner
	now := map[string]workspace.FileState{}
	var mu sync.Mutex
	err = l.ws.Visit(ctx, func(path string) {
		name, err := l.ws.RealName(path)
		if err != nil {
			return
		}
		if state, err := workspace.StateOf(name); err == nil {
			mu.Lock()
			defer mu.Unlock()
			now[name] = state
		}
	})
	if err != nil {
		return nil, err
	}
	was := s.files
	s.files = now
	if was == nil {
		return nil, nil
	}
	for name, state := range now {
		if before, had := was[name]; !had || !before.Same(state) {
			changed = append(changed, name)
		}
	}
	for name := range was {
		if _, has := now[name]; !has {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed, nil
}

// shown returns the texts that a server is shown, by absolute names: those that hold no secrets.
func (s *server) shown(texts view.TriedTexts) map[string]language.Text {
	l := s.owner
	all := map[string]language.Text{}
	for path, t := range texts {
		name, err := l.ws.RealName(path)
		if err == nil && !l.trials.Withholds(path, t.Text) {
			all[name] = language.Text{Gone: t.Gone, Text: t.Text}
		}
	}
	return all
}

// refresh finds out what has changed on the disk, for the next show. If many files have changed since the server
// has started, or one holds secrets now that its world does not hide, or one that it may have read cannot be
// read any more, it starts another one and returns that.
func (s *server) refresh(ctx context.Context, live Server) (Server, error) {
	l := s.owner
	changed, err := s.look(ctx)
	if err != nil {
		return live, &broken{err}
	}
	if len(changed) > 0 {
		s.known = nil
	}
	s.untold = append(s.untold, changed...)
	hidden, err := l.trials.Hidden(ctx, []string{s.program})
	if err != nil {
		return live, &broken{err}
	}
	later := slices.ContainsFunc(hidden, func(name string) bool { return !slices.Contains(s.hidden, name) })
	if len(s.untold) <= maxChanged && !later && !slices.ContainsFunc(changed, s.unreadable) {
		return live, nil
	}
	s.end()
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	return s.live, nil
}

// unreadable reports whether the server cannot be shown a file of its languages as the disk has it.
func (s *server) unreadable(name string) bool {
	_, err := s.read(name)
	return err != nil && s.adapter.Knows(name) != ""
}

// show makes the server see texts, and the files as the last look has found them. The error is a [*broken] one.
func (s *server) show(ctx context.Context, live Server, texts map[string]language.Text) error {
	ctx, cancel := context.WithTimeoutCause(ctx, showWithin, errNotReady)
	defer cancel()
	var changed []string
	for _, name := range s.untold {
		if _, has := texts[name]; has || slices.Contains(changed, name) {
			continue
		}
		if _, err := s.read(name); err == nil { // the others it could not be shown
			changed = append(changed, name)
		}
	}
	if err := live.Show(ctx, texts, changed); err != nil {
		return &broken{err}
	}
	s.untold = nil
	return nil
}

// answered notes that the server has answered.
func (s *server) answered() {
	s.failed = failure{}
	s.down.Store(false)
	if !s.begun.IsZero() {
		s.took, s.begun = time.Since(s.begun), time.Time{}
	}
}
