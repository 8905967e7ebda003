package brief_test

import (
	"slices"
	"strings"
	"testing"

	"redline/agent/brief"
)

func TestChecks(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		paths []string
		want  string
	}{
		"go":      {files: map[string]string{"go.mod": "module x"}, want: "go build ./...|go vet ./...|go test ./..."},
		"make":    {files: map[string]string{"Makefile": "VERSION := 1\n.PHONY: test lint\nall: build\n\ntest: build\n\tgo test\nlint check:\n\tx\nbuild:\n\ty\n", "go.mod": ""}, want: "make test|make lint|make build|go build ./...|go vet ./...|go test ./..."},
		"npm":     {files: map[string]string{"package.json": `{"scripts": {"build": "tsc", "test": "jest", "start": "node ."}}`}, want: "npm run test|npm run build"},
		"no npm":  {files: map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, want: ""},
		"pnpm":    {files: map[string]string{"package.json": `{"scripts": {"test": "vitest"}}`, "pnpm-lock.yaml": ""}, want: "pnpm run test"},
		"yarn":    {files: map[string]string{"package.json": `{"packageManager": "yarn@4.1.0", "scripts": {"test": "vitest"}}`, "pnpm-lock.yaml": ""}, want: "yarn run test"},
		"broken":  {files: map[string]string{"package.json": `{"scripts": `}, want: ""},
		"python":  {files: map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n"}, want: "python -m pytest|ruff check ."},
		"rust":    {files: map[string]string{"Cargo.toml": ""}, want: "cargo build|cargo test"},
		"task":    {files: map[string]string{"Taskfile.yml": "version: '3'\nvars:\n  test: no\n\ntasks:\n  gen:\n    cmds: [x]\n  lint: golangci-lint run\n\n  test:\n    deps: [build]\n    cmds:\n      - go test\nincludes:\n  check: x\n"}, want: "task test|task lint"},
		"nothing": {files: map[string]string{"README.md": "make test"}, want: ""},
		"innermost first": {
			files: map[string]string{"go.mod": "", "web/package.json": `{"scripts": {"test": "x"}}`, "other/Cargo.toml": ""},
			paths: []string{"web/src/a.ts", "b.go"}, want: "web: npm run test|go build ./...|go vet ./...|go test ./...",
		},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(path string) (string, bool) { text, ok := c.files[path]; return text, ok }
			var got []string
			for _, check := range brief.FindChecks(read, c.paths...) {
				text := check.Command
				if check.Folder != "" {
					text = check.Folder + ": " + text
				}
				got = append(got, text)
				if _, ok := c.files[check.From]; !ok {
					t.Errorf("%s is said to be from %s", text, check.From)
				}
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("got %q, want %q", strings.Join(got, "|"), c.want)
			}
		})
	}
}

// A check whose program is missing is left out, and a virtual environment comes first.
func TestInstalledChecks(t *testing.T) {
	found := []brief.Check{{Command: "make test"}, {Command: "python -m pytest"}, {Command: "mypy .", Folder: "sub"}, {Command: "./mvnw -o test"}, {Command: "ruff check ."}}
	for name, c := range map[string]struct{ programs, files, want string }{
		"none":        {want: "./mvnw -o test"},
		"python":      {programs: "make python", want: "make test|python -m pytest|./mvnw -o test"},
		"python3":     {programs: "python3", want: "python3 -m pytest|./mvnw -o test"},
		"environment": {programs: "python mypy", files: ".venv/bin/python venv/bin/ruff", want: ".venv/bin/python -m pytest|mypy .|./mvnw -o test|venv/bin/ruff check ."},
		"in a folder": {files: "sub/.venv/bin/mypy .venv/bin/mypy", want: ".venv/bin/mypy .|./mvnw -o test"},
	} {
		machine := brief.Machine{
			Program: func(name string) bool { return slices.Contains(strings.Fields(c.programs), name) },
			File:    func(path string) bool { return slices.Contains(strings.Fields(c.files), path) },
		}
		var got []string
		for _, check := range brief.Installed(found, machine) {
			got = append(got, check.Command)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
