package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"redline/internal/filelock"
	"redline/internal/smallfile"
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
// their process lives: unsaved files, turns under way, and editors that have a workspace open.
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

// Underway is a turn that a process works on.
type Underway struct {
	Began   time.Time `json:"began"`
	Request string    `json:"request"` // its first line
}

// Undertake records that a turn is under way. If this process ends before it calls end, the next
// one finds the turn with CutOff. Nothing else depends on Undertake: if it fails, the turn is
// only missing there.
func (pr *presence) Undertake(workspace string, u Underway) (end func(), err error) {
	n := &marker{dir: pr.underwayDir(workspace)}
	text, err := json.Marshal(u)
	if err == nil {
		err = n.say(text)
	}
	return n.end, err
}

// CutOff returns the turns of a workspace whose process ended before they did, oldest first,
// each only once.
func (pr *presence) CutOff(workspace string) []Underway {
	var cut []Underway
	(&marker{dir: pr.underwayDir(workspace)}).others(nil, func(text []byte) {
		var u Underway
		if json.Unmarshal(text, &u) == nil {
			cut = append(cut, u)
		}
	})
	slices.SortStableFunc(cut, func(a, b Underway) int { return a.Began.Compare(b.Began) })
	return cut
}

func (pr *presence) underwayDir(workspace string) string { return pr.dirOf("turns", workspace) }

// dirOf returns a directory for the markers of a workspace.
func (pr *presence) dirOf(kind, workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(pr.root, kind, hex.EncodeToString(sum[:8]))
}

// Editor is an editor that has a workspace open, with its server.
type Editor struct {
	Process int    `json:"process"` // of its server
	Client  string `json:"client"`  // the editor's name for itself
}

// Serve publishes that this process is the server of an editor that has a workspace open, until end is
// called or the process ends. If it fails, other processes take the workspace for one that no editor has
// open.
func (pr *presence) Serve(workspace, client string) (end func(), err error) {
	n := &marker{dir: pr.dirOf("editors", workspace)}
	text, err := json.Marshal(Editor{Process: os.Getpid(), Client: client})
	if err == nil {
		err = n.say(text)
	}
	return n.end, err
}

// Editors returns the editors that have a workspace open, those of this process included.
func (pr *presence) Editors(workspace string) (all []Editor) {
	(&marker{dir: pr.dirOf("editors", workspace)}).others(func(text []byte) {
		var e Editor
		if json.Unmarshal(text, &e) == nil {
			all = append(all, e)
		}
	}, nil)
	return all
}

// maxMarker limits how many bytes of a marker are read.
const maxMarker = 4 << 20

// marker is a small file that one process publishes to the others, "3f9c0a1b2d4e5f60.json", next to
// a lock file, "3f9c0a1b2d4e5f60.lock". It counts while the process has that file locked; the system unlocks it when the process
// ends, in whatever way. A marker is not safe for concurrent use.
type marker struct {
	dir  string
	lock *os.File // nil until something was published
	id   string

	awaited map[string]bool // see ending
}

// say publishes text.
func (n *marker) say(text []byte) error {
	if err := n.begin(); err != nil {
		return err
	}
	// Write it under another name first, so that nobody reads a partial text.
	whole := n.path(n.id, "tmp")
	if err := os.WriteFile(whole, text, 0o600); err != nil {
		return err
	}
	return os.Rename(whole, n.path(n.id, "json"))
}

// unsay removes the text; the lock stays.
func (n *marker) unsay() error {
	err := os.Remove(n.path(n.id, "json"))
	if os.IsNotExist(err) {
		err = nil
	}
	return err
}

// end removes the marker.
func (n *marker) end() {
	if n.lock != nil {
		n.sweep(n.id, n.lock)
		n.lock = nil
	}
}

// others reads the other markers of the directory. It calls live for those of live processes.
// It removes those of ended processes, and calls ended with their last text, in one process
// only. It ignores a directory that cannot be read.
func (n *marker) others(live, ended func(text []byte)) {
	entries, err := os.ReadDir(n.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".lock")
		if !ok || !e.Type().IsRegular() || id == n.id && n.lock != nil {
			continue
		}
		f, err := os.OpenFile(n.path(id, "lock"), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		locked := filelock.Held(f)
		words, err := smallfile.Read(n.path(id, "json"), maxMarker) // a process that ends removes this before it unlocks
		said, text := err == nil, []byte(words)
		if !locked || said && n.ending(id, f, text) {
			first := os.Remove(n.path(id, "json")) == nil // another process may remove it at the same time
			n.sweep(id, f)
			if said && first && ended != nil {
				ended(text)
			}
			continue
		}
		if said && live != nil {
			live(text)
		}
		f.Close()
	}
}

// begin creates and locks the lock file, under a new name. Another process that finds the
// file before it is locked takes it for that of an ended process, and removes it: begin then
// tries another name.
func (n *marker) begin() error {
	if n.lock != nil && n.lockIsThere() {
		return nil
	}
	if n.lock != nil {
		n.lock.Close()
		n.lock = nil
	}
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	for range 100 { // on a busy machine several tries may fail
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails
		n.id = hex.EncodeToString(random[:])
		f, err := os.OpenFile(n.path(n.id, "lock"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		if n.lock = f; filelock.Try(f) && n.lockIsThere() {
			return nil
		}
		f.Close()
		n.lock = nil
	}
	return errors.New("the lock of a marker is taken by another process each time")
}

// lockIsThere reports whether the lock file that this marker has locked still has its name.
func (n *marker) lockIsThere() bool {
	held, err := n.lock.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(n.path(n.id, "lock"))
	return err == nil && os.SameFile(held, found)
}

// sweep removes the files of a marker whose lock nobody else holds. It removes the lock file
// last, so that nobody finds the others without it. Systems that cannot remove an open file
// remove it once it is closed.
func (n *marker) sweep(id string, lock *os.File) {
	for _, kind := range []string{"json", "tmp"} {
		os.Remove(n.path(id, kind))
	}
	if os.Remove(n.path(id, "lock")) == nil {
		lock.Close()
		return
	}
	lock.Close()
	os.Remove(n.path(id, "lock"))
}

func (n *marker) path(id, kind string) string { return filepath.Join(n.dir, id+"."+kind) }

// ending waits for the lock of a marker whose process has ended, and reports whether it is free.
// It waits once for each marker: if that does not help, the process cannot be seen from here, as
// in another container.
func (n *marker) ending(id string, lock *os.File, text []byte) bool {
	var by struct{ Process int }
	if n.awaited[id] || json.Unmarshal(text, &by) != nil || by.Process <= 0 || !filelock.Ended(by.Process) {
		return false
	}
	if filelock.Freed(func() bool { return !filelock.Held(lock) }) {
		return true
	}
	if n.awaited == nil {
		n.awaited = map[string]bool{}
	}
	n.awaited[id] = true
	return false
}

// locks are rights, each with a number, that one process holds at a time: locks on the files
// of a directory, such as "executions/12.lock". The system releases them when their process ends, in whatever way, so that
// another process can tell running work from interrupted work.
type locks struct {
	dir string

	mu       sync.Mutex
	held     map[int64]*os.File
	volatile map[int64]bool // nil for locks on files; see inMemory
}

// inMemory keeps rights in this process only, from now on, because their numbers come from a
// database in memory, which no other process sees.
func (l *locks) inMemory() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.volatile = map[int64]bool{}
}

// take takes a right; free is false if another process has it. If the lock file cannot be
// created, take grants the right without a lock: to another process the work then looks
// interrupted.
func (l *locks) take(id int64) (free bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.volatile != nil {
		free = !l.volatile[id]
		l.volatile[id] = true
		return free
	}
	if os.MkdirAll(l.dir, 0o700) != nil {
		return true
	}
	f, err := os.OpenFile(l.path(id), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return true
	}
	if !filelock.Try(f) {
		f.Close()
		return false
	}
	if l.held == nil {
		l.held = map[int64]*os.File{}
	}
	l.held[id] = f
	return true
}

// give releases a right, if this process has it.
func (l *locks) give(id int64) {
	l.mu.Lock()
	f := l.held[id]
	delete(l.held, id)
	delete(l.volatile, id)
	l.mu.Unlock()
	if f != nil {
		os.Remove(f.Name())
		f.Close()
		os.Remove(f.Name()) // on systems that keep open files
	}
}

// taken reports whether a live process, this one included, has a right.
func (l *locks) taken(id int64) bool {
	l.mu.Lock()
	volatile, has := l.volatile != nil, l.volatile[id]
	l.mu.Unlock()
	if volatile {
		return has
	}
	f, err := os.OpenFile(l.path(id), os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	return filelock.Held(f)
}

// close releases all rights, as the end of the process would.
func (l *locks) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.held {
		f.Close()
	}
	l.held = nil
}

func (l *locks) path(id int64) string { return filepath.Join(l.dir, fmt.Sprintf("%d.lock", id)) }
