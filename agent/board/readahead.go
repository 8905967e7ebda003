package board

import (
	"redline/agent/plan"
	"redline/agent/readahead"
)

// lockWith locks Board.mu, once the files were read that files names. files is called with
// Board.mu held, and again whenever it was given back to read: what it returns may change.
func (b *Board) lockWith(files func() []readahead.Paths) *readahead.Files {
	l := readahead.New(b.ws)
	for {
		b.mu.Lock()
		missing := l.Missing(files())
		if len(missing) == 0 {
			return l
		}
		b.mu.Unlock()
		l.Read(missing)
	}
}

// lockRead is lockWith for all files of a plan.
func (b *Board) lockRead(h *Held) *readahead.Files { return b.lockWith(h.paths) }

// lockReadAll is lockWith for all files of a plan, and for what earlier revisions have
// applied.
func (b *Board) lockReadAll(h *Held) *readahead.Files {
	return b.lockWith(func() []readahead.Paths {
		files := h.paths()
		for _, c := range h.past {
			files = append(files, pathsOf(c.Change))
		}
		return files
	})
}

// paths are the names of the plan's files.
func (h *Held) paths() []readahead.Paths {
	files := make([]readahead.Paths, 0, len(h.files))
	for _, f := range h.files {
		files = append(files, pathsOf(f.change))
	}
	return files
}

// lockReadFile is lockWith for one file.
func (b *Board) lockReadFile(c *plan.Change) *readahead.Files {
	return b.lockWith(func() []readahead.Paths { return []readahead.Paths{pathsOf(c)} })
}

func pathsOf(c *plan.Change) readahead.Paths { return readahead.Paths{Old: c.Path, New: c.NewPath} }
