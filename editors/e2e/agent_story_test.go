package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// agentStory is what an agent of others does in a published repository: it makes a mistake, which the
// project's tests find, then does it right, and adds a line that nobody asked for.
type agentStory struct {
	place      string // of places
	repository string // its name in .ci/install-repositories
	tool       string // that its tests need
	check      string // some of the repository's tests
	file       string
	old        string // a part of a line, which the agent replaces
	wrong      string
	right      string
	comment    string // begins a comment
}

var agentStories = []agentStory{
	{
		place: "helix", repository: "toml-1.5.0", tool: "go", check: "go test -run 'Meta|Defined' .",
		file: "meta.go", old: "hash[k]; !ok", wrong: "hash[k]; ok", right: "hash[k]; ok == false", comment: "//",
	},
	{
		place: "neovim-newest", repository: "find-my-way-9.10.1", tool: "node", check: "node --test test/path-*.test.js test/methods.test.js",
		file: "index.js", old: "path.length > 1 && path.charCodeAt", wrong: "path.charCodeAt", right: "path !== '/' && path.charCodeAt", comment: "//",
	},
	{
		place: "emacs", repository: "markdown-3.11.3", tool: "python3", check: "python3 -m unittest tests.test_apis",
		file: "markdown/util.py", old: "('true', 'yes', 'y', 'on', '1')", wrong: "('true', 'y', 'on', '1')", right: "{'true', 'yes', 'y', 'on', '1'}", comment: "#",
	},
}

// In a published repository the user asks an agent of others. It breaks the project's tests in its copy,
// sees it, and fixes them. Its plan is decided on in a real editor: one change is rejected, the rest is
// approved, and the tests pass in the workspace; after undo everything is as before.
func TestAgentStories(t *testing.T) {
	for _, s := range agentStories {
		for _, at := range places {
			if at.name == s.place {
				t.Run(at.name, func(t *testing.T) { s.happens(t, at) })
			}
		}
	}
}

func (s agentStory) happens(t *testing.T, at place) {
	t.Parallel()
	path, version := at.editor(t)
	t.Log(version)
	w := newWorld(t, nil)
	w.needsTrials()
	s.moveIn(w)
	w.agent("mender", s.script(), "none")
	original := w.read(s.file)
	if strings.Count(original, s.old) != 1 {
		t.Fatalf("%s has %d times %s", s.file, strings.Count(original, s.old), s.old)
	}
	var p decider
	if at.name == "emacs" { // whose page has the package for code
		p = packagedDecider{startPackaged(w, path, s.file, firstLine(original), "")}
	} else {
		p = plainDecider{at.sit(w, path, version, s.file, firstLine(original)), s.file, original}
	}

	p.ask("Write the comparison in another way, and run the tests")
	p.shows("plan 1 is ready")
	w.wantPlan("awaiting_approval", "pending pending")
	w.has(s.file, original)
	if made := w.planned(); made.By != "mender" || !strings.HasPrefix(made.Description, "Made by mender in a copy") || !strings.Contains(made.Description, "Its tests failed, and pass now.") || len(made.NotCarried) > 0 {
		t.Fatalf("the plan is %+v", made)
	}
	p.rejectSecond()
	w.wantPlan("reviewing", "pending rejected")
	p.approveRest()
	w.wantPlan("completed", "applied rejected")
	p.save()
	w.awaitText(s.file, strings.Replace(original, s.old, s.right, 1))
	if out, err := w.sh(s.check); err != nil {
		t.Errorf("after the approval: %v\n%s", err, out)
	}
	p.undo()
	p.shows("1 change in 1 file taken back")
	p.save()
	w.awaitText(s.file, original)
	w.wantHunks("pending rejected")
	p.quit()
}

// decider is a user who decides on plan 1, of two changes in the file that is shown.
type decider interface {
	ask(request string)
	shows(texts ...string)
	rejectSecond()
	approveRest()
	undo()
	save()
	quit()
}

// plainDecider uses an editor without a plugin.
type plainDecider struct {
	person
	file, text string
}

// rejectSecond goes to the last line, below which the second change is.
func (d plainDecider) rejectSecond() {
	d.open(d.file, firstLine(d.text))
	d.person.(interface{ do(command string) }).do(fmt.Sprint(strings.Count(d.text, "\n")))
	d.act("reject this change (plan 1, h2)", "")
}

func (d plainDecider) approveRest() { d.act("approve plan 1", "") }

func (d plainDecider) undo() { d.act("undo plan 1", "") }

// packagedDecider uses Emacs with the package, and its page's keys.
type packagedDecider struct{ packaged }

func (d packagedDecider) rejectSecond() {
	d.proposes("2")
	d.press("C-x", "1", "M-<")
	d.key("n")
	d.terminal.shows("change 1 of 2 here")
	d.key("n")
	d.terminal.shows("change 2 of 2 here")
	d.key("k")
}

func (d packagedDecider) approveRest() { d.key("A") }

func (d packagedDecider) undo() { d.key("u") }

func (d packagedDecider) save() { d.press("C-x", "s", "!") }

// moveIn puts the repository into the workspace, and what its tests need into the environment.
func (s agentStory) moveIn(w *world) {
	t := w.t
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("there is no folder for caches: ", err)
	}
	if err := os.CopyFS(w.dir, os.DirFS(filepath.Join(cache, "redline-repositories", s.repository))); err != nil {
		t.Skipf("%s is not here: run .ci/install-repositories: %v", s.repository, err)
	}
	program, err := exec.LookPath(s.tool)
	if err != nil {
		t.Skip("there is no ", s.tool, " here")
	}
	said := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	switch s.tool {
	case "go":
		for _, name := range []string{"GOCACHE", "GOROOT"} {
			w.env = append(w.env, name+"="+said("go", "env", name))
		}
		w.env = append(w.env, "GOPROXY=off", "GOTOOLCHAIN=local")
	case "python3": // the program itself: the one on PATH may be a script that chooses one
		program = said("python3", "-c", "import sys; print(sys.executable)")
		w.onPath(filepath.Dir(program))
	}
	if real, err := filepath.EvalSymlinks(program); err == nil && !strings.HasPrefix(real, "/usr/") {
		w.settings(fmt.Sprintf("[trials]\nread = [%q]\n", filepath.Dir(filepath.Dir(real))))
	}
}

// script is what the agent does. It fails if the project's tests do not see its mistake, or do not pass
// in the end.
func (s agentStory) script() string {
	sed := func(to string) string {
		part := func(text string) string {
			return strings.NewReplacer(`[`, `\[`, `*`, `\*`, `.`, `\.`, `&`, `\&`).Replace(text)
		}
		return fmt.Sprintf("sed -i %s %s\n", quoted("s|"+part(s.old)+"|"+strings.ReplaceAll(to, "&", `\&`)+"|"), s.file)
	}
	return "cat >/dev/null\nexport PYTHONDONTWRITEBYTECODE=1\ncp " + s.file + " /tmp/kept\n" +
		sed(s.wrong) + "if " + s.check + " >/tmp/out 2>&1; then echo 'The tests see no mistake.'; exit 1; fi\n" +
		"cp /tmp/kept " + s.file + "\n" +
		sed(s.right) + s.check + " >/tmp/out 2>&1 || { cat /tmp/out; exit 1; }\n" +
		"echo '" + s.comment + " checked' >>" + s.file + "\n" +
		"echo 'Its tests failed, and pass now.'\n"
}

func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// agent makes a program that does the work of every request, in a copy, by a script for the shell. It is
// allowed in the workspace, and reaches one address, or "none".
func (w *world) agent(name, script, network string) {
	w.t.Helper()
	program := filepath.Join(filepath.Dir(w.home), "tools", name)
	w.write(program, "#!/bin/bash\n"+script)
	if err := os.Chmod(program, 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.allows(name, fmt.Sprintf("command = [%q, \"-\"]\nnetwork = [%q]\n", name, network))
}

// allows makes an agent, whose program is in the folder tools, the one that does every request.
func (w *world) allows(name, table string) {
	w.t.Helper()
	w.onPath(filepath.Join(filepath.Dir(w.home), "tools"))
	w.settings(fmt.Sprintf("[outside]\ndefault = %q\n[outside.%s]\n%s", name, name, table))
	if out, err := w.sh("redline outside allow " + name); err != nil {
		w.t.Fatalf("allowing: %v\n%s", err, out)
	}
}

// onPath puts a folder before the others of PATH.
func (w *world) onPath(dir string) {
	for i, variable := range w.env {
		if path, is := strings.CutPrefix(variable, "PATH="); is {
			w.env[i] = "PATH=" + dir + string(os.PathListSeparator) + path
		}
	}
}

// settings adds lines to the user's settings.
func (w *world) settings(lines string) {
	w.t.Helper()
	path := filepath.Join(w.home, "config_home", "redline", "config.toml")
	before, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	w.write(path, string(before)+lines)
}

// sh runs a command line in the workspace.
func (w *world) sh(line string) (out string, err error) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = w.dir, w.env
	all, err := cmd.CombinedOutput()
	return string(all), err
}

func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}
