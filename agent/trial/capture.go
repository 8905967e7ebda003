package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace"
	"redline/workspace/network"
	"redline/workspace/runner"
	"redline/workspace/world"
)

// Captured is what a command has changed in a copy of the workspace.
type Captured struct {
	commands.Observation // how it ended

	seen   observed
	Filled bool // the copy had no room left, so files may be cut off

	Network  network.Report // what it reached, and what was refused
	NotKept  []runner.Named // files of its state that it has written and that were not written back
	NotShown []runner.Named // paths of its state that the copy did not have

	Plain    bool // the copy was a plain one
	Confined bool // what it could write elsewhere was limited to caches

	Files      []CapturedFile // sorted by path; only those that differ from what the command found
	NotCarried []plan.Refused // what it changed and no plan can have, sorted by path
	LeftOut    map[string]int // how many changed files are git's, Redline's own or ignored by git, by their folders, "." for the workspace's
}

// CapturedFile is a file that a command has changed.
type CapturedFile struct {
	Path string
	Base workspace.File // as the command found it
	Gone bool
	Text string // without a byte order mark
	BOM  bool
	Mode fs.FileMode
}

// Where does what with does, if allows has nothing against the folders of the copy.
func (with With) Where(allows func(folders []string) error) With {
	return func(c *runner.Command) error {
		if err := allows(c.World.Folders); err != nil {
			return err
		}
		return with(c)
	}
}

// captureTime is how long a command may work in a copy.
const captureTime = time.Hour

// Capture runs a command on a copy of the workspace and returns what it has changed there. tell may be
// nil. The error says why the command was not run, or why its changes are not known.
func (t *Trials) Capture(ctx context.Context, of Copy, tell Tell) (*Captured, error) {
	c, texts, include, who := of.Command, of.Texts, of.Include, cmp.Or(of.Program, "the command")
	switch {
	case t.options.Replay != "":
		return nil, errors.New("a recording that is replayed has no copies of the workspace")
	case t.options.Mode == Off || t.options.Mode == "":
		return nil, errOff
	}
	if err := cmp.Or(t.ws.HidesAll(), t.options.permit(t.ws, &c)); err != nil {
		return nil, err
	}
	x := newCapture(t, texts, include)
	e := x.early(ctx, of.Needs) // while worlds are tested, which the first call waits for
	defer x.end(e)
	plain, err := isPlain(of, t.options, t.Possible)
	if err != nil {
		return nil, err
	}
	if none, ok := errors.AsType[*NotAllowed](t.Allowed(ctx)); ok && none.Forbidden {
		return nil, none
	}
	command, err := x.prepare(ctx, e, c)
	if err != nil {
		return nil, err
	}
	if plain {
		err := x.copyPlain(ctx, &command)
		if x.plain != nil {
			defer x.plain.Remove()
		}
		if err != nil {
			return nil, fmt.Errorf("%s was not run: %w", who, err)
		}
	}
	command.Capture, command.Limits.Time = x.choose, cmp.Or(c.Timeout, captureTime)
	if of.With != nil {
		if err := of.With(&command); err != nil {
			return nil, fmt.Errorf("%s was not run: %w", who, err)
		}
	}
	o, err := t.options.Run(ctx, command, tell)
	if reached := o.Network.Sentence(); reached != "" && of.Reached != nil {
		of.Reached(reached)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s was not run: %w", who, err)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	x.found.Observation, x.found.Filled, x.found.seen = commands.Observe(o, nil), o.Filled, observedIn(o, command)
	x.found.Network, x.found.NotKept, x.found.NotShown = o.Network, o.NotKept, o.NotShown
	x.found.Plain, x.found.Confined = plain, o.Confined
	if err := cmp.Or(o.NotCaptured, x.err); err != nil {
		return nil, fmt.Errorf("what %s changed is not known: %w", who, cmp.Or(endOf(x.found.Observation), err))
	}
	for i, path := range x.written {
		x.compare(path, o.Left[i])
	}
	for path := range x.gone {
		if base, ok := x.base(path); ok && base.Exists {
			x.found.Files = append(x.found.Files, CapturedFile{Path: path, Base: base, Gone: true})
		}
	}
	x.found.Files = slices.DeleteFunc(x.found.Files, func(f CapturedFile) bool { // now that all bases are read
		_, given := x.texts[f.Path]
		if given || x.start.stayed(x.absolute(f.Path)) {
			return false
		}
		x.refuse(f.Path, outside)
		return true
	})
	x.carryLarge()
	slices.SortFunc(x.found.Files, func(a, b CapturedFile) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(x.found.NotCarried, func(a, b plan.Refused) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Reason, b.Reason))
	})
	x.found.NotCarried = slices.Compact(x.found.NotCarried)
	return &x.found, nil
}

// bothNames returns absolute names, and what they lead to.
func bothNames(names []string) []string {
	all := slices.Clone(names)
	for _, name := range names {
		if real := realOf(name); real != name {
			all = append(all, real)
		}
	}
	return all
}

// endOf returns how a command ended that did not exit by itself, nil for another.
func endOf(seen commands.Observation) error {
	if seen.Problem == "" {
		return nil
	}
	return errors.New(phrase.TrimStop(seen.Problem))
}

// capture sorts out what a command has left in its copy.
type capture struct {
	*Trials
	texts    view.TriedTexts
	include  []string
	hidden   []string // absolute
	ignoring *workspace.Ignoring
	start    *beginning
	plain    *world.Plain // nil: the copy is a world

	found   Captured
	named   map[string]bool // absolute names that the copy has, or has no more; new folders are not among them
	given   map[string]bool // absolute names of what Redline has written into the copy
	counted map[string]bool // absolute names that are counted in LeftOut
	written map[int]string  // paths of files to compare, by the index of their entries
	gone    map[string]bool // paths
	looked  int             // how many files below removed folders were looked at
	err     error

	repositories map[string]bool // absolute names of folders with a .git that the command has written
}

func newCapture(t *Trials, texts view.TriedTexts, include []string) *capture {
	return &capture{
		Trials: t, texts: texts, include: include, ignoring: t.ws.Ignoring(),
		found: Captured{LeftOut: map[string]int{}}, named: map[string]bool{}, repositories: map[string]bool{},
		given: map[string]bool{}, counted: map[string]bool{}, written: map[int]string{}, gone: map[string]bool{},
	}
}

// choose returns the files whose content is needed.
func (x *capture) choose(left []world.Entry) (wanted []int) {
	var large []int // new files that are carried only if one that git tracks was moved there
	for _, e := range left {
		x.named[string(e.Path)] = e.Kind != world.FreshEntry
		if dir, _, found := strings.Cut(string(e.Path)+separator, separator+".git"+separator); found && e.Kind != world.GoneEntry {
			x.repositories[dir] = true
		}
	}
	for i, e := range left {
		name := string(e.Path)
		if e.Kind == world.GoneEntry && isIn(name, x.hidden) { // Redline has left it out
			continue
		}
		info, err := os.Lstat(name)
		if there := err == nil; there && info.IsDir() {
			if real, err := filepath.EvalSymlinks(name); err == nil && real == name {
				x.below(name)
			}
		} else if there && (e.Kind == world.GoneEntry || e.Kind == world.FreshEntry) {
			x.remove(name, info)
		} else if errors.Is(err, fs.ErrNotExist) && e.Kind == world.GoneEntry && x.given[name] { // an unsaved or planned new file
			if path, ok := x.path(name); ok {
				x.gone[path] = true
			}
		}
		x.missing(e)
		if e.Kind == world.GoneEntry || e.Kind == world.FreshEntry {
			continue
		}
		path, ok := x.path(name)
		switch {
		case !ok:
		case e.Kind == world.LinkEntry:
			x.refuse(path, "it is a symbolic link")
		case e.Kind != world.FileEntry:
			x.refuse(path, "it is no ordinary file")
		case !x.fits(e.Size, x.ignoring.Limit(path)):
			if x.fits(e.Size, x.ws.MaxTracked()) {
				x.written[i], large = path, append(large, i)
			} else {
				x.tooLarge(path, e.Size)
			}
		default:
			x.written[i] = path
			wanted = append(wanted, i)
		}
	}
	if x.losesLarge() {
		n := roomFor(left, wanted, large)
		wanted, large = append(wanted, large[:n]...), large[n:]
	}
	for _, i := range large {
		x.tooLarge(x.written[i], left[i].Size)
		delete(x.written, i)
	}
	if len(wanted)+len(x.gone) > maxWanted { // before any content is read
		x.err = cmp.Or(x.err, fmt.Errorf("it changed more than %d files: run it on a part of the workspace", maxWanted))
		return nil
	}
	return wanted
}

// maxWanted is how many files are compared.
const maxWanted = 20_000

// below notes all files that the host has in a folder that the copy has no more, or anew.
func (x *capture) below(dir string) {
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || name == dir:
			return nil //nolint:nilerr // it is gone, or the command could not see it either
		case x.named[name] && e.IsDir():
			return fs.SkipDir
		case x.named[name] || e.IsDir():
			return nil
		}
		if x.looked++; x.looked > world.MaxEntries {
			return fmt.Errorf("it removed more than %d files", world.MaxEntries)
		}
		if info, err := e.Info(); err == nil {
			x.remove(name, info)
		}
		return nil
	})
	x.err = cmp.Or(x.err, err)
}

// missing names what the host had when the command started where the command has removed or replaced
// something, and has no more: it may be somewhere else by now.
func (x *capture) missing(e world.Entry) {
	name := string(e.Path)
	for _, was := range x.start.below(name) {
		if was != name && x.named[was] || was == name && e.Kind != world.GoneEntry && e.Kind != world.FreshEntry {
			continue // by an entry of its own
		}
		if _, err := os.Lstat(was); err == nil {
			continue
		}
		if path, ok := x.path(was); ok {
			x.refuse(path, "it is no longer there outside of the copy")
		}
	}
}

// remove notes that the copy does not have a file that the host has.
func (x *capture) remove(name string, info fs.FileInfo) {
	path, ok := x.path(name)
	switch {
	case !ok:
	case !x.start.has(name):
		x.refuse(path, outside)
	case info.Mode()&fs.ModeSymlink != 0:
		x.refuse(path, "it is a symbolic link")
	case !info.Mode().IsRegular():
		x.refuse(path, "it is no ordinary file")
	default:
		x.gone[path] = true
	}
}

func (x *capture) refuse(path, why string) {
	x.found.NotCarried = append(x.found.NotCarried, plan.Refused{Path: edits.VisibleLine(path), Reason: why, Tool: plan.InCopy})
}

// path returns the path of a file that the command has changed. ok is false if no plan can have it:
// that is noted.
func (x *capture) path(name string) (path string, ok bool) {
	path, inside := x.pathOf(name)
	if !inside {
		return "", false
	}
	folder := ownFolder(path)
	if in, ignored := x.ignoring.File(path); folder == "" && ignored && !x.included(path) {
		folder = cmp.Or(in, parentOf(path))
	}
	if folder != "" {
		if !x.counted[name] && !x.given[name] {
			x.found.LeftOut[folder]++
		}
		x.counted[name] = true
		return "", false
	}
	clean, err := x.ws.Clean(path)
	real := ""
	if err == nil && clean == path && utf8.ValidString(path) && edits.VisibleLine(path) == path {
		real, err = x.ws.RealName(path)
	} else {
		err = cmp.Or(err, errors.New("a plan can have no such name"))
	}
	switch {
	case isIn(name, x.hidden), x.ws.OffLimits(path) != nil, x.ws.SecretByName(path):
		err = errors.New("it may hold secrets")
	case err != nil && x.replacesFile(path):
		err = errors.New("its folder takes the place of a file")
	case err != nil:
	case real != name:
		err = errors.New("a symbolic link is, or was, in its place")
	case x.nested(name):
		err = errors.New("it is in a repository of its own, such as a submodule")
	}
	if err != nil {
		x.refuse(path, phrase.TrimStop(reasonOf(err)))
		return "", false
	}
	return path, true
}

// reasonOf returns why a path was refused, without the path.
func reasonOf(err error) string {
	if refused, ok := errors.AsType[*workspace.Refusal](err); ok {
		return "it " + refused.Reason
	}
	return err.Error()
}

func parentOf(name string) string { return path.Dir(name) }

// ownFolder returns the folder of git or of Redline that a path is in, "" for none.
func ownFolder(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if strings.EqualFold(part, ".git") || strings.EqualFold(part, ".redline") {
			return strings.Join(parts[:i+1], "/")
		}
	}
	return ""
}

// included reports whether the user has named an ignored file.
func (x *capture) included(path string) bool {
	return slices.ContainsFunc(x.include, func(glob string) bool {
		ok, err := doublestar.Match(glob, path)
		return ok && err == nil
	})
}

// nested reports whether a folder between the workspace's and a file is a repository.
func (x *capture) nested(name string) bool {
	roots := x.roots()
	for dir := filepath.Dir(name); !slices.Contains(roots, dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || x.repositories[dir] {
			return true
		}
	}
	return false
}

// absolute returns the name of a file that the copy has, as in its world.
func (x *capture) absolute(path string) string {
	name, err := x.ws.RealName(path)
	if err != nil {
		return ""
	}
	return name
}

// base returns a file as the command found it. ok is false if that is not known any more: that is
// noted.
func (x *capture) base(path string) (base workspace.File, ok bool) {
	if t, unsaved := x.texts[path]; unsaved {
		return workspace.File{Path: path, Exists: !t.Gone, Text: t.Text, BOM: t.BOM, Mode: t.Mode}, true
	}
	name := x.absolute(path)
	before := x.start.has(name)
	base, err := x.ws.ReadSavedUpTo(path, x.ignoring.Limit(path))
	switch {
	case err != nil:
		why := reasonOf(err)
		if _, isDir, _ := x.ws.Stat(path); isDir {
			why = "it takes the place of a folder"
		}
		x.refuse(path, why)
	case !before || !x.start.has(name):
		x.refuse(path, outside)
	case x.plain != nil && base.Exists && !x.copied(name):
		x.refuse(path, "the copy did not begin with it")
	default:
		return base, true
	}
	return base, false
}

// replacesFile reports whether a file that is gone was in the place of a folder that a path is in.
func (x *capture) replacesFile(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if x.gone[dir] {
			return true
		}
	}
	return false
}
