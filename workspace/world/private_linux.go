//go:build amd64 || arm64

package world

import (
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Private returns the files and folders in /etc that not every user of this system can
// read, such as keys and passwords of services. They belong in [World.Hidden]: no build
// needs them, but root or a member of their group could read them. Listing them takes a
// few milliseconds, so the result is cached for a minute.
func Private() []string { return ofEtc.names() }

var ofEtc = privateFiles{dir: "/etc", fresh: time.Minute}

// privateFiles are the private files of one folder.
type privateFiles struct {
	dir   string
	fresh time.Duration // how long a list is valid

	mu   sync.Mutex
	read time.Time
	list []string
}

func (p *privateFiles) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read.IsZero() || time.Since(p.read) > p.fresh {
		p.list, p.read = privateIn(p.dir), time.Now()
	}
	return slices.Clone(p.list)
}

// privateIn returns the files and folders in dir that others than their owner and group cannot
// read.
func privateIn(dir string) (names []string) {
	const others = 0o004 // others may read it
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir || e.Type()&fs.ModeSymlink != 0 { // the target of a link is checked by itself
			return nil
		}
		info, err := e.Info()
		if err != nil || info.Mode().Perm()&others != 0 {
			return nil //nolint:nilerr // it is gone
		}
		names = append(names, name)
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return names
}
