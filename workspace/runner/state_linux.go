//go:build amd64 || arm64

package runner

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"redline/workspace/leftover"
	"redline/workspace/world"
)

// stateTime is how long a helper may take to read what is to be written back.
const stateTime = 20 * time.Second

// state writes back what a command has written in the state of its world.
type state struct {
	home    *os.File // the user's home folder, opened at the start
	real    string   // its name without links
	keep    []string // absolute names without links
	before  map[string]hostFile
	folders map[string]bool // absolute names of folders that there were
	dropped []Named         // what cannot be shown or written back

	entries  []world.Entry // what the helper has read
	total    int64         // bytes of their texts
	end      *kept         // nil until the helper has sent everything
	leftOver *leftover.Ledger
}

// hostFile is a file of the host as it was before the command.
type hostFile struct {
	stat syscall.Stat_t
	hash [sha256.Size]byte // of its content, if hashed
	// hashed says that its times alone do not show every change: it is named by itself, or it was written
	// so shortly before that another write could get the same time.
	hashed bool
}

const (
	maxHostFiles = 300_000
	// young is how long after a change a file may be changed again without another time.
	young = 3 * time.Second
)

// beginState checks the State of a command's world, replaces it by one with names that can be shown, and
// notes how the files are that may be written back. It returns nil if the world has none.
func beginState(c *Command) (*state, error) {
	if c.World == nil || len(c.World.State.Paths)+len(c.World.State.Keep) == 0 {
		return nil, nil
	}
	s := &state{before: map[string]hostFile{}, folders: map[string]bool{}}
	w := *c.World
	c.World = &w
	real, err := filepath.EvalSymlinks(w.Home)
	if err != nil || w.Home == "" {
		return nil, errors.New("there is no home folder, of which it needs a part")
	}
	s.real = real
	if s.home, err = os.Open(real); err != nil {
		return nil, fmt.Errorf("the home folder cannot be read: %w", err)
	}
	folders := realDirs(w.Folders)
	var paths []string
	for _, name := range w.State.Paths {
		if err := s.shows(name, w.Home, folders); err != nil {
			s.dropped = append(s.dropped, Named{name, err.Error()})
			continue
		}
		paths = append(paths, filepath.Clean(name))
	}
	for _, name := range w.State.Keep {
		in := slices.IndexFunc(paths, func(p string) bool { return isIn(filepath.Clean(name), p) })
		if in < 0 {
			if !slices.ContainsFunc(s.dropped, func(d Named) bool { return isIn(filepath.Clean(name), filepath.Clean(d.Name)) }) {
				s.dropped = append(s.dropped, Named{name, "it is in nothing that the copy has of the home folder, so it is not written back"})
			}
			continue
		}
		to := s.realOf(paths[in], filepath.Clean(name))
		if slices.ContainsFunc(folders, func(f string) bool { return isIn(to, f) || isIn(f, to) }) {
			s.dropped = append(s.dropped, Named{name, "it is in the workspace or holds it, so it is not written back"})
			continue
		}
		if err := s.note(to, name); err != nil {
			s.dropped = append(s.dropped, Named{name, err.Error()})
			continue
		}
		s.keep = append(s.keep, to)
	}
	w.State = world.State{Paths: paths, Keep: s.keep}
	return s, nil
}

// shows returns why a path of the state cannot be shown, nil if it can or is missing.
func (s *state) shows(name, home string, folders []string) error {
	if !filepath.IsAbs(name) || !isIn(filepath.Clean(name), filepath.Clean(home)) || filepath.Clean(name) == filepath.Clean(home) {
		return errors.New("it is not in the home folder")
	}
	real, err := filepath.EvalSymlinks(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return errors.New("it is a link that leads nowhere")
		}
		return nil
	case err != nil:
		return errors.New("it cannot be read")
	case !isIn(real, s.real) || real == s.real:
		return errors.New("it is a link that leads out of the home folder")
	case real != s.realOf(home, filepath.Clean(name)) && len(world.Shown([]string{real}, []string{home})) == 0:
		return errors.New("it is a link to what may hold other secrets")
	case slices.ContainsFunc(folders, func(f string) bool { return isIn(real, f) }):
		return errors.New("it is in the workspace, so the copy has what the workspace has, and nothing of it is written back")
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return errors.New("it cannot be read")
	case info.Mode().IsRegular() && info.Size() > world.MaxSingleState:
		return fmt.Errorf("it has more than %d MiB", world.MaxSingleState>>20)
	case !info.Mode().IsRegular() && !info.IsDir():
		return errors.New("it is neither a file nor a folder")
	}
	return nil
}

// realOf returns the name of a file below top by the real name of top. Links below it stay.
func (s *state) realOf(top, name string) string {
	real, err := filepath.EvalSymlinks(top)
	if err != nil { // missing: then its parents have the links
		real = filepath.Join(realParent(filepath.Dir(top)), filepath.Base(top))
	}
	rel, err := filepath.Rel(top, name)
	if err != nil {
		return name
	}
	return filepath.Join(real, rel)
}

func realParent(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil || dir == filepath.Dir(dir) {
		return real
	}
	return filepath.Join(realParent(filepath.Dir(dir)), filepath.Base(dir))
}

// note notes how the files of what may be written back are now. given is its name as the user wrote it.
func (s *state) note(top, given string) error {
	if !isIn(top, s.real) || top == s.real {
		return errors.New("it is not in the home folder")
	}
	info, err := os.Lstat(top)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return errors.New("it is a link, through which nothing is written back")
	}
	kind := top
	if err == nil && info.IsDir() || err != nil && filepath.Ext(top) == "" || strings.HasSuffix(given, "/") {
		kind += "/"
	}
	if err := world.MayKeep(kind, s.real); err != nil {
		return err
	}
	for dir := filepath.Dir(top); dir != s.real; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil {
			s.folders[dir] = true
		}
	}
	now := time.Now()
	return filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			s.folders[name] = true
		}
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // it is gone or missing, or this user cannot read it
		}
		if len(s.before) >= maxHostFiles {
			return fmt.Errorf("it holds more than %d files, so nothing in it is written back", maxHostFiles)
		}
		info, err := e.Info()
		if err != nil {
			return nil //nolint:nilerr // it is gone
		}
		f := hostFile{stat: *info.Sys().(*syscall.Stat_t)}
		changed := time.Unix(f.stat.Ctim.Unix())
		if f.hashed = info.Mode().IsRegular() && (name == top || now.Sub(changed) < young); f.hashed && info.Size() <= world.MaxKeptBytes {
			f.hash = hashOf(name)
		}
		s.before[name] = f
		return nil
	})
}

// hashOf returns the hash of a file's content. Opening waits for nothing and follows no link.
func hashOf(name string) (hash [sha256.Size]byte) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return hash
	}
	defer f.Close()
	return hashOfOpen(f)
}

// add takes what the helper has read.
func (s *state) add(k *kept) {
	switch {
	case s == nil || s.end != nil:
	case k.Done:
		s.end = k
	case k.Entry != nil && len(s.entries) < world.MaxKeptFiles+maxNamed:
		if s.total += int64(len(k.Entry.Text)); s.total > world.MaxKeptBytes {
			k.Entry.Text, k.Entry.Problem = nil, "there is too much"
		}
		s.entries = append(s.entries, *k.Entry)
	}
}

// maxNamed is how many files that are not written back are taken at most.
const maxNamed = 1000

// patience is how long a helper may take, once the command is stopped.
func (s *state) patience() time.Duration {
	if s == nil || len(s.keep) == 0 {
		return grace
	}
	return grace + dyingTime + stateTime
}

// notShown returns what the world did not have of the state.
func (s *state) notShown(left int) []Named {
	if s == nil {
		return nil
	}
	if left > 0 {
		s.dropped = append(s.dropped, Named{s.real, fmt.Sprintf("%d of its files that it needs were left out of the copy, which had no room for them: the newest are there", left)})
	}
	return s.dropped
}

func (s *state) close() {
	if s != nil {
		s.home.Close()
	}
}

// write writes back what the helper has read. It returns the names of what it wrote, and what it did not.
func (s *state) write(left *leftover.Ledger) (written []string, not []Named) {
	if s == nil || len(s.keep) == 0 {
		return nil, nil
	}
	s.leftOver = left
	switch {
	case s.end == nil:
		return nil, s.none("the copy ended before it could be read")
	case s.end.Filled:
		return nil, s.none("the copy had no room left, so it may be cut off")
	}
	for _, e := range s.entries {
		switch err := s.writeBack(e); {
		case errors.Is(err, errSame):
		case err != nil:
			not = append(not, Named{string(e.Path), err.Error()})
		default:
			written = append(written, string(e.Path))
		}
	}
	if s.end.More > 0 {
		not = append(not, Named{s.real, fmt.Sprintf("%d more files are not written back", s.end.More)})
	}
	if s.end.Problem != "" {
		not = append(not, Named{s.real, "not everything in it could be read: " + s.end.Problem})
	}
	return written, not
}

// none says of everything that was read, or of everything that could have been, why it is not written back.
func (s *state) none(why string) (not []Named) {
	for _, e := range s.entries {
		not = append(not, Named{string(e.Path), why})
	}
	if s.end == nil {
		for _, name := range s.keep {
			not = append(not, Named{name, why})
		}
	}
	return not
}
