package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"redline/workspace/secrets"
)

// secretIndex remembers which entries of which folders are secret, so that only what has changed is
// read again.
type secretIndex struct {
	mu      sync.Mutex
	folders map[string]*folderEntries // by absolute name
	files   map[string]examined       // by absolute name: those of which the text decides
	ignored map[string]Stamp          // of the file .redline/ignore, by the folder of the workspace
	deep    map[string]deepFolder     // by absolute name
	linked  bool                      // folders have the files with several names
	kept    map[string]keptFolder     // by absolute name; only until all folders were looked at once
}

// folderEntries are the entries of a folder that count. It is immutable.
type folderEntries struct {
	stamp      Stamp
	folders    []string      // names of those to look into
	secret     []string      // names of those that are secret
	decide     []string      // names of files of which the text decides
	many       []fs.FileInfo // files with several names (hard links), if these are asked for
	links      []string      // names of links that lead out of the root
	all        []string      // names of all links, each with where it leads
	repository bool          // it has a .git
	python     bool          // it is a virtual environment of Python's
	ruled      bool          // see [Listed]
	text       folderText    // of a folder of the workspace
	partly     bool          // some of its names, or all, could not be read
}

// examined is a file whose text was examined.
type examined struct {
	stamp  Stamp
	secret bool
}

// Hidden is what the commands of a trial must not see. All names are absolute.
type Hidden struct {
	Names        []string // files and folders
	Repositories []string // the folders that have a .git, which may have secrets in it
	Links        []string // the links of the workspace, sorted, each with where it leads

	Listed map[string]Listed // the folders of the workspace that were looked into, by absolute names
}

// Ways are what leads out of a workspace to programs. All names are absolute.
type Ways struct {
	Links        []string // links to files and folders elsewhere
	Environments []string // folders with a pyvenv.cfg
}

const (
	// shallow is how many levels of a folder of tools are examined each time; what is deeper is
	// examined again after deepFor.
	shallow = 2
	deepFor = time.Minute
	// maxExamined is how many files are examined by their text. A folder of tools is full of
	// public files: only those in it and in its folders are.
	maxExamined = 5000
)

// SecretFiles returns what is secret in the workspace and in folders of tools: by its name, by
// .redline/ignore or by its text, see [Workspace.Secret], also where ignore files leave it out; what
// is off limits; and other names of such files. Source code of the workspace is not examined by its
// text: no test would run without it. tools returns the folders of tools, or single files, from the
// ways out of the workspace; it may be nil. SecretFiles reads only what has changed since the last
// call.
func (w *Workspace) SecretFiles(ctx context.Context, tools func(Ways) []string) (Hidden, error) {
	x := &w.secretNames
	x.mu.Lock()
	defer x.mu.Unlock()
	found := w.secretFiles(ctx, tools)
	if linked := several(found.Names); len(linked) > 0 {
		if !x.linked {
			x.linked, x.folders = true, nil
			found = w.secretFiles(ctx, tools)
		}
		for dir, entries := range x.folders {
			for _, info := range entries.many {
				if slices.ContainsFunc(linked, func(l fs.FileInfo) bool { return os.SameFile(l, info) }) {
					found.Names = append(found.Names, filepath.Join(dir, info.Name()))
				}
			}
		}
	}
	for _, names := range []*[]string{&found.Names, &found.Repositories, &found.Links} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	return found, ctx.Err()
}

// several returns the files that have other names, apart from those of packages: package managers
// link these from a store.
func several(names []string) (linked []fs.FileInfo) {
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && linksOf(info) > 1 && !inPackages(filepath.ToSlash(name)) {
			linked = append(linked, info)
		}
	}
	return linked
}

// secretFiles is SecretFiles without other names. The index is locked.
func (w *Workspace) secretFiles(ctx context.Context, tools func(Ways) []string) (found Hidden) {
	x := &w.secretNames
	found.Names = w.OffLimitsInside()
	known, files := x.folders, x.files
	x.folders, x.files = map[string]*folderEntries{}, map[string]examined{}
	began := time.Now()
	if x.ignored == nil {
		x.ignored, x.kept = map[string]Stamp{}, loadFolders(w.Own())
	}
	s := &secretWalk{index: x, known: known, files: files, limit: w.maxFile, slots: make(chan bool, runtime.GOMAXPROCS(0))}
	s.found.Listed = map[string]Listed{}
	if x.deep == nil && tools != nil {
		s.tasks.Go(func() { x.deep = loadDeep(w.Own()) }) // meanwhile
	}
	roots := w.allRoots()
	for _, r := range roots {
		dir := r.realDir()
		in := secretRoot{secretWalk: s, dir: dir, named: r.named()}
		now := stampOf(filepath.Join(dir, filepath.FromSlash(namedFile)))
		in.anew = now.Differs(x.ignored[dir])
		x.ignored[dir] = now
		in.walk(ctx, "", 0)
	}
	s.tasks.Wait()
	x.kept = nil
	if n := len(s.found.Listed); n >= leastKept && int(s.read.Load()) > n/keptAnew && ctx.Err() == nil {
		s.tasks.Go(func() { keepFolders(w.Own(), s.found.Listed, began) })
	}
	if tools != nil {
		for _, dir := range s.tools(tools(s.ways), roots) {
			(&secretRoot{secretWalk: s, dir: dir, tool: true}).walk(ctx, "", 0)
		}
	}
	s.tasks.Wait()
	found.add(s.found)
	found.Listed = s.found.Listed
	found.add(w.deepSecrets(ctx, s.deep))
	return found
}

// tools returns the folders of tools outside the workspace, each once and without links. Of single
// files it notes those that are secret.
func (s *secretWalk) tools(names []string, roots []*root) (dirs []string) {
	for _, name := range names {
		real, err := filepath.EvalSymlinks(name)
		if err != nil || slices.ContainsFunc(roots, func(r *root) bool { return isBelow(real, r.realDir(), filepath.Separator) }) {
			continue
		}
		if info, err := os.Stat(real); err == nil && info.Mode().IsRegular() {
			if secrets.Name(filepath.ToSlash(real), false) || s.examine(real) {
				s.found.Names = append(s.found.Names, real)
			}
			continue
		}
		dirs = append(dirs, real)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func (h *Hidden) add(more Hidden) {
	h.Names, h.Repositories = append(h.Names, more.Names...), append(h.Repositories, more.Repositories...)
	h.Links = append(h.Links, more.Links...)
}

// stampOf returns the stamp of a file or folder by its absolute name.
func stampOf(name string) Stamp {
	s := Stamp{taken: time.Now()}
	info, err := os.Lstat(name)
	if err == nil {
		s.info = info
	} else if !errors.Is(err, fs.ErrNotExist) {
		s.why = err.Error()
	}
	return s
}

// secretWalk finds the secret files of folders.
type secretWalk struct {
	index *secretIndex
	known map[string]*folderEntries // what is known of folders; not changed
	files map[string]examined       // what is known of files; not changed
	limit int64                     // bytes of a file above which its text is not examined
	slots chan bool                 // a walker in each
	tasks sync.WaitGroup
	count atomic.Int64 // files examined by their text
	read  atomic.Int64 // folders of the workspace that were read

	mu    sync.Mutex // of the maps of index too
	found Hidden
	ways  Ways
	deep  []string
}

// secretRoot is a folder that is walked.
type secretRoot struct {
	*secretWalk
	dir   string
	named []pattern // of .redline/ignore
	anew  bool      // nothing is known: the patterns have changed
	tool  bool      // it is one of tools
}

// walk walks a folder of the root, relative and slash-separated. It leaves out what cannot be
// read: a command of this user cannot read it either.
func (s *secretRoot) walk(ctx context.Context, rel string, depth int) {
	if ctx.Err() != nil {
		return
	}
	abs := filepath.Join(s.dir, filepath.FromSlash(rel))
	if s.tool && depth > shallow {
		s.mu.Lock()
		s.deep = append(s.deep, abs)
		s.mu.Unlock()
		return
	}
	now := stampOf(abs)
	entries := s.known[abs]
	if entries == nil || s.anew || now.Differs(entries.stamp) {
		entries = s.look(abs, rel, depth, now)
		entries.stamp = now // a change since then makes the next one differ
	}
	var secret []string
	for _, name := range entries.decide {
		if s.examine(filepath.Join(abs, name)) {
			secret = append(secret, name)
		}
	}
	s.mu.Lock()
	s.index.folders[abs] = entries
	if state, ok := now.state(); ok && !s.tool {
		s.found.Listed[abs] = Listed{State: state, Folders: entries.folders, Ruled: entries.ruled, all: entries.text, partly: entries.partly}
	}
	if entries.repository {
		s.found.Repositories = append(s.found.Repositories, abs)
	}
	for _, name := range entries.links {
		s.ways.Links = append(s.ways.Links, filepath.Join(abs, name))
	}
	for _, link := range entries.all {
		s.found.Links = append(s.found.Links, abs+"/"+link)
	}
	if entries.python {
		s.ways.Environments = append(s.ways.Environments, abs)
	}
	for _, name := range slices.Concat(entries.secret, secret) {
		s.found.Names = append(s.found.Names, filepath.Join(abs, name))
	}
	s.mu.Unlock()
	for _, name := range entries.folders {
		s.descend(ctx, joinSlash(rel, name), depth+1)
	}
}

func joinSlash(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// look finds what counts in a folder, of which now is the stamp.
func (s *secretRoot) look(abs, rel string, depth int, now Stamp) *folderEntries {
	found := &folderEntries{}
	var text folderText
	if s.tool {
		text, _ = readNames(abs) // none where a command of this user can read none either
	} else {
		text, found.partly = s.textOf(abs, now)
		found.text = text
	}
	for name, kind := range text.each {
		s.sort(found, abs, rel, name, kind, depth)
	}
	return found
}

// sort notes what counts of an entry of a folder.
func (s *secretRoot) sort(found *folderEntries, abs, rel, entry string, kind fileKind, depth int) {
	name := joinSlash(rel, entry)
	ignored, _ := decide(s.named, name, kind == aFolder)
	regular := kind == regularFile
	if !s.tool && regular && entry == "pyvenv.cfg" {
		found.python = true
	}
	if !s.tool && kind == aLink {
		to, leaves := s.leads(abs, entry)
		if leaves {
			found.links = append(found.links, entry)
		}
		found.all = append(found.all, entry+"\x00"+to)
	}
	if entry[0] == '.' && (strings.EqualFold(entry, ".gitignore") || strings.EqualFold(entry, ".git")) {
		found.ruled = true
	}
	if regular && s.index.linked && !s.tool {
		if info, err := os.Lstat(filepath.Join(abs, entry)); err == nil && linksOf(info) > 1 {
			found.many = append(found.many, info)
		}
	}
	switch {
	case entry == ".git":
		found.repository = true
	case ignored, secrets.Name(name, kind == aFolder):
		if regular && !ignored && secrets.MayBePublic(name) {
			found.decide = append(found.decide, entry)
			return
		}
		found.secret = append(found.secret, entry)
	case kind == aFolder && s.tool && isHashed(entry): // of a cache: the tool has named them, and what is in them
	case kind == aFolder:
		found.folders = append(found.folders, entry)
	case regular && s.tool && depth < shallow, regular && !s.tool && !secrets.Code(name) && !inPackages(name):
		found.decide = append(found.decide, entry)
	}
}

// leads returns where a link leads, and whether that is out of the root, as far as its own text says.
func (s *secretRoot) leads(abs, name string) (to string, leaves bool) {
	to, err := os.Readlink(filepath.Join(abs, name))
	if err != nil {
		return "", false
	}
	at := to
	if !filepath.IsAbs(at) {
		at = filepath.Join(abs, at)
	}
	return to, !isBelow(filepath.Clean(at), s.dir, filepath.Separator)
}

// descend walks a folder on another goroutine, if there is room for one.
func (s *secretRoot) descend(ctx context.Context, rel string, depth int) {
	select {
	case s.slots <- true:
		s.tasks.Go(func() {
			defer func() { <-s.slots }()
			s.walk(ctx, rel, depth)
		})
	default:
		s.walk(ctx, rel, depth)
	}
}
