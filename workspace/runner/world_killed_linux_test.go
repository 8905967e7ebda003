//go:build amd64 || arm64

package runner

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"redline/workspace/leftover"
	"redline/workspace/world"
)

var worldKills = flag.Int("world.kills", 30, "how many commands TestWorldLeavesNothing runs, half of which are killed")

// worldRun is what the process to be killed runs.
type worldRun struct {
	Line, Dir string
	World     world.World
	State     string // the state folder, if what it writes is to be on a disk
	Memory    bool   // keep what it writes in memory all the same
}

func runInWorld(order string) {
	var w worldRun
	if err := json.Unmarshal([]byte(order), &w); err != nil {
		panic(err)
	}
	o, err := Run(context.Background(), Command{Line: w.Line, Dir: w.Dir, World: &w.World, Left: leftover.New(w.State), disk: w.State != "" && !w.Memory}, func(_ Stream, text string) { fmt.Print(text) })
	fmt.Println(o.End, o.ExitCode, err)
}

// Whichever process is killed while a command runs in a world, at whatever moment: nothing is left.
func TestWorldLeavesNothing(t *testing.T) {
	h := newHouse(t)
	before, mounts := h.files(t), mountsOf(t)
	temp := t.TempDir() // other tests of worlds run at the same time
	t.Setenv("TMPDIR", temp)
	entries := namesIn(t, temp)
	state := ""
	if OnDisk() {
		state = t.TempDir()
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	took := 40 * time.Millisecond // the approximate duration of one run
	for i := range *worldKills {
		began := time.Now()
		marker := fmt.Sprintf("%d.%d", 100000+i, os.Getpid())
		p := h.start(t, state, "setsid sleep "+marker+" & (trap '' TERM; sleep "+marker+") & echo x > a.txt; echo y > ~/cache/built; dd if=/dev/zero of=/tmp/big bs=64k count=20 2>/dev/null; sleep 0.01; echo done")
		if i%2 == 0 {
			time.Sleep(time.Duration(r.Int64N(int64(took))))
			victims := append(descendants(p.Process.Pid), p.Process.Pid)
			_ = syscall.Kill(victims[r.IntN(len(victims))], syscall.SIGKILL) // it may have ended
		}
		_ = p.Wait() // it may be killed
		took = (3*took + max(time.Since(began), time.Millisecond)) / 4
		eventually(t, "processes to end", func() bool { return len(processesNamed(t, "sleep "+marker)) == 0 })
	}
	eventually(t, "folders to be swept", func() bool {
		leftover.Sweep(state)
		return state == "" || len(namesBelow(t, state)) == 0
	})
	eventually(t, "mounts to go", func() bool { return mountsOf(t) == mounts })
	if after := h.files(t); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	if left := namesIn(t, temp); left != entries {
		t.Errorf("there were\n%s\nthere are\n%s", entries, left)
	}
}

// start starts a process that runs a line in the world. The world's writes are on a disk, unless
// state, the state folder, is "".
func (h *house) start(t *testing.T, state, line string) *exec.Cmd {
	t.Helper()
	return h.startRun(t, worldRun{line, h.workspace, h.world, state, false})
}

func (h *house) startRun(t *testing.T, run worldRun) *exec.Cmd {
	t.Helper()
	order, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), "RUNNER_TEST_WORLD="+string(order), onDiskVariable+"=")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// descendants returns the processes below one, as far as they can be seen.
func descendants(pid int) (found []int) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil
	}
	for _, name := range lists {
		list, _ := os.ReadFile(name)
		for field := range strings.FieldsSeq(string(list)) {
			if child, err := strconv.Atoi(field); err == nil {
				found = append(append(found, child), descendants(child)...)
			}
		}
	}
	return found
}

// namesBelow returns the names in the folders of a state folder.
func namesBelow(t *testing.T, state string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(state, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// namesIn returns the names in a folder that Redline makes.
func namesIn(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "redline-*"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}
