//go:build amd64 || arm64

package world

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// bwrapPlaces are the paths at which bwrap is looked for. PATH is ignored, since it may
// contain a folder of the workspace.
var bwrapPlaces = []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/wrappers/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// FindBwrap returns the path of bwrap, which builds worlds of the kind [Bwrap], or why it
// cannot be used, as a part of a sentence.
func FindBwrap() (string, error) {
	if os.Geteuid() == 0 {
		return "", errors.New("bwrap does not limit what root can do") // its processes, files of others
	}
	for _, name := range bwrapPlaces {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && ofRoot(name) {
			return name, nil
		}
	}
	return "", errors.New("bwrap is not installed")
}

// ofRoot reports whether only root can change a file.
func ofRoot(name string) bool {
	var stat unix.Stat_t
	return unix.Stat(name, &stat) == nil && stat.Uid == 0 && stat.Mode&0o022 == 0
}

// helperInBwrap is the path of this program in a world of the kind [Bwrap].
const helperInBwrap = "/.redline"

// Launcher builds a world of the kind [Bwrap]: the workspace is copied to memory, and
// everything else is bound read-only.
type Launcher struct {
	World World    // to pass to [EnterCopy]
	Args  []string // the arguments of bwrap
	copy  packing

	StateLeft int // how many files of the state are not in the copy, because it would be too large
}

// NewLauncher returns a launcher that starts self, this program, as a helper with the
// argument arg in a world of the kind [Bwrap]. The error is a part of a sentence.
func NewLauncher(w World, self, arg string) (*Launcher, error) {
	b := &bwrap{builder: builder{World: w, links: map[string]string{}}, bound: map[string]bool{}}
	b.resolve()
	b.Processes += tasks(os.Geteuid()) // the limit counts all processes of this user
	if slices.Contains(b.Folders, "/") {
		return nil, errWholeSystem
	}
	b.add("--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1")
	if b.HostNetwork {
		b.add("--share-net")
	}
	for _, step := range []func() error{b.system, b.tools, b.state, b.folders} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.add("--ro-bind", self, helperInBwrap)
	for _, link := range byLength(keys(b.links)) {
		if !b.inBound(link) {
			b.add("--symlink", b.links[link], link)
		}
	}
	l := &Launcher{World: b.World, Args: append(b.args, "--chdir", "/", helperInBwrap, arg)}
	var err error
	if l.copy, err = pack(b.World); err != nil {
		return nil, err
	}
	state, left := packState(b.World)
	l.copy, l.StateLeft = append(l.copy, state...), left
	return l, nil
}

func keys(m map[string]string) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	return names
}

// bwrap builds the arguments of bwrap. It takes from builder only the names without
// links.
type bwrap struct {
	builder
	args  []string
	bound map[string]bool // folders that are bound
}

func (b *bwrap) add(args ...string) { b.args = append(b.args, args...) }

// bind shows a folder of the host, read-only.
func (b *bwrap) bind(dir string) {
	b.bound[dir] = true
	b.add("--ro-bind", dir, dir)
}

// fresh creates a writable empty folder.
func (b *bwrap) fresh(dir string) {
	if b.inBound(dir) {
		b.add("--tmpfs", dir)
		return
	}
	b.add("--dir", dir)
}

func (b *bwrap) inBound(name string) bool {
	for dir := range b.bound {
		if isIn(name, dir) {
			return true
		}
	}
	return false
}

// system shows the programs of this system. It leaves out /sys.
func (b *bwrap) system() error {
	for _, dir := range []string{"/", "/var"} {
		if err := b.systemIn(dir); err != nil {
			return err
		}
	}
	for _, name := range shownOfVar {
		if info, err := os.Lstat(name); err == nil && info.IsDir() && unix.Access(name, unix.R_OK|unix.X_OK) == nil {
			b.bind(name)
		}
	}
	b.add("--proc", "/proc", "--dev", "/dev")
	for _, dir := range []string{"/tmp", "/run", "/var/tmp", b.Home} {
		if dir != "" && dir != "/" {
			b.fresh(dir)
		}
	}
	for _, dir := range []string{"/etc", "/opt"} {
		if err := b.coverPipes(dir); err != nil {
			return err
		}
	}
	return nil
}

// systemIn shows the entries of a folder that hold programs, and the other folders empty.
func (b *bwrap) systemIn(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be read: %w", dir, err)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			if err != nil {
				return err
			}
			b.add("--symlink", to, name)
		case e.IsDir() && dir == "/" && slices.Contains(shownFolders, e.Name()):
			b.bind(name)
		case e.IsDir():
			b.add("--dir", name)
		}
	}
	return nil
}

// written are the names of caches that builds must be able to write: they start empty.
var written = []string{"go-build", "golangci-lint", "goimports", "sccache", "ccache", ".ccache"}

// tools binds the folders of tools outside the workspace, and what programs need.
func (b *bwrap) tools() error {
	for _, name := range b.notElsewhere() {
		if info, err := os.Stat(name); err != nil || b.inBound(name) {
			continue
		} else if info.Mode().IsRegular() {
			b.add("--ro-bind", name, name)
		} else if info.IsDir() {
			b.bind(name)
			if err := b.coverPipes(name); err != nil {
				return err
			}
		}
	}
	for _, dir := range outermost(slices.Concat(b.Folders, b.Tools)) {
		if slices.Contains(b.Folders, dir) || b.inBound(dir) || dir == b.Home || dir == "/" {
			continue
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		if slices.Contains(written, filepath.Base(dir)) || dir == filepath.Clean(os.Getenv("GOCACHE")) {
			b.fresh(dir)
			continue
		}
		b.bind(dir)
		if err := b.coverPipes(dir); err != nil {
			return err
		}
	}
	for _, name := range b.Hidden {
		info, err := os.Lstat(name)
		switch {
		case err != nil || !b.inBound(name):
		case info.IsDir():
			b.add("--tmpfs", name)
		default:
			b.add("--ro-bind", os.DevNull, name)
		}
	}
	return nil
}

// maxPipes is how many FIFOs the bound folders may have.
const maxPipes = 100

// coverPipes hides the FIFOs in a bound folder: a FIFO connects to the host even through
// a read-only mount.
func (b *bwrap) coverPipes(dir string) error {
	found := 0
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeNamedPipe == 0 {
			return nil // a folder that cannot be read here cannot be read inside either
		}
		if found++; found > maxPipes {
			return fmt.Errorf("there are too many FIFOs in %s", dir)
		}
		b.add("--ro-bind", os.DevNull, name) // which is no device there
		return nil
	})
	return err
}

// state creates the folders of the state, and those that hold its files.
func (b *bwrap) state() error {
	for _, name := range outermost(b.State.Paths) {
		info, err := os.Stat(name)
		if err != nil {
			continue
		}
		if !info.IsDir() {
			name = filepath.Dir(name)
		}
		if info.IsDir() || name != b.Home && !b.inBound(name) {
			b.fresh(name)
		}
	}
	return nil
}

// folders creates the folders of the workspace.
func (b *bwrap) folders() error {
	for _, dir := range outermost(b.Folders) {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("there is no folder %s", dir)
		}
		b.fresh(dir)
	}
	return nil
}

// tasks returns the number of processes and threads of a user.
func tasks(uid int) (n int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		var stat unix.Stat_t
		if unix.Stat("/proc/"+e.Name(), &stat) == nil && int(stat.Uid) == uid {
			threads, _ := os.ReadDir("/proc/" + e.Name() + "/task")
			n += len(threads)
		}
	}
	return n
}

// EnterCopy completes a world of the kind [Bwrap], whose first process is this one: it
// unpacks the copy of the workspace that [Launcher.Send] sends, then makes the changes. It returns
// what [Enter] does.
func EnterCopy(w World, from *os.File) (*Capture, error) {
	if os.Getpid() != 1 {
		return nil, errors.New("it is not the first process of a PID namespace")
	}
	defer from.Close()
	unix.Umask(0)
	if err := unpack(from, (&builder{World: w}).change); err != nil {
		return nil, fmt.Errorf("the workspace cannot be copied: %w", err)
	}
	unix.Umask(0o022)
	if err := keepPath(w); err != nil {
		return nil, err
	}
	if !w.Captured && len(w.State.Keep) == 0 {
		return nil, nil
	}
	c := &Capture{}
	if len(w.State.Keep) > 0 {
		if err := c.keepHome(w.Home, w.Home); err != nil {
			return nil, err
		}
	}
	for _, dir := range outermost(w.Folders) {
		if err := c.keep(dir, dir, dir, true); err != nil {
			return nil, err
		}
	}
	return c, c.begin(w)
}

// Full reports whether more than World.Disk was written in a world of the kind [Bwrap],
// whose memory has no other limit.
func Full(w World) bool {
	var used int64
	var known []unix.Fsid
	for _, dir := range slices.Concat([]string{"/", "/dev", w.Home}, w.Folders) {
		var stat unix.Statfs_t
		if dir == "" || unix.Statfs(dir, &stat) != nil || stat.Type != unix.TMPFS_MAGIC || slices.Contains(known, stat.Fsid) {
			continue
		}
		known = append(known, stat.Fsid)
		used += int64(stat.Blocks-stat.Bfree) * stat.Bsize
	}
	return used > w.Disk
}

// errWholeSystem refuses the root folder.
var errWholeSystem = errors.New("the workspace is the whole file system: open the folder of a project")
