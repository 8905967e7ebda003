//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// pipe makes a named pipe: whoever opens it to read waits until somebody writes.
func pipe(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // whoever waits after all goes on
		if f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
			f.Close()
		}
	})
}

// inTime runs f, which must not wait for anybody.
func inTime(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(3 * time.Minute):
		t.Fatal("it hangs")
	}
}

// A pipe in place of one of the files blocks nobody.
func TestAPipeInPlaceOfTheDatabase(t *testing.T) {
	for _, name := range []string{FileName, FileName + "-wal", FileName + "-journal", FileName + "-shm"} {
		s := newStore(t)
		create(t, s, ws)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		pipe(t, filepath.Join(s.dir, name))
		inTime(t, func() {
			again := New(s.dir)
			defer again.Close()
			_, err := again.Plans(t.Context(), ws, Filter{})
			says(t, err, ErrDamaged, s.path, name+" is no file", "left as it is")

			session, told := New(s.dir), ""
			defer session.Close()
			session.InMemory(func(text string) { told = text })
			if _, err := session.Plans(t.Context(), ws, Filter{}); err != nil || told == "" {
				t.Errorf("%s: a session gets %v and is told %q", name, err, told)
			}
		})
	}
}

func TestAPipeInPlaceOfTheHead(t *testing.T) {
	for _, name := range []string{HeadName, HeadName + ".new"} {
		s := newStore(t)
		pipe(t, filepath.Join(s.dir, name))
		inTime(t, func() {
			var said []string
			s.auditLog.head.warn = func(text string) { said = append(said, text) }
			p := create(t, s, ws)
			decideOn(t, s, p, "then")
			if (len(said) > 0) != (name == HeadName) {
				t.Errorf("%s: told %q", name, said)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAPipeInPlaceOfAMarker(t *testing.T) {
	dir := t.TempDir()
	pipe(t, filepath.Join(dir, "0123.json"))
	if err := os.WriteFile(filepath.Join(dir, "0123.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe(t, filepath.Join(dir, "4567.lock"))
	inTime(t, func() {
		n := &marker{dir: dir}
		n.others(func(text []byte) { t.Errorf("live: %q", text) }, func(text []byte) { t.Errorf("ended: %q", text) })
	})
}
