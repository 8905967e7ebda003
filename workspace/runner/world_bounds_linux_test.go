//go:build amd64 || arm64

package runner

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// If a cgroup is delegated, the limits of memory and processes apply to everything that a command
// in a world starts, together, and a command that exceeds them is ended as a whole.
func TestWorldBoundsAllOfIt(t *testing.T) {
	h := newHouse(t)
	if !BoundedWorlds() {
		t.Skip("no cgroup with memory and pids is delegated to this user: run it in a systemd user session")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here")
	}
	h.world.Memory, h.world.Disk, h.world.Processes = 256<<20, 64<<20, 60
	h.write(t, "work space/hold.py", "import sys, time\nx = bytearray(int(sys.argv[1]) << 20)\nopen('/tmp/up' + sys.argv[2], 'w')\ntime.sleep(60)\n", 0o644)
	o := h.run(t, `for i in 1 2 3 4 5 6; do python3 hold.py 100 $i & done; wait`, time.Minute)
	if o.End != OutOfMemory || !o.Bounded || o.Took > 50*time.Second {
		t.Errorf("six processes of 100 MiB: %+v", o)
	}
	o = h.run(t, `for i in 1 2; do python3 hold.py 60 $i & done; while [ ! -e /tmp/up1 ] || [ ! -e /tmp/up2 ]; do sleep 0.1; done; echo up; kill %1 %2`, time.Minute)
	if o.End != Exited || !strings.HasPrefix(o.Stdout, "up\n") {
		t.Errorf("two of 60 MiB: %+v", o)
	}
	if o = h.run(t, `ulimit -d`, time.Minute); o.Stdout != "unlimited\n" { // reserved memory that is not used does not count
		t.Errorf("for each process: %+v", o)
	}
	o = h.run(t, `i=0; while [ $i -lt 200 ]; do sleep 5 & i=$((i + 1)); done; echo all`, 20*time.Second)
	if strings.Contains(o.Stdout, "all") {
		t.Errorf("200 processes: %+v", o)
	}
	if left := cgroupsLeft(t); left != "" {
		t.Errorf("it left %s", left)
	}
}

// cgroupsLeft returns the existing cgroups of trials.
func cgroupsLeft(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("find", "/sys/fs/cgroup", "-name", "redline-trial-*").Output()
	if err != nil && !os.IsPermission(err) {
		t.Logf("find: %v", err)
	}
	return string(out)
}
