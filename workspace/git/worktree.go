package git

import (
	"crypto/sha1"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"redline/workspace"
)

// Limits of what is read of a worktree without Git.
const (
	maxHashed   = 4 << 20  // bytes of one file whose content is compared
	maxHashing  = 16 << 20 // bytes of all of them
	maxIgnores  = 1 << 20  // bytes of a file of ignore patterns, and of attributes
	maxNesting  = 200      // folders below each other
	maxWalkLeft = 200_000  // names of files that are looked at
)

// stat is what the index remembers of a file.
type stat struct {
	ctime, mtime int64 // nanoseconds
	inode, size  uint64
}

// folderRules are what the folders above a file say about it.
type folderRules struct {
	above    *folderRules
	prefix   string // the path of the folder in the worktree, "" or with a slash at its end
	ignore   workspace.IgnoreFile
	filtered bool // attributes may name a filter
	ignored  bool // the folder is ignored, with all that is below it
}

// ignores reports whether Git ignores a path, relative to the worktree.
func (r *folderRules) ignores(name string, folder bool) bool {
	if r.ignored {
		return true
	}
	for ; r != nil; r = r.above {
		if ignored, found := r.ignore.Decides(name[len(r.prefix):], folder); found {
			return ignored
		}
	}
	return false
}

// worktree compares the index with the workspace folder on disk.
func (c *comparison) worktree() bool {
	from, to := c.index.below(c.prefix)
	if c.prefix != "" && from == to {
		return false // the whole folder may be untracked or ignored
	}
	rules := &folderRules{}
	for _, file := range []struct {
		name string
		root *os.Root
	}{{c.ignored, nil}, {"info/exclude", c.common}} {
		text, ok := "", true
		switch {
		case file.name == "":
			continue
		case file.root == nil:
			data, err := os.ReadFile(file.name)
			text, ok = string(data), err == nil && len(data) <= maxIgnores
		default:
			text, ok = optional(file.root, file.name)
		}
		if !ok {
			return false
		}
		rules.ignore = workspace.ParseIgnore(text)
		rules = &folderRules{above: rules}
	}
	attributes, ok := optional(c.common, "info/attributes")
	if !ok {
		return false
	}
	rules.filtered = filters(attributes)
	at, left := "", maxWalkLeft
	top, err := os.OpenRoot(c.top)
	if err != nil {
		return false
	}
	defer top.Close()
	for rest := c.prefix; rest != ""; { // the folders above the workspace folder
		if rules, ok = c.rulesOf(rules, top, at); !ok || rules.ignores(path.Join(at, rest[:strings.IndexByte(rest, '/')]), true) {
			return false
		}
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		at += part + "/"
	}
	w := &walk{comparison: c, left: left}
	if !w.folder(c.work, c.prefix, rules, 0) {
		return false
	}
	for i := from; i < to; i++ {
		e := &c.index.entries[i]
		if !c.found[i] && e.stage == 0 && c.index.mode(e) != moduleMode && e.more&skipWorktree == 0 && e.flags&assumeValid == 0 {
			c.changed[e.path] = change{'D', c.index.mode(e) == linkMode}
		}
	}
	return true
}

// optional reads a file that may be missing.
func optional(from *os.Root, name string) (text string, ok bool) {
	if _, err := from.Lstat(name); os.IsNotExist(err) {
		return "", true
	}
	text, _, ok = readRegular(from, name, maxIgnores)
	return text, ok
}

// filters reports whether attributes may change a text other than at the ends of its lines.
func filters(attributes string) bool {
	return slices.ContainsFunc([]string{"filter", "ident", "working-tree-encoding", "[attr]"}, func(word string) bool { return strings.Contains(attributes, word) })
}

// rulesOf adds the files with rules of a folder.
func (c *comparison) rulesOf(above *folderRules, in *os.Root, prefix string) (*folderRules, bool) {
	ignore, ok := optional(in, path.Join(prefix, ".gitignore"))
	attributes, ok2 := optional(in, path.Join(prefix, ".gitattributes"))
	if !ok || !ok2 {
		return nil, false
	}
	r := &folderRules{above: above, prefix: prefix, filtered: above.filtered || filters(attributes)}
	r.ignore = workspace.ParseIgnore(ignore)
	return r, true
}

// walk goes through the folders of a worktree.
type walk struct {
	*comparison
	left int // how many names may still be looked at
}

// folder compares one folder, whose path in the worktree is prefix.
func (w *walk) folder(dir *os.Root, prefix string, rules *folderRules, depth int) bool {
	entries, ok := w.list(dir, depth)
	if !ok {
		return false
	}
	from, to := w.index.below(prefix)
	if rules, ok = w.withRules(rules, dir, prefix, entries, from, to); !ok {
		return false
	}
	for _, e := range entries {
		name := prefix + e.Name()
		tracked, end := w.index.of(name)
		switch {
		case e.Name() == ".git":
		case e.IsDir():
			ok = w.below(dir, e.Name(), name, rules, depth)
		case !e.Type().IsRegular() && e.Type() != fs.ModeSymlink:
		case tracked < end:
			for i := tracked; i < end; i++ {
				w.found[i] = true
			}
			ok = w.file(dir, e, &w.index.entries[tracked], rules)
		case !rules.ignores(name, false):
			w.result.Names = append(w.result.Names, name[len(w.prefix):])
		}
		if !ok {
			return false
		}
	}
	return true
}

// list returns what is in a folder.
func (w *walk) list(dir *os.Root, depth int) (entries []fs.DirEntry, ok bool) {
	f, err := dir.Open(".")
	if err != nil || depth > maxNesting || w.ctx.Err() != nil {
		return nil, false
	}
	defer f.Close()
	entries, err = f.ReadDir(-1)
	w.left -= len(entries)
	return entries, err == nil && w.left >= 0
}

// withRules adds the rules of a folder. Attributes that the index has and the folder does not have
// count for Git too.
func (w *walk) withRules(rules *folderRules, dir *os.Root, prefix string, entries []fs.DirEntry, from, to int) (*folderRules, bool) {
	r := &folderRules{above: rules, prefix: prefix, filtered: rules.filtered, ignored: rules.ignored}
	has := false
	for _, e := range entries {
		name := e.Name()
		if name != ".gitignore" && name != ".gitattributes" {
			continue
		}
		text, ok := optional(dir, name)
		switch {
		case !ok:
			return nil, false
		case name == ".gitattributes":
			has, r.filtered = true, r.filtered || filters(text)
		default:
			r.ignore = workspace.ParseIgnore(text)
		}
	}
	if from < to && !has {
		if at, end := w.index.of(prefix + ".gitattributes"); at < end {
			r.filtered = true
		}
	}
	return r, true
}

// below compares a folder within another.
func (w *walk) below(dir *os.Root, base, name string, rules *folderRules, depth int) bool {
	if at, end := w.index.of(name); at < end && w.index.mode(&w.index.entries[at]) == moduleMode {
		w.found[at] = true
		return true // a submodule
	}
	from, to := w.index.below(name + "/")
	if rules.ignores(name, true) {
		if from == to {
			return true
		}
		rules = &folderRules{above: rules, filtered: rules.filtered, ignored: true} // it has files of the index all the same
	}
	sub, err := dir.OpenRoot(base)
	if err != nil {
		return false
	}
	defer sub.Close()
	if from < to {
		return w.folder(sub, name+"/", rules, depth+1)
	}
	has, ok := w.untracked(sub, name+"/", rules, depth+1)
	if has {
		w.result.Names = append(w.result.Names, name[len(w.prefix):]+"/")
	}
	return ok
}

// untracked reports whether a folder without files of the index has any that is not ignored.
func (w *walk) untracked(dir *os.Root, prefix string, rules *folderRules, depth int) (has, ok bool) {
	entries, ok := w.list(dir, depth)
	if !ok {
		return false, false
	}
	for _, e := range entries {
		if e.Name() == ".git" { // perhaps a repository of its own
			return false, false
		}
	}
	if rules, ok = w.withRules(rules, dir, prefix, entries, 0, 0); !ok {
		return false, false
	}
	for _, e := range entries {
		name := prefix + e.Name()
		switch {
		case rules.ignores(name, e.IsDir()):
		case e.Type().IsRegular(), e.Type() == fs.ModeSymlink:
			has = true
		case e.IsDir():
			sub, err := dir.OpenRoot(e.Name())
			if err != nil {
				return false, false
			}
			inside, ok := w.untracked(sub, name+"/", rules, depth+1)
			sub.Close()
			if !ok {
				return false, false
			}
			has = has || inside
		}
		if has {
			return true, true
		}
	}
	return has, true
}

// file compares a file with its entry in the index.
func (w *walk) file(dir *os.Root, listed fs.DirEntry, e *entry, rules *folderRules) bool {
	if e.flags&assumeValid != 0 || e.more&skipWorktree != 0 || e.stage > 0 {
		return true
	}
	info, err := listed.Info()
	if err != nil {
		return os.IsNotExist(err) && w.gone(e)
	}
	s, ok := statOf(info)
	if !ok {
		return false
	}
	mode, isLink := w.index.mode(e), info.Mode()&fs.ModeSymlink != 0
	switch {
	case mode == moduleMode:
		return false
	case isLink != (mode == linkMode):
		w.changed[e.path] = change{'T', true}
		return true
	case e.more&intentToAdd != 0:
		w.changed[e.path] = change{'M', isLink}
		return true
	case w.executable && !isLink && (info.Mode()&0o100 != 0) != (mode&0o100 != 0):
		w.changed[e.path] = change{'M', false}
		return true
	case w.unchanged(e, s):
		return true
	}
	same, ok := w.sameText(dir, listed.Name(), e, info, rules)
	if ok && !same {
		w.changed[e.path] = change{'M', isLink}
	}
	return ok
}

// gone notes that a file was removed while the worktree is read.
func (w *walk) gone(e *entry) bool {
	w.changed[e.path] = change{'D', w.index.mode(e) == linkMode}
	return true
}

// unchanged reports whether a file is as the index remembers it. One that was written when the
// index was, or later, may have been written again with the same times.
func (w *walk) unchanged(e *entry, s stat) bool {
	second := func(n int) int64 { return int64(w.index.field(e, n))*1e9 + int64(w.index.field(e, n+1)) }
	coarse := func(n int, t int64) bool { return w.index.field(e, n+1) == 0 && uint32(t/1e9) == w.index.field(e, n) }
	return uint32(s.size) == w.index.field(e, 9) && uint32(s.inode) == w.index.field(e, 5) &&
		(second(0) == s.ctime || coarse(0, s.ctime)) && (second(2) == s.mtime || coarse(2, s.mtime)) &&
		(w.index.field(e, 3) != 0 && s.mtime < w.indexTime || s.mtime/1e9 < w.indexTime/1e9)
}

// sameText reports whether a file has the text of its entry in the index; ok is false if only Git
// can tell, since the text may be changed on its way into the repository.
func (w *walk) sameText(dir *os.Root, base string, e *entry, info fs.FileInfo, rules *folderRules) (same, ok bool) {
	var text string
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := dir.Readlink(base)
		if err != nil {
			return false, false
		}
		text = target
	} else {
		if w.read += int(min(info.Size(), maxHashing)); info.Size() > maxHashed || w.read > maxHashing || rules.filtered {
			return false, false
		}
		if text, _, ok = readRegular(dir, base, maxHashed); !ok || strings.Contains(text, "\r") {
			return false, false
		}
	}
	sum := sha1.New()
	sum.Write(append(strconv.AppendInt([]byte("blob "), int64(len(text)), 10), 0))
	sum.Write([]byte(text))
	return string(sum.Sum(nil)) == w.index.object(e), true
}
