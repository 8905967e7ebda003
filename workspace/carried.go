package workspace

import "sync"

// MaxCarried is the size in bytes up to which the texts of a file that git tracks can be in a plan,
// if a program has changed it in a copy of the workspace and [Options].MaxFile is lower.
const MaxCarried = 16 << 20

// carried are the paths of files that may be larger than others, because a plan has their texts.
type carried struct {
	mu    sync.RWMutex
	paths map[string]bool
}

// Carry allows a file to have up to [MaxCarried] bytes from now on, if a text of it has more than others
// may have. A plan with such texts can be decided on only where the file can be read.
func (d *files) Carry(path string, texts ...string) {
	for _, text := range texts {
		if int64(len(text)) > d.maxFile && int64(len(text)) <= MaxCarried {
			d.carried.mu.Lock()
			if d.carried.paths == nil {
				d.carried.paths = map[string]bool{}
			}
			d.carried.paths[path] = true
			d.carried.mu.Unlock()
			return
		}
	}
}

// MaxFile returns the size in bytes above which a file is not read, except one that is carried.
func (d *files) MaxFile() int64 { return d.maxFile }

// LimitOf returns the size in bytes above which the file at path is not read.
func (d *files) LimitOf(path string) int64 {
	d.carried.mu.RLock()
	defer d.carried.mu.RUnlock()
	if d.carried.paths[path] {
		return max(d.maxFile, MaxCarried)
	}
	return d.maxFile
}

// MaxTracked returns the size in bytes above which a file that git tracks is not carried from a copy.
func (d *files) MaxTracked() int64 { return max(d.maxFile, MaxCarried) }
