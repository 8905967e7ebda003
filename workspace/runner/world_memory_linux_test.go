//go:build amd64 || arm64

package runner

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"redline/workspace/world"
)

// Whatever kind of memory its processes hold, a command that holds more than it may is ended.
func TestWorldEndsWhatHoldsTooMuch(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here")
	}
	const begin = "import ctypes, mmap, os, time\nc = ctypes.CDLL(None, use_errno=True)\nM = 1 << 20\ndef fill(m):\n    for i in range(0, len(m), 4096): m[i] = 1\n"
	for name, s := range map[string]struct {
		script string
		over   bool
	}{
		"many processes":            {"for _ in range(6):\n    if os.fork() == 0:\n        x = bytearray(b'x') * (40 * M)\n        time.sleep(60)\nos.wait()\n", true},
		"a shared mapping":          {"m = mmap.mmap(-1, 320 * M)\nfill(m)\ntime.sleep(60)\n", true},
		"one that is out of sight":  {"m = mmap.mmap(-1, 320 * M)\nfill(m)\nm.madvise(mmap.MADV_DONTNEED)\ntime.sleep(60)\n", true},
		"a file without a name":     {"f = os.memfd_create('x')\nfor _ in range(60): os.write(f, b'x' * M)\ng = os.memfd_create('y')\nfor _ in range(60): os.write(g, b'x' * M)\ntime.sleep(60)\n", true},
		"many files without a name": {"fs = [os.memfd_create('x') for _ in range(20)]\nfor f in fs: os.write(f, b'x' * (16 * M))\ntime.sleep(60)\n", true},
		"a segment": {"c.shmat.restype = ctypes.c_void_p\nc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]\nc.shmdt.argtypes = [ctypes.c_void_p]\n" +
			"for _ in range(5):\n    i = c.shmget(0, ctypes.c_size_t(64 * M), 0o1600)\n    p = c.shmat(i, None, 0)\n    ctypes.memset(p, 1, 64 * M)\n    c.shmdt(p)\ntime.sleep(60)\n", true},
		"forks of one":     {"x = bytearray(b'x') * (40 * M)\nfor _ in range(10):\n    if os.fork() == 0:\n        time.sleep(1)\n        os._exit(0)\nfor _ in range(10): os.wait()\n", false},
		"a little of each": {"m = mmap.mmap(-1, 16 * M)\nfill(m)\nf = os.memfd_create('x')\nos.write(f, b'x' * (16 * M))\ntime.sleep(1)\n", false},
		"much on the disk": {"for i in range(48): open('/dev/shm/%d' % i, 'wb').write(b'x' * M)\nx = bytearray(b'x') * (40 * M)\ntime.sleep(1)\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.world.Memory = 64 << 20
			h.write(t, "work space/hold.py", begin+s.script, 0o644)
			o := h.run(t, "python3 hold.py; echo ended", time.Minute)
			switch {
			case !s.over && (o.End != Exited || o.Stdout != "ended\n" || o.Stderr != ""):
				t.Errorf("it is no more than it may hold: %+v", o)
			case s.over && (o.End != OutOfMemory || o.Took > 50*time.Second):
				t.Errorf("%+v", o)
			}
		})
	}
}

// A command cannot use up what the user may watch.
func TestWorldLeavesTheUserSomeInotify(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here")
	}
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_instances")
	if err != nil {
		t.Skip(err)
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || most > 2000 {
		t.Skipf("a user may have %s", text)
	}
	h := newHouse(t)
	h.write(t, "work space/watch.py", "import ctypes, resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)\nc = ctypes.CDLL(None)\nn = 0\nwhile n < 5000 and c.inotify_init1(0) >= 0: n += 1\nprint(n)\n", 0o644)
	o := h.run(t, "python3 watch.py", time.Minute)
	got, err := strconv.Atoi(strings.TrimSpace(o.Stdout))
	if err != nil || got > most/2 || got == 0 && h.world.Kind != world.Bwrap {
		t.Errorf("it had %s of %d: %+v", o.Stdout, most, o)
	}
}
