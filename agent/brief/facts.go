package brief

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/workspace"
	"redline/workspace/git"
	"redline/workspace/gitrepo"
	"redline/workspace/secrets"
)

// ProjectOptions configure how facts are gathered.
type ProjectOptions struct {
	// Within is how long a request waits for facts that are still being gathered. 0 means that
	// there are no facts.
	Within time.Duration

	// Git returns the state of the repository of a folder, an absolute name; it returns an error
	// if there is none. Nil means package workspace/git.
	Git func(ctx context.Context, dir string) (git.Status, error)

	// Machine says which commands can be run here. The zero value means [ThisMachine].
	Machine Machine
}

// FactsTimeout is how long the request of a user waits for facts.
const FactsTimeout = 10 * time.Millisecond

// Project gathers what a model should know about the project in a session's workspace: the files at
// its root, its branch and changes, its languages and build files, the commands that build and test
// it, those that have passed here, and the date. It does so in the background, from when the session
// begins and again at each request. A request waits for that no longer than [ProjectOptions.Within].
// A fact that is not known by then is missing, and an older one says how old it is.
//
// Every request has the facts, not only the first of a conversation: the branch and the changes may
// differ by then. They are at its end, not in the system prompt, because a provider's cache works
// only if all that comes first (prompt, tools, earlier messages) stays the same, byte for byte.
//
// Its methods may be called from any goroutine.
type Project struct {
	session *session.Session
	options ProjectOptions

	mu        sync.Mutex
	known     Facts
	news      int            // counts events in the session that may have changed facts
	gathering [numParts]bool // the parts that are being gathered
	changed   chan struct{}  // closed and replaced when a part is known
}

// NewProject makes the project of a session. It reads nothing.
func NewProject(s *session.Session, o ProjectOptions) *Project {
	p := &Project{session: s, options: o, changed: make(chan struct{})}
	if o.Git == nil {
		p.options.Git = p.git
	}
	if o.Machine.Program == nil {
		p.options.Machine = ThisMachine(s.Workspace, nil)
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

// Facts are the facts about a project at one time. They are immutable.
type Facts struct {
	asked   time.Time
	late    []factPart // parts that are not known, or out of date
	folders []workspace.Folder
	stamps  [numParts]stamp

	levels []level       // of the folders, up to a limit
	past   Past          // the last results of commands
	states []*git.Status // of the folders, as for levels; nil if there is no repository
	files  census
}

// level is the root of a folder of the workspace.
type level struct {
	name string // "" in a workspace of one folder
	workspace.Level
	checks []Check  // which this machine can run
	built  []string // workspace paths of build files
	branch string   // "" if only Git can tell
}

const (
	maxFolders   = 3                // folders of a workspace whose roots are shown
	gatherWithin = 10 * time.Second // time after which the counting of files stops
)

// gather starts gathering parts, except for those that are being gathered. The caller holds the
// lock.
func (p *Project) gather(missing []factPart) {
	now, folders := stamp{p.session.Now(), p.news}, p.known.folders
	for _, a := range missing {
		if p.gathering[a] || p.session.Over() {
			continue
		}
		p.gathering[a] = true
		p.session.Spawn(func() {
			known := func(*Facts) {} // nothing, for a part that cannot be gathered
			defer func() { p.keep(a, now, folders, known) }()
			ctx, cancel := context.WithTimeout(p.session.Context(), gatherWithin)
			defer cancel()
			known = p.look(ctx, a, folders)
		})
	}
}

// keep stores the result of gathering a part.
func (p *Project) keep(a factPart, now stamp, folders []workspace.Folder, known func(*Facts)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Equal(folders, p.known.folders) && !p.session.Over() {
		facts := p.known // a new value, since requests have the old one
		known(&facts)
		facts.stamps[a] = now
		p.known = facts
	}
	p.gathering[a] = false
	close(p.changed)
	p.changed = make(chan struct{})
}

// look gathers a part, and returns a function that stores it in Facts.
func (p *Project) look(ctx context.Context, a factPart, folders []workspace.Folder) func(*Facts) {
	names := []string{""}
	if len(folders) > 1 {
		names = names[:0]
		for _, f := range folders[:min(len(folders), maxFolders)] {
			names = append(names, f.Name)
		}
	}
	switch a {
	case root:
		var levels []level
		for i, name := range names {
			levels = append(levels, p.level(folders[i].Dir, name))
		}
		return func(f *Facts) { f.levels = levels }
	case passed:
		past := p.past(ctx)
		return func(f *Facts) { f.past = past }
	case status:
		var states []*git.Status
		for i, name := range names {
			states = append(states, p.status(ctx, folders[i].Dir, name))
		}
		return func(f *Facts) { f.states = states }
	default:
		files := p.count(ctx)
		return func(f *Facts) { f.files = files }
	}
}

// level lists the root of a folder of the workspace, whose directory is dir; name is "" if it is
// the only one.
func (p *Project) level(dir, name string) level {
	at := name
	at = cmp.Or(at, ".")
	l := level{name: name}
	l.Level, _ = p.session.Workspace.Level(at) // nothing, for a folder that cannot be read
	l.checks = p.checks(name)
	if r, ok := gitrepo.Of(dir); ok {
		l.branch = r.Branch()
	}
	for _, file := range l.Files {
		if isBuildFile(file) {
			l.built = append(l.built, path.Join(name, file))
		}
	}
	return l
}

// checks returns the checks in the files of one folder that this machine can run.
func (p *Project) checks(folder string) []Check {
	read := func(path string) (string, bool) {
		f, err := p.session.Workspace.Read(path)
		return f.Text, err == nil && f.Exists
	}
	return Installed(checksIn(read, folder), p.options.Machine)
}

// status returns the state of a folder's repository, without the names of files that hold
// secrets; nil if there is no repository or it cannot be read.
func (p *Project) status(ctx context.Context, dir, name string) *git.Status {
	s, err := p.options.Git(ctx, dir)
	if err != nil {
		return nil
	}
	unlisted := func(file string) bool { return p.session.Workspace.Unlisted(path.Join(name, file)) }
	s.Changed = slices.DeleteFunc(slices.Clone(s.Changed), func(c git.Changed) bool { return unlisted(c.Path) })
	s.Names = slices.DeleteFunc(slices.Clone(s.Names), unlisted)
	return &s
}

// git reads the files of the repository, and asks the machine's Git only if those are not enough.
func (p *Project) git(ctx context.Context, dir string) (git.Status, error) {
	if s, ok := git.FromFiles(ctx, dir); ok {
		return s, nil
	}
	repo, err := git.At(dir, p.session.Workspace.Leftovers())
	if err != nil {
		return git.Status{}, err
	}
	return repo.Status(ctx)
}

const (
	maxPassed  = 4   // commands that have passed
	maxPlans   = 30  // how many plans with such commands, the newest ones, are read
	maxCommand = 120 // bytes of such a command; longer ones are not shown to a model
)

// past returns the results of commands in this workspace, approved or in trials.
func (p *Project) past(ctx context.Context) Past {
	plans, err := p.session.Store.Plans(ctx, p.session.Key(), store.Filter{Ran: true, Limit: maxPlans})
	if err != nil {
		return nil
	}
	return PastOf(plans)
}

// passed returns the commands that have passed, the newest first, without those that may contain a
// secret.
func (f Facts) passed() (lines []string) {
	for _, o := range f.past {
		line := o.Command
		if !o.Passed || line == "" || len(line) > maxCommand || strings.ContainsAny(line, "\r\n") || secrets.Mentioned(line) || secrets.Text("command", line) {
			continue
		}
		if lines = append(lines, command(line)+in(o.Folder)); len(lines) == maxPassed {
			break
		}
	}
	return lines
}

// census counts the files of a project.
type census struct {
	files     int
	languages map[string]int
	built     []string // workspace paths of build files below the roots, outermost first
	checks    map[string][]Check
	whole     bool // all files are counted
}

const (
	maxBuilt = 1000 // build files that are collected
	maxRead  = 20   // folders whose checks are read
)

// count counts the files of the workspace.
func (p *Project) count(ctx context.Context) census {
	c := census{languages: map[string]int{}, checks: map[string][]Check{}}
	var mu sync.Mutex
	endings := map[string]int{}
	err := p.session.Workspace.Visit(ctx, func(file string) {
		base := path.Base(file)
		build := isBuildFile(base) && strings.Contains(file, "/") && !isExample(file)
		mu.Lock()
		defer mu.Unlock()
		c.files++
		endings[path.Ext(base)]++
		if build && len(c.built) < maxBuilt {
			c.built = append(c.built, file)
		}
	})
	c.whole = err == nil
	for ending, n := range endings {
		if name := languageOf(ending); name != "" {
			c.languages[name] += n
		}
	}
	slices.SortFunc(c.built, func(a, b string) int {
		if d := strings.Count(a, "/") - strings.Count(b, "/"); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, file := range c.built {
		folder := path.Dir(file)
		if _, read := c.checks[folder]; !read && len(c.checks) < maxRead && Reads(path.Base(file)) {
			c.checks[folder] = p.checks(folder)
		}
	}
	return c
}
