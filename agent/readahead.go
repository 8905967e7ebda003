package agent

import (
	"redline/agent/plan"
	"redline/agent/readahead"
)

// ahead is what was read of a plan's files before a.mu was taken.
type ahead = readahead.Files

// lockWith locks a.mu, once the files were read that files names. files is called with
// a.mu held, and again whenever it was given back to read: what it returns may change.
func (a *Agent) lockWith(files func() []readahead.Paths) *ahead {
	l := readahead.New(a.ws)
	for {
		a.mu.Lock()
		missing := l.Missing(files())
		if len(missing) == 0 {
			return l
		}
		a.mu.Unlock()
		l.Read(missing)
	}
}

// lockRead is lockWith for all files of a plan.
func (a *Agent) lockRead(h *heldPlan) *ahead { return a.lockWith(h.paths) }

// lockReadAll is lockWith for all files of a plan, and for what earlier revisions have
// applied.
func (a *Agent) lockReadAll(h *heldPlan) *ahead {
	return a.lockWith(func() []readahead.Paths {
		files := h.paths()
		for _, c := range h.past {
			files = append(files, pathsOf(c.change))
		}
		return files
	})
}

// paths are the names of the plan's files.
func (h *heldPlan) paths() []readahead.Paths {
	files := make([]readahead.Paths, 0, len(h.files))
	for _, f := range h.files {
		files = append(files, pathsOf(f.change))
	}
	return files
}

// lockReadFile is lockWith for one file.
func (a *Agent) lockReadFile(c *plan.Change) *ahead {
	return a.lockWith(func() []readahead.Paths { return []readahead.Paths{pathsOf(c)} })
}

func pathsOf(c *plan.Change) readahead.Paths { return readahead.Paths{Old: c.Path, New: c.NewPath} }
