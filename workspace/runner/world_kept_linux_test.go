//go:build amd64 || arm64

package runner

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/workspace/world"
)

// newKept returns a house whose world has a folder that stays, in place of the workspace's target.
func newKept(t *testing.T) (h *house, from string) {
	t.Helper()
	h = newHouse(t)
	if h.world.Kind != world.Overlay || OnDisk() {
		t.Skip("nothing is kept here")
	}
	h.write(t, "work space/target/host.txt", "host\n", 0o644)
	from = filepath.Join(t.TempDir(), "kept")
	if err := os.Mkdir(from, 0o755); err != nil {
		t.Fatal(err)
	}
	h.world.Kept = world.Kept{Path: filepath.Join(h.workspace, "target"), From: from}
	return h, from
}

// What is written to the folder that stays is there in the next world, and nothing else is; the
// host's files stay as they are.
func TestWorldKeepsAFolder(t *testing.T) {
	h, from := newKept(t)
	before := h.files(t)
	o := h.run(t, "ls target; echo built > target/lib; echo x > other; chmod 4755 target/lib; grep -c '/target .*nosuid,nodev' /proc/self/mountinfo", time.Minute)
	if o.Stdout != "1\n" || o.ExitCode != 0 {
		t.Errorf("%+v", o)
	}
	if o = h.run(t, "cat target/lib; ls other; ls "+filepath.Dir(from), time.Minute); o.Stdout != "built\n" {
		t.Errorf("the next world has %+v", o)
	}
	if text, err := os.ReadFile(filepath.Join(from, "lib")); err != nil || string(text) != "built\n" {
		t.Errorf("%q, %v", text, err)
	}
	if after := h.files(t); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

// A change can set a time, and a file of the host can get another one.
func TestWorldTimes(t *testing.T) {
	h, _ := newKept(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 678000000, time.UTC)
	h.world.Changes = []world.Change{
		{Path: filepath.Join(h.workspace, "new.txt"), Text: []byte("new\n"), Time: at},
		{Path: filepath.Join(h.workspace, "a.txt"), Same: true, Time: at},
		{Path: filepath.Join(h.workspace, "gone.txt"), Same: true, Time: at},
	}
	o := h.run(t, "stat -c '%n %.Y' new.txt a.txt; cat a.txt", time.Minute)
	if want := "new.txt 1767323045.678000000\na.txt 1767323045.678000000\nhost\n"; o.Stdout != want {
		t.Errorf("%q, want %q\n%s", o.Stdout, want, o.Stderr)
	}
}

// The files that a command writes outside the folder that stays are known, however it ends.
func TestWorldNamesWhatIsWritten(t *testing.T) {
	h, _ := newKept(t)
	h.write(t, "work space/.git/index", "index\n", 0o644)
	h.world.Changes = []world.Change{{Path: filepath.Join(h.workspace, "edited.txt"), Text: []byte("edited\n")}}
	for line, want := range map[string][]string{
		"cat a.txt edited.txt; echo x > target/lib; echo x > .git/index":   nil,
		"echo x >> a.txt; echo y > new.txt; exit 1":                        {"a.txt", "new.txt"},
		"sleep 0.1; echo x >> edited.txt; touch -d 2001-01-01 run.sh":      {"edited.txt", "run.sh"},
		"rm a.txt; ln -s run.sh new; mv run.sh moved.sh":                   {"a.txt", "moved.sh", "new", "run.sh"},
		"echo x > old/c.txt; sleep 60":                                     {"old/c.txt"},
		"(setsid sh -c 'while :; do echo x >> a.txt; done' &) ; sleep 0.2": {"a.txt"},
	} {
		o, err := Run(context.Background(), Command{Line: line, Dir: h.workspace, World: &h.world, Limits: Limits{Time: 2 * time.Second}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range o.Written {
			rel, _ := filepath.Rel(h.workspace, name)
			got = append(got, rel)
		}
		slices.Sort(got)
		if !o.Whole || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q; %+v", line, got, o.Whole, want, o)
		}
	}
}

// The folder that stays has a limit too.
func TestWorldBoundsWhatItKeeps(t *testing.T) {
	h, from := newKept(t)
	h.world.Disk = 20 << 20
	o := h.run(t, "for i in 1 2 3 4 5 6; do dd if=/dev/zero of=target/$i bs=1M count=10; done; sleep 20", time.Minute)
	if o.End != Overfull {
		t.Errorf("%.500v", o)
	}
	if entries, err := os.ReadDir(from); err != nil || len(entries) == 0 {
		t.Errorf("%v, %v", entries, err) // whoever keeps it removes it
	}
	if !strings.Contains(h.files(t), "target/host.txt") {
		t.Error("the host's is gone")
	}
}
