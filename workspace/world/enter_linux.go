//go:build amd64 || arm64

package world

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The root file system of the helper while it builds a world.
const (
	host  = "/host"  // the host's files, read-only
	root  = "/root"  // the future root of the world
	write = "/write" // holds everything that the command writes
	empty = "/empty" // an empty folder
	dev   = "/dev"   // the devices of the world
	apart = "/apart" // overlays of which only one folder is shown
	disk  = "/disk"  // holds the uppers that are not in memory
	kept  = "/kept"  // the content of the folder that stays
)

// builder builds a world.
type builder struct {
	World
	points mountPoints       // mount points, by their names on the host
	links  map[string]string // names in World that lead through links, with the link targets
	uppers int
	kept   *Capture // nil if nobody will read what is written
}

// Enter moves this process, which must have been started with [Attributes], into the
// world w, and with it everything that it starts from now on. It returns the capture of a world that
// will be read, nil for another. The error is a part of a
// sentence; after an error the process must exit.
func Enter(w World) (*Capture, error) {
	if os.Getpid() != 1 {
		return nil, errors.New("it is not the first process of a PID namespace")
	}
	unix.Umask(0)
	b := &builder{World: w, links: map[string]string{}}
	if w.Captured || len(w.State.Keep) > 0 {
		b.kept = &Capture{}
	}
	b.resolve()
	var err error
	if b.points, err = readMountPoints(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		b.loopback, b.stage, b.system, b.devices, b.home, b.places, b.stateFiles, b.showKept, b.hide, b.addLinks, b.pivot, b.change, b.limitProcesses, shutProc,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	unix.Umask(0o022)
	if err := keepPath(b.World); err != nil {
		return nil, err
	}
	return b.kept, b.kept.begin(b.World)
}

// resolve replaces the names in World by their link targets, and drops folders that do not
// exist.
func (b *builder) resolve() {
	real := func(names []string, shown bool) (kept []string) {
		for _, name := range names {
			to, err := filepath.EvalSymlinks(name)
			if err != nil {
				continue
			}
			if name = filepath.Clean(name); shown && to != name {
				b.links[name] = to
			}
			kept = append(kept, to)
		}
		return kept
	}
	tools, programs := Shown(b.Tools, []string{b.Home}), Shown(b.Programs, []string{b.Home})
	b.Folders, b.Tools, b.Programs = real(b.Folders, true), real(tools, true), real(programs, true)
	real(Shown(b.Links, []string{b.Home}), true)
	b.State.Paths = real(b.State.Paths, true)
	hidden := make([]string, len(b.Hidden))
	for i, name := range b.Hidden { // of those that do not exist, no change makes one
		hidden[i] = resolved(name)
	}
	b.Hidden = hidden
	b.Home = strings.Join(real([]string{b.Home}, true), "")
	if b.Uppers == "" {
		return
	}
	if to, err := filepath.EvalSymlinks(b.Uppers); err == nil {
		b.Uppers = to
	}
	b.Hidden = append(b.Hidden, b.Uppers)
}

// resolved returns an absolute name without links, also those that lead to nothing.
func resolved(name string) string { return follow(name, maxLinks) }

func follow(name string, links int) string {
	if to, err := filepath.EvalSymlinks(name); err == nil || name == "/" {
		return cmp.Or(to, name)
	}
	name = filepath.Join(follow(filepath.Dir(name), links), filepath.Base(name))
	to, err := os.Readlink(name)
	if err != nil || links == 0 {
		return name
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(name), to)
	}
	return follow(to, links-1)
}

// loopback brings up the loopback device, the only one of a new network.
func (b *builder) loopback() error {
	if b.HostNetwork {
		return nil
	}
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("it has no network of its own: %w", err)
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo")
	if err == nil {
		lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
		err = unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo)
	}
	if err != nil {
		return fmt.Errorf("its network cannot be brought up: %w", err)
	}
	return nil
}

// stage mounts a root file system in memory to work in, and the host's files below it.
func (b *builder) stage() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("its mounts cannot be told apart from others: %w", err)
	}
	at := slices.IndexFunc(stagePlaces, func(dir string) bool { i, err := os.Stat(dir); return err == nil && i.IsDir() })
	if at < 0 {
		return errors.New("there is no folder to build it in")
	}
	stage := stagePlaces[at]
	if err := mountTmpfs(stage, "mode=755,size=4m"); err != nil {
		return err
	}
	for _, dir := range []string{host, root, write, empty, dev, apart, disk, kept} {
		if err := os.Mkdir(stage+dir, 0o755); err != nil {
			return err
		}
	}
	if err := errors.Join(unix.PivotRoot(stage, stage+host), unix.Chdir("/")); err != nil {
		return fmt.Errorf("its root cannot be changed: %w", err)
	}
	if err := mountTmpfs(write, fmt.Sprintf("mode=755,size=%d", max(b.Disk, 1<<20))); err != nil {
		return err
	}
	if err := b.mountUppers(); err != nil { // before the host's files become read-only
		return err
	}
	if err := b.mountKept(); err != nil {
		return err
	}
	if err := mountTmpfs(dev, "mode=755,size=64k"); err != nil {
		return err
	}
	if err := bindDevices(); err != nil { // before the host's files are mounted without devices
		return err
	}
	attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if err := unix.MountSetattr(unix.AT_FDCWD, host, unix.AT_RECURSIVE, attr); errors.Is(err, unix.ENOSYS) {
		return errors.New("this kernel has no mount_setattr, which trials need: Linux 5.12 and later have one")
	} else if err != nil {
		return fmt.Errorf("the files of this system cannot be made read-only: %w", err)
	}
	return mountTmpfs(root, "mode=755,size=4m")
}

// stagePlaces are folders that every system has: a mount hides one of them for a moment.
var stagePlaces = []string{"/tmp", "/run", "/mnt", "/dev"}

// pivot makes the world the root of this process, and unmounts everything else.
func (b *builder) pivot() error {
	if err := errors.Join(unix.Chdir(root), unix.PivotRoot(".", "."), unix.Unmount(".", unix.MNT_DETACH), unix.Chdir("/")); err != nil {
		return fmt.Errorf("its root cannot be changed: %w", err)
	}
	return nil
}

// addLinks creates the links that lead to the folders of the world. A name that goes
// through another of them needs none.
func (b *builder) addLinks() error {
	for _, name := range outermost(slices.Collect(maps.Keys(b.links))) {
		to, at := b.links[name], root+name
		if _, err := os.Lstat(at); err == nil {
			continue
		}
		err := makeFolder(filepath.Dir(at))
		if err == nil {
			err = os.Symlink(to, at)
		}
		if err != nil && !slices.Contains(b.Links, name) {
			return fmt.Errorf("the link %s cannot be made: %w", name, err)
		}
	}
	return nil
}
