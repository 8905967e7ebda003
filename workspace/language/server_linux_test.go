//go:build amd64 || arm64

package language

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/workspace/runner"
	"redline/workspace/world"
)

// inWorld starts a server in a world over a folder with these files. It skips the test if the server is not installed.
func inWorld(t *testing.T, a *Adapter, files map[string]string, tools ...string) (s *Server, dir string) {
	t.Helper()
	if err := runner.Worlds(); err != nil {
		t.Skip("it needs an isolated environment, and `redline doctor` says how to get one: " + err.Error())
	}
	program := installed(t, a.Command[0])
	programs := []string{filepath.Dir(program)}
	if real, err := filepath.EvalSymlinks(program); err == nil && strings.Contains(real, "node_modules") { // one of npm's
		programs = append(programs, filepath.Dir(filepath.Dir(filepath.Dir(real))))
	}
	if node, err := exec.LookPath("node"); err == nil {
		programs = append(programs, node)
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(base, "work space")
	for name, text := range files {
		if err := (folderDisk{}).Change(t.Context(), []world.Change{{Path: filepath.Join(dir, name), Text: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(base, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	w := &world.World{Folders: []string{dir}, Programs: programs, Tools: tools, Home: home, Disk: 1 << 30, Memory: 4 << 30, Processes: 500}
	w.Kind, _ = runner.Apart()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s, err = Start(ctx, runner.Run, runner.Command{
		Line: strings.Join(append([]string{program}, a.Command[1:]...), " "), Dir: dir, World: w, Limits: runner.Limits{Time: time.Hour},
		Env: []string{"RUSTUP_HOME", "CARGO_HOME"},
	}, Options{Adapter: a, Folder: dir, Read: func(path string) (Text, error) {
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return Text{Gone: true}, nil
		}
		return Text{Text: string(text)}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, dir
}

// lookInWorld returns the problems that a server reports, as "b.go:5 undefined: a.A; …".
func lookInWorld(t *testing.T, s *Server, texts map[string]Text, changed []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := s.Show(ctx, texts, changed); err != nil {
		t.Fatal(err)
	}
	found, err := s.Problems(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range found {
		lines = append(lines, fmt.Sprintf("%s:%d %s", filepath.Base(p.Path), p.Start.Line+1, p.Message))
	}
	return strings.Join(lines, "; ")
}

// In its world a server sees what a plan would leave, and what changes on the host meanwhile, again and
// again; the host's files stay as they are, and nothing of it is left.
func TestServerInItsWorld(t *testing.T) {
	s, dir := inWorld(t, Gopls(), map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"a/a.go": "package a\n\nfunc A() int { return 1 }\n",
		"b/b.go": "package b\n\nimport \"m/a\"\n\nvar B = a.A()\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	look := func(texts map[string]Text, changed ...string) string { return lookInWorld(t, s, texts, changed) }
	for i := range plansInARow() {
		name := fmt.Sprintf("A%d", i)
		plan := map[string]Text{at("a/a.go"): {Text: "package a\n\nfunc " + name + "() int { return 1 }\n"}}
		if i%2 == 1 {
			plan[at("c/c.go")] = Text{Text: "package c\n\nimport \"m/a\"\n\nvar C = a." + name + "()\n"}
		}
		if got := look(plan); got != "b.go:5 undefined: a.A" {
			t.Fatalf("plan %d: %q", i, got)
		}
	}
	if got := look(nil); got != "" {
		t.Errorf("without a plan: %q", got)
	}
	if err := os.WriteFile(at("b/b.go"), []byte("package b\n\nimport \"m/a\"\n\nvar B = a.X()\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := look(nil, at("b/b.go")); got != "b.go:5 undefined: a.X" {
		t.Errorf("after a change on the host: %q", got)
	}
	if got := look(map[string]Text{at("a/a.go"): {Text: "package a\n\nfunc X() int { return 1 }\n"}}); got != "" {
		t.Errorf("the plan that fixes it: %q", got)
	}
	if text, err := os.ReadFile(at("a/a.go")); err != nil || string(text) != "package a\n\nfunc A() int { return 1 }\n" {
		t.Errorf("the host has %q, %v", text, err)
	}
	if _, err := os.Stat(at("c")); !os.IsNotExist(err) {
		t.Errorf("the host has a new folder: %v", err)
	}
	s.Close()
	if err := s.Show(t.Context(), map[string]Text{at("a/a.go"): {Text: "x"}}, nil); err == nil {
		t.Error("a closed server takes texts")
	}
}

// A server that cannot start is an error that says why.
func TestServersThatCannotStart(t *testing.T) {
	if err := runner.Worlds(); err != nil {
		t.Skip("it needs an isolated environment, and `redline doctor` says how to get one: " + err.Error())
	}
	dir := t.TempDir()
	w := &world.World{Folders: []string{dir}, Home: t.TempDir(), Disk: 8 << 20, Processes: 50}
	w.Kind, _ = runner.Apart()
	for line, want := range map[string]string{"exit 3": "it did not start", "no-such-server": "it did not start", "cat": "it did not start"} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err := Start(ctx, runner.Run, runner.Command{Line: line, Dir: dir, World: w}, Options{Adapter: Gopls(), Folder: dir})
		cancel()
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
	if _, err := Start(t.Context(), runner.Run, runner.Command{Line: "cat", Dir: dir}, Options{Adapter: Gopls(), Folder: dir}); err == nil {
		t.Error("it starts without an isolated environment")
	}
}
