package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Session publishes which files are unsaved in this process's editor to the other processes
// that use the state directory, while the process lives. It creates nothing in the directory
// before the first file is unsaved. Its methods may be called from any goroutine.
type Session struct {
	mu     sync.Mutex
	marker marker
	closed bool
}

// Unsaved is the published state of one process's editor.
type Unsaved struct {
	Process int      `json:"process"`
	Client  string   `json:"client,omitempty"` // the editor's name for itself
	Files   []string `json:"files"`            // absolute, without symbolic links
}

// presence owns the information that live processes share through files that count only while
// their process lives: unsaved files, and turns under way.
type presence struct{ root string }

// NewSession returns a session with no unsaved files. It accesses no file.
func (pr *presence) NewSession() *Session {
	return &Session{marker: marker{dir: filepath.Join(pr.root, "sessions")}}
}

// Publish replaces the list of unsaved files: absolute names without symbolic links. client
// is the editor's name for itself. If it fails, or on a system without locks, other processes
// do not learn of the files; nothing else depends on it.
func (n *Session) Publish(client string, files []string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.closed:
		return nil
	case len(files) == 0 && n.marker.lock == nil:
		return nil
	case len(files) == 0:
		return n.marker.unsay()
	}
	text, err := json.Marshal(Unsaved{Process: os.Getpid(), Client: client, Files: files})
	if err != nil {
		return err
	}
	return n.marker.say(text)
}

// Close removes the published state for good.
func (n *Session) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	n.marker.end()
}

// Others returns what the other live processes have published, and removes the files of ended
// processes. It returns nothing for a directory that cannot be read.
func (n *Session) Others() []Unsaved {
	n.mu.Lock()
	defer n.mu.Unlock()
	var others []Unsaved
	n.marker.others(func(text []byte) {
		var u Unsaved
		if json.Unmarshal(text, &u) == nil && len(u.Files) > 0 {
			others = append(others, u)
		}
	}, nil)
	return others
}

// Has reports whether a file is unsaved.
func (u Unsaved) Has(file string) bool { return slices.Contains(u.Files, file) }
