package board

import (
	"redline/agent/plan"
	"redline/agent/readahead"
)

// lockWith reads the files that files names and locks the table. files is called with the table
// locked, and again whenever it was unlocked to read: what it returns may change.
func (b *Board) lockWith(files func(*table) []readahead.Paths) (*table, *readahead.Files) {
	l := readahead.New(b.ws)
	for {
		t := b.lock()
		missing := l.Missing(files(t))
		if len(missing) == 0 {
			return t, l
		}
		t.unlock()
		l.Read(missing)
	}
}

// lockRead is lockWith for all files of a plan.
func (b *Board) lockRead(h *Held) (*table, *readahead.Files) {
	return b.lockWith(func(t *table) []readahead.Paths { return t.of(h).paths() })
}

// lockReadAll is lockWith for all files of a plan, and for those to which earlier revisions have
// applied something.
func (b *Board) lockReadAll(h *Held) (*table, *readahead.Files) {
	return b.lockWith(func(t *table) []readahead.Paths {
		files := t.of(h).paths()
		for _, c := range t.of(h).past {
			files = append(files, pathsOf(c.Change))
		}
		return files
	})
}

// paths returns the names of the plan's files.
func (h *entry) paths() []readahead.Paths {
	files := make([]readahead.Paths, 0, len(h.files))
	for _, f := range h.files {
		files = append(files, pathsOf(f.Change))
	}
	return files
}

// lockReadFile is lockWith for one file.
func (b *Board) lockReadFile(c *plan.Change) (*table, *readahead.Files) {
	return b.lockWith(func(*table) []readahead.Paths { return []readahead.Paths{pathsOf(c)} })
}

func pathsOf(c *plan.Change) readahead.Paths { return readahead.Paths{Old: c.Path, New: c.NewPath} }
