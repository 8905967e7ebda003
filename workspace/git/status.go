package git

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"redline/workspace/gitrepo"
)

// Status lists how the files of a workspace folder on disk differ from the last commit.
type Status struct {
	Branch    string // "" if HEAD is a commit, not a branch
	Commit    string // hash of the last commit, "" if there is none yet
	Changed   []Changed
	Untracked int      // number of files that are neither tracked nor ignored; a folder with only such files counts once
	Names     []string // names of the first untracked files; folders end with "/"
	More      bool     // there are more than these numbers say
}

// Changed is a file that differs between two commits, or between a commit and the disk.
type Changed struct {
	Path    string
	OldPath string // the earlier path of a renamed or copied file, else ""
	Kind    Kind
	Old     string // object of the text before, "" if the file did not exist
	New     string // object of the text after, "" if the file does not exist or is on disk
	Link    bool   // it is or was a symbolic link, whose text is the target
}

// Kind is the kind of a change to a file.
type Kind string

// The kinds.
const (
	Modified Kind = "modified"
	Added    Kind = "added"
	Deleted  Kind = "deleted"
	Renamed  Kind = "renamed"
	Copied   Kind = "copied"
	Retyped  Kind = "type changed" // for example, a file became a link
	Conflict Kind = "in conflict"
)

// Limits of a status.
const (
	maxStatus = 4 << 20 // bytes to read
	maxNames  = 100     // untracked files to name
)

// Status compares the files on disk with the last commit. It does not read untracked files.
func (r *Repo) Status(ctx context.Context) (Status, error) {
	v, err := r.open(ctx, headOnly)
	if err != nil {
		return Status{}, err
	}
	defer v.close()
	return v.status()
}

func (v *view) status() (Status, error) {
	out, err := v.git(nil, maxStatus, "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind",
		"--untracked-files=normal", "--ignore-submodules=all", "--no-renames", "--", ".")
	if err != nil {
		return Status{}, err
	}
	return parseStatus(string(out.text), v.prefix, out.cut), nil
}

// parseStatus parses porcelain version 2 of git-status(1), with a NUL at the end of each entry:
//
//	# branch.head main
//	1 .M N... 100644 100644 100644 HASH HASH a.go
//	? new.go
func parseStatus(text, prefix string, cut bool) Status {
	s := Status{More: cut}
	for {
		entry, rest, ok := strings.Cut(text, "\x00")
		if !ok {
			return s
		}
		text = rest
		kind, value, _ := strings.Cut(entry, " ")
		switch kind {
		case "#":
			name, value, _ := strings.Cut(value, " ")
			switch {
			case name == "branch.head" && value != "(detached)":
				s.Branch = value
			case name == "branch.oid" && value != "(initial)":
				s.Commit = value
			}
		case "1": // XY sub mH mI mW hH hI path
			if f := strings.SplitN(value, " ", 8); len(f) == 8 {
				s.add(f[0], f[5], f[7], prefix, isLink(f[2:5]))
			}
		case "u": // XY sub m1 m2 m3 mW h1 h2 h3 path
			if f := strings.SplitN(value, " ", 10); len(f) == 10 {
				s.add("UU", f[7], f[9], prefix, isLink(f[2:6]))
			}
		case "?":
			s.Untracked++
			if path, ok := strings.CutPrefix(value, prefix); ok && len(s.Names) < maxNames {
				s.Names = append(s.Names, path)
			}
		}
	}
}

func isLink(modes []string) bool { return slices.Contains(modes, "120000") }

func (s *Status) add(xy, object, path, prefix string, link bool) {
	path, ok := strings.CutPrefix(path, prefix)
	if !ok {
		return
	}
	c := Changed{Path: path, Old: present(object), Kind: Modified, Link: link}
	switch {
	case xy == "UU":
		c.Kind = Conflict
	case strings.Contains(xy, "D"):
		c.Kind = Deleted
	case strings.Contains(xy, "A"):
		c.Kind = Added
	case strings.Contains(xy, "T"):
		c.Kind = Retyped
	}
	s.Changed = append(s.Changed, c)
}

// present returns the hash of an object, "" for the hash that means no object.
func present(object string) string {
	if strings.Trim(object, "0") == "" {
		return ""
	}
	return object
}

// index is the content of Git's index file (gitformat-index(5)), versions 2 to 4.
type index struct {
	data    string
	entries []entry // sorted by path, then by stage
	trees   *cachedTree
}

// entry is a file in the index.
type entry struct {
	path  string
	at    int // where its fields begin in the data
	stage int // 0; 1 to 3 for a file in conflict
	flags uint16
	more  uint16 // the extended flags
}

// Flags of an entry.
const (
	assumeValid  = 0x8000
	skipWorktree = 0x4000 // extended
	intentToAdd  = 0x2000 // extended
)

// fieldsSize is the size in bytes of an entry up to its flags, with SHA-1 names.
const fieldsSize = 62

// field returns the 32-bit field with a number: 0 ctime, 1 its nanoseconds, 2 mtime, 3 its
// nanoseconds, 4 device, 5 inode, 6 mode, 7 user, 8 group, 9 size.
func (x *index) field(e *entry, n int) uint32 {
	return binary.BigEndian.Uint32([]byte(x.data[e.at+4*n : e.at+4*n+4]))
}

func (x *index) mode(e *entry) uint32 { return x.field(e, 6) }

// object returns the name of an entry's object, as 20 bytes.
func (x *index) object(e *entry) string { return x.data[e.at+40 : e.at+60] }

// parseIndex parses an index. ok is false if it is damaged, or of a form that only Git reads.
func parseIndex(data string) (x *index, ok bool) {
	const header, checksum = 12, 20
	if len(data) < header+checksum {
		return nil, false
	}
	number := func(at int) int { return int(binary.BigEndian.Uint32([]byte(data[at : at+4]))) }
	end := len(data) - checksum
	x = &index{data: data, entries: make([]entry, 0, min(number(8), end/fieldsSize))}
	at, err := gitrepo.ReadIndex(data[:end], checksum, func(read gitrepo.IndexEntry) bool {
		e := entry{path: read.Path, at: read.At, stage: int(read.Flags >> 12 & 3), flags: read.Flags, more: read.More}
		if !isIndexPath(e.path) || len(x.entries) > 0 && compareEntries(x.entries[len(x.entries)-1], e) >= 0 {
			return false
		}
		x.entries = append(x.entries, e)
		return true
	})
	if err != nil {
		return nil, false
	}
	for at+8 <= end {
		name, size := data[at:at+4], number(at+4)
		at += 8
		if size < 0 || size > end-at {
			return nil, false
		}
		switch {
		case name == "TREE":
			x.trees, _ = parseTrees(data[at:at+size], 0) // without them, all trees are compared
		case name[0] < 'A' || name[0] > 'Z': // whoever does not know it must not read the index
			return nil, false
		}
		at += size
	}
	return x, at == end
}

// isIndexPath reports whether a path lies in the worktree, outside .git.
func isIndexPath(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

func compareEntries(a, b entry) int {
	return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.stage, b.stage))
}

// below returns the positions of the entries below a folder, "" for all, else with a slash at its
// end.
func (x *index) below(folder string) (from, to int) {
	return x.span(folder, func(path string) bool { return strings.HasPrefix(path, folder) })
}

// of returns the positions of the entries of a path: one, or several in conflict.
func (x *index) of(path string) (from, to int) {
	return x.span(path, func(p string) bool { return p == path })
}

// span returns the positions of the entries from a path on that fit.
func (x *index) span(path string, fits func(path string) bool) (from, to int) {
	from, _ = slices.BinarySearchFunc(x.entries, path, func(e entry, path string) int { return strings.Compare(e.path, path) })
	for to = from; to < len(x.entries) && fits(x.entries[to].path); to++ {
	}
	return from, to
}

// cachedTree is a folder in the index whose tree object may be known.
type cachedTree struct {
	object string // 20 bytes; "" if something below it has changed since it was written
	below  map[string]*cachedTree
}

// maxTreeDepth is how deeply folders may be nested; Git's own limit is 2048.
const maxTreeDepth = 1000

// parseTrees parses the extension with the trees of folders, and returns what is left of it. A tree is
// its name, how many entries and folders it has, and its object unless it has -1 entries, then its
// folders: "lib\x002 0\n" and 20 bytes.
func parseTrees(data string, depth int) (t *cachedTree, rest string) {
	_, t, rest = parseTree(data, depth)
	return t, rest
}

func parseTree(data string, depth int) (name string, t *cachedTree, rest string) {
	name, data, ok := strings.Cut(data, "\x00")
	line, rest, ok2 := strings.Cut(data, "\n")
	entries, folders, ok3 := strings.Cut(line, " ")
	n, ok4 := small(folders)
	if !ok || !ok2 || !ok3 || !ok4 || depth > maxTreeDepth {
		return "", nil, ""
	}
	t = &cachedTree{}
	if entries != "-1" {
		if len(rest) < 20 {
			return "", nil, ""
		}
		t.object, rest = rest[:20], rest[20:]
	}
	for range n {
		var child *cachedTree
		var called string
		if called, child, rest = parseTree(rest, depth+1); child == nil {
			return "", nil, ""
		}
		if t.below == nil {
			t.below = map[string]*cachedTree{}
		}
		t.below[called] = child
	}
	return name, t, rest
}

// small parses a number of at most six digits.
func small(text string) (n int, ok bool) {
	if text == "" || len(text) > 6 {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
