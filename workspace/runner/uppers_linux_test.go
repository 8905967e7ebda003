//go:build amd64 || arm64

package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/workspace/leftover"
	"redline/workspace/world"
)

// onDiskVariable makes the test program keep on a disk what commands write in worlds, as if memory
// could not hold it.
const onDiskVariable = "RUNNER_TEST_ON_DISK"

// beOnDisk does as [onDiskVariable] says.
func beOnDisk() {
	if os.Getenv(onDiskVariable) != "" {
		tested.Do(func() {
			a := apart{kind: world.Overlay, disk: true}
			a.bounded, a.err = testWorld(nil, world.Overlay, true)
			found.Store(&a)
		})
	}
}

// Worlds whose uppers are on a disk pass all tests of worlds.
func TestWorldsOnADisk(t *testing.T) {
	if err := Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	if OnDisk() {
		t.Skip("all worlds here are")
	}
	if kind, _ := Apart(); kind == world.Bwrap || os.Getenv("WORLD_TEST_KIND") != "" {
		t.Skip("bwrap keeps what is written in memory")
	}
	skipShort(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, again("^TestWorld")...)
	c.Env = append(os.Environ(), onDiskVariable+"=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "--- ") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// newHouseOnDisk returns a house whose worlds have their uppers on a disk, and a ledger of them.
func newHouseOnDisk(t *testing.T) (h *house, left *leftover.Ledger, dir string) {
	t.Helper()
	h = newHouse(t)
	state := t.TempDir()
	left = leftover.New(state)
	return h, left, filepath.Join(state, "temporary")
}

// runOnDisk runs a line in a world with its uppers on a disk.
func (h *house) runOnDisk(t *testing.T, left *leftover.Ledger, line string) Outcome {
	t.Helper()
	o, err := Run(context.Background(), Command{Line: line, Dir: h.workspace, World: &h.world, Left: left, Limits: Limits{Time: time.Minute}, disk: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The files that a command writes are in a private folder while it runs, which the command cannot
// see, and nowhere afterwards, whatever it did to prevent their removal.
func TestUppersAreRemoved(t *testing.T) {
	h, left, dir := newHouseOnDisk(t)
	before := h.files(t)
	o := h.runOnDisk(t, left, `
echo x > new; rm -r old; mkdir -p old/sub a/b; echo y > a/b/c; ln -s `+h.outside+` away; ln -s / a/root
mkdir shut && echo z > shut/f && chmod 000 shut; mkdir -p ro/ro && echo z > ro/ro/f && chmod 500 ro/ro ro
mkfifo fifo; chmod 4755 run.sh; mv a.txt ~/cache/a.txt
i=0; while [ $i -lt 300 ]; do mkdir d && cd d || exit 9; i=$((i+1)); done
ls -d `+dir+`; cat /proc/self/mountinfo | grep -c `+dir+`; cat /proc/self/mountinfo | grep -c upperdir=/disk/`)
	if !strings.Contains(o.Stderr, "cannot access") || !strings.HasPrefix(o.Stdout, "0\n") || strings.HasSuffix(o.Stdout, "\n0\n") {
		t.Errorf("%+v", o)
	}
	if after := h.files(t); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("it left %v, %v", names, err)
	}
}

// A command that fills the disk is killed, even if its files have no names or cannot be counted, or
// if there are many of them.
func TestUppersAreBounded(t *testing.T) {
	for name, line := range map[string]string{
		"files":            `dd if=/dev/zero of=big bs=1M count=60; dd if=/dev/zero of=big2 bs=1M count=60; sleep 20`,
		"of tools":         `cd ~/cache; for i in 1 2 3 4 5 6; do dd if=/dev/zero of=$i bs=1M count=30; done; sleep 20`,
		"without names":    `for i in 4 5 6 7 8; do eval "exec $i>big; rm big; dd if=/dev/zero bs=1M count=60 >&$i"; done; sleep 20`,
		"in a shut folder": `mkdir d; exec 4>d/4 5>d/5 6>d/6 7>d/7; chmod 000 d; for i in 4 5 6 7; do dd if=/dev/zero bs=1M count=60 >&$i; done; sleep 20`,
		"small ones":       `i=0; while [ $i -lt 100000 ]; do : > f$i; i=$((i+1)); done; sleep 20`,
	} {
		t.Run(name, func(t *testing.T) {
			h, left, dir := newHouseOnDisk(t)
			if name == "small ones" {
				h.world.Disk = 4 << 20
			}
			before := h.files(t)
			most := watchSize(t, dir)
			o := h.runOnDisk(t, left, line)
			if o.End != Overfull {
				t.Errorf("%.2000v", o)
			}
			t.Logf("after %v, with %d of %d MiB", o.Took, most()>>20, h.world.Disk>>20)
			if after := h.files(t); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
			if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
				t.Errorf("it left %v, %v", names, err)
			}
		})
	}
}

// watchSize watches the size of the files in a folder, which may not exist yet. The returned
// function stops that and returns the largest size.
func watchSize(t *testing.T, dir string) (most func() int64) {
	t.Helper()
	stop, result := make(chan struct{}), make(chan int64)
	go func() {
		var is int64
		for {
			select {
			case <-stop:
				result <- is
				return
			case <-time.After(5 * time.Millisecond):
				now, _ := uppers{dir: dir, most: 1 << 40}.count()
				is = max(is, now)
			}
		}
	}()
	return func() int64 { close(stop); return <-result }
}

// The files of a killed process are removed before the next command, or when a server starts.
func TestUppersOfAKilledProcessAreSwept(t *testing.T) {
	h, left, dir := newHouseOnDisk(t)
	before := h.files(t)
	for name, sweep := range map[string]func(){
		"by the next command": func() { h.runOnDisk(t, left, "true") },
		"by a server":         func() { leftover.Sweep(filepath.Dir(dir)) },
	} {
		t.Run(name, func(t *testing.T) {
			p := h.start(t, filepath.Dir(dir), "echo x > new; rm -r old; mkdir -p old shut; chmod 000 shut; touch started; sleep 60")
			eventually(t, "the command to start", func() bool {
				found, err := filepath.Glob(dir + "/*/*/started")
				more, err2 := filepath.Glob(dir + "/*/*/*/started")
				return err == nil && err2 == nil && len(found)+len(more) > 0
			})
			h.runOnDisk(t, left, "true")
			if names := folders(t, dir); len(names) != 1 {
				t.Errorf("that of a running command is gone, or another stays: %v", names)
			}
			if err := p.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = p.Wait() // it was killed
			eventually(t, "it to be swept", func() bool { sweep(); return len(folders(t, dir)) == 0 })
		})
	}
	if after := h.files(t); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

// folders returns the names of the folders in one.
func folders(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// If a folder in the workspace cannot hold the written files, another one does; if there is none,
// the error says why.
func TestUppersAreOutsideOfTheWorkspace(t *testing.T) {
	h := newHouse(t)
	left := leftover.New(filepath.Join(h.workspace, "state"))
	if o := h.runOnDisk(t, left, "touch new; ls state"); o.ExitCode != 0 || o.Stdout != "temporary\n" {
		t.Errorf("%+v", o)
	}
	c := Command{World: &h.world, Left: left}
	_, err := newUppers(&c, h.workspace)
	if err == nil || err.Error() != fmt.Sprintf("it is in %s, which the command can write", h.workspace) {
		t.Error(err)
	}
	if _, err = newUppers(&c, "/dev/shm/missing"); err == nil {
		t.Error("a missing folder will do")
	}
	if _, err := newUppers(&c, "/proc"); err == nil {
		t.Error("a folder that cannot be written will do")
	}
}
