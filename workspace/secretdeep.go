package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"redline/workspace/secrets"
)

// deepFolder is what a folder far down in a folder of tools has. It is also kept on the disk, for the next
// process: a folder of tools has ten thousands of files.
type deepFolder struct {
	read  time.Time // when it was last known to be so
	found Hidden

	looked []string // absolute names of the folders and files that this depends on
	sum    []byte   // of their states; nil if they may have changed since without another state
}

// deepSecrets returns what is secret in folders far down in folders of tools, as of at most a minute
// ago.
func (w *Workspace) deepSecrets(ctx context.Context, folders []string) (found Hidden) {
	x := &w.secretNames
	if x.deep == nil {
		x.deep = loadDeep(w.Own())
	}
	now, kept, changed := time.Now(), map[string]deepFolder{}, false
	var mu sync.Mutex
	var tasks sync.WaitGroup
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	for _, dir := range folders {
		f, known := x.deep[dir]
		if known && now.Sub(f.read) < deepFor {
			kept[dir] = f
			continue
		}
		slots <- true
		tasks.Go(func() {
			defer func() { <-slots }()
			same := known && f.still(ctx, now)
			if !same {
				f = readDeep(ctx, dir, now)
			}
			f.read = now
			mu.Lock()
			defer mu.Unlock()
			kept[dir], changed = f, changed || !same
		})
	}
	tasks.Wait()
	for _, f := range kept {
		found.add(f.found)
	}
	if ctx.Err() == nil {
		x.deep = kept
		if changed {
			keepDeep(w.Own(), kept)
		}
	}
	return found
}

// atOnce is how many states of a large folder are looked up by each goroutine.
const atOnce = 500

// still reports whether a folder is as it was.
func (f deepFolder) still(ctx context.Context, now time.Time) bool {
	if f.sum == nil {
		return false
	}
	var tasks sync.WaitGroup
	var differs atomic.Bool
	parts := make([]stateSum, (len(f.looked)+atOnce-1)/atOnce)
	for i := range parts {
		tasks.Go(func() {
			parts[i].now = now
			for _, name := range f.looked[i*atOnce : min((i+1)*atOnce, len(f.looked))] {
				if ctx.Err() != nil || differs.Load() || !parts[i].add(name) {
					differs.Store(true)
					return
				}
			}
		})
	}
	tasks.Wait()
	var sum stateSum
	for _, part := range parts {
		sum.data = append(sum.data, part.data...)
	}
	return !differs.Load() && bytes.Equal(f.sum, sum.bytes())
}

// readDeep finds what is secret by name in a folder.
func readDeep(ctx context.Context, dir string, now time.Time) (f deepFolder) {
	sum, known := stateSum{now: now}, true
	look := func(name string) {
		known = known && sum.add(name)
		f.looked = append(f.looked, name)
	}
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil:
			return nil // a command cannot read it either
		case e.Name() == ".git":
			f.found.Repositories = append(f.found.Repositories, filepath.Dir(name))
			if e.IsDir() {
				return fs.SkipDir
			}
		case secrets.Name(filepath.ToSlash(name), e.IsDir()):
			if e.Type().IsRegular() && secrets.MayBePublic(e.Name()) {
				look(name)
				if !secretText(name, 1<<20) {
					return nil
				}
			}
			f.found.Names = append(f.found.Names, name)
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.IsDir():
			look(name) // before it is read
		}
		return nil
	})
	if known {
		f.sum = sum.bytes()
	}
	return f
}

// stateSum adds up the states of files.
type stateSum struct {
	now  time.Time
	data []byte
}

// add reports whether the state of a file counts: a file that has changed just now may change again without
// another state.
func (s *stateSum) add(name string) bool {
	state, err := StateOf(name)
	if err != nil || s.now.Sub(state.Changed()) < sameTime || s.now.Sub(state.Modified()) < sameTime {
		return false
	}
	s.data = state.append(s.data)
	return true
}

func (s *stateSum) bytes() []byte {
	sum := sha256.Sum256(s.data)
	return sum[:]
}

// deepEntry is a deepFolder in the state directory.
type deepEntry struct {
	Names, Repositories []string
	Looked              string // separated by NUL
	Sum                 []byte
}

// deepFile is the name of the file with the deep folders.
const deepFile = "tools.names"

// loadDeep returns the deep folders that the last process has kept.
func loadDeep(o *Own) map[string]deepFolder {
	known := map[string]deepFolder{}
	var kept map[string]deepEntry
	if o.Kept(deepFile, &kept) {
		for dir, f := range kept {
			known[dir] = deepFolder{found: Hidden{Names: f.Names, Repositories: f.Repositories}, looked: strings.Split(f.Looked, "\x00"), sum: f.Sum}
		}
	}
	return known
}

// keepDeep keeps deep folders for the next process.
func keepDeep(o *Own, folders map[string]deepFolder) {
	kept, size := map[string]deepEntry{}, 0
	for dir, f := range folders {
		if f.sum == nil {
			continue
		}
		e := deepEntry{f.found.Names, f.found.Repositories, strings.Join(f.looked, "\x00"), f.sum}
		if size += len(e.Looked); size > maxKept/2 {
			break
		}
		kept[dir] = e
	}
	o.Keep(deepFile, kept)
}
