//go:build linux && (amd64 || arm64)

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// In each of these set-ups, of the kinds that users have, the project's own tests run in a trial, and
// an approved command fetches a further package, as both do in the user's shell.
func TestToolStories(t *testing.T) {
	for name, story := range map[string]func(t *testing.T){
		"npm with a global folder": npmStory, "pnpm with its home elsewhere": pnpmStory, "Corepack": corepackStory,
		"uv": uvStory, "Poetry": poetryStory, "pipx": pipxStory, "pip in a virtual environment": pipStory,
		"Cargo with its home elsewhere": cargoStory, "Cargo with another registry": cargoSettingsStory,
		"Go with its path elsewhere":       goStory,
		"Go with its path in its settings": goSettingsStory,
	} {
		t.Run(name, func(t *testing.T) {
			if !*stories && !strings.HasPrefix(name, "Go ") {
				t.Skip(withStories)
			}
			story(t)
		})
	}
}

// nodeProject writes a project that needs greet.
func (u *toolUser) nodeProject(test string) {
	u.files(u.project, map[string]string{
		"package.json": "{\n  \"name\": \"shop\",\n  \"private\": true,\n  \"scripts\": {\"test\": \"" + test + "\"},\n  \"dependencies\": {\n    \"greet\": \"1.0.0\"\n  }\n}\n",
		"test/a.js":    "const assert = require('node:assert')\nconst { it } = process.env.npm_lifecycle_script?.startsWith('mocha') ? globalThis : require('node:test')\nit('greets', () => assert.equal(require('greet')(), 'greet'))\n",
	})
}

// withMore is a request that adds more to a project of Node.
func withMore(try, run string) toolStory {
	return toolStory{
		file: "package.json", old: "\"greet\": \"1.0.0\"\n", new: "\"greet\": \"1.0.0\",\n    \"more\": \"1.0.0\"\n",
		try: try, run: run, then: `test "$(node -p 'require("more")()')" = more`,
	}
}

// npm's prefix is in the home folder, and mocha is linked there from its own folder.
func npmStory(t *testing.T) {
	u := newToolUser(t, "node", "npm")
	mocha := u.installed("node/node_modules/mocha")
	u.nodeProject("mocha")
	u.path = []string{filepath.Join(u.home, ".npm-global", "bin")}
	u.does("npm config set prefix ~/.npm-global && npm install")
	u.does("npm install --global --offline " + mocha)
	u.happens(withMore("npm test && mocha --version", "npm install"))
}

// pnpm is installed by npm, and PNPM_HOME, with its store, is not in the home folder.
func pnpmStory(t *testing.T) {
	u := newToolUser(t, "node", "npm")
	pnpm := u.installed("node/node_modules/pnpm")
	u.nodeProject("node --test test/")
	global := filepath.Join(u.home, ".npm-global")
	if err := os.CopyFS(filepath.Join(global, "lib", "node_modules", "pnpm"), os.DirFS(pnpm)); err != nil {
		t.Fatal(err)
	}
	u.link(filepath.Join(global, "bin"), "pnpm", "../lib/node_modules/pnpm/bin/pnpm.cjs")
	home := filepath.Join(u.elsewhere, "pnpm")
	u.path = []string{home, filepath.Join(global, "bin")}
	u.env = append(u.env, "PNPM_HOME="+home)
	u.does("pnpm install")
	if _, err := os.Stat(filepath.Join(home, "store")); err != nil {
		t.Fatal(err)
	}
	u.happens(withMore("pnpm test", "pnpm install"))
}

// Corepack brings the pnpm that a project names, whose store is in the usual place.
func corepackStory(t *testing.T) {
	u := newToolUser(t, "node", "corepack")
	pnpm := u.installed("node/node_modules/pnpm")
	files := map[string]string{}
	for _, name := range []string{"package.json", "bin/pnpm.cjs", "bin/pnpx.cjs", "dist"} {
		err := filepath.WalkDir(filepath.Join(pnpm, filepath.FromSlash(name)), func(file string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(file)
			files[strings.TrimPrefix(file, pnpm+"/")] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	version, err := exec.Command("node", "-p", "require('"+pnpm+"/package.json').version").Output()
	if err != nil {
		t.Fatal(err)
	}
	named := strings.TrimSpace(string(version))
	u.registry.npm("pnpm", named, packed(t, "package/", files))
	u.nodeProject("node --test test/")
	u.files(u.project, map[string]string{"package.json": "{\n  \"name\": \"shop\",\n  \"private\": true,\n  \"packageManager\": \"pnpm@" + named + "\",\n  \"scripts\": {\"test\": \"node --test test/\"},\n  \"dependencies\": {\n    \"greet\": \"1.0.0\"\n  }\n}\n"})
	bin := filepath.Join(u.home, ".local", "bin")
	u.path = []string{bin}
	u.does("mkdir -p "+bin+" && corepack enable --install-directory "+bin+" pnpm && pnpm install",
		"COREPACK_NPM_REGISTRY="+u.registry.url+"/npm", "COREPACK_INTEGRITY_KEYS=0", "COREPACK_ENABLE_DOWNLOAD_PROMPT=0")
	u.happens(withMore("pnpm test", "pnpm install"))
}

// Jest, Vitest and Mocha run in a trial from where npm has linked them, and the model is told which
// of the failing tests failed before.
func TestRunnerStories(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and runs programs of npm: run without -short")
	}
	u := newToolUser(t, "node", "npm")
	u.path = []string{filepath.Join(u.home, ".npm-global", "bin")}
	u.files(u.project, map[string]string{"package.json": "{\"name\": \"shop\", \"private\": true}\n", "sum.js": "exports.sum = (a, b) => a + b\n"})
	u.does("mkdir -p ~/.npm-global/lib && npm config set prefix ~/.npm-global")
	calls := []modeltest.Reply{modelCalls("edit_file", "path", "sum.js", "old_string", "a + b", "new_string", "a - b")}
	runners := []struct{ name, command, file, head string }{
		{"jest", "npx jest", "jest/sum.test.js", ""},
		{"vitest", "npx vitest run --dir vitest", "vitest/sum.test.mjs", "import { describe, expect, it } from 'vitest'\nimport { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\n"},
		{"mocha", "npx mocha mocha", "mocha/sum.js", "const expect = one => ({ toBe: other => require('node:assert').equal(one, other) })\n"},
	}
	links := []string{}
	for _, r := range runners {
		links = append(links, u.installed("node/node_modules/"+r.name))
		u.files(u.project, map[string]string{r.file: r.head + "const { sum } = require('../sum.js')\n" +
			"describe('sum', () => {\n  it('adds (two) numbers', () => expect(sum(2, 3)).toBe(5))\n  it('knows numbers', () => expect(sum('2', 3)).toBe(5))\n})\n"})
		calls = append(calls, modelCalls("try_command", "command", r.command))
	}
	u.does("npm link --offline " + strings.Join(links, " "))
	p, out := u.asks([]string{"--plan-only"}, calls...)
	if len(p.Trials) != len(runners) {
		t.Fatalf("there are %d trials\n%s", len(p.Trials), out)
	}
	for i, r := range runners {
		if one := p.Trials[i]; one.Verdict != "fails_now" || one.Baseline == nil {
			t.Errorf("the trial of %s is %+v", r.name, one)
		}
	}
	for _, want := range []string{
		"but 1 failure more: jest/sum.test.js > sum > adds (two) numbers; in both: jest/sum.test.js > sum > knows numbers",
		"but 1 failure more: vitest/sum.test.mjs > sum > adds (two) numbers; in both: vitest/sum.test.mjs > sum > knows numbers",
		"but 1 failure more: sum > adds (two) numbers; in both: sum > knows numbers",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// pythonProject writes a project that needs greet, with a test for pytest.
func (u *toolUser) pythonProject(toml string) {
	u.t.Helper()
	u.registry.python("colorama", "0.4.6") // pytest needs it on Windows, and lock files are for all systems
	u.registry.wheels(u.installed("python/wheels"))
	u.files(u.project, map[string]string{
		"pyproject.toml":    toml,
		"tests/test_a.py":   "import greet\n\ndef test_name():\n    assert greet.name() == 'greet'\n",
		"tests/test_b.py":   "def test_b():\n    assert 'a' == 'a'\n",
		"tests/conftest.py": "",
	})
}

// uv is linked in ~/.local/bin, and the environment is .venv.
func uvStory(t *testing.T) {
	u := newToolUser(t, "python3")
	uv, python := u.installed("python/bin/uv"), u.installed("python/bin/python")
	u.pythonProject("[project]\nname = \"shop\"\nversion = \"1\"\nrequires-python = \">=3.11\"\ndependencies = [\"greet\"]\n\n" +
		"[dependency-groups]\ndev = [\"pytest\"]\n\n[[tool.uv.index]]\nurl = \"REGISTRY/simple/\"\ndefault = true\n")
	bin := filepath.Join(u.home, ".local", "bin")
	u.link(bin, "uv", uv)
	u.path = []string{bin}
	u.does("uv sync --python " + realPython(t, python))
	u.happens(toolStory{
		file: "tests/test_b.py", old: "'a' == 'a'", new: "'b' == 'b'",
		try: "uv run pytest", run: "uv add more && uv sync", then: ".venv/bin/python -c 'import more, greet'",
	})
}

// Poetry is linked in ~/.local/bin, and the virtual environment is in its cache.
func poetryStory(t *testing.T) {
	u := newToolUser(t, "python3")
	poetry, python := u.installed("python/bin/poetry"), u.installed("python/bin/python")
	u.pythonProject("[tool.poetry]\npackage-mode = false\n\n[tool.poetry.dependencies]\npython = \">=3.11,<4\"\ngreet = \"*\"\n\n[tool.poetry.group.dev.dependencies]\npytest = \"*\"\n\n" +
		"[tool.poetry.group.late.dependencies]\nmore = \"*\"\n\n[[tool.poetry.source]]\nname = \"here\"\nurl = \"REGISTRY/simple/\"\npriority = \"primary\"\n")
	bin := filepath.Join(u.home, ".local", "bin")
	u.link(bin, "poetry", poetry)
	u.path = []string{bin}
	u.does("poetry env use " + realPython(t, python) + " && poetry install --no-interaction --without late")
	u.happens(toolStory{
		file: "tests/test_b.py", old: "'a' == 'a'", new: "'b' == 'b'",
		try: "poetry run pytest", run: "poetry install", then: "poetry run python -c 'import more, greet'",
	})
}

// pytest is installed by pipx.
func pipxStory(t *testing.T) {
	u := newToolUser(t, "python3")
	pipx, python := u.installed("python/bin/pipx"), u.installed("python/bin/python")
	u.pythonProject("[tool.pytest.ini_options]\n")
	u.files(u.project, map[string]string{"tests/test_a.py": "def test_a():\n    pass\n"})
	u.path = []string{filepath.Join(u.home, ".local", "bin")}
	u.does(pipx + " install --python " + realPython(t, python) + " pytest")
	u.happens(toolStory{
		file: "tests/test_b.py", old: "'a' == 'a'", new: "'b' == 'b'",
		try: "pytest", run: "pytest", then: "pytest",
	})
}

// The environment is .venv, made by python's own module.
func pipStory(t *testing.T) {
	u := newToolUser(t, "python3")
	python := u.installed("python/bin/python")
	u.pythonProject("[tool.pytest.ini_options]\n")
	u.does(u.installed("python/bin/uv") + " venv --python " + realPython(t, python) + " && " + u.installed("python/bin/uv") + " pip install pip pytest greet")
	u.happens(toolStory{
		file: "tests/test_b.py", old: "'a' == 'a'", new: "'b' == 'b'",
		try: ".venv/bin/python -m pytest && .venv/bin/pytest", run: ".venv/bin/pip install more", then: ".venv/bin/python -c 'import more, greet'",
	})
}

// realPython returns the program that the python of a virtual environment leads to.
func realPython(t *testing.T, python string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(python)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// CARGO_HOME is not in the home folder.
func cargoStory(t *testing.T) {
	u := newToolUser(t, "cargo")
	u.env = append(u.env, "CARGO_HOME="+filepath.Join(u.elsewhere, "cargo"))
	u.cargoProject(u.project)
}

// The registry that stands for the usual one is in Cargo's settings in the home folder.
func cargoSettingsStory(t *testing.T) {
	u := newToolUser(t, "cargo")
	u.cargoProject(u.home)
}

// cargoProject has a project that needs greet, and asks for more. The folder has Cargo's settings. The
// toolchain is that of the machine.
func (u *toolUser) cargoProject(settings string) {
	t := u.t
	t.Helper()
	u.path = []string{filepath.Dir(linkedProgram(t, "cargo"))}
	if out, err := exec.Command("rustup", "show", "home").Output(); err == nil {
		u.env = append(u.env, "RUSTUP_HOME="+strings.TrimSpace(string(out)))
	}
	u.files(u.project, map[string]string{
		"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\ngreet = \"1.0.0\"\n",
		"src/lib.rs": "#[cfg(test)]\nmod tests {\n    #[test]\n    fn greets() {\n        assert_eq!(greet::name(), \"greet\");\n    }\n}\n",
	})
	u.files(settings, map[string]string{
		".cargo/config.toml": "[source.crates-io]\nreplace-with = \"here\"\n\n[source.here]\nregistry = \"sparse+REGISTRY/cargo/\"\n",
	})
	u.does("cargo test --no-run")
	u.happens(toolStory{
		file: "src/lib.rs", old: "\"greet\");\n", new: "\"greet\");\n        assert!(true);\n",
		try: "cargo test", run: "cargo add more && cargo test", then: "cargo test --offline",
	})
}

// GOPATH, with the modules, is not in the home folder.
func goStory(t *testing.T) {
	u := newToolUser(t, "go")
	u.env = append(u.env, "GOPATH="+filepath.Join(u.elsewhere, "go"), "GOFLAGS=-modcacherw")
	u.goProject("")
}

// It is there by the command "go env -w".
func goSettingsStory(t *testing.T) {
	u := newToolUser(t, "go")
	u.goProject("go env -w GOFLAGS=-modcacherw GOPATH=" + filepath.Join(u.elsewhere, "go") + " && ")
}

// goProject has a project that needs greet, and asks for more. The cache of builds is that of the
// machine.
func (u *toolUser) goProject(first string) {
	t := u.t
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	u.path = []string{filepath.Dir(linkedProgram(t, "go"))}
	u.env = append(u.env, "GOCACHE="+strings.TrimSpace(string(cache)), "GOTOOLCHAIN=local", "GOPROXY="+u.registry.url+"/go", "GOSUMDB=off")
	u.files(u.project, map[string]string{
		"go.mod":         "module shop\n\ngo 1.21\n\nrequire shop.example/greet v1.0.0\n",
		"shop.go":        "package shop\n",
		"shop_test.go":   "package shop\n\nimport (\n\t\"testing\"\n\n\t\"shop.example/greet\"\n)\n\nfunc TestName(t *testing.T) {\n\tif greet.Name() != \"greet\" {\n\t\tt.Fail()\n\t}\n}\n",
		"tools/tools.go": "//go:build tools\n\npackage tools\n",
	})
	u.does(first + "go mod tidy")
	u.happens(toolStory{
		file: "tools/tools.go", old: "package tools\n", new: "package tools\n\nimport _ \"shop.example/more\"\n",
		try: "go test .", run: "go mod tidy && go test ./...", then: "GOPROXY=off go list -m shop.example/more",
	})
}

// linkedProgram returns the path of a program in PATH.
func linkedProgram(t *testing.T, name string) string {
	t.Helper()
	file, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
