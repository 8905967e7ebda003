//go:build unix

package leftover

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A folder is removed whatever is in it, and what its links lead to stays.
func TestRemoveAll(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	dir := filepath.Join(t.TempDir(), Name(World))
	for _, err := range []error{
		os.Mkdir(outside, 0o500), os.MkdirAll(filepath.Join(dir, "a", "b", "c"), 0o700),
		os.WriteFile(filepath.Join(dir, "a", "b", "c", "f"), nil, 0), os.Symlink(outside, filepath.Join(dir, "a", "link")),
		os.Symlink(outside, filepath.Join(dir, "link")), os.Symlink("a", filepath.Join(dir, "in")), os.Mkdir(filepath.Join(dir, "a", "work"), 0),
		syscall.Mkfifo(filepath.Join(dir, "a", "fifo"), 0), os.Chmod(filepath.Join(dir, "a", "b", "c"), 0o100),
		os.Chmod(filepath.Join(dir, "a", "b"), 0), os.Chmod(filepath.Join(dir, "a"), 0o500), os.Chmod(dir, 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveAll(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("what a link leads to has changed: %v, %v", info, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	if err := RemoveAll(link); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("what a link leads to has changed: %v, %v", info, err)
	}
}

// Folders that are nested deeper than there are descriptors are removed too.
func TestRemoveAllOfDeepFolders(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	low := limit
	low.Cur = 100
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Skip("descriptors cannot be limited here: " + err.Error())
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	dir := filepath.Join(t.TempDir(), "deep")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	was, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.Chdir(was); err != nil {
			t.Fatal(err)
		}
	}()
	for at, n := dir, 0; n < 500; n++ {
		if err := syscall.Chdir(at); err != nil {
			t.Fatal(err)
		}
		at = "d"
		if err := syscall.Mkdir(at, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chdir(was); err != nil {
		t.Fatal(err)
	}
	if err := RemoveAll(dir); err != nil {
		t.Errorf("%.300s", err)
	}
}
