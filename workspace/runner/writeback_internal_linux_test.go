//go:build amd64 || arm64

package runner

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A file that another program has put in the place of one just before it is exchanged gets its place back, and
// is never removed, whatever happens to what was written meanwhile.
func TestAfterExchange(t *testing.T) {
	for _, c := range []struct {
		name      string
		meanwhile func(base string) // after the exchange
		base      string
		temp      string // "" if there is none afterwards
	}{
		{"nothing else", func(string) {}, "theirs", ""},
		{"what was written is removed", func(base string) { remove(t, base) }, "theirs", ""},
		{"a third text comes", func(base string) { remove(t, base); write(t, base, "third") }, "theirs", "third"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			base, temp := filepath.Join(dir, "auth.json"), filepath.Join(dir, "temp")
			write(t, base, "old")
			var was hostFile
			if err := syscall.Stat(base, &was.stat); err != nil {
				t.Fatal(err)
			}
			kept, err := os.Open(base) // so that no other file gets its number
			if err != nil {
				t.Fatal(err)
			}
			defer kept.Close()
			remove(t, base)
			write(t, base, "ours") // as exchanged: ours in the place, theirs under the temporary name
			write(t, temp, "theirs")
			ours, err := os.Open(base)
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()
			own := inode(t, base)
			c.meanwhile(base)
			at, err := os.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer at.Close()
			if err := afterExchange(int(at.Fd()), "temp", "auth.json", was); !errors.Is(err, errMeanwhile) {
				t.Errorf("got %v", err)
			}
			err = removeOf(int(at.Fd()), "temp", own, 0)
			if named := err != nil; named != (c.temp != "") {
				t.Errorf("got %v", err)
			}
			if got, _ := os.ReadFile(base); string(got) != c.base {
				t.Errorf("the file has %q, want %q", got, c.base)
			}
			if got, _ := os.ReadFile(temp); string(got) != c.temp {
				t.Errorf("the temporary file has %q, want %q", got, c.temp)
			}
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

func inode(t *testing.T, name string) uint64 {
	t.Helper()
	var s unix.Stat_t
	if err := unix.Stat(name, &s); err != nil {
		t.Fatal(err)
	}
	return s.Ino
}
