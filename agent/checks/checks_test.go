package checks_test

import (
	"strings"
	"testing"

	"redline/agent/checks"
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
		"rust":    {files: map[string]string{"Cargo.toml": ""}, want: "cargo test"},
		"nothing": {files: map[string]string{"README.md": "make test"}, want: ""},
		"innermost first": {
			files: map[string]string{"go.mod": "", "web/package.json": `{"scripts": {"test": "x"}}`, "other/Cargo.toml": ""},
			paths: []string{"web/src/a.ts", "b.go"}, want: "web: npm run test|go build ./...|go vet ./...|go test ./...",
		},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(path string) (string, bool) { text, ok := c.files[path]; return text, ok }
			var got []string
			for _, check := range checks.Of(read, c.paths...) {
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
