//go:build linux

package brief_test

import (
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/brief"
	"redline/workspace"
)

// The program of a check is that of the project's environment, wherever the project's tools keep it
// and although its python is always a link to somewhere else.
func TestChecksInEnvironments(t *testing.T) {
	const python, made = "->/opt/base/python3", "home = /opt/base\n"
	for name, c := range map[string]struct {
		files  map[string]string // in the home folder, which the workspace is in as ws: programs, or links to what follows "->"; HASH is that of the workspace
		env    map[string]string
		path   string // PATH, in the home folder
		check  brief.Check
		want   string
		hidden string // what a trial does not see
	}{
		"an environment":                  {files: map[string]string{"ws/.venv/bin/python": "->python3", "ws/.venv/bin/python3": python}, want: ".venv/bin/python -m pytest"},
		"one of another name":             {files: map[string]string{"ws/venv/bin/python": python}, want: "venv/bin/python -m pytest"},
		"one that is a link":              {files: map[string]string{"ws/.venv": "->HOME/envs/x", "envs/x/bin/python": python}, want: ".venv/bin/python -m pytest"},
		"one whose python is gone":        {files: map[string]string{"ws/.venv/bin/python": "->/gone/python3"}, path: "bin", want: "python3 -m pytest"},
		"one that no trial sees":          {files: map[string]string{"ws/.venv/bin/python": python}, path: "bin", hidden: "ws/.venv", want: "python3 -m pytest"},
		"one of the folder above":         {files: map[string]string{"ws/.venv/bin/python": python, "ws/api/x": ""}, check: brief.Check{Folder: "api"}, want: "../.venv/bin/python -m pytest"},
		"one of the folder":               {files: map[string]string{"ws/.venv/bin/python": python, "ws/api/venv/bin/python": python}, check: brief.Check{Folder: "api"}, want: "venv/bin/python -m pytest"},
		"the one with pytest":             {files: map[string]string{"ws/.venv/bin/python": python, "ws/venv/bin/python": python, "ws/venv/bin/pytest": ""}, want: "venv/bin/python -m pytest"},
		"one of tox":                      {files: map[string]string{"ws/.tox/lint/bin/python": python, "ws/.tox/py39/bin/python": python, "ws/.tox/py39/bin/pytest": "", "ws/.tox/py310/bin/python": python, "ws/.tox/py310/bin/pytest": ""}, path: "bin", want: ".tox/py310/bin/python -m pytest"},
		"one of nox":                      {files: map[string]string{"ws/.nox/tests/bin/python": python, "ws/.nox/tests/bin/pytest": ""}, want: ".nox/tests/bin/python -m pytest"},
		"one for another purpose":         {files: map[string]string{"ws/.tox/lint/bin/python": python}, path: "bin", want: "python3 -m pytest"},
		"no folder with a command":        {files: map[string]string{"ws/.tox/x;touch made;/bin/python": python, "ws/.tox/x;touch made;/bin/pytest": ""}, path: "bin", want: "python3 -m pytest"},
		"one with a space":                {files: map[string]string{"ws/hatch.toml": "[envs]\n", "my data/hatch/env/virtual/x/HASH/x/bin/python": python, "my data/hatch/env/virtual/x/HASH/x/bin/pytest": "", "my data/hatch/env/virtual/x/HASH/x/pyvenv.cfg": made}, env: map[string]string{"XDG_DATA_HOME": "HOME/my data"}, want: "'HOME/my data/hatch/env/virtual/x/HASH/x/bin/python' -m pytest"},
		"one with a quote":                {files: map[string]string{".virtualenvs/it's $x/.project": "HOME/ws\n", ".virtualenvs/it's $x/bin/ruff": "", ".virtualenvs/it's $x/pyvenv.cfg": made}, check: brief.Check{Command: "ruff check ."}, want: `"HOME/.virtualenvs/it's \$x/bin/ruff" check .`},
		"none with a control character":   {files: map[string]string{".virtualenvs/a\nb/.project": "HOME/ws\n", ".virtualenvs/a\nb/bin/ruff": "", ".virtualenvs/a\nb/pyvenv.cfg": made}, check: brief.Check{Command: "ruff check ."}},
		"one of pixi":                     {files: map[string]string{"ws/.pixi/envs/default/bin/python": ""}, want: ".pixi/envs/default/bin/python -m pytest"},
		"one of Poetry":                   {files: map[string]string{"ws/poetry.lock": "", ".cache/pypoetry/virtualenvs/x-HASH-py3.9/bin/python": python, ".cache/pypoetry/virtualenvs/x-HASH-py3.9/pyvenv.cfg": made, ".cache/pypoetry/virtualenvs/x-HASH-py3.12/bin/python": python, ".cache/pypoetry/virtualenvs/x-HASH-py3.12/pyvenv.cfg": made, ".cache/pypoetry/virtualenvs/x-Other123-py3.13/bin/python": python}, want: "HOME/.cache/pypoetry/virtualenvs/x-HASH-py3.12/bin/python -m pytest"},
		"one chosen by poetry env use":    {files: map[string]string{"ws/poetry.lock": "", "c/virtualenvs/x-HASH-py3.9/bin/python": python, "c/virtualenvs/x-HASH-py3.9/pyvenv.cfg": made, "c/virtualenvs/x-HASH-py3.12/bin/python": python, "c/virtualenvs/x-HASH-py3.12/pyvenv.cfg": made, "c/virtualenvs/envs.toml": "[y-Other]\nminor = \"3.12\"\n\n[x-HASH]\nminor = \"3.9\"\npatch = \"3.9.1\"\n\n[z-Other]\nminor = \"3.12\"\n"}, env: map[string]string{"POETRY_CACHE_DIR": "HOME/c"}, want: "HOME/c/virtualenvs/x-HASH-py3.9/bin/python -m pytest"},
		"one of Hatch":                    {files: map[string]string{"ws/pyproject.toml": "[build-system]\nrequires = [\"hatchling\"]\n", ".local/share/hatch/env/virtual/x/HASH/x/bin/python": python, ".local/share/hatch/env/virtual/x/HASH/x/pyvenv.cfg": made, ".local/share/hatch/env/virtual/x/HASH/docs/bin/python": python, ".local/share/hatch/env/virtual/x/HASH/docs/pyvenv.cfg": made}, want: "HOME/.local/share/hatch/env/virtual/x/HASH/x/bin/python -m pytest"},
		"one of Hatch for tests":          {files: map[string]string{"ws/hatch.toml": "[envs]\n", "d/hatch/env/virtual/x/HASH/x/bin/python": python, "d/hatch/env/virtual/x/HASH/x/pyvenv.cfg": made, "d/hatch/env/virtual/x/HASH/hatch-test.py3.12/bin/python": python, "d/hatch/env/virtual/x/HASH/hatch-test.py3.12/bin/pytest": "", "d/hatch/env/virtual/x/HASH/hatch-test.py3.12/pyvenv.cfg": made}, env: map[string]string{"XDG_DATA_HOME": "HOME/d"}, want: "HOME/d/hatch/env/virtual/x/HASH/hatch-test.py3.12/bin/python -m pytest"},
		"one of PDM":                      {files: map[string]string{"ws/.pdm-python": "HOME/pdm/x/bin/python\n", "pdm/x/bin/python": python, "pdm/x/pyvenv.cfg": made}, want: "HOME/pdm/x/bin/python -m pytest"},
		"a python that PDM uses":          {files: map[string]string{"ws/.pdm-python": "HOME/x/bin/python\n", "x/bin/python": python}, path: "bin", want: "python3 -m pytest"},
		"one of Pipenv":                   {files: map[string]string{".local/share/virtualenvs/ws-1/.project": "HOME/ws", ".local/share/virtualenvs/ws-1/bin/python": python, ".local/share/virtualenvs/ws-1/pyvenv.cfg": made, ".local/share/virtualenvs/b/.project": "HOME/b\n"}, want: "HOME/.local/share/virtualenvs/ws-1/bin/python -m pytest"},
		"one of virtualenvwrapper":        {files: map[string]string{".virtualenvs/ws/.project": "HOME/ws\n", ".virtualenvs/ws/bin/python": python, ".virtualenvs/ws/pyvenv.cfg": made}, want: "HOME/.virtualenvs/ws/bin/python -m pytest"},
		"one of conda":                    {files: map[string]string{"ws/environment.yml": "name: shop\ndependencies: [pytest]\n", "miniconda3/envs/shop/bin/python": "", "miniconda3/envs/shop/conda-meta/history": ""}, want: "HOME/miniconda3/envs/shop/bin/python -m pytest"},
		"one of conda elsewhere":          {files: map[string]string{"ws/environment.yml": "name: shop\n", ".conda/environments.txt": "HOME/conda/envs/other\nHOME/conda/envs/shop\n", "conda/envs/shop/bin/python": "", "conda/envs/shop/conda-meta/history": ""}, want: "HOME/conda/envs/shop/bin/python -m pytest"},
		"the one in the project":          {files: map[string]string{"ws/.venv/bin/python": python, "ws/.venv/bin/pytest": "", "ws/environment.yml": "name: shop\n", "miniconda3/envs/shop/bin/python": "", "miniconda3/envs/shop/bin/pytest": "", "miniconda3/envs/shop/conda-meta/history": ""}, want: ".venv/bin/python -m pytest"},
		"one that is activated":           {files: map[string]string{"active/bin/python": python, "ws/environment.yml": "name: shop\n", "miniconda3/envs/shop/bin/python": "", "miniconda3/envs/shop/conda-meta/history": ""}, env: map[string]string{"VIRTUAL_ENV": "HOME/active"}, path: "active/bin", want: "python -m pytest"},
		"one activated over conda's base": {files: map[string]string{"active/bin/python": python, "ws/environment.yml": "name: shop\n", "miniconda3/envs/shop/bin/python": "", "miniconda3/envs/shop/conda-meta/history": ""}, env: map[string]string{"VIRTUAL_ENV": "HOME/active", "CONDA_PREFIX": "HOME/miniconda3", "CONDA_DEFAULT_ENV": "base"}, path: "active/bin", want: "python -m pytest"},
		"conda's base":                    {files: map[string]string{"active/bin/python": python, "ws/environment.yml": "name: shop\n", "miniconda3/envs/shop/bin/python": "", "miniconda3/envs/shop/conda-meta/history": ""}, env: map[string]string{"CONDA_PREFIX": "HOME/active", "CONDA_DEFAULT_ENV": "base"}, path: "active/bin", want: "HOME/miniconda3/envs/shop/bin/python -m pytest"},
		"a program in one":                {files: map[string]string{"ws/.venv/bin/mypy": ""}, check: brief.Check{Command: "mypy ."}, want: ".venv/bin/mypy ."},
		"a program in one elsewhere":      {files: map[string]string{".virtualenvs/ws/.project": "HOME/ws\n", ".virtualenvs/ws/bin/ruff": "", ".virtualenvs/ws/pyvenv.cfg": made}, path: "bin", check: brief.Check{Command: "ruff check ."}, want: "HOME/.virtualenvs/ws/bin/ruff check ."},
		"no program":                      {files: map[string]string{"ws/.venv/bin/python": python, "bin/ruff/x": ""}, path: "bin", check: brief.Check{Command: "ruff check ."}},
		"a program on PATH":               {files: map[string]string{"bin/ruff": "->HOME/else/ruff", "else/ruff": ""}, path: "bin", check: brief.Check{Command: "ruff check ."}, want: "ruff check ."},
		"one that trials do not see":      {files: map[string]string{"bin/ruff": "->HOME/else/ruff", "else/ruff": ""}, path: "bin", hidden: "bin/ruff", check: brief.Check{Command: "ruff check ."}},
		"a pytest of pipx":                {files: map[string]string{"bin/pytest": "->HOME/pipx/venvs/pytest/bin/pytest", "pipx/venvs/pytest/bin/pytest": "", "pipx/venvs/pytest/pyvenv.cfg": made}, path: "bin", want: "pytest"},
		"one that is activated too":       {files: map[string]string{"active/bin/python": python, "active/bin/pytest": "", "active/pyvenv.cfg": made}, path: "active/bin", want: "python -m pytest"},
		"a pytest beside Python":          {files: map[string]string{"bin/pytest": ""}, path: "bin", want: "python3 -m pytest"},
	} {
		t.Run(name, func(t *testing.T) {
			home, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			ws := filepath.Join(home, "ws")
			sum := sha256.Sum256([]byte(ws))
			in := strings.NewReplacer("HOME", home, "HASH", base64.URLEncoding.EncodeToString(sum[:])[:8], "/opt/base", home+"/opt").Replace
			put := func(name, text string) {
				t.Helper()
				name = filepath.Join(home, in(name))
				err := os.MkdirAll(filepath.Dir(name), 0o755)
				if to, ok := strings.CutPrefix(in(text), "->"); ok && err == nil {
					err = os.Symlink(to, name)
				} else if err == nil {
					err = os.WriteFile(name, []byte(in(text)), 0o755)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			put("opt/python3", "#!/bin/sh\n")
			put("bin/python3", "#!/bin/sh\n")
			put("ws/x", "")
			for name, text := range c.files {
				put(name, text)
			}
			for _, name := range []string{"XDG_CACHE_HOME", "XDG_DATA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "POETRY_CACHE_DIR", "POETRY_VIRTUALENVS_PATH", "HATCH_DATA_DIR", "WORKON_HOME", "MAMBA_ROOT_PREFIX"} {
				t.Setenv(name, in(c.env[name]))
			}
			t.Setenv("HOME", home)
			t.Setenv("PATH", filepath.Join(home, c.path, "no")+":"+filepath.Join(home, c.path))
			check := c.check
			if check.Command == "" {
				check.Command = "python -m pytest"
			}
			sees := func(name string) bool {
				info, err := os.Stat(name)
				return err == nil && info.Mode().IsRegular() && (c.hidden == "" || !strings.HasPrefix(name, filepath.Join(home, c.hidden)))
			}
			machine := brief.ThisMachine(workspace.New([]workspace.Folder{{Dir: ws}}, workspace.Options{}), sees)
			var got string
			for _, one := range brief.Installed([]brief.Check{check}, machine) {
				got = one.Command
			}
			if want := in(c.want); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
