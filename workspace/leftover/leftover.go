// Package leftover finds the temporary files that a process left behind when it was
// killed. A process writes down where it is about to make one, in a list in the state
// directory that it holds a lock on, and takes the list away once none is left. What
// stands in a list that nobody holds was left behind, so no folder has to be searched,
// and no file of the user's that has a similar name is touched.
package leftover

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"redline/internal/filelock"
)

// The names of what is temporary: one of these and 26 random characters.
const (
	File   = ".redline-"        // a file that is being written, beside its place
	Folder = "redline-command-" // what a command has for its temporary files
)

var ours = regexp.MustCompile(`^(\.redline-|redline-command-)[A-Z2-7]{26}$`)

// Name returns a new name that begins with File or Folder.
func Name(kind string) string { return kind + rand.Text() }

const (
	listFolder = "temporary" // in the state directory
	listSuffix = ".list"
	maxList    = 1 << 20 // bytes that are read of a list
)

// Ledger writes down what is temporary. Its methods may be called from any
// goroutine, and on nil: nothing is written down then.
type Ledger struct {
	dir string // of the lists

	mu    sync.Mutex
	list  *os.File // locked; nil while nothing is noted
	noted map[string]bool
}

// New returns a ledger in a state directory. It touches nothing; "" is none.
func New(stateDir string) *Ledger {
	if stateDir == "" {
		return nil
	}
	return &Ledger{dir: filepath.Join(stateDir, listFolder), noted: map[string]bool{}}
}

// Note writes down an absolute path that is about to be made, whose last part is
// from Name. forget is to be called once it is not there any more, or is not
// temporary any more. Where nothing can be written down, nothing is found later.
func (l *Ledger) Note(path string) (forget func()) {
	if l == nil {
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list == nil {
		l.list = l.begin()
	}
	if l.list == nil {
		return func() {}
	}
	line, err := json.Marshal(path)
	if err == nil {
		_, err = l.list.Write(append(line, '\n'))
	}
	if err != nil {
		l.endIfDone()
		return func() {}
	}
	l.noted[path] = true
	return sync.OnceFunc(func() { l.forget(path) })
}

func (l *Ledger) forget(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.noted, path)
	l.endIfDone()
}

// endIfDone takes the list away if all that stands in it is done with.
func (l *Ledger) endIfDone() {
	if l.list == nil || len(l.noted) > 0 {
		return
	}
	os.Remove(l.list.Name())
	l.list.Close()
	l.list = nil
}

// begin makes a list and locks it. It returns nil if it cannot.
func (l *Ledger) begin() *os.File {
	if os.MkdirAll(l.dir, 0o700) != nil {
		return nil
	}
	for range 10 { // one that was swept before it was locked is no good
		f, err := os.OpenFile(filepath.Join(l.dir, rand.Text()+listSuffix), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil
		}
		if filelock.Try(f) && isStill(f) {
			return f
		}
		f.Close()
	}
	return nil
}

// isStill reports whether an open file has its name yet.
func isStill(f *os.File) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(is, named)
}

// Sweep removes what processes that are gone have left behind, as far as it stands
// in lists of the state directory. What cannot be removed stays in its list.
func Sweep(stateDir string) {
	entries, err := os.ReadDir(filepath.Join(stateDir, listFolder))
	if err != nil {
		return // nothing was ever temporary
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), listSuffix) && e.Type().IsRegular() {
			sweepList(filepath.Join(stateDir, listFolder, e.Name()))
		}
	}
}

// sweepList removes what stands in a list, and the list, unless a process holds it.
func sweepList(name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !isMine(info) || !filelock.Try(f) || !isStill(f) {
		return
	}
	done := true
	for lines := bufio.NewScanner(io.LimitReader(f, maxList)); lines.Scan(); {
		var path string
		if json.Unmarshal(lines.Bytes(), &path) == nil { // the last line may be cut off: nothing was made for it
			done = remove(path) && done
		}
	}
	if done {
		f.Close() // one that is open cannot be removed everywhere
		os.Remove(name)
	}
}

// remove removes something temporary of this user's. It reports whether nothing is
// left to be done.
func remove(path string) bool {
	base := filepath.Base(path)
	if !filepath.IsAbs(path) || !ours.MatchString(base) {
		return true
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return errors.Is(err, fs.ErrNotExist)
	case !isMine(info):
		return true
	case info.IsDir() && strings.HasPrefix(base, Folder):
		return RemoveAll(path) == nil
	case info.Mode().IsRegular() && strings.HasPrefix(base, File):
		return os.Remove(path) == nil
	}
	return true // a link, or something else that we have not made
}

// RemoveAll removes a folder with all that is in it, also where folders in it may
// not be written: some tools make such ones.
func RemoveAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(name, 0o700) // before it is read
		}
		return nil
	})
	return os.RemoveAll(dir)
}
