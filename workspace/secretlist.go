package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"redline/workspace/secrets"
)

// secretIndex remembers which entries of which folders are secret, so that only folders that have
// changed are read again.
type secretIndex struct {
	mu      sync.Mutex
	folders map[string]*folderEntries // by absolute name
	ignored map[string]Stamp          // of the file .redline/ignore, by the folder of the workspace
}

// folderEntries are the entries of a folder that count. It is immutable.
type folderEntries struct {
	stamp   Stamp
	folders []string // names of those to look into
	secret  []string // names of those that are secret
}

// SecretFiles returns the absolute names of the files and folders in the workspace that are
// secret by their names, see [Workspace.Secret], and of those that are off limits; also of
// those that ignore files leave out. It examines all folders, and reads those that have changed
// since the last call.
func (w *Workspace) SecretFiles(ctx context.Context) ([]string, error) {
	found := w.OffLimitsInside()
	w.secretNames.mu.Lock()
	defer w.secretNames.mu.Unlock()
	known := w.secretNames.folders
	w.secretNames.folders = map[string]*folderEntries{}
	if w.secretNames.ignored == nil {
		w.secretNames.ignored = map[string]Stamp{}
	}
	for _, r := range w.allRoots() {
		s := &secretWalk{root: r.realDir(), named: r.patterns(ownDir+"/ignore", false), slots: make(chan bool, runtime.GOMAXPROCS(0)), index: w.secretNames.folders}
		now := stampOf(filepath.Join(s.root, ownDir, "ignore"))
		if !now.Differs(w.secretNames.ignored[s.root]) {
			s.known = known
		}
		w.secretNames.ignored[s.root] = now
		s.walk(ctx, "")
		s.tasks.Wait()
		found = append(found, s.found...)
	}
	slices.Sort(found)
	return slices.Compact(found), ctx.Err()
}

// stampOf returns the stamp of a file or folder by its absolute name.
func stampOf(name string) Stamp {
	s := Stamp{taken: time.Now()}
	info, err := os.Lstat(name)
	if err == nil {
		s.info = info
	} else if !errors.Is(err, fs.ErrNotExist) {
		s.why = err.Error()
	}
	return s
}

// secretWalk finds the secret files of a workspace folder.
type secretWalk struct {
	root  string
	named []pattern                 // of .redline/ignore
	known map[string]*folderEntries // what is known of folders; not changed
	slots chan bool                 // a walker in each
	tasks sync.WaitGroup

	mu    sync.Mutex
	index map[string]*folderEntries // what is known now
	found []string                  // absolute
}

// walk walks a folder of the root, relative and slash-separated. It leaves out what cannot be
// read: a command of this user cannot read it either.
func (s *secretWalk) walk(ctx context.Context, rel string) {
	if ctx.Err() != nil {
		return
	}
	abs := filepath.Join(s.root, filepath.FromSlash(rel))
	now := stampOf(abs)
	entries := s.known[abs]
	if entries == nil || now.Differs(entries.stamp) {
		entries = s.read(abs, rel)
		entries.stamp = now // a change since then makes the next one differ
	}
	s.mu.Lock()
	s.index[abs] = entries
	for _, name := range entries.secret {
		s.found = append(s.found, filepath.Join(abs, name))
	}
	s.mu.Unlock()
	for _, name := range entries.folders {
		s.descend(ctx, joinSlash(rel, name))
	}
}

func joinSlash(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// read reads a folder.
func (s *secretWalk) read(abs, rel string) *folderEntries {
	found := &folderEntries{}
	dir, err := os.Open(abs)
	if err != nil {
		return found
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(-1)
	for _, e := range entries {
		name := joinSlash(rel, e.Name())
		switch secret, _ := decide(s.named, name, e.IsDir()); {
		case secret, secrets.Name(name, e.IsDir()):
			found.secret = append(found.secret, e.Name())
		case e.IsDir() && e.Name() != ".git":
			found.folders = append(found.folders, e.Name())
		}
	}
	return found
}

// descend walks a folder on another goroutine, if there is room for one.
func (s *secretWalk) descend(ctx context.Context, rel string) {
	select {
	case s.slots <- true:
		s.tasks.Go(func() {
			defer func() { <-s.slots }()
			s.walk(ctx, rel)
		})
	default:
		s.walk(ctx, rel)
	}
}
