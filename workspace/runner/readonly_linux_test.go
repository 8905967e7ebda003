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

	"golang.org/x/sys/unix"

	"redline/internal/leash"
	"redline/internal/leash/leashtest"
)

// approved runs a line in the workspace of a house, as an approved command that may write the
// workspace and the tools.
func (h *house) approved(t *testing.T, line string, change func(*Command)) Outcome {
	t.Helper()
	c := Command{Line: line, Dir: h.workspace, Write: []string{h.workspace, h.tools}, Limits: Limits{Time: time.Minute}}
	if change != nil {
		change(&c)
	}
	o, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// skipUnlessReadOnly skips a test where nothing makes files read-only for approved commands.
func skipUnlessReadOnly(t *testing.T) {
	t.Helper()
	if o := runs(t, Command{Line: "true"}); !o.ReadOnly {
		t.Skip("approved commands have no read-only view here: " + leash.Supports().Reason)
	}
}

// changing are lines that change the file $F, in the folder $O, where a command may write. Where it
// must not, none of them has an effect.
var changing = map[string]string{
	"write":                   `echo x > $F; echo x >> $F; truncate -s 0 $F; dd if=/dev/zero of=$F count=1`,
	"create":                  `echo x > $O/new; mkdir $O/dir; ln -s x $O/link; mkfifo $O/fifo`,
	"a socket":                `python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("$O/sock")'`,
	"remove":                  `rm -rf $O/*; rmdir $O`,
	"rename":                  `mv $F $O/other; mv $F mine; mv $O other; touch new; mv -f new $F; python3 -c 'import os; os.rename("$F", "mine")'`,
	"through a link":          `echo x > link/file; chmod 777 link/file`,
	"a hard link":             `ln $F mine && echo x > mine; chmod 777 mine`,
	"through /proc/self/root": `echo x > /proc/self/root$F; chmod 777 /proc/self/root$F`,
	"through /proc/1/root":    `echo x > /proc/1/root$F; chmod 777 /proc/1/root$F /proc/1/cwd$F`,
	"permissions":             `chmod 777 $O $F; chmod u+s $F; setfacl -m u:1:rwx $F`,
	"owner":                   `chown 12345 $O $F; chgrp 12345 $F; chown -h 12345 $F`,
	"times":                   `touch $F; touch -d 2001-01-01 $O $F; python3 -c 'import os; os.utime(os.open("$F", 0), (1, 1))'`,
	"attributes":              `python3 -c 'import os; os.setxattr("$F", "user.x", b"y")'; setfattr -n user.x -v y $F; chattr +d $F`,
	"devices":                 `mknod $O/null c 1 3; mknod mem c 1 1 && head -c1 mem && echo REACHED; mknod disk b 254 0 && head -c1 disk && echo REACHED`,
	"mounts":                  `mount -o remount,rw /; mount -o remount,bind,rw $O; umount -l $O; mount --bind . $O; umount -l /; mount -t tmpfs none $O && echo REACHED; chmod 777 $F`,
	"mount attributes": `python3 -c '
import ctypes, struct
for at in "$O", "/", "/proc", "/tmp":
    ctypes.CDLL(None).syscall(442, -100, at.encode(), 0x8000, struct.pack("QQQQ", 0, 1, 0, 0), 32)
'; chmod 777 $F`,
	"namespaces": `unshare -m sh -c 'mount -o remount,bind,rw /; chmod 777 $F'; unshare -rm sh -c 'mount -o remount,bind,rw /; mkdir x; mount --bind / x; chmod 777 $F x$F; echo x > $F'; nsenter -t 1 -m chmod 777 $F`,
	"chroot":     `chroot / chmod 777 $F; chroot /proc/1/root chmod 777 $F`,
	"a handle": `python3 -c '
import ctypes, os
l = ctypes.CDLL(None, use_errno=True)
class H(ctypes.Structure): _fields_ = [("n", ctypes.c_uint), ("t", ctypes.c_int), ("b", ctypes.c_ubyte * 128)]
h = H(); h.n = 128; m = ctypes.c_int()
l.name_to_handle_at(-100, b"$F", ctypes.byref(h), ctypes.byref(m), 0)
for how in (0, 1, 2):
    f = l.open_by_handle_at(os.open(".", 0), ctypes.byref(h), how)
    if f >= 0:
        os.fchmod(f, 0o777)
        if how: os.write(f, b"x")'`,
	"a process outside": `python3 -c '
import ctypes
if ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0: print("REACHED")'; echo x > /proc/1/mem; cat /proc/1/environ /proc/1/maps && echo REACHED`,
	"a setuid program": `cp /bin/sh mysh; chmod u+s mysh; ./mysh -p -c 'chmod 777 $F'; su -c 'chmod 777 $F' </dev/null; sudo -n chmod 777 $F`,
	"open files":       `for f in 3 4 5 6 7 8 9 10 11 12; do [ -e /proc/self/fd/$f ] && echo REACHED; done`,
	"the kernel":       `for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/vm/swappiness /sys/kernel/mm/transparent_hugepage/enabled; do v=$(cat $f) && sh -c "echo '$v' > $f" && echo REACHED $f; done; echo x > /proc/sysrq-trigger && echo REACHED`,
	"system files":     `for f in /etc/passwd /usr/bin/env /dev/null /etc; do chmod --reference=$f $f && echo REACHED $f; touch -r $f $f && echo REACHED $f; done`,
}

// An approved command changes nothing outside of the folders that it may write: not the content of
// files, nor their names, permissions, owners, times or attributes.
func TestLimitedKeepsFilesAsTheyAre(t *testing.T) {
	skipUnlessReadOnly(t)
	for _, mountsOnly := range []bool{false, true} {
		for name, line := range changing {
			t.Run(fmt.Sprintf("mountsOnly=%t/%s", mountsOnly, name), func(t *testing.T) {
				h := newFolders(t)
				line := strings.NewReplacer("$F", h.outside+"/file", "$O", h.outside).Replace(line)
				before := filesIn(t, h.outside)
				o := h.approved(t, line, func(c *Command) { c.mountsOnly = mountsOnly })
				if after := filesIn(t, h.outside); after != before {
					t.Errorf("before\n%s\nafter\n%s\nit printed %s", before, after, o.Output)
				}
				if o.End != Exited || strings.Contains(o.Output, "REACHED") {
					t.Errorf("%+v", o)
				}
			})
		}
	}
}

// The same lines have an effect where a command may write: so they fail above because of the
// limits.
func TestLimitedWritesItsOwn(t *testing.T) {
	skipUnlessReadOnly(t)
	for _, name := range []string{"write", "create", "remove", "rename", "permissions", "times", "attributes", "a socket"} {
		t.Run(name, func(t *testing.T) {
			h := newFolders(t)
			line := strings.NewReplacer("$F", h.tools+"/built", "$O", h.tools).Replace(changing[name])
			before := filesIn(t, h.tools)
			if o := h.approved(t, line, nil); filesIn(t, h.tools) == before {
				t.Errorf("nothing has changed: %+v", o)
			}
		})
	}
}

// An approved command can do everything that it needs: write the workspace and the existing caches,
// use the temporary folder and the network, talk to servers, and commit.
func TestLimitedDoesItsWork(t *testing.T) {
	skipUnlessReadOnly(t)
	goCache := t.TempDir()
	if dir, err := os.UserCacheDir(); err == nil && os.MkdirAll(filepath.Join(dir, "go-build"), 0o755) == nil {
		goCache = filepath.Join(dir, "go-build") // else it builds the standard library first
	}
	h := newFolders(t)
	l := listen(t, "tcp", "127.0.0.1:0")
	socket := filepath.Join(h.outside, "s") // as a container daemon's
	listen(t, "unix", socket)
	h.write(t, "work space/net.py", fmt.Sprintf(`
import socket
socket.create_connection(("127.0.0.1", %s)).close()
socket.socket(socket.AF_UNIX).connect(%q)
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print("net")`, port(l), socket), 0o644)
	for name, c := range map[string]struct{ program, line, want string }{
		"files":     {"sh", `mkdir -p a/b && echo x > a/b/c && ln a/b/c d && mv a e && chmod 755 d && touch -d 2001-01-01 d && cat e/b/c && rm -r e d && echo y > $T/new && cat $T/new && echo z > $TMPDIR/t && cat $TMPDIR/t`, "x\ny\nz\n"},
		"across":    {"mv", `echo x > f && mv f $T/f && cp $T/f g && mv $TMPDIR/../$(basename $TMPDIR) . 2>/dev/null; cat g`, "x\n"},
		"devices":   {"head", `echo x > /dev/null && head -c 3 /dev/zero | wc -c && head -c 3 /dev/urandom | wc -c`, "3\n3\n"},
		"reading":   {"cat", `cat $O/file; cat $H/.netrc; test -d /usr && ls / > /dev/null && echo all`, "outside\nsecret\nall\n"},
		"network":   {"python3", `python3 net.py`, "net\n"},
		"git":       {"git", `git init -q . && git -c user.name=a -c user.email=a@b.invalid commit -q --allow-empty -m one && git gc -q && git log --format=%s`, "one\n"},
		"locks":     {"flock", `flock lock echo held; flock $O/file true && echo shared`, "held\nshared\n"},
		"processes": {"ps", `sleep 5 & kill $!; wait $!; echo $?; (trap 'echo term' TERM; kill $(sh -c 'echo $PPID')); ps -o comm= -p $$`, "143\nterm\nsh\n"},
		"go":        {"go", `export GOCACHE=` + goCache + ` GOFLAGS=-mod=mod GOTOOLCHAIN=local; printf 'module m\n' > go.mod; printf 'package m\nimport "testing"\nfunc TestM(t *testing.T) { t.TempDir() }\n' > m_test.go; go test . | cut -f1`, "ok  \n"},
		"npm":       {"npm", `export npm_config_cache=$T/npm npm_config_update_notifier=false; echo '{"name":"m","version":"1.0.0","scripts":{"test":"echo tested > out; cat out"}}' > package.json; npm test --silent`, "tested\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skip("there is no " + c.program + " here")
			}
			if name == "go" && os.Getenv("WORLD_TEST_USER") != "" {
				t.Skip("this user's cache is empty: the standard library would be built first")
			}
			line := strings.NewReplacer("$TMPDIR", "$TMPDIR", "$T", h.tools, "$O", h.outside, "$H", h.home).Replace(c.line)
			if o := h.approved(t, line, func(c *Command) { c.Write = append(c.Write, goCache) }); o.Stdout != c.want || !o.ReadOnly {
				t.Errorf("%+v", o)
			}
		})
	}
}

// A mount inside a folder that a command may write stays as it is.
func TestLimitedKeepsMountsInTheWorkspace(t *testing.T) {
	skipUnlessReadOnly(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can mount something in the workspace")
	}
	h := newFolders(t)
	for name, flags := range map[string]uintptr{"closed": unix.MS_RDONLY, "open": 0} {
		at := filepath.Join(h.workspace, name)
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount("tmpfs", at, "tmpfs", flags, "size=64k"); err != nil {
			t.Skip("nothing can be mounted here: " + err.Error())
		}
		t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	}
	if o := h.approved(t, `echo x > open/f && cat open/f; echo x > closed/f || echo closed`, nil); o.Stdout != "x\nclosed\n" {
		t.Errorf("%+v", o)
	}
}

// A process of a command that has become a daemon ends with the line, and nothing stays mounted.
func TestLimitedLeavesNothing(t *testing.T) {
	skipUnlessReadOnly(t)
	h, nap, mounts := newFolders(t), leashtest.NewNap(), mountsOf(t)
	o := h.approved(t, `setsid -f sh -c 'trap "" TERM HUP; sleep `+string(nap)+`' >/dev/null 2>&1 </dev/null; setsid sleep `+string(nap)+` & echo left`, nil)
	if o.End != Exited || o.Stdout != "left\n" {
		t.Errorf("%+v", o)
	}
	nap.Gone(t)
	if now := mountsOf(t); now != mounts {
		t.Errorf("it left mounts:\n%s", now)
	}
}

// Nothing is read-only where the settings say so, and a command says how it was limited.
func TestLimitedAsTheSettingsSay(t *testing.T) {
	skipUnlessReadOnly(t)
	h := newFolders(t)
	line := `chmod 600 ` + h.outside + `/file && echo changed`
	if o := h.approved(t, line, func(c *Command) { c.Confine = ConfineOff }); o.ReadOnly || o.Confined || o.Stdout != "changed\n" {
		t.Errorf("confine off: %+v", o)
	}
	if o := h.approved(t, line, func(c *Command) { c.Namespaces = NamespacesOff }); o.ReadOnly || o.Confined != Supports().Supported {
		t.Errorf("namespaces off: %+v", o)
	}
	if o := h.approved(t, line, func(c *Command) { c.Confine = ConfineRequire }); !o.ReadOnly || !o.Confined || o.Stdout != "" {
		t.Errorf("required: %+v", o)
	}
}
