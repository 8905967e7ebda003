package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/agent/outside/outsidetest"
)

// patience bounds every wait. It is long because machines may be busy; no test depends on its
// length.
const patience = 3 * time.Minute

// bin is a directory for the redline binary.
var bin string

func TestMain(m *testing.M) {
	if dir := os.Getenv(relayDir); dir != "" {
		if err := runRelay(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if filepath.Base(os.Args[0]) == "acp-agent" {
		outsidetest.Main()
		return
	}
	var err error
	if bin, err = os.MkdirTemp("", "redline-e2e-"); err != nil {
		panic(err)
	}
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0))) // they spend more time waiting for editors than computing
	}
	code := m.Run()
	os.RemoveAll(bin)
	os.Exit(code)
}

// build builds the redline binary, once and only if a test needs it.
var build = sync.OnceValue(func() error {
	out, err := exec.Command("go", "build", "-o", bin, "redline/cmd/redline").CombinedOutput()
	if err != nil {
		return fmt.Errorf("redline does not build: %w\n%s", err, out)
	}
	return nil
})

// world is an isolated home and workspace: the home is empty, there are no settings, and the only
// model is the built-in one unless the test sets another.
type world struct {
	t     *testing.T
	home  string
	dir   string // the workspace
	env   []string
	relay *relay        // between the editor and the server; nil without one
	late  time.Duration // the longest delay of a message in the relay
	model *scripted     // nil for the built-in one

	writes bool // the editor saves what a server changes in a saved file
}

// newWorld makes a world whose workspace holds the files.
func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the editors are driven on Linux and macOS only")
	}
	if testing.Short() {
		t.Skip("real editors are not started in short mode: run without -short")
	}
	if err := build(); err != nil {
		t.Fatal(err)
	}
	root := tempDir(t)
	w := &world{t: t, home: filepath.Join(root, "home"), dir: filepath.Join(root, "workspace")}
	w.env = []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + w.home, "LANG=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/sh",
	}
	for _, name := range []string{"CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"} {
		dir := filepath.Join(w.home, strings.ToLower(name))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		w.env = append(w.env, "XDG_"+name+"="+dir)
	}
	if err := os.MkdirAll(filepath.Join(w.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		w.write(filepath.Join(w.dir, name), text)
	}
	if w.late = *late; w.late > 0 {
		w.relayed()
	}
	return w
}

// tempDir is t.TempDir, but tolerates late writes: an editor's server may still write there for a
// moment after the editor has ended.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "redline-world-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			err := os.RemoveAll(dir)
			if err == nil {
				return
			}
			if time.Now().After(deadline) {
				t.Errorf("the server does not end: %v", err)
				return
			}
		}
	})
	return dir
}

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// has fails the test unless the file on disk has the text now. While an editor saves, the file may
// be missing for a moment: see awaitText.
func (w *world) has(name, want string) {
	w.t.Helper()
	got, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	if string(got) != want {
		w.t.Errorf("%s holds %q, want %q", name, got, want)
	}
}

// awaitText waits until the file on disk has the text, for an editor that is saving it: Helix
// renames the old file before it writes the new one.
func (w *world) awaitText(name, want string) {
	w.t.Helper()
	w.await(fmt.Sprintf("%s is %q", name, want), func() (now string, ok bool) {
		got, err := os.ReadFile(filepath.Join(w.dir, name))
		if err != nil {
			return err.Error(), false
		}
		return fmt.Sprintf("%q", got), string(got) == want
	})
}

// await waits until the condition holds. The condition also describes the present state, for the
// failure message.
func (w *world) await(what string, condition func() (now string, ok bool)) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		now, ok := condition()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("waited in vain until %s; it is %s", what, now)
		}
	}
}

// run starts an editor in the workspace and waits until it ends. If it fails, the test fails with
// everything that it printed.
func (w *world) run(extra []string, editor string, args ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, editor, args...)
	cmd.Dir, cmd.Env = w.dir, append(w.env, extra...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", editor, err, out)
	}
	return string(out)
}

// editor returns the program that the environment variable names, else the first candidate that
// exists and answers --version, with its answer. It skips the test if there is none.
func editor(t testing.TB, variable string, candidates ...string) (path, version string) {
	t.Helper()
	return answering(t, variable, "--version", candidates...)
}

// answering is editor for a program whose version is requested in another way.
func answering(t testing.TB, variable, flag string, candidates ...string) (path, version string) {
	t.Helper()
	if named := os.Getenv(variable); named != "" {
		candidates = []string{named}
	}
	for _, c := range candidates {
		path, err := exec.LookPath(c)
		if err != nil {
			continue
		}
		if out, err := exec.Command(path, flag).Output(); err == nil {
			first, _, _ := strings.Cut(string(out), "\n")
			return path, first
		}
	}
	t.Skipf("none of %s is here: run .ci/install-editors, or name one in %s", strings.Join(candidates, ", "), variable)
	return "", ""
}

// cached returns where .ci/install-editors puts an editor.
func cached(name string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return name
	}
	return filepath.Join(dir, "redline-editors", "bin", name)
}

// snippet returns the first code block of a language after the heading on an editor's page: the
// tests use exactly what users are asked to write.
func snippet(t *testing.T, page, heading, language string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", page, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), heading+"\n")
	if !ok {
		t.Fatalf("%s/README.md has no %q", page, heading)
	}
	_, rest, _ = strings.Cut(rest, "```"+language+"\n")
	code, _, ok := strings.Cut(rest, "\n```\n")
	if !ok {
		t.Fatalf("%s/README.md has no %s behind %q", page, language, heading)
	}
	return code + "\n"
}

// The files that the editors work on, and their text once greet is renamed to salute.
const (
	before = "package main\n\n// greet says 😀 hello.\nfunc greet() {}\n\nfunc main() { greet() }\n"
	after  = "package main\n\n// salute says 😀 hello.\nfunc salute() {}\n\nfunc main() { salute() }\n"
)
