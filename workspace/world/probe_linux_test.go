//go:build amd64 || arm64

package world

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Without a world, a probe reaches each of its targets: so it would find each hole. This also holds
// in a folder whose name is too long for that of a socket.
func TestProbeReachesWithoutWorld(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 25))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, temp := range []string{os.TempDir(), long} {
		t.Setenv("TMPDIR", temp)
		probeWithoutWorld(t)
	}
}

func probeWithoutWorld(t *testing.T) {
	t.Helper()
	b, err := Lay(filepath.Join(os.TempDir(), "redline-world-"+rand.Text()))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Remove()
	p := &probe{}
	p.reach(b.Targets)
	for _, want := range []string{
		"write a file outside", "write a file outside through /proc/1/root", "read a hidden file", "see a process of the host",
		"see a lock of the host in workspace", "write to a FIFO of the host in workspace", "connect to a socket in workspace",
		"see a lock of the host in tools", "write to a FIFO of the host in tools", "connect to a socket in tools",
		"connect by TCP", "send by UDP", "connect to an abstract socket",
	} {
		if !slices.Contains(p.reached, want) && !(strings.Contains(want, "/proc/1/root") && slices.Contains(p.reached, "write a file outside")) {
			t.Errorf("it did not: %s (%q)", want, p.reached)
		}
	}
	if b.Untouched() == nil {
		t.Error("it changed the permissions of a file, and nobody saw it")
	}
}
