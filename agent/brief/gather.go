package brief

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"redline/agent/store"
	"redline/workspace"
	"redline/workspace/git"
	"redline/workspace/gitrepo"
	"redline/workspace/secrets"
)

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
	if at == "" {
		at = "."
	}
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
	return Installed(ChecksIn(read, folder), p.options.Machine)
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
