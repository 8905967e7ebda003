package toolset

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"redline/workspace"
)

// A file of a submodule, or of another repository within the workspace, is read from that one; what
// only claims to be there, or lies outside, is not.
func TestRepositoriesWithin(t *testing.T) {
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: install it to run this test")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(folder string, args ...string) {
		t.Helper()
		c := exec.Command(program, append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "protocol.file.allow=always"}, args...)...)
		c.Dir, c.Env = filepath.Join(dir, folder), append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	for _, name := range []string{"lib", "private", "ws"} {
		write(name+"/a.txt", name+"\n")
		git(name, "init", "-q")
		git(name, "add", ".")
		git(name, "commit", "-qm", "first")
	}
	git("ws", "submodule", "--quiet", "add", filepath.ToSlash(filepath.Join(dir, "lib")), "deps/lib")
	write("ws/claims/.git", "gitdir: "+filepath.Join(dir, "private", ".git")+"\n")
	write("ws/claims/b.txt", "")
	write("ws/deps/lib/sub/a.txt", "new\n")
	links := os.Symlink(filepath.Join(dir, "private"), filepath.Join(dir, "ws", "link")) == nil
	rs := &repositories{ws: workspace.New([]workspace.Folder{{Name: "ws", Dir: filepath.Join(dir, "ws")}}, workspace.Options{}), known: map[string]repository{}}
	for path, want := range map[string]string{
		".": "", "a.txt": "", "deps": "", "deps/lib": "deps/lib/", "deps/lib/a.txt": "deps/lib/", "deps/lib/sub/a.txt": "deps/lib/", "deps/lib/gone/x": "deps/lib/", "claims/b.txt": "", "link/a.txt": "",
	} {
		if path == "link/a.txt" && !links {
			continue
		}
		repo, prefix, err := rs.Of(path)
		if err != nil || prefix != want {
			t.Errorf("%s is in %q, %v; want %q", path, prefix, err, want)
			continue
		}
		s, err := repo.Status(t.Context())
		if err != nil || (want != "") != (len(s.Names) == 1 && s.Names[0] == "sub/") {
			t.Errorf("%s: %+v, %v", path, s, err)
		}
	}
}
