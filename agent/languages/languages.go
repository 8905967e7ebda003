// Package languages asks language servers about the texts that plans would leave, before they are approved.
//
// A server starts programs of the repository, so it runs where commands may be tried (package trial), in a
// world of its own: it reaches no network, and nothing of the host can be changed. One server serves all
// plans, a question at a time. It starts when a turn that may change files looks at one of its language; it ends when nobody
// has asked it anything for a while, and with the session. Nothing here holds up typing, a turn or a preview.
package languages

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/internal/tasks"
	"redline/workspace"
	"redline/workspace/language"
	"redline/workspace/runner"
)

// Servers owns the language servers of a session. Its methods may be called from any goroutine.
type Servers struct {
	options  Options
	session  *session.Session
	ws       *workspace.Workspace
	board    *board.Board
	trials   trial.Beside
	programs programs
	read     []string // which files servers may read, see [language.Adapter.Reads]
	standing standing
	following

	busy  chan struct{} // holds a value for each server that somebody uses
	rooms sync.Mutex    // for makeRoom

	mu       sync.Mutex
	pool     map[place]*server
	closed   bool
	watching bool // see watch
}

// place is where a server works: there is one for each.
type place struct{ adapter, folder string }

// Options configure servers. The zero value has none.
type Options struct {
	Mode     trial.Mode          // where servers may run; with [trial.Ask], where commands may be tried
	Adapters []*language.Adapter // in the order of preference
	Memory   int64               // how many bytes of memory each server can have; 0 for 4 GiB
	Idle     time.Duration       // how long a server is kept that nobody asks, 0 for 10 min
	Consent  time.Duration       // how often it is looked whether servers that run still may, 0 for 2 s

	Retry time.Duration // how long after a failure of a server a revision is checked again, 0 for 31 s; twice as long each further time

	// Publish is given what is found about a plan's revision, and the texts that it is about: v is the plan, and
	// texts differed from the disk, when the check began. With nil, revisions are not checked by themselves.
	Publish func(ctx context.Context, v *view.Plan, texts view.TriedTexts, began time.Time, found *plan.Problems) error

	// Find returns the absolute name of a program; nil means [exec.LookPath].
	Find func(program string) (string, error)

	// Start starts a server; nil means [language.Start].
	Start func(ctx context.Context, c runner.Command, o language.Options) (Server, error)
}

// Server is a running language server, a [language.Server] except in tests.
type Server interface {
	Show(ctx context.Context, texts map[string]language.Text, changed []string) error
	Problems(ctx context.Context) ([]language.Problem, error)
	References(ctx context.Context, path string, at language.Place) ([]language.Location, error)
	Definition(ctx context.Context, path string, at language.Place) ([]language.Location, error)
	Rename(ctx context.Context, path string, at language.Place, name string) (map[string]language.Text, error)
	Symbols(ctx context.Context, path string) ([]language.Symbol, error)
	Opens(texts map[string]language.Text) []string
	Done() <-chan struct{}
	Close()
}

// maxServers is how many servers run at a time.
const maxServers = 4

const (
	usualMemory = 4 << 30
	usualIdle   = 10 * time.Minute
)

// New makes the servers of a session. It starts none.
func New(s *session.Session, b *board.Board, t *trial.Trials, o Options) *Servers {
	o.Memory, o.Idle, o.Consent = cmp.Or(o.Memory, usualMemory), cmp.Or(o.Idle, usualIdle), cmp.Or(o.Consent, allowedFor)
	o.Retry = cmp.Or(o.Retry, failedFor+time.Second)
	if o.Find == nil {
		o.Find = exec.LookPath
	}
	if o.Start == nil {
		o.Start = func(ctx context.Context, c runner.Command, o language.Options) (Server, error) {
			return language.Start(ctx, runner.Run, c, o)
		}
	}
	l := &Servers{options: o, session: s, ws: s.Workspace, board: b, trials: trial.NewBeside(t), pool: map[place]*server{}, busy: make(chan struct{}, maxServers)}
	l.programs.find = o.Find
	for _, a := range o.Adapters {
		l.read = append(l.read, a.Reads()...)
	}
	slices.Sort(l.read)
	l.read = slices.Compact(l.read)
	l.trials.OnForbidden(func() {
		if !s.Over() {
			s.Spawn(l.stopForbidden)
		}
	})
	if l.on() && o.Publish != nil {
		l.follow()
	}
	return l
}

// on reports whether there can be servers at all.
func (l *Servers) on() bool {
	return len(l.options.Adapters) > 0 && (l.options.Mode == trial.Ask || l.options.Mode == trial.On)
}

// Close ends all servers, and waits for their end. Nothing starts afterwards.
func (l *Servers) Close() {
	l.mu.Lock()
	l.closed = true
	all := make([]*server, 0, len(l.pool))
	for _, one := range l.pool {
		all = append(all, one)
	}
	l.mu.Unlock()
	var ends sync.WaitGroup
	for _, one := range all {
		ends.Go(one.close)
	}
	ends.Wait()
}

// watch ends all servers once they may not run any more, as long as one runs: the user may forbid it in another process.
func (l *Servers) watch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watching || l.options.Mode == trial.On || l.session.Over() {
		return
	}
	l.watching = true
	l.session.Spawn(func() {
		for ctx := l.session.Context(); ; {
			tasks.Pause(ctx, l.options.Consent)
			l.mu.Lock()
			l.watching = ctx.Err() == nil && l.anyRuns()
			ends := !l.watching
			l.mu.Unlock()
			if ends {
				return
			}
			l.stopForbidden()
		}
	})
}

// stopForbidden ends all servers if the user does not allow them any more, also those that somebody uses. It does
// not wait for their ends.
func (l *Servers) stopForbidden() {
	if _, not := errors.AsType[*trial.NotAllowed](l.allowed(l.session.Context())); !not {
		return
	}
	l.standing.forget()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.pool {
		if one.room.Load() && !l.session.Over() {
			l.session.Spawn(one.stop)
		}
	}
}

// makeRoom ends servers that nobody uses, until s, which is about to start, is one of at most maxServers.
func (l *Servers) makeRoom(s *server) {
	l.rooms.Lock()
	defer l.rooms.Unlock()
	s.room.Store(true)
	l.mu.Lock()
	var others []*server
	for _, one := range l.pool {
		if one != s && one.room.Load() {
			others = append(others, one)
		}
	}
	l.mu.Unlock()
	for over := len(others) + 1 - maxServers; over > 0 && len(others) > 0; others = others[1:] {
		select {
		case others[0].turn <- struct{}{}:
			others[0].end()
			<-others[0].turn
			over--
		default:
		}
	}
}

// adapter returns the first adapter for a file whose program is installed, with that program's absolute name; nil for
// none.
func (l *Servers) adapter(name string) (a *language.Adapter, program string) {
	for _, a := range l.options.Adapters {
		if a.Knows(name) == "" {
			continue
		}
		if program := l.programs.of(a.Command[0]); program != "" {
			return a, program
		}
	}
	return nil, ""
}

// of returns the server for a file, started or not; nil if there is none for it. texts are what the server would be
// shown: a file of its roots may be among them.
func (l *Servers) of(file string, texts view.TriedTexts) (*server, error) {
	a, program := l.adapter(file)
	if a == nil {
		return nil, nil
	}
	root, err := l.root(a, file, texts)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := place{a.Name, root}
	if l.closed || l.session.Over() {
		return nil, errClosed
	}
	one := l.pool[at]
	if one == nil {
		one = &server{owner: l, adapter: a, program: program, folder: root, turn: make(chan struct{}, 1)}
		l.pool[at] = one
	}
	return one, nil
}

// root returns the absolute name of the folder on which a server works for a file: the nearest one above with the
// first file of the adapter's roots that there is, or the whole workspace folder, as the adapter says.
func (l *Servers) root(a *language.Adapter, file string, texts view.TriedTexts) (string, error) {
	file = path.Clean(file)
	top := "."
	if !l.ws.Single() {
		top, _, _ = strings.Cut(file, "/")
	}
	has := func(name string) bool {
		if t, ok := texts[name]; ok {
			return !t.Gone
		}
		return l.there(name)
	}
	dir := top
	found := len(a.Roots) == 0
	for _, name := range a.Roots {
		for at := path.Dir(file); !found; at = path.Dir(at) {
			if has(path.Join(at, name)) {
				dir, found = at, true
			}
			if at == top || at == "." || at == "/" {
				break
			}
		}
	}
	switch {
	case !found && !a.Anywhere:
		return "", &noRoot{a}
	case !found || a.Whole:
		dir = top
	}
	name, err := l.ws.RealName(path.Join(dir, "x")) // a folder has none
	return filepath.Dir(name), err
}

// noRoot is the error for a file that is in no folder on which its server works.
type noRoot struct{ adapter *language.Adapter }

func (e *noRoot) Error() string {
	return e.adapter.Name + " needs a folder with " + strings.Join(e.adapter.Roots, " or ")
}

// programs remembers for a while where programs are: looking through the folders of PATH takes time, and
// [Servers.Answers] does not wait.
type programs struct {
	find func(string) (string, error)

	mu    sync.Mutex
	known map[string]string // "" for one that is not installed
	at    time.Time
}

// programsFor is how long it is remembered.
const programsFor = 30 * time.Second

// of returns the absolute name of a program, "" if it is not installed.
func (p *programs) of(program string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); p.known == nil || now.Sub(p.at) > programsFor {
		p.known, p.at = map[string]string{}, now
	}
	name, ok := p.known[program]
	if !ok {
		found, err := p.find(program)
		if err == nil && filepath.IsAbs(found) { // never a program of the folder that it happens to run in
			name = found
		}
		p.known[program] = name
	}
	return name
}

// languagesOf returns the languages of files that a server knows, sorted.
func (s *server) languagesOf(files []string) []string {
	var ids []string
	for _, name := range files {
		if id := s.adapter.Knows(name); id != "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
