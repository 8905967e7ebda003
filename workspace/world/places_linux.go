//go:build amd64 || arm64

package world

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// maxBeside is how many entries a folder that contains a mount point may have: each
	// entry is mounted by itself.
	maxBeside = 2000
	// maxCopied is the size limit, in bytes, for a file copied from such a folder.
	maxCopied = 16 << 20
	// maxSingle is that limit for a single file that a program needs: it is left out otherwise.
	maxSingle = 256 << 10
)

// show shows a folder of the host read-only.
func (b *builder) show(dir string) error {
	if err := makeFolder(root + dir); err != nil {
		return err
	}
	if !b.points.below(dir) {
		return overlay(host+dir, "", root+dir)
	}
	if err := b.compose(dir, b.show); err != nil {
		return err
	}
	return nil
}

// places shows the folders of the workspace, of tools and of the state, writable. A folder inside
// another is shown with it.
func (b *builder) places() error {
	b.programs()
	for _, dir := range outermost(slices.Concat(b.Folders, b.Tools, b.State.Paths)) {
		if info, err := os.Stat(host + dir); err != nil || !info.IsDir() {
			continue
		}
		if dir == "/" {
			return errWholeSystem
		}
		if b.holdsUppers(dir) {
			return fmt.Errorf("%s has the folder %s for what is written, which must be elsewhere", dir, b.Uppers)
		}
		if err := b.copied(dir); err != nil {
			return err
		}
	}
	return nil
}

// programs shows what programs need, read-only, before the folders that may be inside. What cannot
// be shown is left out: then a program is missing, as it would be without its link.
func (b *builder) programs() {
	known := map[string]string{} // overlays of folders
	for _, name := range b.notElsewhere() {
		info, err := os.Stat(host + name)
		switch {
		case err != nil:
		case info.IsDir():
			_ = b.show(name)
		case info.Mode().IsRegular():
			_ = b.showFile(name, known)
		}
	}
}

// notElsewhere returns the outermost Programs that are neither hidden nor shown with other folders.
func (b *builder) notElsewhere() []string {
	others := slices.Concat(b.Folders, b.Tools, b.State.Paths, b.Hidden)
	return slices.DeleteFunc(outermost(b.Programs), func(name string) bool {
		return name == "/" || InSystem(name) || slices.ContainsFunc(others, func(other string) bool { return isIn(name, other) })
	})
}

// showFile shows a file of the host read-only: from an overlay of its folder, out of sight. known
// are these overlays by the folders.
func (b *builder) showFile(name string, known map[string]string) error {
	dir := filepath.Dir(name)
	if err := makeFolder(root + dir); err != nil {
		return err
	}
	if b.points.below(dir) {
		if info, err := os.Stat(host + name); err != nil || info.Size() > maxSingle {
			return err
		}
		return copyFile(name)
	}
	at, ok := known[dir]
	if !ok {
		var err error
		if at, err = b.newFolder(apart, 0o755); err != nil {
			return err
		}
		if err := overlay(host+dir, "", at); err != nil {
			return err
		}
		known[dir] = at
	}
	if err := os.WriteFile(root+name, nil, 0o444); err != nil {
		return err
	}
	return bind(filepath.Join(at, filepath.Base(name)), root+name)
}

// copied shows a folder of the host so that writes do not change the host's files.
func (b *builder) copied(dir string) error {
	if err := makeFolder(root + dir); err != nil {
		return err
	}
	if b.points.below(dir) {
		upper, err := b.newFolder(write, permissions(host+dir))
		if err != nil {
			return err
		}
		if err := errors.Join(bind(upper, root+dir), b.kept.keep(dir, dir, upper, true)); err != nil {
			return err
		}
		return b.compose(dir, b.copied)
	}
	// The root of an overlay has the size and times of its upper, and a build that sees
	// new times rebuilds everything. A folder inside the overlay keeps the host's size
	// and times. So copied overlays the parent folder, out of sight, and binds the folder
	// from there.
	parent := filepath.Dir(dir)
	if parent == "/" || b.points.below(parent) || !sameDevice(host+dir, host+parent) || b.holdsUppers(parent) {
		upper, err := b.upper(dir)
		if err != nil {
			return err
		}
		return errors.Join(overlay(host+dir, upper, root+dir), b.kept.keep(dir, dir, upper, false))
	}
	upper, err := b.upper(parent)
	if err != nil {
		return err
	}
	at := apart + "/" + filepath.Base(upper)
	if err := os.Mkdir(at, 0o755); err != nil {
		return err
	}
	if err := errors.Join(overlay(host+parent, upper, at), b.kept.keep(parent, dir, upper, false)); err != nil {
		return err
	}
	return bind(filepath.Join(at, filepath.Base(dir)), root+dir)
}

// compose builds a folder that contains mount points from its entries: it calls place for
// folders, and copies files.
func (b *builder) compose(dir string, place func(string) error) error {
	entries, err := os.ReadDir(host + dir)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", dir, err)
	}
	if len(entries) > maxBeside {
		return fmt.Errorf("%s has %d entries, beside one in which something is mounted: that is too many", dir, len(entries))
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		var err error
		switch {
		case e.IsDir():
			if unix.Access(host+name, unix.R_OK|unix.X_OK) != nil {
				err = os.Mkdir(root+name, 0)
			} else {
				err = place(name)
			}
		case e.Type()&fs.ModeSymlink != 0:
			var to string
			if to, err = os.Readlink(host + name); err == nil {
				err = os.Symlink(to, root+name)
			}
		case e.Type().IsRegular():
			err = copyFile(name)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// copyFile copies a file of the host into the world. It skips a file that cannot be read.
func copyFile(name string) error {
	info, err := os.Stat(host + name)
	if err != nil {
		return nil //nolint:nilerr // it is gone
	}
	if info.Size() > maxCopied {
		return fmt.Errorf("%s is too big to be copied from a folder in which something is mounted", name)
	}
	data, err := os.ReadFile(host + name)
	if err != nil {
		return nil //nolint:nilerr // as said
	}
	if err := os.WriteFile(root+name, data, 0o600); err != nil {
		return fmt.Errorf("%s cannot be copied: %w", name, err)
	}
	return errors.Join(os.Chmod(root+name, info.Mode().Perm()), os.Chtimes(root+name, info.ModTime(), info.ModTime()))
}

// secretOfSystem are files that only root should read.
var secretOfSystem = []string{"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private"}

// hide removes the hidden files from the copies, and covers them where they are
// read-only.
func (b *builder) hide() error {
	keys, _ := filepath.Glob(root + "/etc/ssh/ssh_host_*_key") // Glob fails only for a bad pattern
	for i, name := range keys {
		keys[i] = strings.TrimPrefix(name, root)
	}
	for _, name := range slices.Concat(secretOfSystem, keys, b.Hidden) {
		info, err := os.Lstat(root + name)
		if err != nil {
			continue
		}
		err = os.RemoveAll(root + name)
		if errors.Is(err, unix.EROFS) {
			err = b.cover(name, info.IsDir())
		}
		if err != nil {
			return fmt.Errorf("%s cannot be hidden: %w", name, err)
		}
	}
	return nil
}

// cover mounts an empty file or folder over a name that cannot be removed.
func (b *builder) cover(name string, folder bool) error {
	nothing := empty
	if !folder {
		nothing += ".file"
		if err := os.WriteFile(nothing, nil, 0o444); err != nil {
			return err
		}
	}
	if err := bind(nothing, root+name); err != nil {
		return err
	}
	return readOnly(root+name, false)
}

// Unreached returns how often a process of this network namespace has tried to reach an
// address that it cannot reach: packets without a route, and messages to a port where
// nobody listens, as to a name server on the loopback device. A new namespace begins at 0.
// The kernel counts them (RFC 4293, ipSystemStatsOutNoRoutes; RFC 4113, udpNoPorts).
func Unreached() (n int) {
	for _, name := range []string{"/proc/self/net/snmp", "/proc/self/net/snmp6"} {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // without IPv6 there is no snmp6
		}
		n += unreached(string(text))
	}
	return n
}

// unreached adds up the counters in a file of the kernel. snmp has a line of names above
// each line of numbers, "Udp: InDatagrams NoPorts" and "Udp: 4 1"; snmp6 has a name and a
// number in each line, "Ip6OutNoRoutes 2".
func unreached(text string) (sum int) {
	wanted := map[string]bool{"Ip:OutNoRoutes": true, "Udp:NoPorts": true, "Ip6OutNoRoutes": true, "Udp6NoPorts": true}
	var names []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 2 && !strings.HasSuffix(fields[0], ":"):
			if value, err := strconv.Atoi(fields[1]); err == nil && wanted[fields[0]] {
				sum += value
			}
		case len(names) == len(fields) && len(fields) > 0 && names[0] == fields[0]:
			for i, field := range fields[1:] {
				if value, err := strconv.Atoi(field); err == nil && wanted[fields[0]+names[i+1]] {
					sum += value
				}
			}
			names = nil
		default:
			names = fields
		}
	}
	return sum
}

// change makes the changes, except for those of hidden files.
func (b *builder) change() error {
	for _, c := range b.Changes {
		if b.hides(c.Path) {
			continue
		}
		err := c.make()
		if err == nil && !c.Time.IsZero() && !c.Gone {
			err = os.Chtimes(c.Path, c.Time, c.Time)
		}
		if err != nil && !(c.Same && errors.Is(err, fs.ErrNotExist)) { // it was removed meanwhile
			return fmt.Errorf("%s cannot be changed: %w", c.Path, err)
		}
	}
	return nil
}

// hides reports whether a name, or what it leads to, is a hidden file or in a hidden folder.
func (b *builder) hides(name string) bool {
	real := resolved(name)
	return slices.ContainsFunc(b.Hidden, func(hidden string) bool { return isIn(name, hidden) || isIn(real, hidden) })
}

func (c Change) make() error {
	if c.Same {
		return nil
	}
	if c.Gone {
		if err := os.Remove(c.Path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
		return err
	}
	info, err := os.Stat(c.Path)
	mode := cmp.Or(c.Mode, 0o644)
	// An editor can change a read-only file, since it renames a new file over it; so does
	// this.
	if err == nil {
		mode = info.Mode().Perm()
		_ = os.Chmod(c.Path, mode|0o600)
	}
	if err := os.WriteFile(c.Path, c.Text, 0o600); err != nil {
		return err
	}
	return os.Chmod(c.Path, mode)
}
