//go:build amd64 || arm64

package runner

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"redline/workspace/world"
)

func newHouseOfBwrap(t *testing.T) *house {
	t.Helper()
	h := newHouse(t)
	if h.world.Kind != world.Bwrap {
		t.Skip("these worlds are overlays")
	}
	return h
}

// A command cannot reach the host through a folder that is bound read-only: neither by a socket
// that anybody may send to, nor by locks and leases on its files.
func TestWorldOfBwrapAndBinds(t *testing.T) {
	h := newHouseOfBwrap(t)
	datagrams, err := net.ListenPacket("unixgram", filepath.Join(h.tools, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer datagrams.Close()
	script := `
import fcntl, os, socket, struct
def t(what, f):
    try: f(); print(what, "done")
    except OSError as e: print(what, "refused", e)
built = open("` + h.tools + `/built")
mine = open("a.txt", "r+")
t("flock", lambda: fcntl.flock(built, fcntl.LOCK_EX | fcntl.LOCK_NB))
t("posix lock", lambda: fcntl.lockf(built, fcntl.LOCK_SH | fcntl.LOCK_NB))
t("own lock", lambda: fcntl.flock(mine, fcntl.LOCK_EX | fcntl.LOCK_NB))
t("lease", lambda: fcntl.fcntl(built, fcntl.F_SETLEASE, fcntl.F_RDLCK))
t("notify", lambda: fcntl.fcntl(os.open("` + h.tools + `", 0), fcntl.F_NOTIFY, fcntl.DN_ACCESS))
t("stream pair", lambda: socket.socketpair())
def pair():
    s, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.sendto(b"x", "` + h.tools + `/log")
t("datagram pair", pair)
t("socket", lambda: socket.socket(socket.AF_UNIX))
print("ready", flush=True)
import sys; sys.stdin.read()
import time; time.sleep(60)
`
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here")
	}
	h.write(t, "work space/try.py", script, 0o644)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f, err := os.Open(filepath.Join(h.tools, "built"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var printed strings.Builder
	_, err = Run(ctx, Command{Line: "python3 try.py", Dir: h.workspace, World: &h.world, Limits: Limits{Time: time.Minute}}, func(_ Stream, text string) {
		printed.WriteString(text)
		if !strings.Contains(printed.String(), "ready") || ctx.Err() != nil {
			return
		}
		cancel()
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil { // while it holds its own
			t.Errorf("its lock is the host's: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"flock done", "posix lock done", "own lock done", "lease refused", "notify refused", "stream pair done", "datagram pair refused", "socket refused", "ready"} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("it lacks %q:\n%s", want, printed.String())
		}
	}
	_ = datagrams.SetReadDeadline(time.Now())
	if n, _, err := datagrams.ReadFrom(make([]byte, 9)); err == nil {
		t.Errorf("%d bytes have reached the host", n)
	}
}

// Hidden files in a bound folder do not exist in the world, and neither do pipes.
func TestWorldOfBwrapCovers(t *testing.T) {
	h := newHouseOfBwrap(t)
	h.write(t, "home/cache/secret/key", "hush\n", 0o600)
	h.write(t, "home/cache/credentials", "hush\n", 0o600)
	h.world.Hidden = append(h.world.Hidden, filepath.Join(h.tools, "secret"), filepath.Join(h.tools, "credentials"))
	fifo := filepath.Join(h.tools, "in", "fifo")
	if err := os.Mkdir(filepath.Dir(fifo), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(fifo, unix.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	o := h.run(t, "cd ~/cache; cat secret/key credentials; echo x > in/fifo; timeout 1 cat in/fifo; ls -A secret; cat built", time.Minute)
	if o.Stdout != "built\n" {
		t.Errorf("%+v", o)
	}
	if n, _ := unix.Read(fd, make([]byte, 9)); n > 0 {
		t.Error("the host's FIFO got something")
	}
}

// A workspace that is too big for a copy is not tried, and the reason says so.
func TestWorldOfBwrapTooBig(t *testing.T) {
	h := newHouseOfBwrap(t)
	h.world.Disk = 1 << 20
	h.write(t, "work space/node_modules/big", strings.Repeat("x", 2<<20), 0o644)
	_, err := Run(context.Background(), Command{Line: "true", Dir: h.workspace, World: &h.world}, nil)
	if err == nil || !strings.Contains(err.Error(), "raise trials.disk_mb") {
		t.Error(err)
	}
}

// The copy has names, permissions, times, links and empty files unchanged.
func TestWorldOfBwrapCopies(t *testing.T) {
	h := newHouseOfBwrap(t)
	long := strings.Repeat("l", 200)
	for name, mode := range map[string]os.FileMode{"a b\nc\xff": 0o640, long + "/" + long: 0o755, "ro/file": 0o444, "empty": 0o600} {
		h.write(t, "work space/"+name, strings.Repeat(name, 3), mode)
	}
	if err := os.Chmod(filepath.Join(h.workspace, "ro"), 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(h.workspace, "ro"), 0o755)
	h.world.Changes = []world.Change{{Path: filepath.Join(h.workspace, "ro", "file"), Text: []byte("changed\n")}}
	list := "find . ! -name .env ! -path ./ro/file -printf '%p %y %m %T@ %l\\n' | LC_ALL=C sort; find . -type f ! -name .env ! -path ./ro/file -print0 | LC_ALL=C sort -z | xargs -0 sha256sum"
	c := exec.Command("sh", "-c", list)
	c.Dir = h.workspace
	want, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	o := h.run(t, list, time.Minute)
	if o.Stdout != strings.ToValidUTF8(string(want), "\uFFFD") || o.ExitCode != 0 {
		t.Errorf("%d, got\n%s\nwant\n%s\n%s", o.ExitCode, o.Stdout, want, o.Stderr)
	}
	if o := h.run(t, "cat ro/file; stat -c %a ro/file", time.Minute); o.Stdout != "changed\n444\n" {
		t.Errorf("%+v", o)
	}
}

// Go builds, with a cache of its own.
func TestWorldOfBwrapRunsGo(t *testing.T) {
	h := newHouseOfBwrap(t)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("there is no go here")
	}
	h.world.Tools = append(h.world.Tools, strings.TrimSpace(string(root)), filepath.Join(h.home, ".cache", "go-build"))
	if err := os.MkdirAll(filepath.Join(h.home, ".cache", "go-build"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOROOT", strings.TrimSpace(string(root)))
	for _, name := range []string{"GOCACHE", "GOFLAGS"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	h.world.Disk, h.world.Memory = 1<<30, 0
	h.write(t, "work space/go.mod", "module m\n\ngo 1.21\n", 0o644)
	h.write(t, "work space/m.go", "package main\n\nfunc main() { println(\"built\") }\n", 0o644)
	if o := h.run(t, "$GOROOT/bin/go build -o m . && ./m", 4*time.Minute); o.ExitCode != 0 || o.Stderr != "built\n" {
		t.Errorf("%+v", o)
	}
}
