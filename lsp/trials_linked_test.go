//go:build linux && (amd64 || arm64)

package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/trial"
	"redline/workspace/runner"
)

// setUp is a home folder with programs, and a workspace.
type setUp struct {
	t        *testing.T
	home, ws string
}

// put writes files by their names in the home folder or, with ws/ before, in the workspace: links
// to what comes after "->", programs of a shell if they begin so, other texts. HASH in a name is what
// Poetry makes of the workspace's.
func (s *setUp) put(files map[string]string) {
	s.t.Helper()
	sum := sha256.Sum256([]byte(s.ws))
	hash := base64.URLEncoding.EncodeToString(sum[:])[:8]
	for name, text := range files {
		name = strings.ReplaceAll(name, "HASH", hash)
		at := filepath.Join(s.home, name)
		if in, ok := strings.CutPrefix(name, "ws/"); ok {
			at = filepath.Join(s.ws, in)
		}
		text = strings.ReplaceAll(text, "HOME", s.home)
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		if to, ok := strings.CutPrefix(text, "->"); ok && err == nil {
			err = os.Symlink(to, at)
		} else if err == nil {
			mode := os.FileMode(0o644)
			if strings.HasPrefix(text, "#!") {
				mode = 0o755
			}
			err = os.WriteFile(at, []byte(text), mode)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// newSetUp makes a home folder of which two folders are on PATH, and opens a workspace.
func newSetUp(t *testing.T) (*connected, *setUp) {
	t.Helper()
	if err := runner.Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	for _, dir := range []string{".local/bin", ".npm-global/bin"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", home+"/.local/bin:"+home+"/.npm-global/bin:"+os.Getenv("PATH"))
	ed := connectTrying(t, trial.Options{Mode: trial.On, Home: home})
	dir, err := filepath.EvalSymlinks(ed.dir)
	if err != nil {
		t.Fatal(err)
	}
	return ed, &setUp{t, home, dir}
}

const (
	// beside is a program that prints a file of its installation.
	beside = "#!/bin/sh\ncat \"$(dirname \"$(readlink -f \"$0\")\")\"/../"
	// fakePython is an interpreter that needs its library; it prints that and the script.
	fakePython = beside + "lib/python3.11/os.py && echo \"$1\"\n"
)

// A trial runs the programs that links on PATH and in the workspace lead to, each with what it
// needs, and sees nothing else of the home folder. An approved command runs the same ones.
func TestTrialsFollowLinks(t *testing.T) {
	python := map[string]string{"opt/py/bin/python3.11": fakePython, "opt/py/bin/python3": "->python3.11", "opt/py/lib/python3.11/os.py": "library\n"}
	for name, c := range map[string]struct {
		files  map[string]string
		python bool
		line   string // to run
		want   string // what it prints
		alone  bool   // an approved command sees more
		not    string // names in the home folder that it does not see, besides the usual ones
	}{
		"npm": {
			files: map[string]string{
				".npm-global/bin/tsc": "->../lib/node_modules/typescript/bin/tsc", ".npm-global/lib/node_modules/typescript/bin/tsc": beside + "lib.js\n",
				".npm-global/lib/node_modules/typescript/lib.js": "tsc\n", ".npm-global/lib/node_modules/other/index.js": "other\n",
				".npm-global/bin/ng": "->../lib/node_modules/@angular/cli/bin/ng.js", ".npm-global/lib/node_modules/@angular/cli/bin/ng.js": beside + "node_modules/dep/index.js\n",
				".npm-global/lib/node_modules/@angular/cli/node_modules/dep/index.js": "dep\n", ".npm-global/.npmrc": "token\n",
			},
			line: "tsc; ng", want: "tsc\ndep\n", not: ".npm-global/lib/node_modules/other .npm-global/.npmrc",
		},
		"corepack": {
			files: map[string]string{".local/bin/pnpm": "->../../node/lib/node_modules/corepack/dist/pnpm.js", "node/lib/node_modules/corepack/dist/pnpm.js": beside + "package.json\n", "node/lib/node_modules/corepack/package.json": "corepack\n"},
			line:  "pnpm", want: "corepack\n",
		},
		"yarn's packages for a user": {
			files: map[string]string{
				".npm-global/bin/x": "->../../.config/yarn/global/node_modules/.bin/x", ".config/yarn/global/node_modules/.bin/x": "->../x/cli.js",
				".config/yarn/global/node_modules/x/cli.js": beside + "dep/index.js\n", ".config/yarn/global/node_modules/dep/index.js": "dep\n", ".config/app/settings": "mine\n",
			},
			line: "x", want: "dep\n", not: ".config/app .config/yarn/global/package.json",
		},
		"pipx": {
			python: true,
			files: map[string]string{
				".local/bin/black": "->HOME/.local/share/pipx/venvs/black/bin/black", ".local/share/pipx/venvs/black/bin/black": "#!HOME/.local/share/pipx/venvs/black/bin/python\n",
				".local/share/pipx/venvs/black/bin/python": "->HOME/opt/py/bin/python3", ".local/share/pipx/venvs/black/pyvenv.cfg": "home = HOME/opt/py/bin\n",
				".local/share/pipx/venvs/ruff/bin/ruff": "#!/bin/sh\n",
			},
			line: "black", want: "library\nHOME/.local/bin/black\n", not: ".local/share/pipx/venvs/ruff",
		},
		"a copied python": {
			python: true,
			files:  map[string]string{"ws/.venv/pyvenv.cfg": "version = 3\nhome = HOME/opt/py/bin\n", "ws/.venv/bin/python": "#!/bin/sh\nexec HOME/opt/py/bin/python3 copied\n"},
			line:   ".venv/bin/python", want: "library\ncopied\n",
		},
		"an environment": {
			python: true,
			files:  map[string]string{"ws/a/.venv/pyvenv.cfg": "home = HOME/opt/py/bin\n", "ws/a/.venv/bin/python": "->python3", "ws/a/.venv/bin/python3": "->HOME/opt/py/bin/python3"},
			line:   "a/.venv/bin/python me; ls a/.venv/bin", want: "library\nme\npython\npython3\n",
		},
		"an environment that is a link": {
			python: true,
			files:  map[string]string{"ws/.venv": "->HOME/envs/shop", "envs/shop/pyvenv.cfg": "home = HOME/opt/py/bin\n", "envs/shop/bin/python": "->HOME/opt/py/bin/python3", "envs/other/bin/x": "x\n"},
			line:   ".venv/bin/python me", want: "library\nme\n", not: "envs/other",
		},
		"by other links": {
			python: true,
			files: map[string]string{
				"ws/.tox/py311/pyvenv.cfg": "", "ws/.tox/py311/bin/python": "->HOME/pythons/python3.11", "pythons/python3.11": "->HOME/now/bin/python3", "now": "->opt/py", "pythons/other": "other\n",
			},
			line: ".tox/py311/bin/python me", want: "library\nme\n", not: "pythons/other",
		},
		"an environment of Poetry": {
			python: true,
			files: map[string]string{
				"ws/poetry.lock": "", ".cache/pypoetry/virtualenvs/x-HASH-py3.11/pyvenv.cfg": "home = HOME/opt/py/bin\n", ".cache/pypoetry/virtualenvs/x-HASH-py3.11/bin/python": "->HOME/opt/py/bin/python3",
				".cache/pypoetry/virtualenvs/y-Other-py3.11/pyvenv.cfg": "", ".cache/x": "x\n",
			},
			line: "~/.cache/pypoetry/virtualenvs/x-*/bin/python me", want: "library\nme\n", not: ".cache/pypoetry/virtualenvs/y-Other-py3.11 .cache/x",
		},
		"an environment that is activated elsewhere": {
			python: true,
			files:  map[string]string{".local/bin/python": "->HOME/envs/shop/bin/python", "envs/shop/pyvenv.cfg": "home = HOME/opt/py/bin\n", "envs/shop/bin/python": "->HOME/opt/py/bin/python3"},
			line:   "python me", want: "library\nme\n",
		},
		"a python in the home folder itself": {
			files: map[string]string{"bin/python3.11": fakePython, "lib/python3.11/os.py": "library\n", "lib/mine": "mine\n", "include/x": "x\n", "ws/.venv/pyvenv.cfg": "", "ws/.venv/bin/python": "->HOME/bin/python3.11"},
			line:  ".venv/bin/python me", want: "library\nme\n", not: "lib/mine include bin/../Documents",
		},
		"an installation": {
			files: map[string]string{".local/bin/hx": "->HOME/apps/helix/bin/hx", "apps/helix/bin/hx": beside + "share/runtime\n", "apps/helix/share/runtime": "runtime\n", "apps/helix/config": "config\n", "apps/other": "x\n"},
			line:  "hx", want: "runtime\n", not: "apps/helix/config apps/other",
		},
		"a toolchain": {
			files: map[string]string{".local/bin/go": "->HOME/sdk/go1.30/bin/go", "sdk/go1.30/bin/go": beside + "VERSION\n", "sdk/go1.30/VERSION": "go1.30\n", "sdk/go1.30/src/runtime/x.go": "x\n", "sdk/mine": "x\n"},
			line:  "go", want: "go1.30\n", not: "sdk/mine",
		},
		"one file": {
			files: map[string]string{".local/bin/deploy": "->HOME/Documents/deploy.sh", "Documents/deploy.sh": "#!/bin/sh\necho deployed; cat HOME/Documents/private.txt\n"},
			line:  "deploy; ls ~/Documents", want: "deployed\ncat: HOME/Documents/private.txt: No such file or directory\ndeploy.sh\n", alone: true,
		},
		"a package that is worked on": {
			files: map[string]string{
				".npm-global/bin/mine": "->../lib/node_modules/mine/bin/mine.js", ".npm-global/lib/node_modules/mine": "->HOME/projects/mine", "projects/mine/bin/mine.js": "#!/usr/bin/env node\n",
				"projects/mine/package.json": "{}\n", "projects/mine/.env": "KEY=1\n", "projects/other/x": "x\n", ".npm-global/bin/node": beside + "../projects/mine/package.json; echo node\n",
			},
			line: "mine; ls ~/projects ~/projects/mine; cat ~/projects/mine/.env", want: "{}\nnode\nHOME/projects:\nmine\n\nHOME/projects/mine:\nbin\npackage.json\n", alone: true,
		},
		"packages that are linked": {
			files: map[string]string{"ws/node_modules": "->HOME/main/node_modules", "main/node_modules/.bin/x": "->../x/x.sh", "main/node_modules/x/x.sh": "#!/bin/sh\necho x\n", "main/src": "x\n"},
			line:  "node_modules/.bin/x", want: "x\n", not: "main/src",
		},
		"a folder of packages that Composer wrote": {
			files: map[string]string{"ws/vendor": "->HOME/vendored", "vendored/autoload.php": "", "vendored/composer/installed.json": "", "vendored/bin/unit": "#!/bin/sh\necho unit\n"},
			line:  "vendor/bin/unit", want: "unit\n",
		},
		"a folder for what is built": {
			files: map[string]string{"ws/target": "->HOME/big/target", "big/target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n", "big/target/debug/x": "built\n", "big/other": "x\n"},
			line:  "cat target/debug/x; echo more > target/debug/y; cat target/debug/y", want: "built\nmore\n", alone: true, not: "big/other",
		},
		"a folder with a link to a program of the system": {
			files: map[string]string{
				"ws/run": "->HOME/notes/run", "ws/by": "->HOME/now/run", "ws/process": "->/proc/self/rootHOME/notes/run",
				"notes/run": "->/bin/echo", "notes/private.txt": "hush\n", "now": "->notes",
			},
			line: "./run ran; ./by ran", want: "ran\nran\n", not: "notes/private.txt now/private.txt",
		},
		"links of the workspace to what is no tool": {
			files: map[string]string{
				"ws/data": "->HOME/Documents", "ws/.venv/bin/python": "->HOME/Documents/run.sh", "Documents/run.sh": "#!/bin/sh\ncat HOME/Documents/private.txt\n", "ws/bin": "->HOME/private/bin",
				"private/bin/run": "#!/bin/sh\necho ran\n", "ws/node_modules/.bin/y": "->HOME/src/y/index.js", "src/y/index.js": "#!/bin/sh\necho y\n", "src/y/package.json": "{}", "ws/target": "->HOME/Documents/target", "Documents/target/x": "x\n",
				"ws/home": "->HOME", "ws/.tox/a/pyvenv.cfg": "home = HOME/Documents\n", "Documents/python": "#!/bin/sh\n",
			},
			line: "ls -A ~; ls -L data bin target .venv/bin/python node_modules/.bin/y 2>/dev/null", want: ".local\n.npm-global\n.profile\n.zprofile\n", not: "private work", alone: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			ed, s := newSetUp(t)
			home := s.home
			s.put(map[string]string{"Documents/private.txt": "hush\n", ".ssh/id_rsa": "hush\n", ".local/share/keyrings/k": "hush\n"})
			s.put(c.files)
			if c.python {
				s.put(python)
			}
			ed.plan(`replace "apple" with "pear"`)
			want := strings.ReplaceAll(c.want, "HOME", home)
			look := "cd ~; for name in Documents/private.txt .ssh .local/share/keyrings " + c.not + "; do ! test -e $name || echo SEEN $name; done"
			if out := ed.tried("{ " + c.line + "; } 2>&1; " + look); out != want {
				t.Errorf("a trial prints\n%s\nwant\n%s", out, want)
			}
			if c.alone {
				return
			}
			o, err := runner.Run(context.Background(), runner.Command{Line: c.line, Dir: ed.dir, Limits: runner.Limits{Time: time.Minute}}, nil)
			if err != nil || o.Output != want {
				t.Errorf("an approved command prints\n%s\nwant\n%s\n%v", o.Output, want, err)
			}
		})
	}
}

// The environments and packages that real programs make work in a trial as they do outside.
func TestTrialsFollowLinksOfRealTools(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs programs of npm, pip and others: run without -short")
	}
	const modules = `import sys, json, venv; print(sys.prefix != sys.base_prefix, sys.prefix, json.dumps("x"))`
	for name, c := range map[string]struct {
		needs string // programs
		make  string // run in the workspace
		line  string
	}{
		"an environment":     {"python3", "python3 -m venv --without-pip .venv", ".venv/bin/python -c '" + modules + "'"},
		"a copied one":       {"python3", "python3 -m venv --without-pip --copies env", "env/bin/python -c '" + modules + "'"},
		"one in a link":      {"python3", "python3 -m venv --without-pip ~/envs/shop && ln -s ~/envs/shop .venv", ".venv/bin/python3 -c '" + modules + "'"},
		"one of an own one":  {"python3", "python3 -m venv --without-pip ~/base && ~/base/bin/python -m venv --without-pip .venv", ".venv/bin/python3 -c '" + modules + "'"},
		"a program of pipx":  {"python3", "mkdir -p ~/apps && cd ~/apps && python3 -m venv --without-pip x && printf '#!%s/apps/x/bin/python\\n%s\\n' ~ '" + modules + "' > x/bin/tool && chmod +x x/bin/tool && ln -s ~/apps/x/bin/tool ~/.local/bin/tool", "tool"},
		"a package":          {"npm node", "npm pack --silent ~/hello && npm install --silent --offline --no-audit --no-fund -g --prefix ~/.npm-global ./hello-1.0.0.tgz", "hello"},
		"a linked package":   {"npm node", "npm install --silent --offline --no-audit --no-fund -g --prefix ~/.npm-global ~/hello", "hello"},
		"packages elsewhere": {"npm node", "mkdir ~/main && cp ~/hello/package.json ~/main && npm pack --silent ~/hello && npm install --silent --offline --no-audit --no-fund --prefix ~/main ./hello-1.0.0.tgz && ln -s ~/main/node_modules node_modules", "node_modules/.bin/hello"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, program := range strings.Fields(c.needs) {
				if out, err := exec.Command(program, "--version").CombinedOutput(); err != nil {
					t.Skipf("%s does not run here: %v %s", program, err, out)
				}
			}
			ed, s := newSetUp(t)
			s.put(map[string]string{
				"hello/package.json": `{"name": "hello", "version": "1.0.0", "bin": {"hello": "bin/hello.js"}}`, "hello/lib/words.js": "module.exports = 'hello'\n",
				"hello/bin/hello.js": "#!/usr/bin/env node\nconsole.log(require('../lib/words'))\n",
			})
			run := func(line string) string {
				t.Helper()
				o, err := exec.Command("sh", "-c", "cd '"+ed.dir+"' && "+line).CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, o)
				}
				return string(o)
			}
			run(c.make)
			ed.plan(`replace "apple" with "pear"`)
			if got, want := ed.tried(c.line), run(c.line); got != want || want == "" {
				t.Errorf("a trial prints\n%s\nwant\n%s", got, want)
			}
		})
	}
}
