//go:build unix

package packaging

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// launcher returns the launcher of an installed package, as npm lays it out, which starts a
// given program.
func launcher(t *testing.T, program string) string {
	t.Helper()
	need(t, "node", howNode)
	modules := filepath.Join(t.TempDir(), "node_modules")
	main := filepath.Join(modules, "redline-lsp")
	writeFile(t, filepath.Join(modules, "redline-lsp-"+npmPlatform(), "package.json"), "{}", 0o644)
	at := filepath.Join(modules, "redline-lsp-"+npmPlatform(), "bin/redline")
	writeFile(t, at, "", 0o755)
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, at); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(main, 0o755); err != nil {
		t.Fatal(err)
	}
	command(t, "tar", "-xzf", only(t, packages(t, "npm"), npmMain), "-C", main, "--strip-components=1")
	return filepath.Join(main, "bin/redline.js")
}

// A signal to the launcher ends the server, and the launcher ends as the server does.
func TestNPMLauncherSignals(t *testing.T) {
	program := thisProgram(t)
	start := launcher(t, program)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			skipIgnored(t, signal)
			sameEnd(t, program, start, signal)
		})
	}
}

// A launcher that is killed passes nothing on: then the server ends when the editor closes
// its pipe.
func TestNPMLauncherKilled(t *testing.T) {
	s := startServer(t, launcher(t, thisProgram(t)))
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	if state := s.ended(t); state != "signal: killed" {
		t.Errorf("the launcher: %s", state)
	}
}

// The launcher ends as the program does, with its arguments and its output.
func TestNPMLauncherEnds(t *testing.T) {
	for text, want := range map[string]string{
		`echo "$1,$2"; exit 0`:       "a b,--c\n: exit status 0",
		`echo out >&2; exit 3`:       "out\n: exit status 3",
		`kill -KILL $$`:              ": signal: killed",
		`kill -TERM $$`:              ": signal: terminated",
		`trap - PIPE; kill -PIPE $$`: ": exit status 141", // Node ignores this one
	} {
		cmd := isolated(t, launcher(t, script(t, text)), "a b", "--c")
		out, _ := cmd.CombinedOutput() // its error is the state
		if got := string(out) + ": " + cmd.ProcessState.String(); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// A launcher that cannot start the program says in one line what to do.
func TestNPMLauncherWithoutProgram(t *testing.T) {
	missing := launcher(t, "/nowhere")
	other := launcher(t, "/nowhere")
	manifest := filepath.Join(filepath.Dir(other), "../package.json")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, manifest, strings.ReplaceAll(string(text), "redline-lsp-"+npmPlatform(), "redline-lsp-plan9-x64"), 0o644)
	broken := script(t, "")
	if err := os.Chmod(broken, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		missing:             "redline-lsp: the package redline-lsp-" + npmPlatform() + "@",
		other:               "redline-lsp: there is no program for " + npmPlatform() + ": build it from source",
		launcher(t, broken): "cannot be started: spawn",
	} {
		cmd := isolated(t, path, "serve")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("want %q, got %v and:\n%s", want, err, out)
		}
	}
}
