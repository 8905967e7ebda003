package editors

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Emacs's package compiles without a warning, and its documentation is as Emacs wants it.
func TestEmacsPackageIsClean(t *testing.T) {
	if testing.Short() {
		t.Skip("Emacs is not started in short mode: run without -short")
	}
	emacs, err := exec.LookPath("emacs")
	if err != nil {
		t.Skip("Emacs is not here: run .ci/install-editors")
	}
	dir := t.TempDir()
	setup, err := For("emacs", Folders{Home: dir, Config: filepath.Join(dir, "config")})
	if err != nil {
		t.Fatal(err)
	}
	hasEglot := exec.Command(emacs, "--batch", "--eval", "(require 'eglot)").Run() == nil
	checked := 0
	for _, f := range setup.Files {
		if filepath.Dir(f.Path) != setup.Dir {
			continue
		}
		if err := os.MkdirAll(setup.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Path, []byte(f.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range setup.Files {
		name := filepath.Base(f.Path)
		if filepath.Dir(f.Path) != setup.Dir || filepath.Ext(name) != ".el" || name == "redline-eglot.el" && !hasEglot {
			continue
		}
		checked++
		out, err := exec.Command(emacs, "--batch", "-L", setup.Dir, "--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile", f.Path).CombinedOutput()
		if err != nil {
			t.Errorf("%s does not compile without a warning: %v\n%s", name, err, out)
		}
		out, err = exec.Command(emacs, "--batch", "--eval", "(progn (require 'checkdoc) (checkdoc-file \""+f.Path+"\"))").CombinedOutput()
		if err != nil || strings.Contains(string(out), name+":") {
			t.Errorf("checkdoc on %s: %v\n%s", name, err, out)
		}
	}
	if checked < 4 {
		t.Errorf("only %d files were looked at", checked)
	}
}
