package git

import (
	"context"
	"encoding/hex"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// maxIndex is the size in bytes of an index that is read without Git: about 150,000 files.
const maxIndex = 16 << 20

// FromFiles returns what [Repo.Status] returns for a workspace folder, given by its absolute path,
// from the repository's own files: it starts no process. ok is false if only Git can tell, for
// example because a changed file goes through a filter, or because the index has a form that is
// seldom used.
func FromFiles(ctx context.Context, folder string) (s Status, ok bool) {
	r, err := locate(folder, nil)
	if err != nil {
		return s, false
	}
	c, ok := r.compare(ctx)
	if !ok {
		return s, false
	}
	defer c.close()
	if !c.head() || !c.staged() || !c.worktree() {
		return Status{}, false
	}
	return c.status(), true
}

// comparison compares the last commit, the index and the worktree. Its methods return false if only
// Git can do that.
type comparison struct {
	*Repo
	ctx         context.Context
	own, common *os.Root
	work        *os.Root // the workspace folder
	index       *index
	indexTime   int64 // when the index was written, in nanoseconds
	objects     objects
	executable  bool   // the worktree keeps which files are executable
	ignored     string // the user's file of ignore patterns, "" for none

	result  Status
	tree    string            // the tree of the last commit, "" for none
	against map[string]leaf   // files that differ between the last commit and the index, as the commit has them; with mode 0 if it has not
	found   []bool            // by entry of the index: the worktree has it
	changed map[string]change // files of the index that differ in the worktree
	read    int               // bytes of files that were read
}

// change is how a file of the worktree differs from the index.
type change struct {
	code byte // as in git-status(1): M, T or D
	link bool
}

// compare opens what is to be compared, and reads the index.
func (r *Repo) compare(ctx context.Context) (c *comparison, ok bool) {
	if extensions := r.found.Values("extensions"); extensions["objectformat"] != "" || extensions["refstorage"] != "" || extensions["partialclone"] != "" {
		return nil, false
	}
	values := r.found.Values("core")
	for _, key := range []string{"ignorecase", "precomposeunicode", "sparsecheckout"} {
		if isSet := values[key]; isSet != "" && isSet != "false" {
			return nil, false
		}
	}
	for _, key := range []string{"symlinks", "trustctime", "checkstat", "worktree", "bare"} {
		if isSet := values[key]; isSet != "" && isSet != map[string]string{"symlinks": "true", "trustctime": "true", "checkstat": "default", "bare": "false"}[key] {
			return nil, false
		}
	}
	c = &comparison{
		Repo: r, ctx: ctx, executable: values["filemode"] != "false", ignored: r.ignoreFile(),
		against: map[string]leaf{}, changed: map[string]change{},
	}
	defer func() {
		if !ok {
			c.close()
		}
	}()
	var err, err2, err3 error
	c.own, err = os.OpenRoot(r.own)
	c.common, err2 = os.OpenRoot(r.common)
	c.work, err3 = os.OpenRoot(r.folder)
	if err != nil || err2 != nil || err3 != nil {
		return c, false
	}
	c.objects.common = c.common
	data, modified, ok := readRegular(c.own, "index", maxIndex)
	if !ok {
		return c, false
	}
	c.indexTime = modified
	if c.index, ok = parseIndex(data); !ok {
		return c, false
	}
	c.found = make([]bool, len(c.index.entries))
	return c, true
}

func (c *comparison) close() {
	for _, root := range []*os.Root{c.own, c.common, c.work} {
		if root != nil {
			root.Close()
		}
	}
}

// readRegular reads a regular file, and returns when it was written.
func readRegular(from *os.Root, name string, limit int64) (text string, modified int64, ok bool) {
	f, ok := openRegular(from, name, limit)
	if !ok {
		return "", 0, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", 0, false
	}
	data := make([]byte, info.Size()+1) // one more, to see the end
	n, err := io.ReadFull(f, data)
	return string(data[:n]), info.ModTime().UnixNano(), (err == io.EOF || err == io.ErrUnexpectedEOF) && info.Size() <= limit
}

// head finds the branch, the last commit and its tree.
func (c *comparison) head() bool {
	text, ok := refIn(c.own, "HEAD")
	for range 5 { // a ref may name another
		name, named := strings.CutPrefix(strings.TrimSuffix(text, "\n"), "ref: ")
		switch {
		case !ok:
			return false
		case !named:
			c.result.Commit = strings.TrimSuffix(text, "\n")
			commit, err := hex.DecodeString(c.result.Commit)
			if err == nil {
				c.tree, err = c.objects.treeOf(string(commit))
			}
			return err == nil
		}
		branch, inHeads := strings.CutPrefix(name, "refs/heads/")
		if !inHeads || branch == ".invalid" || c.result.Branch != "" {
			return false // in a table of refs, or of a form that is seldom used
		}
		c.result.Branch = branch
		if _, err := c.common.Lstat(name); err == nil {
			text, ok = refIn(c.common, name)
		} else if text, ok = packed(c.common, name); !ok {
			_, err := c.common.Lstat("packed-refs")
			return os.IsNotExist(err) || err == nil && c.smallRefs() // there is no commit yet
		}
	}
	return false
}

// smallRefs reports whether the file of packed refs can be read.
func (c *comparison) smallRefs() bool {
	f, ok := openRegular(c.common, "packed-refs", maxPacked)
	if ok {
		f.Close()
	}
	return ok
}

// staged compares the index with the last commit.
func (c *comparison) staged() bool {
	if c.tree == "" {
		for i := range c.index.entries {
			if e := &c.index.entries[i]; e.stage == 0 {
				c.against[e.path] = leaf{}
			}
		}
		return true
	}
	return c.stagedIn("", c.tree, c.index.trees)
}

// stagedIn compares a folder of the index with its tree in the last commit.
func (c *comparison) stagedIn(folder, tree string, cached *cachedTree) bool {
	if cached != nil && cached.object == tree {
		return true
	}
	leaves, err := c.objects.tree(tree)
	if err != nil || c.ctx.Err() != nil || strings.Count(folder, "/") > maxTreeDepth {
		return false
	}
	committed := map[string]bool{}
	for _, l := range leaves {
		committed[l.name] = true
		path := folder + l.name
		from, to := c.index.of(path)
		if l.mode == folderMode {
			var below *cachedTree
			if cached != nil {
				below = cached.below[l.name]
			}
			if from < to {
				c.against[path] = leaf{}
			}
			if !c.stagedIn(path+"/", l.object, below) {
				return false
			}
			continue
		}
		if from == to || c.index.entries[from].more&intentToAdd != 0 {
			if l.mode == moduleMode {
				return false
			}
			c.against[path] = l
			continue
		}
		e := &c.index.entries[from]
		if same := c.index.object(e) == l.object && c.index.mode(e) == l.mode; e.stage == 0 && !same {
			if (l.mode == moduleMode) != (c.index.mode(e) == moduleMode) {
				return false
			}
			if l.mode != moduleMode { // of submodules nothing is reported
				c.against[path] = l
			}
		}
	}
	return c.addedIn(folder, committed)
}

// addedIn finds the files of the index in a folder, and in folders below, that the last commit
// does not have at all; committed are the names that it has there.
func (c *comparison) addedIn(folder string, committed map[string]bool) bool {
	from, to := c.index.below(folder)
	for i := from; i < to; i++ {
		e := &c.index.entries[i]
		name, _, deeper := strings.Cut(e.path[len(folder):], "/")
		if committed[name] && deeper && !c.isFile(folder+name) {
			continue // that folder was compared
		}
		if committed[name] && !deeper {
			continue
		}
		if e.stage == 0 {
			if c.index.mode(e) == moduleMode {
				return false
			}
			c.against[e.path] = leaf{}
		}
	}
	return true
}

// isFile reports whether the last commit has a file at a path, where the index has a folder.
func (c *comparison) isFile(path string) bool {
	l, differs := c.against[path]
	return differs && l.mode != 0
}

// status returns the result. Paths are relative to the workspace folder.
func (c *comparison) status() Status {
	paths := map[string]bool{}
	for path := range c.against {
		paths[path] = true
	}
	for path := range c.changed {
		paths[path] = true
	}
	for i := range c.index.entries {
		if c.index.entries[i].stage > 0 {
			paths[c.index.entries[i].path] = true
		}
	}
	conflicts := Status{}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		c.report(path, &conflicts)
	}
	c.result.Changed = append(c.result.Changed, conflicts.Changed...) // Git names them last
	slices.Sort(c.result.Names)
	c.result.Untracked = len(c.result.Names)
	c.result.Names = c.result.Names[:min(len(c.result.Names), maxNames)]
	return c.result
}

// report adds a path that differs to the result, or to the conflicts.
func (c *comparison) report(path string, conflicts *Status) {
	from, to := c.index.of(path)
	committed, staged := c.against[path]
	xy, object, link := []byte("  "), committed.object, committed.mode == linkMode
	for i := from; i < to; i++ {
		e := &c.index.entries[i]
		link = link || c.index.mode(e) == linkMode
		if e.stage == 2 {
			object = c.index.object(e)
		}
		if e.stage == 0 && !staged {
			object = c.index.object(e)
		}
	}
	work, differs := c.changed[path]
	link = link || work.link
	if differs {
		xy[1] = work.code
	}
	if from < to && c.index.entries[from].stage > 0 {
		conflicts.add("UU", hex.EncodeToString([]byte(object)), path, c.prefix, link)
		return
	}
	switch {
	case from < to && c.index.entries[from].more&intentToAdd != 0 && committed.mode == 0:
		xy[1], object = 'A', ""
		if work.code == 'D' {
			xy[1] = 'D'
		}
	case !staged:
	case from == to, c.index.entries[from].more&intentToAdd != 0:
		xy[0] = 'D'
	case committed.mode == 0:
		xy[0] = 'A'
	case committed.mode&folderKind != c.index.mode(&c.index.entries[from])&folderKind:
		xy[0] = 'T'
	default:
		xy[0] = 'M'
	}
	c.result.add(string(xy), hex.EncodeToString([]byte(object)), path, c.prefix, link)
}

// folderKind are the bits of a mode that say whether it is a file or a link.
const folderKind = 0o170000
