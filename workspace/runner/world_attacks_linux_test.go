//go:build amd64 || arm64

package runner

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"redline/workspace/world"
)

// Commands in a world try to change something outside of it. Each of these lines would, on
// the host; here it has no effect there. $O is a folder outside, $T one of the tools, $H the
// home folder; the command runs in the workspace.
func TestWorldKeepsFilesAsTheyAre(t *testing.T) {
	for name, line := range map[string]string{
		"write":                      `echo x > $O/file`,
		"write through a link":       `echo x > link/file`,
		"write in the workspace":     `echo x >> a.txt; echo x > new; rm -r old; mv run.sh moved`,
		"write a tool":               `echo x > $T/built; rm $T/built`,
		"write at home":              `echo x > $H/.bashrc; echo x > $H/.netrc`,
		"write hidden":               `echo x > .env`,
		"hard link":                  `ln $O/file mine && echo x > mine; ln $T/built mine2 && echo x > mine2`,
		"hard link within":           `ln a.txt again && echo x > again`,
		"through /proc/self/root":    `echo x > /proc/self/root$O/file`,
		"through /proc/1/root":       `echo x > /proc/1/root$O/file`,
		"through /proc/1/cwd":        `echo x > /proc/1/cwd$O/file; ls /proc/1/fd/ && echo x > /proc/1/fd/3`,
		"descriptors left open":      `for f in 3 4 5 6 7 8 9 10 11 12; do [ -e /proc/self/fd/$f ] && echo x >&$f; done`,
		"dot dot":                    `cd ../../../../..; echo x > .$O/file`,
		"permissions":                `chmod 777 $O $O/file a.txt run.sh $T $T/built .; chmod 4755 run.sh`,
		"owner":                      `chown 12345 a.txt $T/built $O/file`,
		"times":                      `touch -d 2001-01-01 a.txt $O/file $T/built . ..; touch link/file`,
		"extended attributes":        `setfattr -n user.x -v y a.txt $O/file || python3 -c 'import os; os.setxattr("a.txt", "user.x", b"y")'`,
		"devices":                    `mknod $O/null c 1 3; mknod mem c 1 1 && echo x > mem; mknod disk b 254 0 && head -c1 disk`,
		"mount":                      `mount -t tmpfs none . ; mount --bind $O . ; mount -o remount,rw / ; umount -l /; umount .`,
		"namespaces":                 `unshare -rm sh -c 'mount -t tmpfs none /etc'; unshare -U true && echo OPEN > $O/file; nsenter -t 1 -a sh -c 'echo x > $O/file'`,
		"chroot":                     `chroot . true; chroot /proc/1/root sh -c 'echo x > $O/file'`,
		"a setuid program":           `cp /bin/sh mysh; chmod u+s mysh; ./mysh -p -c 'echo x > $O/file'; su -c 'echo x > $O/file' </dev/null; sudo -n sh -c 'echo x > $O/file'`,
		"a program of the workspace": `mkdir bin; printf '#!/bin/sh\necho x > $O/file\n' > bin/go; chmod +x bin/go; PATH=$PWD/bin:$PATH go test ./...`,
		"a new root":                 `mkdir -p r/old; python3 -c 'import os,ctypes; ctypes.CDLL(None).syscall(155, b"r", b"r/old")'; echo x > r/old$O/file`,
		"an open by handle": `python3 -c '
import ctypes, os
l = ctypes.CDLL(None, use_errno=True)
class H(ctypes.Structure): _fields_ = [("n", ctypes.c_uint), ("t", ctypes.c_int), ("b", ctypes.c_ubyte * 128)]
h = H(); h.n = 128; m = ctypes.c_int()
l.name_to_handle_at(-100, b"a.txt", ctypes.byref(h), ctypes.byref(m), 0)
f = l.open_by_handle_at(os.open(".", 0), ctypes.byref(h), 1)
if f >= 0: os.write(f, b"x")'`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			t.Setenv("XDG_DATA_HOME", h.outside) // passed on, as a variable that the command may have
			line := strings.NewReplacer("$O", h.outside, "$T", h.tools, "$H", h.home).Replace(line)
			before := h.files(t)
			o := h.run(t, line, time.Minute)
			if after := h.files(t); after != before {
				t.Errorf("before\n%s\nafter\n%s\nit printed %s", before, after, o.Output)
			}
			if o.End != Exited {
				t.Errorf("%+v", o)
			}
		})
	}
}

// Nothing of the host answers a command in a world.
func TestWorldReachesNobody(t *testing.T) {
	h := newHouse(t)
	tcp := listen(t, "tcp", "127.0.0.1:0")
	all := listen(t, "tcp", "0.0.0.0:0")
	datagrams, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = datagrams.SetReadDeadline(time.Now())
		if n, from, err := datagrams.ReadFrom(make([]byte, 9)); err == nil {
			t.Errorf("%d bytes came from %s by UDP", n, from)
		}
		datagrams.Close()
	})
	six := "1"
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
		t.Cleanup(func() { l.Close() })
		six = port(l)
	}
	listen(t, "unix", filepath.Join(h.workspace, "s"))
	listen(t, "unix", filepath.Join(h.tools, "s"))
	listen(t, "unix", filepath.Join(h.outside, "s"))
	listen(t, "unix", "@"+h.outside)
	outer := "192.0.2.1"
	if addresses, _ := net.InterfaceAddrs(); len(addresses) > 1 {
		outer, _, _ = strings.Cut(addresses[1].String(), "/")
	}
	script := fmt.Sprintf(`
import socket, os, ctypes
def t(family, address, kind=socket.SOCK_STREAM):
    try:
        s = socket.socket(family, kind); s.settimeout(1); s.connect(address)
        if kind == socket.SOCK_DGRAM: s.send(b"x"); s.recv(1)
        print("REACHED", address)
    except (OSError, TypeError) as e: print(address, e)
t(socket.AF_INET, ("127.0.0.1", %[1]s))
t(socket.AF_INET, (%[3]q, %[2]s))
t(socket.AF_INET, ("192.0.2.1", 80))
t(socket.AF_INET, ("127.0.0.53", 53), socket.SOCK_DGRAM)
t(socket.AF_INET, ("127.0.0.1", %[7]d), socket.SOCK_DGRAM)
t(socket.AF_INET6, ("::1", %[8]s))
for p in ("s", %[4]q + "/s", %[5]q + "/s", "\0" + %[5]q, "/run/dbus/system_bus_socket", "/var/run/docker.sock", "/tmp/.X11-unix/X0"): t(socket.AF_UNIX, p)
for f in (socket.AF_PACKET, 40, 38, 16):
    try:
        s = socket.socket(f, socket.SOCK_RAW, 3 if f == 16 else 0)
        if f != 16: print("REACHED", f)
    except OSError as e: print(f, e)
try: print("REACHED", socket.gethostbyname("example.com"))
except OSError as e: print(e)
try: os.kill(%[6]d, 9); print("REACHED a process")
except OSError as e: print(e)
l = ctypes.CDLL(None, use_errno=True)
for what, n, args in (("ptrace", 101, (16, 1, 0, 0)), ("keyctl", 250, (0, -3, 0)), ("add_key", 248, (b"user", b"x", b"y", 1, -3)), ("io_uring", 425, (8, 0)), ("bpf", 321, (0, 0, 0)), ("userfaultfd", 323, (0,))):
    if os.uname().machine == "x86_64" and l.syscall(n, *args) >= 0: print("REACHED", what)
`, port(tcp), port(all), outer, h.tools, h.outside, os.Getpid(), datagrams.LocalAddr().(*net.UDPAddr).Port, six)
	h.write(t, "work space/reach.py", script, 0o644)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here")
	}
	o := h.run(t, "python3 reach.py", time.Minute)
	if o.End != Exited || o.ExitCode != 0 || strings.Contains(o.Output, "REACHED") || strings.Count(o.Output, "\n") < 15 {
		t.Errorf("%+v", o)
	}
}

func listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	return l
}

func port(l net.Listener) string {
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// A FIFO and a lock in a world are not those of the host.
func TestWorldSharesNoLocks(t *testing.T) {
	h := newHouse(t)
	var read []*os.File
	for _, dir := range []string{h.workspace, h.tools} {
		fifo := filepath.Join(dir, "fifo")
		if err := unix.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(fifo, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		read = append(read, f)
		l, err := os.Create(filepath.Join(dir, "lock"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := unix.Flock(int(l.Fd()), unix.LOCK_EX); err != nil {
			t.Fatal(err)
		}
	}
	o := h.run(t, `for d in . ~/cache; do flock -n $d/lock echo free; timeout 1 sh -c "echo x > $d/fifo"; done`, time.Minute)
	if o.Stdout != "free\nfree\n" {
		t.Errorf("%+v", o)
	}
	for _, f := range read {
		if n, _ := f.Read(make([]byte, 9)); n > 0 {
			t.Errorf("%s got something", f.Name())
		}
	}
}

// Secret files cannot be read, whatever their names.
func TestWorldHidesSecrets(t *testing.T) {
	h := newHouse(t)
	h.write(t, "work space/keys/id", "key\n", 0o600)
	h.write(t, "home/cache/credentials", "key\n", 0o600)
	h.world.Hidden = append(h.world.Hidden, filepath.Join(h.workspace, "keys"), filepath.Join(h.tools, "credentials"), filepath.Join(h.dir, "missing"))
	o := h.run(t, "cat .env keys/id ~/cache/credentials ~/.netrc /etc/shadow /proc/1/environ; cd /proc/1/root && cat etc/shadow; find / -xdev -name '.netrc' -o -name credentials 2>/dev/null; env; cat /proc/*/environ | tr '\\0' '\\n'", time.Minute)
	if strings.Contains(o.Output, "key\n") || strings.Contains(o.Output, "secret") || strings.Contains(o.Output, "root:") {
		t.Errorf("%+v", o)
	}
}

// No change writes a hidden file into a world: not where it was, nor by a link, nor in a folder that
// does not exist.
func TestWorldChangesNothingHidden(t *testing.T) {
	h := newHouse(t)
	at := func(name string) string { return filepath.Join(h.workspace, name) }
	h.world.Hidden = append(h.world.Hidden, at(".env.local"), at("keys"), at("new/keys"))
	for link, to := range map[string]string{"alias": ".env", "dir": "."} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".env", ".env.local", "keys/id", "new/keys/id", "alias", "dir/.env", "dir/keys/id"} {
		h.world.Changes = append(h.world.Changes, world.Change{Path: at(name), Text: []byte("hush\n")})
	}
	h.world.Changes = append(h.world.Changes, world.Change{Path: at("dir/b.txt"), Text: []byte("told\n")})
	if o := h.run(t, "cat b.txt; grep -rs hush . ; cat alias .env .env.local keys/id new/keys/id", time.Minute); o.Stdout != "told\n" {
		t.Errorf("%+v", o)
	}
}

// Of this system's files, a world has those that every user can read and builds need: no data of
// services, of mail, logs and sites, and no keys.
func TestWorldHasNoDataOfServices(t *testing.T) {
	h := newHouse(t)
	o := h.run(t, `ls -A /var/log /var/mail /var/spool /var/backups /var/www /var/lib/postgresql /var/lib/systemd /var/local /srv /home /root /media /mnt 2>/dev/null | grep -v ':$' | grep .
find /etc /var -xdev -type f ! -perm -004 -size +0 2>/dev/null
for f in /etc/shadow /etc/gshadow /etc/ssl/private /etc/sudoers; do [ -d $f ] && ls -A $f || cat $f; done 2>/dev/null
ls -A /run/ /var/lock/ 2>/dev/null | grep -v ':$' | grep .`, time.Minute)
	if o.Stdout != "" {
		t.Errorf("%.2000s", o.Stdout)
	}
	for _, name := range []string{"/etc/passwd", "/etc/hosts", "/etc/ssl/certs", "/usr/share", "/var/lib/dpkg/status", "/var/tmp", "/var/log"} {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		if o := h.run(t, "test -r "+name, time.Minute); o.ExitCode != 0 {
			t.Errorf("%s is not there: %+v", name, o)
		}
	}
}

// A workspace among sites or other data does not show what is beside it.
func TestWorldInVar(t *testing.T) {
	h := newHouse(t)
	for _, parent := range []string{"/var/www", "/srv", "/var/tmp"} {
		dir, err := os.MkdirTemp(parent, "redline-test-")
		if err != nil {
			continue // it is not there, or only root can write it
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.WriteFile(filepath.Join(dir, "a"), []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
		h.world.Folders = []string{dir}
		o, err := Run(t.Context(), Command{Line: "cat a; echo x > b; ls -A ..", Dir: dir, World: &h.world}, nil)
		if want := "a" + filepath.Base(dir) + "\n"; err != nil || o.Stdout != want {
			t.Errorf("%s: %v %+v", parent, err, o)
		}
		if _, err := os.Stat(filepath.Join(dir, "b")); !os.IsNotExist(err) {
			t.Errorf("it has written in %s", dir)
		}
	}
}

// A command that uses too much is stopped by a limit, within the time.
func TestWorldLimits(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		most time.Duration
		want func(o Outcome) bool
	}{
		"disk": {`dd if=/dev/zero of=big bs=1M count=300; dd if=/dev/zero of=/tmp/big bs=1M count=300; for i in 1 2 3; do dd if=/dev/zero of=/dev/shm/$i bs=1M count=40; done; df -k . | tail -1`, time.Minute, func(o Outcome) bool {
			return strings.Contains(o.Output, "No space left") || (o.World == world.Bwrap || OnDisk()) && o.End == Overfull
		}},
		"a big file": {`truncate -s 1G big && echo made`, time.Minute, func(o Outcome) bool { return !strings.Contains(o.Output, "made") }},
		"processes":  {`f() { f | f & }; f; sleep 60`, 3 * time.Second, func(o Outcome) bool { return o.End == TimedOut || o.End == Exited }},
		"threads": {`python3 -c 'import threading, time
try:
    for i in range(5000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    print("ALL")
except RuntimeError as e: print("no more")'`, time.Minute, func(o Outcome) bool {
			return strings.Contains(o.Output, "no more") && !strings.Contains(o.Output, "ALL")
		}},
		"memory":       {`python3 -c 'x = bytearray(b"x") * (3 << 30); print("HAD")'`, time.Minute, func(o Outcome) bool { return !strings.Contains(o.Output, "HAD") && o.ExitCode != 0 }},
		"output":       {`head -c 1000000000 /dev/zero`, time.Minute, func(o Outcome) bool { return o.End == Exited && len(o.Output) < 64<<10 }},
		"hours":        {`sleep 9999`, 300 * time.Millisecond, func(o Outcome) bool { return o.End == TimedOut }},
		"deaf":         {`trap '' TERM INT HUP; while :; do sleep 1; done`, 300 * time.Millisecond, func(o Outcome) bool { return o.End == TimedOut }},
		"a daemon":     {`setsid sh -c 'trap "" TERM; sleep 9999' >/dev/null 2>&1 </dev/null & setsid -f sleep 9998; echo left`, time.Minute, func(o Outcome) bool { return o.End == Exited && o.Took < 30*time.Second }},
		"kills all":    {`kill -9 -1`, time.Minute, func(o Outcome) bool { return true }},
		"kills one":    {`kill -9 1; kill -SEGV 1; kill -TERM 1; kill -STOP 1; sleep 0.2; echo lives`, 5 * time.Second, func(o Outcome) bool { return true }},
		"holds a pipe": {`exec 3>/tmp/x; sleep 9999 & disown 2>/dev/null; exit 7`, time.Minute, func(o Outcome) bool { return o.ExitCode == 7 && o.Took < 30*time.Second }},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			before, mounts := h.files(t), mountsOf(t)
			began := time.Now()
			sleep := fmt.Sprintf("sleep 9%d0", os.Getpid()) // not that of a test that runs beside this one
			o := h.run(t, strings.ReplaceAll(c.line, "sleep 999", sleep), c.most)
			if !c.want(o) {
				t.Errorf("%.300v … %s", o, o.Output[max(0, len(o.Output)-1500):])
			}
			if took := time.Since(began); took > c.most+10*time.Second {
				t.Errorf("it took %v", took)
			}
			if after := h.files(t); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
			if now := mountsOf(t); now != mounts {
				t.Errorf("it left mounts:\n%s", now)
			}
			if left := processesNamed(t, sleep); len(left) > 0 {
				t.Errorf("it left processes: %v", left)
			}
		})
	}
}

func mountsOf(t *testing.T) string {
	t.Helper()
	list, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	return string(list)
}

// processesNamed returns the processes of this system whose command line begins with text.
func processesNamed(t *testing.T, text string) (found []string) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		line, _ := os.ReadFile(name)
		if strings.HasPrefix(strings.ReplaceAll(string(line), "\x00", " "), text) {
			found = append(found, name)
		}
	}
	return found
}
