package agent

import (
	"redline/agent/plan"
	"redline/workspace"
)

// ahead is what was read of a plan's files before a.mu was taken, since typing
// waits for that. What an editor shows by then counts instead, and what was not
// read ahead is read when it is needed.
type ahead struct {
	ws    *workspace.Workspace
	reads map[string]readAhead
	stats map[string]statAhead
}

type readAhead struct {
	file workspace.File
	err  error
}

type statAhead struct {
	exists, isDir bool
	err           error
}

// lookAhead reads the files of a plan that no editor shows, and looks at what is
// where they are to be put. The caller does not hold a.mu.
func (a *Agent) lookAhead(h *heldPlan) *ahead {
	l := a.asNow()
	l.reads, l.stats = map[string]readAhead{}, map[string]statAhead{}
	a.mu.Lock()
	files := h.files // replaced by another revision, never changed
	a.mu.Unlock()
	for _, f := range files {
		paths := []string{f.change.Path}
		if f.change.NewPath != "" {
			paths = append(paths, f.change.NewPath)
		}
		for _, path := range paths {
			if f.change.Action == plan.Create || f.change.Action == plan.Rename {
				exists, isDir, err := a.ws.Stat(path)
				l.stats[path] = statAhead{exists, isDir, err}
			}
			if _, open := a.ws.Buffer(path); !open {
				file, err := a.ws.Read(path)
				l.reads[path] = readAhead{file, err}
			}
		}
	}
	return l
}

// asNow is ahead with nothing read: everything is as it is when it is needed.
func (a *Agent) asNow() *ahead { return &ahead{ws: a.ws} }

// Read is Read of the workspace.
func (l *ahead) Read(path string) (workspace.File, error) {
	if r, ok := l.reads[path]; ok {
		if _, open := l.ws.Buffer(path); !open && r.file.Buffer == nil {
			return r.file, r.err
		}
	}
	return l.ws.Read(path)
}

// Stat is Stat of the workspace.
func (l *ahead) Stat(path string) (exists, isDir bool, err error) {
	if s, ok := l.stats[path]; ok {
		return s.exists, s.isDir, s.err
	}
	return l.ws.Stat(path)
}
