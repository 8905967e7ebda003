//go:build amd64 || arm64

package world

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Probe tries, from inside a world, to reach the targets and more that every system has.
// It returns what it reached, as parts of a sentence, and how many things it tried.
func Probe(t Targets) (reached []string, tried int) {
	p := &probe{}
	p.reach(t)
	p.call()
	p.try(Forgotten, func() error { return removed(t.Folder) })
	return p.reached, p.tried
}

type probe struct {
	reached []string
	tried   int
}

func (p *probe) try(what string, does func() error) {
	p.tried++
	if does() == nil {
		p.reached = append(p.reached, what)
	}
}

// reach tries to reach the targets.
func (p *probe) reach(t Targets) {
	try := p.try
	try("write a file outside", func() error { return touch(t.Outside) })
	try("write a file outside through /proc/1/root", func() error { return touch("/proc/1/root" + t.Outside) })
	try("read a hidden file", func() error { _, err := os.ReadFile(t.Hidden); return err })
	for _, dir := range t.Shown {
		try("see a lock of the host in "+filepath.Base(dir), func() error { return locked(dir + "/locked") })
		try("write to a FIFO of the host in "+filepath.Base(dir), func() error { return openFIFO(dir + "/fifo") })
		try("connect to a socket in "+filepath.Base(dir), func() error {
			return inShort(dir, func(dir string) error { return connect("unix", dir+"/socket") })
		})
	}
	try(byTCP, func() error { return connect("tcp", t.TCP) })
	try(byUDP, func() error { return answered(t.UDP) })
	try("connect to an abstract socket", func() error { return connect("unix", "@"+t.Local) })
	try("send to an abstract socket", func() error { return connect("unixgram", "@"+t.Local) })
	try("see a process of the host", func() error { return unix.Kill(t.Process, 0) })
	try("write to a file as its output", outputIsFile)
}

// removed returns nil if a workspace folder that is removed and created again has its old
// files: before Linux 6.6, a file system in memory cannot store the marks with which
// overlays hide them.
func removed(dir string) error {
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return nil //nolint:nilerr // a world in which that fails is none
	}
	left, err := os.ReadDir(dir)
	if err == nil && len(left) == 0 {
		return errors.New("they are gone")
	}
	return err
}

// call tries system calls that the kernel must refuse.
func (p *probe) call() {
	try := p.try
	try("change the permissions of a program", func() error { return chmodAsIs("/bin/sh") })
	try("make a packet socket", func() error { return socket(unix.AF_PACKET, unix.SOCK_RAW) })
	try("make a virtual machine's socket", func() error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM) })
	try("inspect process 1", func() error { return unix.PtraceAttach(1) })
	try("read the memory of process 1", func() error { return openFile("/proc/1/mem", os.O_RDONLY) })
	try("write a setting of the kernel", func() error { return openFile("/proc/sys/kernel/core_pattern", os.O_WRONLY) })
	try("write to sysrq-trigger", func() error { return openFile("/proc/sysrq-trigger", os.O_WRONLY) })
	try("use the session's keys", func() error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false); return err })
	try("mount", func() error { return unix.Mount("none", "/tmp", "tmpfs", 0, "") })
	try("make a user namespace", func() error { return unix.Unshare(unix.CLONE_NEWUSER) })
	try("enter a namespace", func() error { return enterOwn() })
	try("make a device", func() error { return unix.Mknod("/tmp/mem", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 1))) })
}

// chmodAsIs sets the permissions that a file already has.
func chmodAsIs(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return os.Chmod(name, info.Mode())
}

func openFile(name string, flag int) error {
	f, err := os.OpenFile(name, flag, 0)
	if err == nil {
		f.Close()
	}
	return err
}

// touch writes to an existing file.
func touch(name string) error {
	if err := os.Chmod(name, 0o666); err == nil {
		return nil
	}
	return openFile(name, os.O_WRONLY)
}

// locked returns nil if a file is already locked: then the lock is the host's.
func locked(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return nil
	}
	return errors.New("it is free")
}

// openFIFO returns nil if a process reads from the FIFO.
func openFIFO(name string) error {
	fd, err := unix.Open(name, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// patience is the timeout for a connection, and for the answer to a packet.
const patience = 200 * time.Millisecond

func connect(network, address string) error {
	c, err := net.DialTimeout(network, address, patience)
	if err == nil {
		c.Close()
	}
	return err
}

// answered returns nil if a packet is answered.
func answered(address string) error {
	c, err := net.DialTimeout("udp", address, patience)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write([]byte("anyone?")); err != nil {
		return err
	}
	_ = c.SetReadDeadline(time.Now().Add(patience))
	_, err = c.Read(make([]byte, 1))
	return err
}

func socket(family, kind int) error {
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func enterOwn() error {
	f, err := os.Open("/proc/" + strconv.Itoa(os.Getpid()) + "/ns/user")
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Setns(int(f.Fd()), unix.CLONE_NEWUSER)
}

// outputIsFile returns nil if stdout is a file, which a command could change other than
// by appending.
func outputIsFile() error {
	info, err := os.Stdout.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	return err
}
