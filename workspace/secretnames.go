package workspace

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// SecretNames returns a function that reports of many paths whether one is secret by its name, see
// [Workspace.SecretByName], or off limits. It looks into each folder once, so it is for one task and one
// goroutine. mounts are the absolute names where something is mounted; nil if nobody knows them.
func (w *Workspace) SecretNames(mounts map[string]bool) func(path string) bool {
	n := &secretNames{w: w, mounts: mounts, limits: w.offLimits.now(0), roots: map[*root]namedRoot{}, folders: map[string]*namedFolder{}}
	for _, p := range n.limits.onDisk {
		n.linked = n.linked || !p.info.IsDir() && linksOf(p.info) > 1
	}
	return n.secret
}

// SecretNamesBy returns a text of all that [Workspace.SecretNames] depends on, besides the rules of this
// program, .redline/ignore and the links of the workspace. lasting is false if that does not say all.
func (w *Workspace) SecretNamesBy(mounts map[string]bool) (text string, lasting bool) {
	lasting = mounts != nil
	l := w.offLimits.now(0)
	for _, p := range l.onDisk {
		lasting = lasting && (p.info.IsDir() || linksOf(p.info) < 2)
	}
	texts := slices.Concat(w.offLimits.named, l.names)
	for _, r := range w.allRoots() {
		dir := r.realDir()
		texts = append(texts, r.Name, r.Dir, dir)
		for name := range mounts {
			if isBelow(name, dir, filepath.Separator) {
				texts = append(texts, name)
			}
		}
	}
	slices.Sort(texts)
	return strings.Join(texts, "\x00"), lasting
}

// secretNames judges paths. What it finds is what SecretByName and OffLimits find, which follow the links
// in each path and compare each of its folders with what is off limits.
type secretNames struct {
	w       *Workspace
	mounts  map[string]bool
	limits  *limits
	linked  bool // a file that is off limits has several names, which may be in the workspace
	roots   map[*root]namedRoot
	folders map[string]*namedFolder // by path
}

// namedRoot is what all folders of a root have in common.
type namedRoot struct {
	dir   string    // absolute
	named []pattern // of .redline/ignore
}

// namedFolder is a folder of the workspace.
type namedFolder struct {
	off   bool            // all in it is off limits
	each  bool            // each name in it is looked up
	deep  bool            // and each in its folders
	plain map[string]bool // the names of its files and folders, without links and the like
}

func (n *secretNames) secret(name string) bool {
	r, rel, err := n.w.locate(name)
	if err != nil {
		return false
	}
	in, known := n.roots[r]
	if !known {
		in = namedRoot{r.realDir(), r.named()}
		n.roots[r] = in
	}
	if secretPath(in.named, rel) {
		return true
	}
	folder := n.folder(r, path.Dir(rel))
	if folder.off {
		return true
	}
	abs := filepath.Join(in.dir, filepath.FromSlash(rel))
	if !folder.each && !n.mounts[abs] {
		if folder.plain[path.Base(rel)] {
			return n.limits.named(abs)
		}
		if _, err := os.Lstat(abs); os.IsNotExist(err) {
			return n.limits.named(abs)
		}
	}
	return n.w.SecretByName(name) || n.w.OffLimits(name) != nil
}

// folder looks into a folder of a root.
func (n *secretNames) folder(r *root, rel string) *namedFolder {
	name := n.w.pathIn(r, rel)
	if known := n.folders[name]; known != nil {
		return known
	}
	f := n.look(r, rel, name)
	n.folders[name] = f
	return f
}

func (n *secretNames) look(r *root, rel, name string) *namedFolder {
	f := &namedFolder{each: true, deep: true}
	if n.linked || n.mounts == nil {
		return f
	}
	dir, err := r.look()
	if err != nil {
		return f
	}
	var above *namedFolder
	if rel != "." {
		above = n.folder(r, path.Dir(rel))
		if f.off = above.off || n.w.OffLimits(name) != nil; f.off || above.deep {
			return f
		}
	}
	abs := filepath.Join(dir.real, filepath.FromSlash(rel))
	info, err := os.Lstat(abs)
	switch {
	case os.IsNotExist(err): // something off limits may have this name some day
		f.each, f.deep = above == nil || above.each, above == nil || above.each
		return f
	case err != nil || !info.IsDir():
		return f
	}
	f.deep = false
	if n.limits.knows(info) {
		return f
	}
	entries, err := os.ReadDir(abs)
	if err != nil {
		return f
	}
	f.each, f.plain = false, map[string]bool{}
	for _, e := range entries {
		if e.IsDir() || e.Type().IsRegular() {
			f.plain[e.Name()] = true
		}
	}
	return f
}

// knows reports whether a folder has something in it that is off limits, or is it.
func (d onDisk) knows(folder os.FileInfo) bool {
	for _, p := range d {
		if os.SameFile(p.info, folder) {
			return true
		}
	}
	return false
}
