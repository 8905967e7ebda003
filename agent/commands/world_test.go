package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// shell is a shell of this system.
type shell struct {
	name string
	argv []string // runs the script that follows
	part int      // it runs one of so many lines
}

func (s shell) String() string { return s.name }

func findShells(t *testing.T) (found []shell) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no POSIX shell to compare with")
	}
	for i, argv := range [][]string{{"dash", "-c"}, {"bash", "-c"}, {"busybox", "sh", "-c"}, {"bash", "--posix", "-c"}} {
		path, err := exec.LookPath(argv[0])
		if err != nil {
			t.Logf("there is no %s here: it is left out", argv[0])
			continue
		}
		found = append(found, shell{name: strings.Join(argv[:len(argv)-1], " "), argv: append([]string{path}, argv[1:]...), part: []int{1, 1, 2, 8}[i]})
	}
	if len(found) == 0 {
		t.Skip("there is no shell to compare with: install dash, bash or busybox")
	}
	return found
}

// world is where lines run: a folder of stubs, the only programs they find, and a folder
// for their files.
type world struct{ dir, stubs string }

func newWorld(t *testing.T) *world {
	w := &world{dir: t.TempDir()}
	w.stubs = filepath.Join(w.dir, "stubs")
	if err := os.Mkdir(w.stubs, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, names := range [][]string{good[:1], bad[:1], denied, {"cat"}} {
		for _, name := range names {
			// What a stub was run as goes to descriptor 9 at once, so that two do not mix.
			status := 0
			if slices.Contains(bad, name) {
				status = 1
			}
			text := fmt.Sprintf("#!/bin/sh\nIFS='\x1f'\nprintf '%%s\x1e' \"%s${1+\x1f}$*\" >&9\nexit %d\n", name, status)
			if err := os.WriteFile(filepath.Join(w.stubs, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, real := range map[string]string{"env": "env", "xargs": "xargs", "find": "find", "nohup": "nohup", "nice": "nice", "timeout": "timeout", "sh": "sh", "bash": "bash"} {
		if path, err := exec.LookPath(real); err == nil {
			if err := os.Symlink(path, filepath.Join(w.stubs, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w
}

// run is the result of a line in a shell.
type run struct {
	commands [][]string // the stubs that ran, with their arguments
	missing  []string   // the programs that it did not find
}

// driver runs each of its arguments as a line, in a shell of its own. What is run as
// "sh -c" is read in the same way as what eval is given.
const driver = `for line_; do number_=$((${number_:-0}+1))
( set --; eval "$line_" ) 9>"$number_.ran" >"$number_.out" 2>"$number_.err" </dev/null
done`

// maxBatch is how long the lines of one batch may take together. A line that never ends
// is skipped, and the batch continues after it.
const maxBatch = 20 * time.Second

func (w *world) run(t *testing.T, s shell, lines []string) []run {
	runs := make([]run, len(lines))
	for at := 0; at < len(lines); {
		dir, err := os.MkdirTemp(w.dir, "")
		if err != nil {
			t.Error(err)
			return runs
		}
		w.batch(t, s, dir, lines[at:])
		done := 0
		for done < len(lines)-at {
			name := filepath.Join(dir, strconv.Itoa(done+1))
			reported, err := os.ReadFile(name + ".ran")
			if err != nil {
				break
			}
			said, _ := os.ReadFile(name + ".err")
			runs[at+done].commands, runs[at+done].missing = reportedIn(string(reported)), missingIn(string(said))
			done++
		}
		_ = os.RemoveAll(dir)
		if done == 0 {
			t.Errorf("%s has run nothing of %q", s, lines[at])
			return runs
		}
		at += done
	}
	return runs
}

func (w *world) batch(t *testing.T, s shell, dir string, lines []string) {
	ctx, cancel := context.WithTimeout(context.Background(), maxBatch)
	defer cancel()
	argv := append(append(slices.Clone(s.argv), driver, "x"), lines...)
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir = dir
	c.Env = []string{"PATH=" + w.stubs, "HOME=" + dir, "BASH_FUNC_command_not_found_handle%%=() { printf '%s\x1e' \"$1\x1f?\" >&9; return 127; }"}
	ownGroup(c)
	if out, err := c.CombinedOutput(); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			t.Errorf("%s: %v\n%.300s", s, err, out)
		}
	}
}

func reportedIn(text string) (commands [][]string) {
	for one := range strings.SplitSeq(text, "\x1e") {
		words := strings.Split(one, "\x1f")
		if one == "" {
			continue
		}
		commands = append(commands, words)
	}
	return commands
}

var notFound = regexp.MustCompile(`(?m)^(?:x: |eval: |line \d+: |\d+: )+(.*): (?:command )?not found$`)

func missingIn(text string) (names []string) {
	for _, found := range notFound.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	return names
}
