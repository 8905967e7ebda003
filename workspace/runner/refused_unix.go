//go:build unix

package runner

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"redline/internal/lazyregexp"
	"redline/internal/leash"
	"redline/workspace/world"
)

// erofs and eacces match what programs print for the errors with which the kernel refuses to write:
// the first on read-only mounts, the second by Landlock.
var (
	erofs  = lazyregexp.New(`(?i)read-only file ?system|\bEROFS\b|os error 30\b|errno 30\b`)
	eacces = lazyregexp.New(`(?i)permission denied|\bEACCES\b|os error 13\b|errno 13\b`)
)

// pathIn matches an absolute path, or one that leads out of the working directory: within marks, where
// it may have spaces, or up to what ends a word. An error may come as "mkdir /a/b: read-only".
var pathIn = lazyregexp.New("(?:^|[\\s=(:])(?:'([^'\\n]+)'|\"([^\"\\n]+)\"|`([^`\\n]+)`|‘([^’\\n]+)’|((?:~|\\.\\.)?/[^\\s'\"`‘’,;:()]+))")

// inSource matches what follows a path that is a place in a source.
var inSource = lazyregexp.New(`^(?::\d|", line \d|, line \d)`)

const (
	maxRefused  = 3       // how many files are named
	maxRefusals = 100     // how many lines about refusals are read
	nearLines   = 3       // an error may name its file in a line before or after
	maxScanned  = 1 << 20 // bytes of an output that are read for refusals: its end
)

// refusedIn returns the files outside of writable, folders without links, that the output says a
// command could not write, and that this process could write: then it was Redline's limit that
// refused. unnamed is true if the output tells of a read-only file system without naming such a file.
// dir and home are the command's working directory and home folder; mounts reports that it was
// limited by read-only mounts, not by Landlock alone.
func refusedIn(output, dir, home string, mounts bool, writable []string) (files []string, unnamed bool) {
	refusing := eacces()
	if mounts {
		refusing = erofs()
	}
	lines := strings.Split(output[max(0, len(output)-maxScanned):], "\n")
	seen := 0
	for i, line := range lines {
		if !refusing.MatchString(line) {
			continue
		}
		if seen++; seen > maxRefusals || len(files) == maxRefused {
			break
		}
		names := pathsOf(line, dir, home)
		for _, near := range around(lines, i) {
			if len(names) > 0 {
				break
			}
			names = pathsOf(near, dir, home)
		}
		for _, name := range names {
			if limited(name, writable) && !slices.Contains(files, name) && len(files) < maxRefused {
				files = append(files, name)
			}
		}
		unnamed = unnamed || mounts && len(names) == 0
	}
	return files, unnamed && len(files) == 0
}

// around returns the lines around a line, the closest first.
func around(lines []string, i int) (near []string) {
	for by := 1; by <= nearLines; by++ {
		for _, at := range []int{i - by, i + by} {
			if at >= 0 && at < len(lines) {
				near = append(near, lines[at])
			}
		}
	}
	return near
}

// pathsOf returns the paths in a line of output that may lie outside of dir, absolute. Those with a
// line number are places in sources: "/usr/lib/os.py:12", 'File "/usr/lib/os.py", line 12'.
func pathsOf(line, dir, home string) (names []string) {
	line = line[:min(len(line), 4<<10)]
	for _, at := range pathIn().FindAllStringSubmatchIndex(line, 20) {
		name := ""
		for group := 2; group < len(at); group += 2 {
			if at[group] >= 0 {
				name = strings.TrimRight(line[at[group]:at[group+1]], ".:")
			}
		}
		if inSource().MatchString(line[at[1]:]) {
			continue
		}
		if rest, ok := strings.CutPrefix(name, "~/"); ok && home != "" {
			name = filepath.Join(home, rest)
		}
		if strings.HasPrefix(name, "../") {
			name = filepath.Join(dir, name)
		}
		if filepath.IsAbs(name) {
			names = append(names, filepath.Clean(name))
		}
	}
	return names
}

// limited reports whether a file lies outside of writable, and this process could write, create or
// remove it.
func limited(name string, writable []string) bool {
	at, rest := name, ""
	for {
		if _, err := os.Lstat(at); err == nil || at == "/" {
			break
		}
		rest = filepath.Join(filepath.Base(at), rest)
		at = filepath.Dir(at)
	}
	real, err := filepath.EvalSymlinks(at)
	if err != nil {
		return false
	}
	full := filepath.Join(real, rest)
	if slices.ContainsFunc(slices.Concat(writable, devices, []string{"/proc", "/sys"}), func(w string) bool { return isIn(full, w) }) {
		return false
	}
	can := func(of string) bool { return unix.Faccessat(unix.AT_FDCWD, of, unix.W_OK, unix.AT_EACCESS) == nil }
	return can(real) || rest == "" && can(filepath.Dir(real))
}

// launcher starts a helper with bwrap, which creates its world, and sends it the
// workspace.
type launcher struct {
	*world.Launcher
	program  string
	from, to *os.File // the pipe that carries the workspace
}

// findBwrap is a variable so that tests can replace it.
var findBwrap = world.FindBwrap

// launcherFor returns the launcher for the helper of a command, nil if the helper needs
// none.
func launcherFor(c Command) (*launcher, error) {
	if c.World == nil || c.World.Kind != world.Bwrap {
		return nil, nil
	}
	program, err := findBwrap()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("this program cannot be found: %w", err)
	}
	made, err := world.NewLauncher(*c.World, self, HelperArg)
	if err != nil {
		return nil, err
	}
	l := &launcher{Launcher: made, program: program}
	if l.from, l.to, err = os.Pipe(); err != nil {
		return nil, fmt.Errorf("a command cannot be started: %w", err)
	}
	return l, nil
}

// command returns the command line of bwrap.
func (l *launcher) command() *exec.Cmd {
	cmd := exec.Command(l.program, l.Args...)
	leash.Mark(cmd) // if bwrap is killed early, its child waits for it forever
	return cmd
}

// send sends the workspace to the helper.
func (l *launcher) send() {
	_ = l.Send(l.to) // an error means that the helper has exited, which the notices report
	l.to.Close()
}

// copyFile is the file descriptor from which a helper in a world of bwrap reads the
// workspace.
const copyFile = 5

// enter moves this process, a helper, into its world.
func enter(w world.World) (*world.Capture, error) {
	if w.Kind == world.Bwrap {
		return world.EnterCopy(w, os.NewFile(copyFile, "workspace"))
	}
	return world.Enter(w)
}
