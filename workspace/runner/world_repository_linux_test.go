//go:build amd64 || arm64

package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A repository names programs that commands then run: in a folder of its own that is on the user's
// PATH, in npm's settings, in files that Python's test runners load. They run in the world and have
// no effect outside.
func TestWorldKeepsInWhatARepositoryNames(t *testing.T) {
	// With pytest, if it is installed: its Python may be in a home folder.
	python, prefix := "python3", ""
	if out, err := exec.Command("python3", "-c", "import sys, pytest; print(sys.executable); print(sys.base_prefix)").Output(); err == nil {
		python, prefix, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	}
	for name, c := range map[string]struct {
		needs, line string
		files       map[string]string // with $E in the place of a shell command that does harm
	}{
		"go and sh in ./bin": {"sh", "go test ./...; make", map[string]string{
			"bin/go": "#!/bin/sh\n$E\n", "bin/sh": "#!/bin/bash\n$E\n", "bin/make": "#!/bin/sh\n$E\n", "bin/redline": "#!/bin/sh\n$E\n",
		}},
		".npmrc": {"npm", "npm test", map[string]string{
			".npmrc":       "script-shell=$W/shell.sh\ncache=$O/cache\nlogs-dir=$O/logs\nglobalconfig=$O/npmrc\nnode-options=--require $W/harm.js\n",
			"shell.sh":     "#!/bin/sh\n$E\nexec /bin/sh \"$@\"\n",
			"harm.js":      "require('child_process').execSync(`$E`)\n",
			"package.json": `{"name": "a", "version": "1.0.0", "scripts": {"pretest": "$E", "test": "$E"}}`,
		}},
		"conftest.py": {"python3", "$P -m pytest; $P -m unittest", map[string]string{
			"conftest.py":      "import os\nos.system('''$E''')\n",
			"test_a.py":        "import conftest, unittest\nclass T(unittest.TestCase):\n    def test(self): conftest.os.system('''$E''')\n",
			"sitecustomize.py": "import os\nos.system('''$E''')\n",
		}},
		"a Makefile":               {"make", "make", map[string]string{"Makefile": "X := $(shell $E)\nall:\n\t$E\n"}},
		"git's hooks and settings": {"git", "git init -q . && cp hook .git/hooks/pre-commit && git config core.fsmonitor ./hook && git config core.pager ./hook && git status; git add -A; git -c user.name=a -c user.email=a@localhost commit -qm a", map[string]string{"hook": "#!/bin/sh\n$E\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			if _, err := exec.LookPath(c.needs); err != nil {
				t.Skip("there is no ", c.needs, " here")
			}
			fill := strings.NewReplacer("$E", "echo x > $O/file; touch $H/left /tmp/redline-left; chmod 777 $O; echo RAN", "$W", h.workspace)
			if prefix != "" && prefix != "/usr" {
				h.world.Tools = append(h.world.Tools, prefix)
			}
			last := strings.NewReplacer("$P", python, "$O", h.outside, "$W", "'"+h.workspace+"'", "$H", h.home)
			for file, text := range c.files {
				h.write(t, filepath.Join("work space", file), last.Replace(fill.Replace(text)), 0o755)
			}
			t.Setenv("PATH", filepath.Join(h.workspace, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
			before := h.files(t)
			o := h.run(t, last.Replace(c.line), time.Minute)
			if after := h.files(t); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
			if _, err := os.Lstat("/tmp/redline-left"); err == nil {
				t.Error("it has left a file in /tmp")
				os.Remove("/tmp/redline-left")
			}
			if !strings.Contains(o.Output, "RAN") {
				t.Errorf("it did not run: %+v", o)
			}
		})
	}
}
