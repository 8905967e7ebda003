package trial

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

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
	for _, c := range [][]string{{"mkfs.ext4", "-q", "-F", "-I", "128", image}, {"mount", "-o", "loop", image, f.root}} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Skipf("it needs mkfs.ext4 and loop devices: %s: %v %s", c[0], err, out)
		}
	}
	defer func() {
		if out, err := exec.Command("umount", "-l", f.root).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	}()
	f.Write("saved.txt", "old\n")
	f.leaves(world.FileEntry, "saved.txt", "old\ntheirs\n", 0o644)
	f.during = func() { f.Write("saved.txt", "new\n") }
	f.wants(t, f.capture(t, nil), "not saved.txt: it was changed outside of the copy while the command ran")
}
