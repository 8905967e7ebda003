package workspace

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"redline/workspace/secrets"
)

// SecretFiles returns the absolute names of the files and folders in the workspace that are
// secret by their names, see [Workspace.Secret], and of those that are off limits; also of
// those that ignore files leave out. It reads the names of all files.
func (w *Workspace) SecretFiles(ctx context.Context) ([]string, error) {
	found := w.OffLimitsInside()
	for _, r := range w.allRoots() {
		s := &secretWalk{root: r.realDir(), named: r.patterns(ownDir + "/ignore"), slots: make(chan bool, runtime.GOMAXPROCS(0))}
		s.walk(ctx, "")
		s.tasks.Wait()
		found = append(found, s.found...)
	}
	slices.Sort(found)
	return slices.Compact(found), ctx.Err()
}

// secretWalk finds the secret files of a workspace folder.
type secretWalk struct {
	root  string
	named []pattern // of .redline/ignore
	slots chan bool // a walker in each
	tasks sync.WaitGroup

	mu    sync.Mutex
	found []string // absolute
}

// walk walks a folder of the root, relative and slash-separated. It leaves out what cannot be
// read: a command of this user cannot read it either.
func (s *secretWalk) walk(ctx context.Context, rel string) {
	dir, err := os.Open(filepath.Join(s.root, filepath.FromSlash(rel)))
	if err != nil {
		return
	}
	entries, _ := dir.ReadDir(-1)
	dir.Close()
	for _, e := range entries {
		if ctx.Err() != nil {
			return
		}
		name := e.Name()
		if rel != "" {
			name = rel + "/" + name
		}
		switch secret, _ := decide(s.named, name, e.IsDir()); {
		case secret, secrets.Name(name, e.IsDir()):
			s.add(name)
		case !e.IsDir() || e.Type()&fs.ModeSymlink != 0 || e.Name() == ".git":
		default:
			s.descend(ctx, name)
		}
	}
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

func (s *secretWalk) add(rel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = append(s.found, filepath.Join(s.root, filepath.FromSlash(rel)))
}
