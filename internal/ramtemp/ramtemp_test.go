package ramtemp

import (
	"os"
	"path/filepath"
	"testing"
)

type run func() int

func (r run) Run() int { return r() }

// The tests have a folder of their own there, which is removed afterwards.
func TestAround(t *testing.T) {
	t.Setenv("TMPDIR", "") // restored at the end
	root := t.TempDir()
	var dir string
	tests := run(func() int {
		dir = os.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o600); err != nil {
			t.Error(err)
		}
		return 3
	})
	if code := (around{tests, root}).Run(); code != 3 {
		t.Errorf("exit status %d, want 3", code)
	}
	if filepath.Dir(dir) != root {
		t.Errorf("temporary files were in %s, want a folder in %s", dir, root)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// A TMPDIR that is set is respected.
func TestAroundLeavesTMPDIR(t *testing.T) {
	said := t.TempDir()
	t.Setenv("TMPDIR", said)
	around{run(func() int {
		if dir := os.TempDir(); dir != said {
			t.Errorf("temporary files are in %s, want %s", dir, said)
		}
		return 0
	}), t.TempDir()}.Run()
}

// Sweep removes the folders of killed processes, and keeps those of live ones.
func TestSweep(t *testing.T) {
	if memory() == "" {
		t.Skip("needs Linux with a /dev/shm in memory that programs can run from and that has 2 GiB free")
	}
	t.Setenv("TMPDIR", "")
	root := t.TempDir()
	const gone = "redline-test-1000000000-x" // more than any system has processes
	alive := "redline-test-1-x"
	for _, name := range []string{gone, alive} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	around{run(func() int { return 0 }), root}.Run()
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 1 || left[0].Name() != alive {
		t.Errorf("%v is left, %v; want %s", left, err, alive)
	}
}
