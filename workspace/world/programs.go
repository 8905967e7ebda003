package world

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"redline/workspace/secrets"
)

// Programs finds what a command must be shown, besides the folders of PATH and the workspace, so
// that the programs there start: many of them are links, into an environment, a package or an
// installation elsewhere. All results are absolute names, within the bounds of [Shown], that
// exist; none is in a folder of the system. Its methods may be called from any goroutine.
type Programs struct {
	homes []string
	above []fs.FileInfo // the home folders, and all that hold them

	mu    sync.Mutex
	paths map[string]programFolder // folders of PATH
}

// programFolder is what is known of a folder of PATH.
type programFolder struct {
	stamps [2]folderStamp
	own    bool     // it has programs that are no links
	links  []string // the links in it that lead out of it, and not to the system

	interpreters []string // those of its scripts that are not the system's
}

// NewPrograms returns a finder for a user with these home folders.
func NewPrograms(homes ...string) *Programs {
	return &Programs{homes: homes, above: holders(homes), paths: map[string]programFolder{}}
}

// Ways are the ways to the programs that a command can start. All names are absolute.
type Ways struct {
	Path       []string // the folders of PATH
	Workspaces []string // the folders of the workspace
	Tools      []string // the Tools of the world

	Links        []string // the links in the workspace that lead out of it
	Environments []string // the folders in the workspace with a pyvenv.cfg
	Elsewhere    []string // further environments outside the workspace, which its files or the user's programs name
}

// Needs are what is to be shown besides the workspace and the tools.
type Needs struct {
	Programs []string // what programs need
	Links    []string // the names by which links lead there, to be shown as links
	Caches   []string // folders that builds write: those with a valid CACHEDIR.TAG that the workspace has links to
}

// Needed returns the folders of PATH and what their links lead to, what the links of the workspace
// lead to, and the installations that environments are made from.
//
// A workspace can be anybody's work. So what it leads to counts only if it shows by its own content
// that it is a tool: an environment, packages, an installed interpreter. For the same reason
// folders of PATH inside the workspace count as the workspace.
func (p *Programs) Needed(w Ways) Needs {
	s := p.search(w.Workspaces)
	for _, dir := range w.Path {
		if !filepath.IsAbs(dir) {
			continue
		}
		dir = filepath.Clean(dir)
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || through(dir, s.inside) {
			continue
		}
		f := s.read(real)
		if !InSystem(real) {
			s.add(dir)
			if f.own {
				s.installation(real, "", 0)
			}
		}
		for _, name := range slices.Concat(f.links, f.interpreters) {
			s.program(name, 0)
		}
	}
	for _, dir := range w.Elsewhere {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			if real != dir {
				s.theirs.link([]string{dir})
			}
			if !s.private(real) {
				s.theirs.environment(real)
			}
			s.theirs.base(real, 0)
		}
	}
	for _, dir := range w.Environments {
		s.theirs.base(dir, 0)
	}
	for _, link := range w.Links {
		if info, err := os.Stat(link); err == nil && info.IsDir() {
			s.theirs.linkedFolder(link)
		} else if err == nil {
			s.theirs.program(link, 0)
		}
	}
	shown := linksResolved(slices.Concat(w.Tools, w.Workspaces))
	unseen := func(names []string) []string {
		return slices.DeleteFunc(p.within(names), func(name string) bool {
			return slices.ContainsFunc(shown, func(dir string) bool { return isIn(name, dir) })
		})
	}
	return Needs{unseen(gathered(slices.Concat(s.found, s.theirs.found))), unseen(slices.Concat(s.hops, s.theirs.hops)), unseen(gathered(s.theirs.caches))}
}

// linksResolved returns the names of folders that exist, without links.
func linksResolved(dirs []string) (real []string) {
	for _, dir := range dirs {
		if to, err := filepath.EvalSymlinks(dir); err == nil {
			real = append(real, to)
		}
	}
	return real
}

// Seen reports whether a command can run a program, by its name in a folder of PATH or of the
// workspaces, in a world with these tools and with what is Needed.
func (p *Programs) Seen(name string, workspaces, tools []string) bool {
	real, err := filepath.EvalSymlinks(name)
	if err != nil || !executable(real) {
		return false
	}
	in := func(dirs []string) bool {
		return slices.ContainsFunc(linksResolved(dirs), func(dir string) bool { return isIn(real, dir) })
	}
	if InSystem(real) || in(workspaces) {
		return true
	}
	s := p.search(workspaces)
	if through(name, s.inside) {
		s.theirs.program(name, 0)
	} else {
		s.add(filepath.Dir(name))
		s.program(name, 0)
	}
	return in(p.within(slices.Concat(s.found, s.theirs.found))) || in(shown(tools, p.above))
}

// read returns what is in a folder of PATH, whose name has no links. It reads the folder only if that
// has changed.
func (s *search) read(dir string) programFolder {
	p := s.Programs
	now := [2]folderStamp{stampOf(dir)}
	system := InSystem(dir)
	if system {
		now[1] = stampOf(alternatives)
	}
	p.mu.Lock()
	known, ok := p.paths[dir]
	p.mu.Unlock()
	if ok && now[0].is(known.stamps[0]) && now[1].is(known.stamps[1]) {
		return known
	}
	f := programFolder{stamps: now}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 {
			if system {
				continue
			}
			if in := interpreterOf(filepath.Join(dir, e.Name())); in != "" && !slices.Contains(f.interpreters, in) {
				f.interpreters = append(f.interpreters, in)
			}
			f.own = f.own || e.Type().IsRegular()
			continue
		}
		name := filepath.Join(dir, e.Name())
		to, err := os.Readlink(name)
		if err != nil || filepath.Base(to) == to { // that one is in the folder, and looked at too
			continue
		}
		stays := func(name string) bool { return InSystem(name) || filepath.Dir(name) == dir }
		end, hops := s.chain(name)
		if end != "" && stays(end) && !slices.ContainsFunc(hops, func(hop string) bool { return !stays(hop) }) {
			continue
		}
		f.links = append(f.links, name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paths[dir] = f
	return f
}

// alternatives is the folder of links by which a system chooses between its programs.
const alternatives = "/etc/alternatives"

// within returns those of names that exist and may be shown, without those that are inside others.
func (p *Programs) within(names []string) []string {
	names = outermost(names)
	names = slices.DeleteFunc(names, func(name string) bool {
		if InSystem(name) || secrets.Name(filepath.ToSlash(name), false) {
			return true
		}
		_, err := os.Stat(name)
		return err != nil
	})
	return shown(names, p.above)
}

// folderStamp tells whether the entries of a folder have changed.
type folderStamp struct {
	info  fs.FileInfo // nil if there is no folder
	taken time.Time
}

func stampOf(dir string) folderStamp {
	now := time.Now()
	info, _ := os.Stat(dir)
	return folderStamp{info, now}
}

// sameTime is how soon after one change another may leave a folder with the same time.
const sameTime = 2 * time.Second

// is reports whether a folder has not changed since old was taken.
func (s folderStamp) is(old folderStamp) bool {
	if s.info == nil || old.info == nil {
		return s.info == nil && old.info == nil
	}
	return os.SameFile(s.info, old.info) && s.info.ModTime().Equal(old.info.ModTime()) && old.taken.Sub(old.info.ModTime()).Abs() >= sameTime
}

// maxLinks is how many links are followed, one after the other.
const maxLinks = 40

// perProcess is where names mean something else for each process.
const perProcess = "/proc"

// chain follows a name to the file that it means, which need not exist. It returns the names of the
// links on the way without their own links, but for the first: a world needs them too, as links. Of a
// name that means something else in a world, real is "".
func (s *search) chain(name string) (real string, hops []string) {
	at := name
	for i := range maxLinks {
		dir := s.real(filepath.Dir(at))
		if dir == "" || isIn(at, perProcess) || isIn(dir, perProcess) {
			return "", nil
		}
		if i > 0 && dir != filepath.Dir(at) {
			hops = append(hops, filepath.Dir(at))
		}
		at = filepath.Join(dir, filepath.Base(at))
		to, err := os.Readlink(at)
		if err != nil {
			return at, hops
		}
		if i > 0 {
			hops = append(hops, at)
		}
		if at = to; !filepath.IsAbs(to) {
			at = filepath.Join(dir, to)
		}
	}
	return "", nil
}

// real returns the name of a folder without links, "" if there is none.
func (s *search) real(dir string) string {
	real, known := s.folders[dir]
	if !known {
		real, _ = filepath.EvalSymlinks(dir)
		s.folders[dir] = real
	}
	return real
}

// executable reports whether a name is a file that can be run.
func executable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || os.PathSeparator == '\\')
}

// isIn reports whether name is dir or below it.
func isIn(name, dir string) bool {
	separator := string(filepath.Separator)
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, separator)+separator)
}

// outermost returns the names that are not inside another one of them, shortest first.
func outermost(names []string) (outer []string) {
	in := map[string]bool{}
	for _, name := range byLength(names) {
		name = filepath.Clean(name)
		inside := false
		for at := name; !inside; at = filepath.Dir(at) {
			inside = in[at]
			if at == filepath.Dir(at) {
				break
			}
		}
		if !inside {
			in[name] = true
			outer = append(outer, name)
		}
	}
	return outer
}

// byLength sorts names by length and drops duplicates: a folder comes before its content.
func byLength(names []string) []string {
	sorted := slices.SortedFunc(slices.Values(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return slices.Compact(sorted)
}
