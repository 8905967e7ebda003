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
	return b.lockWith(func(t *table) []readahead.Paths { return pathsOfAll(t.of(h).files) })
}

// lockReadAll is lockWith for all files of a plan, and for those to which earlier revisions have
// applied something.
func (b *Board) lockReadAll(h *Held) (*table, *readahead.Files) {
	return b.lockWith(func(t *table) []readahead.Paths {
		files := pathsOfAll(t.of(h).files)
		for _, c := range t.of(h).past {
			files = append(files, pathsOf(c.Change))
		}
		return files
	})
}

// lockReadFile is lockWith for one file.
func (b *Board) lockReadFile(c *plan.Change) (*table, *readahead.Files) {
	return b.lockWith(func(*table) []readahead.Paths { return []readahead.Paths{pathsOf(c)} })
}

func pathsOf(c *plan.Change) readahead.Paths { return readahead.Paths{Old: c.Path, New: c.NewPath} }

func pathsOfAll(files []*heldFile) (all []readahead.Paths) {
	for _, f := range files {
		all = append(all, pathsOf(f.Change))
	}
	return all
}
