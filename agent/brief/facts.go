// Package facts gathers what a model should know about a project from the start: the files at
// its root, its branch and what is changed there, its languages and build files, the commands
// that build and test it, those that have passed here, and the date.
//
// A [Project] gathers them beside the requests: from when the session begins, and again at each
// request, in the background. A request waits for that no longer than [Options.Within]. A fact
// that is not known by then is missing, and an older one says how old it is.
//
// Each request has the facts at its end, in the block of its context (package brief), not only
// the first of a conversation: a memory keeps only messages, so a later turn would know nothing,
// and the branch and the changes may differ by then. They are not in the system prompt, because
// a provider's cache works only if all that comes first (prompt, tools, earlier messages) stays
// the same, byte for byte.

package brief

import (
	"context"
	"slices"
	"sync"
	"time"

	"redline/agent/session"
	"redline/agent/state"
	"redline/workspace"
	"redline/workspace/git"
)

// FactOptions configure how facts are gathered.
type FactOptions struct {
	// Within is how long a request waits for facts that are still being gathered. 0 means that
	// there are no facts.
	Within time.Duration

	// Git returns the state of the repository of a folder, an absolute name; it returns an error
	// if there is none. Nil means package workspace/git.
	Git func(ctx context.Context, dir string) (git.Status, error)

	// Machine says which commands can be run here. The zero value means [MachineHere].
	Machine Machine
}

// FactsWithin is how long the request of a user waits for facts.
const FactsWithin = 10 * time.Millisecond

// Project gathers the facts about the project in a session's workspace. Its methods may be
// called from any goroutine.
type Project struct {
	session *session.Session
	options FactOptions

	mu        sync.Mutex
	known     Facts
	news      int            // counts events in the session that may have changed facts
	gathering [numParts]bool // the parts that are being gathered
	changed   chan struct{}  // closed and replaced when a part is known
}

// NewFacts makes the project of a session. It reads nothing.
func NewFacts(s *session.Session, o FactOptions) *Project {
	p := &Project{session: s, options: o, changed: make(chan struct{})}
	if o.Git == nil {
		p.options.Git = p.git
	}
	if o.Machine.Program == nil {
		p.options.Machine = MachineHere(s.Workspace, nil)
	}
	s.Observe(func(e state.Event) {
		if e.Kind == state.PlanChanged {
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

// outdate records that files may have changed, so that earlier facts are out of date.
func (p *Project) outdate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.news++
}

// Begin starts gathering the missing facts in the background, and returns at once.
func (p *Project) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gather(p.missing(p.session.Now()))
}

// Known returns the facts for a request made now: those gathered within [Options.Within], or
// before ctx ends, and older ones for the rest.
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

// factPart is one of the parts that are gathered separately.
type factPart int

const (
	root   factPart = iota // the files at the root, and its checks: takes a few milliseconds
	passed                 // commands
	status                 // state of the repository: a tenth of a second at 100,000 files
	tree                   // languages and build files, from all files: some tenths of a second there
	numParts
)

// stamp says when the gathering of a part began.
type stamp struct {
	at   time.Time // zero if the part is not known
	news int       // the session's count of events by then, see [Project]
}

const (
	// grace is how long a part counts as current if the session has seen no event that may have
	// changed it.
	grace = time.Second

	// treeLasts is the time after which all files are counted again.
	treeLasts = 10 * time.Minute
)

// missing returns the parts that a request at the given time needs. The caller holds the lock.
func (p *Project) missing(asked time.Time) (all []factPart) {
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
