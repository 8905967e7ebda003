//go:build unix

package runner

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// guard protects Redline's own files from a command: some must be read-only, and some must
// stay where they are, so that nothing else can take their names. All names are absolute
// and without symbolic links, and a folder comes before its entries.
type guard struct {
	seal  []string // files and folders to make read-only
	pin   []string // folders above them that must not be renamed or removed
	carve []string // folders in which nothing may be created, renamed or removed, since a link or a missing entry in them leads to a sealed file
	above []string // folders above pin and seal that need the same protection as stay where mounting is not possible
}

// maxSteps bounds the path parts and links followed for one name.
const maxSteps = 500

// newGuard determines how to protect Redline's own files, which may be missing, from a
// command. open reports whether the command may create, rename and remove entries of a
// folder.
func newGuard(own []string, open func(dir string) bool) *guard {
	g := &guard{}
	for _, name := range own {
		g.follow(name, open)
	}
	for _, list := range []*[]string{&g.seal, &g.pin, &g.carve, &g.above} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	g.seal = slices.DeleteFunc(g.seal, func(name string) bool {
		return slices.ContainsFunc(g.seal, func(other string) bool { return other != name && isIn(name, other) })
	})
	sealed := func(dir string) bool {
		return slices.ContainsFunc(g.seal, func(s string) bool { return isIn(dir, s) })
	}
	g.pin = slices.DeleteFunc(g.pin, sealed)
	g.carve = slices.DeleteFunc(g.carve, sealed)
	g.above = slices.DeleteFunc(g.above, sealed)
	return g
}

// follow walks along a path and its links to the target.
func (g *guard) follow(name string, open func(dir string) bool) {
	at, rest := "/", parts(name)
	for steps := 0; len(rest) > 0 && steps < maxSteps; steps++ {
		part := rest[0]
		rest = rest[1:]
		if part == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		info, err := os.Lstat(next)
		switch {
		case err != nil: // it does not exist, or cannot be read
			if open(at) {
				g.carve = append(g.carve, at)
			}
			return
		case info.Mode()&fs.ModeSymlink != 0:
			if open(at) {
				g.carve = append(g.carve, at)
			}
			target, err := os.Readlink(next)
			if err != nil {
				return
			}
			if filepath.IsAbs(target) {
				at = "/"
			}
			rest = append(parts(target), rest...)
			continue
		case len(rest) == 0:
			g.seal = append(g.seal, next)
		case open(at):
			g.pin = append(g.pin, next)
		}
		if open(at) {
			g.above = append(g.above, at)
		}
		at = next
	}
}

func parts(name string) []string {
	return slices.DeleteFunc(strings.Split(name, "/"), func(part string) bool { return part == "" || part == "." })
}

// linked returns the links directly in the folders: their targets need the same
// protection as the entries of these folders.
func linked(folders []string) (names []string) {
	for _, dir := range folders {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // a file, or missing
		}
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink != 0 {
				names = append(names, filepath.Join(dir, e.Name()))
			}
		}
	}
	return names
}

// exposed returns an own file that a command can write, or a folder where the command
// could create one; "" for none. mounted reports that the sealed files are already
// read-only.
func (g *guard) exposed(mounted bool, within func(dir string) bool) string {
	lists := [][]string{g.carve}
	if !mounted {
		lists = append(lists, g.seal)
	}
	for _, name := range slices.Concat(lists...) {
		if within(name) {
			return name
		}
	}
	return ""
}

// hardLinked returns other names, in the folders that a command may write, for files in
// own or directly in a folder of own. It searches those folders only if such a file has
// more than one name.
func hardLinked(own, write []string) (names []string) {
	var files []fs.FileInfo
	for _, name := range own {
		info, err := os.Stat(name)
		if err != nil {
			continue
		}
		if !info.IsDir() {
			files = append(files, info)
			continue
		}
		entries, _ := os.ReadDir(name)
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				files = append(files, info)
			}
		}
	}
	files = slices.DeleteFunc(files, func(info fs.FileInfo) bool {
		stat, ok := info.Sys().(*syscall.Stat_t)
		return !ok || !info.Mode().IsRegular() || stat.Nlink < 2
	})
	if len(files) == 0 {
		return nil
	}
	for _, dir := range write {
		_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return nil // a command cannot use a path that cannot be read
			}
			if info, err := e.Info(); err == nil && slices.ContainsFunc(files, func(f fs.FileInfo) bool { return os.SameFile(f, info) }) {
				names = append(names, name)
			}
			return nil
		})
	}
	return names
}

// isIn reports whether name is dir or below it.
func isIn(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// realDirs returns the folders with symbolic links resolved. It leaves out missing ones and
// files.
func realDirs(dirs []string) (real []string) {
	for _, dir := range dirs {
		name, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			real = append(real, name)
		}
	}
	return real
}

// grants are the places where a command may write.
type grants struct {
	dirs  []string // folders with everything in them
	files []string // single files
}

// grant allows writes in dirs and everything below, except in closed. In the folders of
// carve it also forbids to create, rename and remove direct entries.
func grant(dirs, carve, closed []string) (g grants) {
	for _, dir := range dirs {
		g.add(dir, carve, closed)
	}
	return g
}

func (g *grants) add(dir string, carve, closed []string) {
	if slices.ContainsFunc(closed, func(c string) bool { return isIn(dir, c) }) {
		return
	}
	below := func(name string) bool { return isIn(name, dir) }
	if !slices.ContainsFunc(carve, below) && !slices.ContainsFunc(closed, below) {
		g.dirs = append(g.dirs, dir)
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			g.add(name, carve, closed)
		case e.Type()&fs.ModeSymlink == 0 && !slices.Contains(closed, name): // the target of a link needs a grant of its own
			g.files = append(g.files, name)
		}
	}
}

// makeFolders creates the missing folders that a command could create, since only an
// existing folder can be protected. A folder that cannot be created stays missing.
func makeFolders(folders []string, open func(dir string) bool) {
	for _, dir := range folders {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) && open(nearest(filepath.Dir(dir))) {
			_ = os.MkdirAll(dir, 0o700)
		}
	}
}

// nearest returns the innermost existing folder of a path, without symbolic links.
func nearest(name string) string {
	for {
		real, err := filepath.EvalSymlinks(name)
		if err == nil || name == filepath.Dir(name) {
			return real
		}
		name = filepath.Dir(name)
	}
}
