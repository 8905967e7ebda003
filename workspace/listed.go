package workspace

import "strings"

// Listed is what a folder of the workspace has.
type Listed struct {
	State   FileState // of the folder, before it was read
	Folders []string  // the names of those of its folders that were looked into
	Ruled   bool      // it has a .gitignore or a .git, in any case
	all     folderText
	partly  bool // all lacks some
}

// Names calls each with all names in the folder, in no order, and with whether each is that of a folder.
func (l Listed) Names(each func(name string, isDir bool) bool) {
	l.all.each(func(name string, kind fileKind) bool { return each(name, kind == aFolder) })
}

// Count returns how many names there are.
func (l Listed) Count() int { return len(l.all.kinds) }

// folderText is the names in a folder and what kind of file each is, in two texts: there may be a hundred
// thousand of them.
type folderText struct {
	names string // each followed by NUL
	kinds string // a fileKind each
}

// whole reports whether there are names, each with its kind: a damaged file may have others.
func (t folderText) whole() bool {
	n := strings.Count(t.names, "\x00")
	return n == len(t.kinds) && !strings.Contains("\x00"+t.names, "\x00\x00") && strings.HasSuffix("\x00"+t.names, "\x00")
}

type fileKind byte

const (
	regularFile fileKind = iota
	aFolder
	aLink
	otherFile
)

func (t folderText) each(yield func(name string, kind fileKind) bool) {
	for i, rest := 0, t.names; rest != ""; i++ {
		end := strings.IndexByte(rest, 0)
		if !yield(rest[:end], fileKind(t.kinds[i])) {
			return
		}
		rest = rest[end+1:]
	}
}
