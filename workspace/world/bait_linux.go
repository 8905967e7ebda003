//go:build amd64 || arm64

package world

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Bait is a world for a test, with files, sockets and processes of the host that nothing
// inside may reach.
type Bait struct {
	World   World
	Targets Targets
	Folder  string // the only folder of World

	dir    string
	opened []io.Closer
}

// text is the content of the bait's files.
const text = "only for a test of trials\n"

// Lay creates the folder dir and a bait in it. The caller must call Remove.
func Lay(dir string) (*Bait, error) {
	b := &Bait{dir: dir}
	if err := b.lay(); err != nil {
		b.Remove()
		return nil, err
	}
	return b, nil
}

func (b *Bait) lay() (err error) {
	if err := os.Mkdir(b.dir, 0o700); err != nil {
		b.dir = "" // another process owns it: Remove must not touch it
		return err
	}
	if b.dir, err = filepath.EvalSymlinks(b.dir); err != nil {
		return err
	}
	b.Folder = filepath.Join(b.dir, "workspace")
	tools, outside, home := filepath.Join(b.dir, "tools"), filepath.Join(b.dir, "outside"), filepath.Join(b.dir, "home")
	state := filepath.Join(home, "state")
	for _, dir := range []string{b.Folder, tools, outside, home, state} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	b.Targets = Targets{
		Outside: filepath.Join(outside, "file"), Hidden: filepath.Join(b.Folder, "hidden"), Folder: filepath.Join(b.Folder, "folder"),
		Shown: []string{b.Folder, tools, state}, Process: os.Getpid(), Local: "redline-world-" + filepath.Base(b.dir),
	}
	b.World = World{
		Folders: []string{b.Folder}, Tools: []string{tools}, Home: home, State: State{Paths: []string{state}}, Hidden: []string{b.Targets.Hidden},
		Disk: 4 << 20, Processes: 200,
	}
	for _, name := range []string{b.Targets.Outside, b.Targets.Hidden} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := errors.Join(os.Mkdir(b.Targets.Folder, 0o700), os.WriteFile(filepath.Join(b.Targets.Folder, "file"), nil, 0o600)); err != nil {
		return err
	}
	for _, dir := range b.Targets.Shown {
		if err := b.fill(dir); err != nil {
			return err
		}
	}
	return b.listen()
}

// fill creates the same files in each folder that the world shows.
func (b *Bait) fill(dir string) error {
	f, err := os.Create(filepath.Join(dir, "locked"))
	if err != nil {
		return err
	}
	b.opened = append(b.opened, f)
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		return err
	}
	r, err := os.OpenFile(fifo, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	b.opened = append(b.opened, r)
	return inShort(dir, func(dir string) error { return b.accept("unix", dir+"/socket") })
}

// inShort calls f with a short name for a folder, since the name of a socket has at most
// 107 bytes. The name is valid until f returns.
func inShort(dir string, f func(dir string) error) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer opened.Close()
	return f("/proc/self/fd/" + strconv.Itoa(int(opened.Fd())))
}

func (b *Bait) listen() error {
	if err := b.accept("unix", "@"+b.Targets.Local); err != nil {
		return err
	}
	local, err := net.ListenPacket("unixgram", "@"+b.Targets.Local)
	if err != nil {
		return err
	}
	b.opened = append(b.opened, local)
	if err := b.accept("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	b.Targets.TCP = b.opened[len(b.opened)-1].(net.Listener).Addr().String()
	echo, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b.opened = append(b.opened, echo)
	b.Targets.UDP = echo.LocalAddr().String()
	go func() {
		one := make([]byte, 16)
		for {
			n, from, err := echo.ReadFrom(one)
			if err != nil {
				return
			}
			_, _ = echo.WriteTo(one[:n], from) // if this fails, the probe gets no answer
		}
	}()
	return nil
}

// accept accepts connections at an address until Remove is called.
func (b *Bait) accept(network, address string) error {
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	if u, ok := l.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false) // Remove does, and knows its name
	}
	b.opened = append(b.opened, l)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	return nil
}

// Untouched returns an error, a part of a sentence, if a file of the bait has changed.
func (b *Bait) Untouched() error {
	for _, name := range []string{b.Targets.Outside, b.Targets.Hidden} {
		data, err := os.ReadFile(name)
		info, err2 := os.Stat(name)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if string(data) != text || info.Mode().Perm() != 0o600 {
			return errors.New("it has changed " + filepath.Base(name))
		}
	}
	return nil
}

// Remove closes the sockets and removes the files.
func (b *Bait) Remove() {
	for _, o := range b.opened {
		_ = o.Close()
	}
	if b.dir != "" {
		_ = os.RemoveAll(b.dir)
	}
}
