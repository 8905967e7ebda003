package world

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sinceFile is a file on a disk of this machine, of which a test asks whether it has changed.
type sinceFile struct {
	t    *testing.T
	name string
}

func (f sinceFile) must(errs ...error) {
	f.t.Helper()
	if err := errors.Join(errs...); err != nil {
		f.t.Fatal(err)
	}
}

func (f sinceFile) changed() time.Time {
	var stat unix.Stat_t
	f.must(unix.Lstat(f.name, &stat))
	return time.Unix(0, stat.Ctim.Nano())
}

// since starts a moment.
func (f sinceFile) since() *Since {
	f.t.Helper()
	s, err := StartSince(f.t.Context())
	f.must(err)
	f.t.Cleanup(s.Close)
	return s
}

// newSinceFile makes a file where the times tell, in each folder that there is for that.
func newSinceFile(t *testing.T, dir string) sinceFile {
	t.Helper()
	made, err := os.MkdirTemp(dir, "since")
	if err != nil {
		t.Skipf("no folder can be made there: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(made) })
	f := sinceFile{t, filepath.Join(made, "file")}
	f.must(os.WriteFile(f.name, []byte("old\n"), 0o600))
	if !f.since().Tells(made, sinceFile{t, made}.changed()) {
		t.Skipf("%s is on a file system whose times may not tell: name another in TMPDIR", dir)
	}
	return f
}

// What a file gets just before counts as before, also in the same tick; whatever changes it just after
// counts, whichever time it is given.
func TestSince(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	ways := map[string]func(f sinceFile){
		"write":    func(f sinceFile) { f.must(os.WriteFile(f.name, []byte("new\n"), 0o600)) },
		"set time": func(f sinceFile) { f.must(os.WriteFile(f.name, []byte("new\n"), 0o600), os.Chtimes(f.name, old, old)) },
		"chmod":    func(f sinceFile) { f.must(os.Chmod(f.name, 0o644)) },
		"move":     func(f sinceFile) { f.must(os.Rename(f.name, f.name+".old"), os.Rename(f.name+".old", f.name)) },
		"link":     func(f sinceFile) { f.must(os.Link(f.name, f.name+".link"), os.Remove(f.name+".link")) },
		"mmap": func(f sinceFile) {
			file, err := os.OpenFile(f.name, os.O_RDWR, 0)
			f.must(err)
			defer file.Close()
			text, err := unix.Mmap(int(file.Fd()), 0, 4, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			f.must(err)
			copy(text, "new\n")
			f.must(unix.Munmap(text))
		},
	}
	for _, dir := range []string{os.TempDir(), "/dev/shm"} {
		for way, change := range ways {
			t.Run(dir+" "+way, func(t *testing.T) {
				f := newSinceFile(t, dir)
				for range 20 {
					change(f)
					s := f.since()
					if !s.Unchanged(f.changed()) {
						t.Fatal("it changed before")
					}
					change(f)
					if s.Unchanged(f.changed()) {
						t.Fatal("it has changed")
					}
				}
			})
		}
	}
}

// A file that another one takes the place of has changed, however old that one is.
func TestSinceReplaced(t *testing.T) {
	f := newSinceFile(t, os.TempDir())
	other := f.name + ".other"
	f.must(os.WriteFile(other, []byte("other\n"), 0o600))
	s := f.since()
	f.must(os.Rename(other, f.name))
	if s.Unchanged(f.changed()) {
		t.Error("it is another file")
	}
}

// The times of a network's, a user's program's and the kernel's own files do not tell, nor do whole seconds.
func TestSinceTells(t *testing.T) {
	s := sinceFile{t, ""}.since()
	if s.Tells("/proc", time.Unix(1, 1)) || s.Tells(filepath.Join(t.TempDir(), "missing"), time.Unix(1, 1)) {
		t.Error("times there do not tell")
	}
	if f := newSinceFile(t, os.TempDir()); s.Tells(filepath.Dir(f.name), time.Unix(1, 0)) {
		t.Error("whole seconds do not tell")
	}
}
