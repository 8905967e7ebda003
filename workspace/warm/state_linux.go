package warm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"redline/internal/smallfile"
	"redline/workspace/world"
)

// state is what is known of a folder: the file state.json beside its content.
type state struct {
	Format  int               `json:"format"`
	Content string            `json:"content"`         // the name of the folder
	Cut     bool              `json:"cut"`             // the last command ran out of time
	Begun   time.Time         `json:"begun"`           // of the last run, before its files were listed
	Ended   time.Time         `json:"ended"`           // of the last run
	Size    int64             `json:"size"`            // in bytes
	Files   map[string]record `json:"files,omitempty"` // those whose time is not the host's
	Names   []string          `json:"names"`           // all files that the last run saw, sorted
	Links   map[string]string `json:"links,omitempty"` // where the links lead that the last run saw
}

// record is a file whose text has changed while its folder lived.
type record struct {
	Text string    `json:"text"`          // the hash of what the last run saw, "" if that is not known
	Own  bool      `json:"own,omitempty"` // the text was a change of the trial, not the host's
	Time time.Time `json:"time"`          // when the text was first seen
}

const (
	stateFormat = 2
	stateName   = "state.json"
	runningName = "running" // is there while a trial has the folder, and after it was killed

	// grain is how far the times of files may be behind the clock.
	grain = 50 * time.Millisecond

	maxFiles   = 50_000   // in a workspace
	maxTouched = 2_000    // files that get another time
	maxCopied  = 16 << 20 // bytes of those, since a time costs a copy
)

// errAgain is the error if a folder must start again.
var errAgain = errors.New("the folder must start again")

func readState(dir string) (s state, err error) {
	data, err := os.ReadFile(filepath.Join(dir, stateName))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if _, running := os.Lstat(filepath.Join(dir, runningName)); running == nil {
		err = errAgain
	}
	if err == nil && (s.Format != stateFormat || s.Content == "" || s.Content != filepath.Base(s.Content)) {
		err = errAgain
	}
	if s.Files == nil {
		s.Files = map[string]record{}
	}
	return s, err
}

func (s state) write(dir string) error {
	s.Format = stateFormat
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	next := filepath.Join(dir, stateName+".new")
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(dir, stateName))
}

// usable reports whether the folder can serve a build now.
func (s state) usable(b Build, now time.Time) bool {
	switch {
	case s.Content == "", now.Before(s.Ended), now.Sub(s.Ended) > Idle, s.Size > b.Most/3*2:
		return false
	case s.Cut: // the user may have built outside since
		return !newest(b.Target).After(s.Ended)
	}
	return true
}

// file is a file of the workspace.
type file struct {
	modified, changed time.Time // the content; anything
	size              int64
	mine              bool
	link              string // where a link leads, "" for a file
}

// listed returns the files and links of the workspace by name, without repositories, Redline's own folder,
// hidden files and caches.
func listed(ctx context.Context, b Build) (map[string]file, error) {
	hidden := map[string]bool{b.Target: true}
	for _, name := range b.Hidden {
		hidden[name] = true
	}
	files := map[string]file{}
	for _, dir := range b.Folders {
		err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return nil //nolint:nilerr // it is gone, or nobody can read it
			case e.IsDir():
				if hidden[name] || name != dir && (e.Name() == ".git" || e.Name() == ".redline" || isCache(name)) {
					return fs.SkipDir
				}
				return nil
			case hidden[name] || !e.Type().IsRegular() && e.Type() != fs.ModeSymlink:
				return nil
			case len(files) >= maxFiles:
				return errors.New("there are too many files")
			case e.Type() == fs.ModeSymlink:
				if to, err := os.Readlink(name); err == nil {
					files[name] = file{link: to}
				}
				return nil
			}
			if info, err := e.Info(); err == nil {
				stat := info.Sys().(*syscall.Stat_t)
				files[name] = file{info.ModTime(), time.Unix(stat.Ctim.Unix()), info.Size(), int(stat.Uid) == os.Geteuid(), ""}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// isCache reports whether a folder is marked as a cache (bford.info/cachedir).
func isCache(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "CACHEDIR.TAG"))
	return err == nil
}

// namesOf returns the names of the files that a build sees, without those that editors and systems
// make for themselves.
func namesOf(files map[string]file, b Build) (names []string) {
	all := map[string]bool{}
	for name := range files {
		all[name] = true
	}
	for _, c := range b.Changes {
		all[c.Path] = !c.Gone
	}
	for name, there := range all {
		if base := filepath.Base(name); there && !strings.HasPrefix(base, ".") && !strings.HasSuffix(base, "~") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// linksOf returns where links lead, by name, without those by which Emacs locks a file.
func linksOf(files map[string]file) map[string]string {
	links := map[string]string{}
	for name, f := range files {
		if f.link != "" && !strings.HasPrefix(filepath.Base(name), ".#") {
			links[name] = f.link
		}
	}
	return links
}

// follow brings the state from the last run to the next one. It returns the changes of the build with
// their times, and the times that other files get. An error means that the folder cannot serve.
func (s *state) follow(b Build, files map[string]file, now time.Time) (changes []world.Change, err error) {
	more, err := s.isNew(namesOf(files, b))
	if err != nil {
		return nil, err
	}
	if links := linksOf(files); s.Begun.IsZero() {
		s.Links = links
	} else if !maps.Equal(links, s.Links) {
		return nil, errAgain // a name has another text without a newer time
	}
	next, own := map[string]record{}, map[string]bool{}
	for _, c := range b.Changes {
		if own[c.Path] = true; !c.Gone {
			r := record{Text: hashOf(c.Text), Own: true, Time: now}
			if was, known := s.Files[c.Path]; known && was.Text == r.Text && !(more && isSource(c.Path)) {
				r.Time = was.Time
			}
			next[c.Path], c.Time = r, r.Time
		}
		changes = append(changes, c)
	}
	touched := map[string]record{}
	for name, f := range files {
		if own[name] || f.link != "" {
			continue
		}
		if r, touch := s.hosts(name, f, more, now); touch {
			touched[name] = r
		}
	}
	var size int64
	for _, name := range slices.Sorted(maps.Keys(touched)) {
		r, f := touched[name], files[name]
		if size += f.size; !f.mine || size > maxCopied || len(touched) > maxTouched {
			return nil, fmt.Errorf("%w: too much has changed", errAgain)
		}
		changes = append(changes, world.Change{Path: name, Same: true, Time: r.Time})
		next[name] = r
	}
	s.Files = next
	return changes, nil
}

// isNew reports whether there is a file that the last run did not see. An error says that one is gone.
func (s *state) isNew(names []string) (more bool, err error) {
	if s.Begun.IsZero() {
		return false, nil // the first run
	}
	for _, name := range s.Names {
		if _, found := slices.BinarySearch(names, name); !found {
			return false, errAgain
		}
	}
	return len(names) > len(s.Names), nil
}

// hosts decides about a file of the host: whether it needs another time than its own, and which. more
// says that all sources count as new.
func (s *state) hosts(name string, f file, more bool, now time.Time) (r record, touch bool) {
	was, known := s.Files[name]
	since := !s.Begun.IsZero() && !f.changed.Before(s.Begun.Add(-grain)) // something has changed since the last run began
	switch {
	case more && isSource(name):
	case !known && !since:
		return record{}, false
	case known && was.Text != "" && (was.Own || !since) && was.Text == hashOfFile(name):
		return was, true
	}
	if since && f.modified.After(s.Ended.Add(grain)) {
		return record{}, false // its own time is new
	}
	return record{Text: hashOfFile(name), Time: now}, true
}

// isSource reports whether cargo compiles a file.
func isSource(name string) bool { return strings.HasSuffix(name, ".rs") }

// wrote notes what the command itself has written or removed: the next run does not see that. It
// reports whether the folder can stay. It cannot where a build script may have made what is built
// from: the next build would not run it again, and find the old file or none. Cargo's own lock file
// is made again by each build, and what has a hidden name is taken for a note of a test.
func (s *state) wrote(names []string) bool {
	for _, name := range names {
		_, known := s.Files[name]
		_, seen := slices.BinarySearch(s.Names, name)
		base := filepath.Base(name)
		switch {
		case base == lockFile && (known || seen):
			s.Files[name] = record{Time: s.Begun}
		case base == lockFile:
		case known || seen || !strings.HasPrefix(base, "."):
			return false
		case s.Links[name] != "":
			return false
		default:
			s.Files[name] = record{Time: s.Begun}
		}
	}
	return len(names) <= maxTouched/2
}

// lockFile is what cargo writes beside Cargo.toml.
const lockFile = "Cargo.lock"

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// hashOfFile returns the hash of a file, "" if it cannot be read or is too large to be copied.
func hashOfFile(name string) string {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCopied {
		return ""
	}
	text, err := smallfile.Read(name, maxCopied) // it may have become another since
	if err != nil || len(text) > maxCopied {
		return ""
	}
	return hashOf([]byte(text))
}
