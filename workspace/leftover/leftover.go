// Package leftover removes the temporary files of a killed process. A process records the
// path of each temporary file, before it creates it, in a list in the state directory that
// it keeps locked, and removes the list once no such file is left. The name of a list begins with the
// id of its process: "4711-B3JQ7QK4XJZ5T2MBN3WVLHYEC6.list". A line of it is a path as a JSON string:
// "/home/me/shop/.redline-7QK4XJZ5T2MBN3WVLHYEC6RSDA". The paths in a list
// without a lock are leftovers, so no folder has to be searched, and no user file with a
// similar name is touched.
package leftover

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"redline/internal/filelock"
	"redline/internal/lazyregexp"
)

// The prefixes of temporary names; 26 random characters follow.
const (
	File   = ".redline-"        // a file being written, beside its final place
	Folder = "redline-command-" // a command's folder for temporary files
	Git    = "redline-git-"     // a private repository, through which one is read
	Review = "redline-review-"  // a folder with the file that leads a browser to a review
	World  = "redline-world-"   // a folder in which a process tests whether commands are isolated, or for what one writes meanwhile
)

var ours = lazyregexp.New(`^(\.redline-|redline-command-|redline-world-|redline-git-|redline-review-)[A-Z2-7]{26}$`)

// Name returns a new name that begins with kind, which is one of the prefixes.
func Name(kind string) string { return kind + rand.Text() }

const (
	listFolder = "temporary" // in the state directory
	listSuffix = ".list"
	maxList    = 1 << 20 // bytes read of a list
)

// Ledger records temporary files. Its methods may be called from any goroutine. A nil
// Ledger records nothing.
type Ledger struct {
	dir string // holds the lists

	mu    sync.Mutex
	list  *os.File // locked; nil while nothing is recorded
	noted map[string]bool
}

// New returns the ledger of a state directory, nil for "". It creates nothing yet.
func New(stateDir string) *Ledger {
	if stateDir == "" {
		return nil
	}
	return &Ledger{dir: filepath.Join(stateDir, listFolder), noted: map[string]bool{}}
}

// Dir returns a folder in the state directory that can hold temporary folders, which exists once
// something is noted; "" for a nil Ledger.
func (l *Ledger) Dir() string {
	if l == nil {
		return ""
	}
	return l.dir
}

// Sweep removes what processes that have ended left, like [Sweep].
func (l *Ledger) Sweep() {
	if l != nil {
		Sweep(filepath.Dir(l.dir))
	}
}

// Note records the absolute path of a file that is about to be created, whose last part is
// from Name. The caller must call forget once the file no longer exists or is no longer
// temporary. If the path cannot be recorded, Sweep will not find the file.
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

// endIfDone removes the list if none of its files is left.
func (l *Ledger) endIfDone() {
	if l.list == nil || len(l.noted) > 0 {
		return
	}
	os.Remove(l.list.Name())
	l.list.Close()
	l.list = nil
}

// begin creates a list and locks it. It returns nil if it cannot.
func (l *Ledger) begin() *os.File {
	if os.MkdirAll(l.dir, 0o700) != nil {
		return nil
	}
	for range 10 { // try again if a sweep removed it before it was locked
		f, err := os.OpenFile(filepath.Join(l.dir, fmt.Sprintf("%d-%s%s", os.Getpid(), rand.Text(), listSuffix)), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
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

// isStill reports whether an open file still has its name.
func isStill(f *os.File) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(is, named)
}

// Sweep removes the files listed in the state directory by processes that have ended. What
// cannot be removed stays in its list.
func Sweep(stateDir string) {
	entries, err := os.ReadDir(filepath.Join(stateDir, listFolder))
	if err != nil {
		return // no temporary file was ever recorded
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), listSuffix) && e.Type().IsRegular() {
			sweepList(filepath.Join(stateDir, listFolder, e.Name()))
		}
	}
}

// sweepList removes the files in a list, and the list, unless a process that lives holds its lock.
func sweepList(name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !isMine(info) || !isFree(f) || !isStill(f) {
		return
	}
	done := true
	for lines := bufio.NewScanner(io.LimitReader(f, maxList)); lines.Scan(); {
		var path string
		if json.Unmarshal(lines.Bytes(), &path) == nil { // a truncated last line has no file yet
			done = remove(path) && done
		}
	}
	if done {
		f.Close() // some systems cannot remove an open file
		os.Remove(name)
	}
}

// isFree locks a list unless a process that lives has done so. A killed one may share its lock for a
// moment with a program that it was starting.
func isFree(list *os.File) bool {
	id, _, _ := strings.Cut(filepath.Base(list.Name()), "-")
	pid, err := strconv.Atoi(id)
	return filelock.Try(list) || err == nil && pid > 0 && filelock.Ended(pid) && filelock.Freed(func() bool { return filelock.Try(list) })
}

// remove removes a temporary file or folder of this user. It reports whether it needs no
// further attempt.
func remove(path string) bool {
	base := filepath.Base(path)
	if !filepath.IsAbs(path) || !ours().MatchString(base) {
		return true
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return errors.Is(err, fs.ErrNotExist)
	case !isMine(info):
		return true
	case info.IsDir() && !strings.HasPrefix(base, File):
		return RemoveAll(path) == nil
	case info.Mode().IsRegular() && strings.HasPrefix(base, File):
		return os.Remove(path) == nil
	}
	return true // a link, or something Redline did not create
}

// RemoveAll removes a folder and everything in it, including read-only folders, which some tools
// create, and folders that are nested so deep that [os.RemoveAll] runs out of descriptors.
func RemoveAll(dir string) error {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		empty(dir)
	}
	return os.RemoveAll(dir)
}

// empty removes what it can from a folder. A folder in another one is moved to the top before it is
// emptied, so no name is long.
func empty(dir string) {
	_ = os.Chmod(dir, 0o700)
	top, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer top.Close()
	folders := emptied(top, ".")
	for len(folders) > 0 {
		name := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		for _, below := range emptied(top, name) {
			to := rand.Text()
			if top.Rename(path.Join(name, below), to) == nil {
				folders = append(folders, to)
			}
		}
		_ = top.Remove(name)
	}
}

// emptied removes the files and the empty folders in a folder, and returns the names of the others.
func emptied(top *os.Root, dir string) (folders []string) {
	opened, err := top.Open(dir)
	if err != nil {
		return nil
	}
	defer opened.Close()
	entries, _ := opened.ReadDir(-1) // as far as they can be read
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if top.Remove(name) == nil || !e.IsDir() {
			continue
		}
		_ = top.Chmod(name, 0o700)
		folders = append(folders, e.Name())
	}
	return folders
}
