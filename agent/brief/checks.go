package brief

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/internal/lazyregexp"
)

// Check is a command that checks a project.
type Check struct {
	Command string
	Folder  string // workspace path of the folder to run it in, "" for the root
	From    string // workspace path of the file that names the command
}

// ReadFile returns the text of a file of the workspace; ok is false if there is none.
type ReadFile func(path string) (text string, ok bool)

// most is how many checks are returned.
const most = 8

// FindChecks returns the commands with which a project tests, lints or builds itself: of the projects
// that the files at paths are in, innermost first, then of the one at the root. It reads only the
// project's own files, and does not guess.
func FindChecks(read ReadFile, paths ...string) []Check {
	var found []Check
	for _, folder := range folders(paths) {
		found = append(found, checksIn(read, folder)...)
	}
	return found[:min(len(found), most)]
}

// folders returns the folders of the paths and those above them, the innermost first, the root
// last.
func folders(paths []string) (all []string) {
	for _, p := range paths {
		for dir := path.Dir(p); dir != "." && dir != "/" && dir != ""; dir = path.Dir(dir) {
			all = append(all, dir)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	return append(slices.Compact(all), "")
}

// finder finds checks in a file of a project. has reports whether the file's folder has a file
// with another name.
type finder struct {
	file string
	find func(text string, has func(file string) bool) []string
}

// finders are sorted: the files that say most about a project come first.
var finders = []finder{
	{"Makefile", makeTargets("make")}, {"makefile", makeTargets("make")}, {"GNUmakefile", makeTargets("make")},
	{"justfile", makeTargets("just")}, {"Justfile", makeTargets("just")},
	{"Taskfile.yml", taskfile}, {"Taskfile.yaml", taskfile},
	{"package.json", scripts},
	{"go.mod", always("go build ./...", "go vet ./...", "go test ./...")},
	{"Cargo.toml", always("cargo build", "cargo test")},
	{"pyproject.toml", python}, {"tox.ini", tox}, {"pytest.ini", always("python -m pytest")}, {"setup.cfg", python},
	{"manage.py", always("python manage.py test")},
	{"mix.exs", always("mix test")}, {"Rakefile", rake}, {"Gemfile", ruby},
	{"gradlew", always("./gradlew --offline test")}, {"mvnw", always("./mvnw -o test")}, {"pom.xml", maven},
	{"composer.json", composer}, {"deno.json", always("deno test")}, {"build.zig", always("zig build test")},
}

// Reads reports whether a file with this name can say how a project is checked.
func Reads(name string) bool {
	return slices.ContainsFunc(finders, func(f finder) bool { return f.file == name })
}

// checksIn returns the checks in the files of one folder, "" for the root.
func checksIn(read ReadFile, folder string) (found []Check) {
	for _, f := range finders {
		name := path.Join(folder, f.file)
		text, ok := read(name)
		if !ok {
			continue
		}
		for _, command := range f.find(text, func(file string) bool { _, ok := read(path.Join(folder, file)); return ok }) {
			if !slices.ContainsFunc(found, func(c Check) bool { return c.Command == command }) {
				found = append(found, Check{Command: command, Folder: folder, From: name})
			}
		}
	}
	return found
}

func always(commands ...string) func(string, func(string) bool) []string {
	return func(string, func(string) bool) []string { return commands }
}

// targets are the usual names of checks, in the order in which they are worth trying.
var targets = []string{"test", "tests", "check", "lint", "typecheck", "type-check", "vet", "build"}

// targetLine matches the line that begins a target: "test: build", "check *args:".
var targetLine = lazyregexp.New(`(?m)^([A-Za-z][\w-]*)[^\n:=]*:(?:[^=]|$)`)

// makeTargets finds those of the targets that a makefile has.
func makeTargets(program string) func(string, func(string) bool) []string {
	return func(text string, _ func(string) bool) (commands []string) {
		has := map[string]bool{}
		for _, m := range targetLine().FindAllStringSubmatch(text, -1) {
			has[m[1]] = true
		}
		for _, name := range targets {
			if has[name] {
				commands = append(commands, program+" "+name)
			}
		}
		return commands
	}
}

// tasks matches the tasks of a Taskfile, and taskKey the name of one in them:
//
//	tasks:
//	  test:
//	    cmds: [go test ./...]
var (
	tasks   = lazyregexp.New(`(?m)^tasks:[ \t]*\n((?:[ \t]+[^\n]*\n|[ \t]*\n)*)`)
	taskKey = lazyregexp.New(`(?m)^(?:  |    |\t)([A-Za-z][\w-]*):`)
)

// taskfile finds those of the targets that a Taskfile has.
func taskfile(text string, _ func(string) bool) (commands []string) {
	has := map[string]bool{}
	if block := tasks().FindStringSubmatch(strings.ReplaceAll(text, "\r\n", "\n") + "\n"); block != nil {
		for _, m := range taskKey().FindAllStringSubmatch(block[1], -1) {
			has[m[1]] = true
		}
	}
	for _, name := range targets {
		if has[name] {
			commands = append(commands, "task "+name)
		}
	}
	return commands
}

// untested is the script that npm writes into a package without tests.
const untested = "no test specified"

// scripts finds the checks among the scripts of a package.json.
func scripts(text string, has func(string) bool) (commands []string) {
	var p struct {
		Scripts        map[string]string `json:"scripts"`
		PackageManager string            `json:"packageManager"`
	}
	if json.Unmarshal([]byte(text), &p) != nil {
		return nil
	}
	program := "npm"
	for _, other := range []struct{ name, lock string }{{"pnpm", "pnpm-lock.yaml"}, {"yarn", "yarn.lock"}, {"bun", "bun.lock"}, {"bun", "bun.lockb"}} {
		if strings.HasPrefix(p.PackageManager, other.name+"@") || p.PackageManager == "" && has(other.lock) {
			program = other.name
			break
		}
	}
	for _, name := range targets {
		if script, ok := p.Scripts[name]; ok && !strings.Contains(script, untested) {
			commands = append(commands, program+" run "+name)
		}
	}
	return commands
}

var (
	pytest  = lazyregexp.New(`(?i)\bpytest\b`)
	testenv = lazyregexp.New(`(?m)^\[testenv`)
)

// python finds pytest if a project's settings name it.
func python(text string, _ func(string) bool) (commands []string) {
	if pytest().MatchString(text) {
		commands = append(commands, "python -m pytest")
	}
	for _, tool := range []struct{ table, command string }{{"[tool.ruff", "ruff check ."}, {"[tool.mypy", "mypy ."}, {"[mypy", "mypy ."}} {
		if strings.Contains(text, tool.table) {
			commands = append(commands, tool.command)
		}
	}
	return commands
}

func tox(text string, _ func(string) bool) []string {
	switch {
	case pytest().MatchString(text):
		return []string{"python -m pytest"}
	case testenv().MatchString(text):
		return []string{"tox"}
	}
	return nil
}

// matching returns a command if a pattern is in the text.
func matching(pattern func() *regexp.Regexp, command string) func(string, func(string) bool) []string {
	return func(text string, _ func(string) bool) []string {
		if pattern().MatchString(text) {
			return []string{command}
		}
		return nil
	}
}

var (
	rake     = matching(lazyregexp.New(`(?m)TestTask|RSpec::Core::RakeTask|task\s+:?test`), "bundle exec rake test")
	ruby     = matching(lazyregexp.New(`(?m)^\s*gem ['"]rspec`), "bundle exec rspec")
	composer = matching(lazyregexp.New(`"test"\s*:`), "composer test")
)

// maven runs the tests with Maven, unless the project has a wrapper of its own.
func maven(_ string, has func(string) bool) []string {
	if has("mvnw") {
		return nil
	}
	return []string{"mvn -o test"}
}

// Past has the last result of each command that has run in a workspace, the newest first: approved
// commands and trials.
type Past []Outcome

// Outcome is the last known result of a command. A failure counts only if it is known not to come
// from a plan.
type Outcome struct {
	Command, Folder string
	Passed          bool
}

// PastOf returns the results of plans, which are sorted by age, the newest first.
func PastOf(plans []*plan.Plan) (all Past) {
	known := map[[2]string]bool{}
	add := func(line, folder string, passed, failed bool) {
		o := Outcome{strings.TrimSpace(line), folder, passed}
		if key := [2]string{o.Command, folder}; (passed || failed) && !known[key] {
			known[key], all = true, append(all, o)
		}
	}
	for _, p := range plans {
		for i := range slices.Backward(p.Revisions) {
			for _, o := range slices.Backward(p.Revisions[i].CommandLines()) {
				m := p.Progress.Command(o.ID)
				passed := m.Status == plan.CommandSucceeded && m.ExitCode != nil && *m.ExitCode == 0
				add(o.Command, o.Folder(), passed, m.Status == plan.CommandFailed && failsWithout(m.Verdict))
			}
		}
		for _, t := range slices.Backward(p.Trials) {
			add(t.Command, t.Cwd, t.Passed(), failsWithout(t.Verdict()))
		}
	}
	return all
}

// failsWithout reports whether a failure was there without a plan's edits too.
func failsWithout(c plan.Class) bool { return c == plan.FailsAsBefore || c == plan.StillFails }

// of returns the index of the last result of a check, len(p) if there is none.
func (p Past) of(c Check) int {
	i := slices.IndexFunc(p, func(o Outcome) bool { return o.Command == c.Command && o.Folder == c.Folder })
	if i < 0 {
		return len(p)
	}
	return i
}

// Fails reports whether a check is known to fail without a plan's edits.
func (p Past) Fails(c Check) bool {
	i := p.of(c)
	return i < len(p) && !p[i].Passed
}

// Order sorts checks: those that have passed last come first, those that are known to fail last. It
// keeps the order of the others.
func (p Past) Order(found []Check) []Check {
	place := func(c Check) int {
		if p.Fails(c) {
			return len(p) + 1
		}
		return p.of(c)
	}
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b Check) int { return cmp.Compare(place(a), place(b)) })
	return sorted
}
