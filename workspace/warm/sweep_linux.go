package warm

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Sweep removes the folders of a state directory that no trial has used for as long as [Idle], and
// those whose trial was killed.
func Sweep(stateDir string) {
	if k := In(stateDir); k != nil {
		for _, dir := range k.all() {
			k.remove(dir, k.over)
		}
	}
}

// over reports whether a folder that nobody has is of no use any more. Every start of Redline asks, so
// it reads no state.
func (k *Keeper) over(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, runningName)); err == nil {
		return true // a trial was killed
	}
	info, err := os.Lstat(filepath.Join(dir, stateName))
	return err != nil || k.now().Sub(info.ModTime()) > Idle
}

// Forget removes what was built in a folder of a workspace, by its name without links.
func (k *Keeper) Forget(dir string) {
	if k == nil {
		return
	}
	for _, one := range k.all() {
		k.remove(one, func(string) bool {
			s, _ := readState(one)
			return slices.ContainsFunc(s.Names, func(name string) bool { return strings.HasPrefix(name, dir+string(filepath.Separator)) })
		})
	}
}

// all returns the folders that there are.
func (k *Keeper) all() (dirs []string) {
	entries, _ := os.ReadDir(k.dir) // there is none
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".lock"); ok {
			dirs = append(dirs, filepath.Join(k.dir, name))
		}
	}
	return dirs
}

// remove removes a folder that nobody has, if its state says so.
func (k *Keeper) remove(dir string, which func(dir string) bool) {
	t := Taken{keeper: k, dir: dir, lock: lock(dir)}
	if t.lock == nil {
		return
	}
	if which(dir) {
		t.drop()
		return
	}
	t.lock.Close()
}

// limit removes the folders that were used longest ago, until all together have at most so many bytes.
func (k *Keeper) limit(most int64) {
	type kept struct {
		dir   string
		size  int64
		ended time.Time
	}
	var all []kept
	var size int64
	for _, dir := range k.all() {
		if s, err := readState(dir); err == nil {
			all = append(all, kept{dir, s.Size, s.Ended})
			size += s.Size
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.ended.Compare(b.ended), strings.Compare(a.dir, b.dir)) })
	for _, one := range all {
		if size <= most {
			return
		}
		k.remove(one.dir, func(string) bool { return true })
		size -= one.size
	}
}
