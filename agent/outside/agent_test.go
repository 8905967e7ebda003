package outside_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"redline/agent/outside"
)

// Each preset is an agent that settings could have.
func TestPresets(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, a := range outside.Presets() {
		if err := a.Check(); err != nil {
			t.Errorf("%s %v", a.Name, err)
		}
		if a.Offline() || a.OnHost() || outside.SignIn(a.Name) == "" || len(a.Keep) == 0 {
			t.Errorf("%+v", a)
		}
		for _, keep := range a.Keep { // never what is read as code or as instructions
			for _, bad := range []string{"config", "settings", "mcp", "hook", "AGENTS", "CLAUDE.md", "GEMINI.md", "plugin", "extension", "skill", "prompt"} {
				if strings.Contains(strings.ToLower(filepath.Base(keep)), bad) {
					t.Errorf("%s keeps %s", a.Name, keep)
				}
			}
		}
	}
}

// A program is found by PATH and by its real path, and never in the workspace or by way of it.
func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it finds programs by their mode, as Linux and macOS do: run it there")
	}
	dir := t.TempDir()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("#!/bin/sh\n"), mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(to, name string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(to, path)); err != nil {
			t.Fatal(err)
		}
	}
	write("lib/agent.js", 0o755)
	write("ws/bin/agent", 0o755)
	write("plain/agent", 0o644)
	link(filepath.Join(dir, "lib/agent.js"), "bin/agent")
	link(filepath.Join(dir, "ws/bin"), "through")
	path := func(names ...string) string {
		for i, name := range names {
			if name != "." {
				names[i] = filepath.Join(dir, name)
			}
		}
		return strings.Join(names, string(os.PathListSeparator))
	}
	a := outside.Agent{Name: "mine", ACP: []string{"agent-acp"}, Command: []string{"agent", "-x", "--", outside.RequestArg}}
	t.Chdir(filepath.Join(dir, "ws/bin"))
	p, err := a.Find(path(".", "through", "ws/bin", "plain", "bin"), []string{filepath.Join(dir, "ws")})
	if err != nil || p.Real != filepath.Join(real, "lib/agent.js") || p.Argv[0] != filepath.Join(dir, "bin/agent") || p.ACP || p.OnStdin() {
		t.Errorf("found %+v, %v", p, err)
	}
	if _, err := a.Find(path(".", "through", "ws/bin", "plain"), []string{filepath.Join(dir, "ws")}); err == nil || !strings.Contains(err.Error(), "mine is not installed") {
		t.Errorf("found in the workspace: %v", err)
	}
	write("bin/agent-acp", 0o755)
	if p, err := a.Find(path("bin"), nil); err != nil || !p.ACP || p.OnStdin() {
		t.Errorf("found %+v, %v, want the one that speaks ACP", p, err)
	}
	a.Command[0] = filepath.Join(dir, "ws/bin/agent")
	if _, err := a.Find("", []string{filepath.Join(dir, "ws")}); err == nil {
		t.Error("found in the workspace by an absolute name")
	}
}

// A shell passes on what a request says, whatever that is.
func TestLine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it needs sh: run it on Linux or macOS")
	}
	const request = "it's \"$HOME\" `id` $(id) \\ \nREQUEST\n--flag *\n"
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"printf", "%s|", "x", outside.RequestArg, "a'b"}, "x|" + request + "|a'b|"},
		{[]string{"sh", "-c", "printf %s \"$V\""}, "it's"},
	} {
		p := outside.Program{Argv: c.argv}
		out, err := exec.Command("sh", "-c", p.Line([]string{"V=it's"}, request)).Output()
		if err != nil || string(out) != c.want {
			t.Errorf("%v: got %q, want %q", err, out, c.want)
		}
	}
}

// A request with many quotes fits into a line too.
func TestLineOfManyQuotes(t *testing.T) {
	p := outside.Program{Argv: []string{"printf", "%s", outside.RequestArg}}
	line := p.Line(nil, strings.Repeat("'", 90<<10))
	if len(line) > 125<<10 || !strings.HasSuffix(line, "'") {
		t.Errorf("a line of %d bytes ends with %q", len(line), line[len(line)-10:])
	}
}

// An agent does not take what its first line names from the workspace while there is another.
func TestPath(t *testing.T) {
	ws := t.TempDir()
	tools := t.TempDir()
	sep := string(filepath.ListSeparator)
	if got, want := outside.Path(filepath.Join(ws, "bin")+sep+"bin"+sep+tools, []string{ws}), tools+sep+filepath.Join(ws, "bin"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A policy narrows what an agent reaches by what the words mean, not by how they are written.
func TestNarrowedNetwork(t *testing.T) {
	for _, c := range [][3]string{
		{"API.example.org", "api.example.org", "api.example.org"}, {"api.example.org:443", "api.example.org", "api.example.org:443"}, {"api.example.org", "api.example.org:443", "api.example.org:443"},
		{"a.example.org b.example", "*.example.org", "a.example.org"}, {"*.example.org", "a.example.org", "a.example.org"}, {"host", "a.example", "a.example"}, {"a.example", "host", "a.example"},
		{"host", "none", "none"}, {"a.example", "", "none"}, {"", "host", "none"}, {"::ffff:10.0.0.1", "10.0.0.1", "10.0.0.1"},
	} {
		a := outside.Agent{Name: "mine", Command: []string{"agent"}, Network: strings.Fields(c[0])}
		to := a
		to.Network = strings.Fields(c[1])
		if got, ok := a.Narrow(to); !ok || strings.Join(got.Network, " ") != c[2] {
			t.Errorf("%s, where %s is allowed, is %v", c[0], c[1], got.Network)
		}
	}
}

// What was allowed holds for the same program and reach, and for no more.
func TestReach(t *testing.T) {
	a := outside.Agent{Name: "mine", Network: []string{"b.example", "a.example"}, State: []string{"/s"}, Keep: []string{"/s/k"}, Env: []string{"A"}}
	p := outside.Program{Argv: []string{"/bin/agent"}, Real: "/lib/agent"}
	key := a.Reach(p).Key()
	same := a
	same.Network = []string{"a.example", "b.example"}
	if same.Reach(p).Key() != key {
		t.Error("the order of hosts matters")
	}
	for name, change := range map[string]func(*outside.Agent, *outside.Program){
		"program":  func(_ *outside.Agent, p *outside.Program) { p.Real = "/lib/other" },
		"name":     func(_ *outside.Agent, p *outside.Program) { p.Argv = []string{"/bin/other"} }, // of a program that is many
		"argument": func(_ *outside.Agent, p *outside.Program) { p.Argv = []string{"/bin/agent", "other.js"} },
		"network":  func(a *outside.Agent, _ *outside.Program) { a.Network = []string{"host"} },
		"state":    func(a *outside.Agent, _ *outside.Program) { a.State = append(slices.Clone(a.State), "/t") },
		"keep":     func(a *outside.Agent, _ *outside.Program) { a.Keep = nil },
		"env":      func(a *outside.Agent, _ *outside.Program) { a.Env = []string{"B"} },
		"copy":     func(a *outside.Agent, _ *outside.Program) { a.Plain = true },
	} {
		a, p := a, p
		change(&a, &p)
		if a.Reach(p).Key() == key {
			t.Errorf("another %s has the same consent", name)
		}
	}
	words := a.Words(a.Reach(p), "/ws")
	for _, want := range []string{"/lib/agent", "b.example and a.example", "/s/k", "variables A", "/ws", "nothing changes before you approve"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q lacks %q", words, want)
		}
	}
}

// In a plain copy nothing limits the network of an agent, so it needs all of it, and the words say so.
func TestReachInAPlainCopy(t *testing.T) {
	a := outside.Agent{Name: "mine", Command: []string{os.Args[0]}, Network: []string{"a.example"}, State: []string{"/s"}, Plain: true}
	if _, err := a.Find("", nil); err == nil || !strings.Contains(err.Error(), `network = "host" in [outside.mine]`) {
		t.Errorf("%v", err)
	}
	a.Network = []string{outside.HostNetwork}
	p, err := a.Find("", nil)
	if err != nil {
		t.Fatal(err)
	}
	words := a.Words(a.Reach(p), "/ws")
	for _, want := range []string{"plain copy of /ws", "it can read what you can, secrets too", "whole network of this machine", "changes your own /s"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q lacks %q", words, want)
		}
	}
	if strings.Contains(words, "nothing changes before you approve") {
		t.Error(words)
	}
}
