package packaging

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const howPython = "install Python 3.8 or newer, with venv and pip"

// scripts is where a virtual environment has its programs.
func scripts(venv string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(venv, "Scripts")
	}
	return filepath.Join(venv, "bin")
}

// pip installs from a folder of wheels, and from nowhere else. The program runs under each of
// its names.
func TestPip(t *testing.T) {
	python := need(t, "python3", howPython)
	if err := exec.Command(python, "-m", "pip", "--python", python, "--version").Run(); err != nil {
		t.Skipf("needs pip 22.3 or newer: %s", howPython)
	}
	venv := filepath.Join(t.TempDir(), "venv")
	command(t, python, "-m", "venv", "--without-pip", venv)
	pip := func(args ...string) {
		t.Helper()
		cmd := isolated(t, python, append([]string{"-m", "pip", "--python", filepath.Join(scripts(venv), "python"), "--disable-pip-version-check"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "WARNING: R") {
			t.Fatalf("pip %v: %v\n%s", args, err, out)
		}
	}
	pip("install", "--no-index", "--find-links", packages(t, "pypi"), "redline-lsp")
	want, err := isolated(t, filepath.Join(scripts(venv), "redline"), "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(want), "redline ") {
		t.Errorf("redline version: %v\n%s", err, want)
	}
	if out, err := isolated(t, filepath.Join(scripts(venv), "redline-lsp"), "demo").CombinedOutput(); err != nil || !strings.Contains(string(out), "approved") {
		t.Errorf("redline-lsp demo: %v\n%s", err, out)
	}
	if out, err := isolated(t, filepath.Join(scripts(venv), "python"), "-m", "redline_lsp", "version").CombinedOutput(); err != nil || string(out) != string(want) {
		t.Errorf("python -m redline_lsp version: %v\n%s", err, out)
	}
	pip("uninstall", "--yes", "redline-lsp")
	if left, err := filepath.Glob(filepath.Join(scripts(venv), "redline*")); err != nil || len(left) > 0 {
		t.Errorf("the removal left %v (%v)", left, err)
	}
}
