package packaging

import (
	"path/filepath"
	"strings"
	"testing"
)

// On a system with Ruby and no Go, the stand-in for Homebrew installs the formula, the
// formula's test passes, and the demo runs.
func TestFormulaInRoot(t *testing.T) {
	r := newRoot(t, "ruby", "ruby")
	p := publishThis(t, "homebrew")
	r.put("testdata/brew.rb", "/home/me/brew.rb")
	r.put(filepath.Join(p.manifests, "redline.rb"), "/home/me/redline.rb")
	archive, err := filepath.EvalSymlinks(filepath.Join(p.archives, archiveName(p.version, here)))
	if err != nil {
		t.Fatal(err)
	}
	r.put(archive, "/home/me/archive.tar.gz")
	cellar := "/home/linuxbrew/.linuxbrew/Cellar/redline/" + p.version
	standIn := func(what string) {
		t.Helper()
		r.run("cd unpacked && ruby ../brew.rb " + what + " ../redline.rb " + here.system + " " + here.processor + " " + cellar)
	}
	r.run("mkdir unpacked && tar -xzf archive.tar.gz -C unpacked")
	standIn("install")
	standIn("test")
	if out := r.run(cellar + "/bin/redline demo"); !strings.Contains(out, "approved") {
		t.Errorf("the demo printed:\n%s", out)
	}
	if out := r.run(cellar + "/bin/redline version --check"); !strings.Contains(out, "installed  by Homebrew") {
		t.Errorf("redline version --check printed:\n%s", out)
	}
}
