package trial

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"redline/workspace/world"
)

// A file that is saved in the second in which the command starts is seen to have changed, even where the
// disk stores whole seconds.
func TestCaptureByCoarseTimes(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it mounts a file system: run it as root, outside of bubblewrap")
	}
	f := newCapturing(t, nil)
	image := filepath.Join(t.TempDir(), "image")
	file, err := os.Create(image)
	if err == nil {
		err = errors.Join(file.Truncate(16<<20), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", "-I", "128", image).CombinedOutput(); err != nil {
		t.Skipf("it needs mkfs.ext4: install e2fsprogs (%v %s)", err, out)
	}
	mount(t, "-o", "loop", image, f.root)
	f.Write("saved.txt", "old\n")
	f.leaves(world.FileEntry, "saved.txt", "old\ntheirs\n", 0o644)
	f.during = func() { f.Write("saved.txt", "new\n") }
	f.wants(t, f.capture(t, nil), "not saved.txt: it was changed outside of the copy while the command ran")
}

// mount mounts something until the test ends. args are those of the program.
func mount(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		t.Skipf("it needs to mount a disk: run it as root, outside of bubblewrap (%v %s)", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", args[len(args)-1]).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	})
}

const changedOutside = ": it was changed outside of the copy while the command ran"

// Files are not looked at one by one where their times tell whether they have changed.
func TestCaptureLooksAtNoFile(t *testing.T) {
	f := newCapturing(t, map[string]string{"a/b.txt": "b\n", "c.txt": "c\n"})
	found, err := f.Workspace.SecretFiles(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	x := &capture{Trials: f.trials, ignoring: f.Workspace.Ignoring()}
	b, err := x.begin(t.Context(), found.Listed)
	if err != nil {
		t.Fatal(err)
	}
	defer b.since.Close()
	if !b.since.Tells(f.root, b.states[f.root].Changed()) {
		t.Skip("the times of this disk may not tell: name a folder on another one in TMPDIR")
	}
	if len(b.had) > 0 || len(b.states) != 2 {
		t.Errorf("%d folders were listed with the states of their files, %d states", len(b.had), len(b.states))
	}
}

// What is saved up to the start is the base, also in the tick before it. What is saved or comes afterwards
// counts as changed, whichever time it has.
func TestCaptureAroundTheStart(t *testing.T) {
	const rounds = 20
	for range rounds {
		f := newCapturing(t, map[string]string{"timed.txt": "old\n", "mapped.txt": "old\n", "moved.txt": "old\n", "other.txt": "new\n"})
		f.Write("before.txt", "before\n")
		for _, name := range []string{"before.txt", "timed.txt", "mapped.txt", "moved.txt", "made.txt"} {
			f.leaves(world.FileEntry, name, "theirs\n", 0o644)
		}
		f.during = func() {
			timed, old := filepath.Join(f.root, "timed.txt"), time.Now().Add(-time.Hour)
			f.Write("timed.txt", "new\n")
			f.Write("made.txt", "new\n")
			f.move(t, "other.txt", "moved.txt")
			if err := errors.Join(os.Chtimes(timed, old, old), mapped(filepath.Join(f.root, "mapped.txt"), "new\n")); err != nil {
				t.Fatal(err)
			}
		}
		f.wants(t, f.capture(t, nil), `before.txt: "before\n" → "theirs\n"`,
			"not made.txt"+changedOutside, "not mapped.txt"+changedOutside, "not moved.txt"+changedOutside, "not timed.txt"+changedOutside)
		if t.Failed() {
			break
		}
	}
}

// mapped writes to a file through memory.
func mapped(name, text string) error {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	memory, err := unix.Mmap(int(file.Fd()), 0, len(text), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	copy(memory, text)
	return unix.Munmap(memory)
}

// Where the times of a file system in the workspace may not tell, the files are looked at one by one: what is
// the same is carried, what has changed is not.
func TestCaptureOfOtherFileSystems(t *testing.T) {
	f := newCapturing(t, map[string]string{"in/hidden.txt": "by the mount\n", "a.txt": "a\n"})
	mount(t, "-t", "ramfs", "none", filepath.Join(f.root, "in"))
	f.Write("in/saved.txt", "old\n")
	f.Write("in/same.txt", "same\n")
	f.Write("in/deep/gone.txt", "gone\n")
	for _, name := range []string{"a.txt", "in/saved.txt", "in/same.txt", "in/new.txt", "in/made.txt"} {
		f.leaves(world.FileEntry, name, "theirs\n", 0o644)
	}
	f.leaves(world.GoneEntry, "in/deep", "", 0)
	f.during = func() {
		f.Write("in/saved.txt", "new\n")
		f.Write("in/made.txt", "new\n")
	}
	f.wants(t, f.capture(t, nil), `a.txt: "a\n" → "theirs\n"`, `in/deep/gone.txt: gone`, `in/new.txt: new "theirs\n"`, `in/same.txt: "same\n" → "theirs\n"`,
		"not in/made.txt"+changedOutside, "not in/saved.txt"+changedOutside)
}

// A file on which something is mounted meanwhile is another one, however old that is; one that was mounted
// before is not.
func TestCaptureOfMountedFiles(t *testing.T) {
	f := newCapturing(t, map[string]string{"before.txt": "b\n", "during.txt": "d\n"})
	other := filepath.Join(t.TempDir(), "other.txt")
	if err := os.WriteFile(other, []byte("other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mount(t, "--bind", other, filepath.Join(f.root, "before.txt"))
	f.leaves(world.FileEntry, "before.txt", "theirs\n", 0o644)
	f.leaves(world.FileEntry, "during.txt", "theirs\n", 0o644)
	f.during = func() { mount(t, "--bind", other, filepath.Join(f.root, "during.txt")) }
	f.wants(t, f.capture(t, nil), `before.txt: "other\n" → "theirs\n"`, "not during.txt"+changedOutside)
}
