package warm

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"redline/internal/filelock"
	"redline/workspace/leftover"
	"redline/workspace/world"
)

// Taken is a folder that a trial has.
type Taken struct {
	keeper  *Keeper
	build   Build
	dir     string // of the folder and its state
	lock    *os.File
	state   state
	changes []world.Change
	left    map[string]string // what was there that cargo had not made
}

// Take returns the folder for a build, which nobody else gets before it is returned. It returns nil if
// there is none: another trial has it, the workspace's own serves, or something cannot be kept.
func (k *Keeper) Take(ctx context.Context, b Build) *Taken {
	if k == nil || !b.fits(k.dir) {
		return nil
	}
	sum := sha256.Sum256([]byte(b.Target))
	t := &Taken{keeper: k, build: b, dir: filepath.Join(k.dir, hex.EncodeToString(sum[:16]))}
	if t.lock = lock(t.dir); t.lock == nil {
		return nil
	}
	if err := t.begin(ctx); err != nil {
		if ctx.Err() == nil {
			t.drop()
		}
		t.lock.Close()
		return nil
	}
	return t
}

// fits reports whether a folder in dir can stand for the build's.
func (b Build) fits(dir string) bool {
	for _, f := range b.Folders {
		if rel, err := filepath.Rel(f, dir); err == nil && filepath.IsLocal(rel) {
			return false // the command could write the state
		}
	}
	for _, c := range b.Changes {
		if rel, err := filepath.Rel(b.Target, c.Path); err == nil && filepath.IsLocal(rel) {
			return false // a text that would stay
		}
	}
	info, err := os.Lstat(b.Target)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir()
}

// lock locks the folder dir, by a file beside it that is created first. It returns nil if another
// trial has it, or it cannot be created.
func lock(dir string) *os.File {
	if os.MkdirAll(filepath.Dir(dir), 0o700) != nil {
		return nil
	}
	for range 10 { // again if a sweep has removed the file
		f, err := os.OpenFile(dir+".lock", os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil
		}
		is, err := f.Stat()
		if err == nil && filelock.Try(f) {
			if named, err := os.Lstat(f.Name()); err == nil && os.SameFile(is, named) {
				return f
			}
		} else {
			f.Close()
			return nil
		}
		f.Close()
	}
	return nil
}

// begin makes the folder ready for the build. Until it is returned it is marked as in use: what a
// killed trial has built is of texts that nobody knows.
func (t *Taken) begin(ctx context.Context) error {
	now := t.keeper.now()
	s, err := readState(t.dir)
	files, errFiles := listed(ctx, t.build)
	if errFiles != nil {
		return errFiles
	}
	if err == nil && s.usable(t.build, now) {
		t.changes, err = s.follow(t.build, files, now)
	}
	if err != nil || !s.usable(t.build, now) {
		if err := t.fresh(); err != nil {
			return err
		}
		s = state{Content: rand.Text(), Files: map[string]record{}}
		if err := t.seed(ctx, filepath.Join(t.dir, s.Content)); err != nil {
			return err
		}
		if t.changes, err = s.follow(t.build, files, now); err != nil {
			return err
		}
	}
	s.Begun, s.Names = now, namesOf(files, t.build)
	t.state, t.left = s, left(filepath.Join(t.dir, s.Content))
	return os.WriteFile(filepath.Join(t.dir, runningName), nil, 0o600)
}

// fresh removes what was kept.
func (t *Taken) fresh() error {
	if err := leftover.RemoveAll(t.dir); err != nil {
		return err
	}
	return os.Mkdir(t.dir, 0o700)
}

// errServes is the error if the workspace's own folder serves.
var errServes = errors.New("the workspace's own serves")

// seed creates the folder, as a copy of the workspace's if there is one. While somebody builds there,
// it cannot be copied.
func (t *Taken) seed(ctx context.Context, to string) error {
	if _, err := os.Lstat(t.build.Target); errors.Is(err, fs.ErrNotExist) {
		return os.Mkdir(to, 0o755)
	}
	if !t.build.Slow {
		return errServes
	}
	began := time.Now()
	if err := copyTree(ctx, t.build.Target, to, t.build.Hidden, t.build.Most/3); err != nil {
		return err
	}
	if newest(t.build.Target).After(began.Add(-grain)) {
		return errors.New("it is being written")
	}
	return nil
}

// Kept names the folder for the world of the build.
func (t *Taken) Kept() world.Kept {
	return world.Kept{Path: t.build.Target, From: filepath.Join(t.dir, t.state.Content)}
}

// Changes returns the changes of the build with their times, and those times that other files get.
func (t *Taken) Changes() []world.Change { return t.changes }

// Return gives the folder back. It stays for the next trial unless something is not known of it.
func (t *Taken) Return(e End) {
	if !e.Known || e.Full || !t.state.wrote(e.Written) {
		t.drop()
		return
	}
	content := filepath.Join(t.dir, t.state.Content)
	tidy(content)
	if !maps.Equal(left(content), t.left) {
		t.drop()
		return
	}
	t.state.Cut, t.state.Ended, t.state.Size = e.Cut, t.keeper.now(), sizeOf(content)
	if t.state.write(t.dir) != nil || os.Remove(filepath.Join(t.dir, runningName)) != nil {
		t.drop()
		return
	}
	t.lock.Close()
	t.keeper.limit(4 * t.build.Most)
}

// drop removes the folder and gives it back.
func (t *Taken) drop() {
	_ = leftover.RemoveAll(t.dir) // otherwise it counts as in use until the sweep removes it
	os.Remove(t.lock.Name())
	t.lock.Close()
}

// tidy removes from the folder of cargo what cargo does not build with: tests may leave something in
// target/tmp that the next run would find.
func tidy(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if own := strings.HasPrefix(e.Name(), ".rust") || e.Name() == "CACHEDIR.TAG" || e.Name() == ".cargo-lock"; own && e.Type().IsRegular() {
			continue
		}
		name := filepath.Join(dir, e.Name())
		profiles, _ := filepath.Glob(escaped(name) + "/*/.fingerprint")
		if _, err := os.Lstat(filepath.Join(name, ".fingerprint")); err != nil && len(profiles) == 0 {
			_ = leftover.RemoveAll(name)
		}
	}
}

// escaped returns a name as a pattern that matches only it.
func escaped(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// sizeOf returns the size of a folder on the disk, in bytes.
func sizeOf(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil {
			bytes += info.Sys().(*syscall.Stat_t).Blocks * 512 / max(1, int64(info.Sys().(*syscall.Stat_t).Nlink)) //nolint:unconvert // of another type on other systems
		}
		return nil
	})
	return bytes
}

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
