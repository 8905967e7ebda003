package packaging

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

var roots = flag.Bool("roots", false, "install in Debian roots with one ecosystem's tool each; needs root's rights and debootstrap")

var makingRoot sync.Mutex // one debootstrap at a time

// root is a Debian system in a folder, with a few packages and no Go. A test changes a copy,
// which is gone when the test ends.
type root struct {
	t   *testing.T
	dir string
}

// newRoot returns a root with some of Debian's packages. The system is made once and kept in
// the cache under its name.
func newRoot(t *testing.T, name string, packages ...string) root {
	t.Helper()
	if !*roots {
		t.Skip("installs into a Debian root: run with -roots")
	}
	if os.Getuid() != 0 {
		t.Skip("a Debian root needs root's rights")
	}
	need(t, "debootstrap", "install Debian's package debootstrap")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(cache, "redline-roots", name)
	makingRoot.Lock()
	defer makingRoot.Unlock()
	makeRoot(t, base, packages)
	dir := t.TempDir()
	for _, d := range []string{"changes", "work", "root"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// TempDir is on the same file system as the cache, or the kernel refuses the mount.
	mounted := filepath.Join(dir, "root")
	options := "lowerdir=" + base + ",upperdir=" + filepath.Join(dir, "changes") + ",workdir=" + filepath.Join(dir, "work")
	if err := syscall.Mount("overlay", mounted, "overlay", 0, options); err != nil {
		t.Fatalf("mounting a copy of %s: %v", base, err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(mounted, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmounting: %v", err)
		}
	})
	if err := os.MkdirAll(filepath.Join(mounted, "home/me"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root{t, mounted}
}

// makeRoot makes a system in a folder, unless it has been made. A system with packages is a
// copy of the bare one to which apt adds them: debootstrap does not resolve every dependency.
func makeRoot(t *testing.T, base string, packages []string) {
	t.Helper()
	if _, err := os.Stat(base + ".made"); err == nil {
		return
	}
	command(t, "rm", "-rf", base)
	if len(packages) == 0 {
		command(t, "mkdir", "-p", filepath.Dir(base))
		command(t, "debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", base)
	} else {
		bare := filepath.Join(filepath.Dir(base), "bare")
		makeRoot(t, bare, nil)
		command(t, "cp", "-a", bare, base)
		r := root{t, base}
		r.run("apt-get update")
		r.run("DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends -o Dpkg::Options::=--force-unsafe-io " + strings.Join(packages, " "))
	}
	command(t, "touch", base+".made")
}

// try runs a shell command in the root, with an empty environment but for HOME and PATH, and
// returns all that it wrote. It shares this machine's loopback network.
func (r root) try(shell string) (string, error) {
	cmd := exec.Command("unshare", "--pid", "--fork", "--kill-child", "--mount", "--root="+r.dir, "--mount-proc",
		"/usr/bin/env", "-i", "HOME=/home/me", "LANG=C.UTF-8", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"/bin/sh", "-c", "cd && "+shell)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// run is try for a command that must succeed.
func (r root) run(shell string) string {
	r.t.Helper()
	out, err := r.try(shell)
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return out
}

// put copies a file or folder into the root.
func (r root) put(from, to string) {
	r.t.Helper()
	to = filepath.Join(r.dir, to)
	command(r.t, "mkdir", "-p", filepath.Dir(to))
	command(r.t, "cp", "-a", from, to)
}

// A root has no Go, and its demo runs with the program alone.
func TestRoot(t *testing.T) {
	r := newRoot(t, "bare")
	if out, err := r.try("go version"); err == nil {
		t.Errorf("there is a Go: %s", out)
	}
	r.put(filepath.Join(programs(t), "linux_amd64/redline"), "/usr/bin/redline")
	if out := r.run("redline demo"); !strings.Contains(out, "approved") {
		t.Errorf("the demo printed:\n%s", out)
	}
}
