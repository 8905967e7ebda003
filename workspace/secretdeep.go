package workspace

import (
	"context"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"redline/workspace/secrets"
)

// deepFolder is what a folder far down in a folder of tools has.
type deepFolder struct {
	read  time.Time
	found Hidden
}

// deepSecrets returns what is secret in folders far down in folders of tools, as of at most a minute
// ago.
func (w *Workspace) deepSecrets(ctx context.Context, folders []string) (found Hidden) {
	x := &w.secretNames
	if x.deep == nil {
		x.deep = map[string]deepFolder{}
	}
	now, kept := time.Now(), map[string]deepFolder{}
	var mu sync.Mutex
	var tasks sync.WaitGroup
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	for _, dir := range folders {
		if f, ok := x.deep[dir]; ok && now.Sub(f.read) < deepFor {
			kept[dir] = f
			continue
		}
		slots <- true
		tasks.Go(func() {
			defer func() { <-slots }()
			f := deepFolder{now, secretNamesIn(ctx, dir)}
			mu.Lock()
			defer mu.Unlock()
			kept[dir] = f
		})
	}
	tasks.Wait()
	for _, f := range kept {
		found.add(f.found)
	}
	if ctx.Err() == nil {
		x.deep = kept
	}
	return found
}

// secretNamesIn returns what is secret by name in a folder.
func secretNamesIn(ctx context.Context, dir string) (found Hidden) {
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil:
			return nil // a command cannot read it either
		case e.Name() == ".git":
			found.Repositories = append(found.Repositories, filepath.Dir(name))
			if e.IsDir() {
				return fs.SkipDir
			}
		case secrets.Name(filepath.ToSlash(name), e.IsDir()):
			if e.Type().IsRegular() && secrets.MayBePublic(e.Name()) && !secretText(name, 1<<20) {
				return nil
			}
			found.Names = append(found.Names, name)
			if e.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	return found
}
