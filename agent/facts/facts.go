// Package facts knows what a model should know of a project before it looks: what lies at its
// root, its branch and what is changed there, its languages and build files, the commands that
// build and test it, those that have passed here, and the day.
//
// A [Project] gathers them beside the requests: from when the session begins, and again at each
// request, in the background. A request waits for that no longer than [Options.Within]. What is
// not known by then is missing, and what is only known from before says how old it is.
//
// Each request has the facts at its end, in the block of its context (package brief), and not only
// the first of a conversation: a memory keeps words alone, so a later turn would know nothing, and
// the branch and what is changed are other ones by then. They are not in the system prompt because
// what stands before what changes (prompt, tools, earlier messages) must stay the same, byte for
// byte, for a provider's cache to find it.
package facts

import (
	"context"
	"slices"
	"sync"
	"time"

	"redline/agent/checks"
	"redline/agent/event"
	"redline/agent/session"
	"redline/workspace"
	"redline/workspace/git"
)

// Options say how facts are gathered.
type Options struct {
	// Within is how long a request waits for facts that are still being gathered. 0 means that
	// there are no facts.
	Within time.Duration

	// Git returns the state of the repository that a folder, an absolute name, is in; it returns an
	// error if there is none. Nil means package workspace/git.
	Git func(ctx context.Context, dir string) (git.Status, error)

	// Machine says which commands can be run here. The zero value means [checks.Here].
	Machine checks.Machine
}

// Within is how long the request of a user waits for facts.
const Within = 10 * time.Millisecond

// Project knows the facts of the project in a session's workspace. Its methods may be called from
// any goroutine.
type Project struct {
	session *session.Session
	options Options

	mu        sync.Mutex
	known     Facts
	news      int            // counts what the session has seen that may have changed facts
	gathering [numParts]bool // the parts that are being gathered
	changed   chan struct{}  // closed, and replaced, when a part is known
}

// New makes the project of a session. It reads nothing.
func New(s *session.Session, o Options) *Project {
	p := &Project{session: s, options: o, changed: make(chan struct{})}
	if o.Git == nil {
		p.options.Git = p.git
	}
	if o.Machine.Program == nil {
		p.options.Machine = checks.Here(s.Workspace)
	}
	s.Observe(func(e event.Event) {
		if e.Kind == event.PlanChanged {
			p.outdate()
		}
	})
	s.Workspace.Observe(func(e workspace.BufferEvent) {
		if e.Kind == workspace.SavedEvent {
			p.outdate()
		}
	})
	return p
}

// outdate notes that files may have changed: what was gathered before is not current any more.
func (p *Project) outdate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.news++
}

// Begin starts gathering in the background what is not known, and returns at once.
func (p *Project) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gather(p.missing(p.session.Now()))
}

// Known returns the facts for a request that is made now: what is gathered in [Options.Within], or
// before ctx ends, and for the rest what was known before.
func (p *Project) Known(ctx context.Context) Facts {
	asked := p.session.Now()
	ctx, cancel := context.WithTimeout(ctx, p.options.Within)
	defer cancel()
	for {
		p.mu.Lock()
		missing := p.missing(asked)
		p.gather(missing)
		facts, changed := p.known, p.changed
		p.mu.Unlock()
		facts.asked, facts.late = asked, missing
		if len(missing) == 0 {
			return facts
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return facts
		}
	}
}

// part is one of the parts that are gathered each for itself.
type part int

const (
	root   part = iota // what the root has, and its checks: a few milliseconds
	passed             // commands
	status             // of the repository: a tenth of a second at 100,000 files
	tree               // languages and build files, from all files: some tenths of a second there
	numParts
)

// stamp says when the gathering of a part began.
type stamp struct {
	at   time.Time // zero if it is not known
	news int       // what the session had seen by then, see [Project]
}

const (
	// grace is how old a part may be and still be taken for what is the case now, if the session
	// has seen nothing that may have changed it.
	grace = time.Second

	// treeLasts is after which time all files are counted again.
	treeLasts = 10 * time.Minute
)

// missing returns the parts that a request needs that is made at a time. The lock is held.
func (p *Project) missing(asked time.Time) (all []part) {
	if folders := p.session.Workspace.Folders(); !slices.Equal(folders, p.known.folders) {
		p.known = Facts{folders: folders}
	}
	if len(p.known.folders) == 0 {
		return nil
	}
	for a := range numParts {
		if s := p.known.stamps[a]; s.at.IsZero() || a == tree && asked.Sub(s.at) > treeLasts || a != tree && !p.current(s, asked) {
			all = append(all, a)
		}
	}
	return all
}

func (p *Project) current(s stamp, asked time.Time) bool {
	return s.news == p.news && asked.Sub(s.at) <= grace
}
