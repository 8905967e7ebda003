//go:build amd64 || arm64

package runner

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Files, folders and sockets that this process has open and its children inherit are not open in a
// world.
func TestWorldInheritsNothing(t *testing.T) {
	h := newHouse(t)
	before := h.files(t)
	for name, flags := range map[string]int{"file": unix.O_RDWR, ".": unix.O_RDONLY | unix.O_DIRECTORY} {
		fd, err := unix.Open(filepath.Join(h.outside, name), flags, 0) // without O_CLOEXEC
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	o := h.run(t, `for f in /proc/self/fd/* /proc/1/fd/*; do echo x > $f/file; n=${f##*/}; [ $n -gt 2 ] && eval "echo x >&$n" && ls -l $f; done; true`, time.Minute)
	if after := h.files(t); after != before {
		t.Errorf("before\n%s\nafter\n%s\nit printed %s", before, after, o.Output)
	}
	if n, _ := unix.Read(pair[0], make([]byte, 9)); n > 0 {
		t.Error("something came through a socket")
	}
	if n, _ := unix.Read(pair[1], make([]byte, 9)); n > 0 {
		t.Error("something came through a socket")
	}
}

// A command's input and output are pipes, even where Redline's own are files: the command can
// change neither their mode nor their content.
func TestWorldHasNoFilesAsOutput(t *testing.T) {
	h := newHouse(t)
	for _, name := range []string{"in", "out", "err"} {
		h.write(t, "outside/"+name, "there\n", 0o600)
	}
	order, err := json.Marshal(worldRun{
		`for f in /proc/self/fd/[012] /proc/1/fd/*; do chmod 777 $f; echo changed > $f; setfattr -n user.x -v y $f; done >/dev/null 2>&1
echo changed > /dev/stdout; for f in 0 1 2; do [ -f /proc/self/fd/$f ] && echo a file; done; echo done`, h.workspace, h.world, "", false})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), "RUNNER_TEST_WORLD="+string(order))
	open := func(name string) *os.File {
		f, err := os.OpenFile(filepath.Join(h.outside, name), os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	c.Stdin, c.Stdout, c.Stderr = open("in"), open("out"), open("err")
	if err := c.Run(); err != nil {
		t.Error(err)
	}
	text := func(name string) string {
		name = filepath.Join(h.outside, name)
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != 0o600 {
			t.Errorf("%s is %v", name, info.Mode())
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if in, err := text("in"), text("err"); in != "there\n" || err != "there\n" {
		t.Errorf("%q, %q", in, err)
	}
	if out := text("out"); !strings.HasPrefix(out, "there\n") || !strings.Contains(out, "done\nexited 0") || strings.Contains(out, "a file") {
		t.Errorf("%q", out)
	}
}

// The kernel's settings cannot be written, not even with their present value.
func TestWorldCannotSetTheKernel(t *testing.T) {
	h := newHouse(t)
	o := h.run(t, `for f in kernel/core_pattern kernel/hostname kernel/domainname kernel/yama/ptrace_scope vm/overcommit_memory fs/file-max net/ipv4/ip_forward user/max_user_namespaces; do
	cat /proc/sys/$f > /tmp/was && cat /tmp/was > /proc/sys/$f && echo REACHED $f
done
echo h > /proc/sysrq-trigger && echo REACHED sysrq
for f in /proc/irq/*/smp_affinity; do cat $f > /tmp/was && cat /tmp/was > $f && echo REACHED $f; done
touch /proc/bus/x /sys/x && echo REACHED; chmod 777 /sys/kernel /proc/sys && echo REACHED a mode
hostname other; echo ended`, time.Minute)
	if o.End != Exited || strings.Contains(o.Output, "REACHED") || !strings.HasSuffix(o.Stdout, "ended\n") {
		t.Errorf("%+v", o)
	}
}
