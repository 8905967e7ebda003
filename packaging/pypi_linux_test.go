package packaging

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pythonTool returns a program from PyPI: the one on the PATH, or with -roots one that is
// installed into the cache.
func pythonTool(t *testing.T, name string) string {
	t.Helper()
	return tool(t, name, "pip install "+name, func(dir string) string {
		command(t, need(t, "python3", howPython), "-m", "venv", dir)
		command(t, filepath.Join(dir, "bin/pip"), "install", "--quiet", name)
		return filepath.Join(dir, "bin", name)
	})
}

// twine and check-wheel-contents find nothing to correct in the wheels.
func TestWheelsAreClean(t *testing.T) {
	wheels, err := filepath.Glob(filepath.Join(packages(t, "pypi"), "*.whl"))
	if err != nil || len(wheels) != 6 {
		t.Fatalf("the wheels are %v (%v), want six", wheels, err)
	}
	t.Run("twine", func(t *testing.T) {
		command(t, pythonTool(t, "twine"), append([]string{"check", "--strict"}, wheels...)...)
	})
	t.Run("check-wheel-contents", func(t *testing.T) {
		command(t, pythonTool(t, "check-wheel-contents"), wheels...)
	})
}

// pythonRoot returns a root that has Python and pip, and wheels in two folders.
func pythonRoot(t *testing.T) root {
	r := newRoot(t, "python", "python3", "python3-pip", "python3-venv")
	r.put(packages(t, "pypi"), "/wheels")
	r.put(newerPackages(t, "pypi"), "/newer")
	return r
}

// pip installs, upgrades and removes Redline, in a virtual environment and for all users.
func TestPipInRoot(t *testing.T) {
	r := pythonRoot(t)
	r.run("python3 -m venv /home/me/venv")
	r.run("touch /usr/local/bin/another") // pip removes a folder with its last file
	for pip, bin := range map[string]string{
		"/home/me/venv/bin/pip": "/home/me/venv/bin/",
		"PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore pip": "/usr/local/bin/",
	} {
		before := r.listing("/home/me/.cache")
		r.run(pip + " install --no-index --find-links /wheels redline-lsp")
		for _, name := range []string{"redline", "redline-lsp"} {
			if out := r.run(bin + name + " demo"); !strings.Contains(out, "approved") {
				t.Errorf("%s demo printed:\n%s", bin+name, out)
			}
		}
		r.run(pip + " install --upgrade --no-index --find-links /newer redline-lsp")
		for _, name := range []string{"redline", "redline-lsp"} {
			if out := r.run(bin + name + " version"); out != "redline "+newerVersion+"\n" {
				t.Errorf("after the upgrade, %s version printed %q", bin+name, out)
			}
		}
		r.run(pip + " uninstall --yes redline-lsp")
		if left := difference(r.listing("/home/me/.cache"), before); len(withoutCompiled(left)) > 0 {
			t.Errorf("the removal left %v", left)
		}
	}
}

// withoutCompiled leaves out what Python makes of its own files when it runs them.
func withoutCompiled(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.Contains(name, "__pycache__") && !strings.Contains(name, "redline")
	})
}

// uvx runs Redline; uv installs, upgrades and removes it.
func TestUVInRoot(t *testing.T) {
	r := pythonRoot(t)
	uv := pythonTool(t, "uv")
	r.put(uv, "/usr/local/bin/uv")
	r.put(filepath.Join(filepath.Dir(uv), "uvx"), "/usr/local/bin/uvx")
	from := func(wheels string) string { return " --no-python-downloads --no-index --find-links " + wheels + " " }

	if out := r.run("uvx" + from("/wheels") + "redline-lsp demo"); !strings.Contains(out, "approved") {
		t.Errorf("uvx redline-lsp demo printed:\n%s", out)
	}
	if out := r.run("uvx" + from("/wheels") + "--from redline-lsp redline version"); !strings.Contains(out, "redline ") {
		t.Errorf("uvx --from redline-lsp redline version printed:\n%s", out)
	}
	r.run("uv tool install" + from("/wheels") + "redline-lsp")
	for _, name := range []string{"redline", "redline-lsp"} {
		if out := r.run("/home/me/.local/bin/" + name + " demo"); !strings.Contains(out, "approved") {
			t.Errorf("%s demo printed:\n%s", name, out)
		}
	}
	r.run("uv tool upgrade" + from("/newer") + "redline-lsp")
	for _, name := range []string{"redline", "redline-lsp"} {
		if out := r.run("/home/me/.local/bin/" + name + " version"); out != "redline "+newerVersion+"\n" {
			t.Errorf("after the upgrade, %s version printed %q", name, out)
		}
	}
	r.run("uv tool uninstall redline-lsp")
	for _, name := range r.listing("/home/me/.cache/uv", "/wheels", "/newer") {
		if strings.Contains(name, "redline") {
			t.Errorf("the removal left %s", name)
		}
	}
}
