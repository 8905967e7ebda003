package e2e

import (
	"bufio"
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// display is an invisible X11 screen with a window manager, for an editor that draws its own
// window.
type display struct {
	t   *testing.T
	env []string // of the programs that use it
}

// window is a visible window of an editor.
type window struct{ id, title string }

// displayPrograms are the programs that a display needs, with their Debian packages.
var displayPrograms = []struct{ name, pack string }{
	{"Xvfb", "xvfb"}, {"xdotool", "xdotool"}, {"import", "imagemagick"}, {"matchbox-window-manager", "matchbox-window-manager"},
	{"dbus-run-session", "dbus"},
}

// display opens a screen for the world. It skips the test without the programs.
func (w *world) display() *display {
	w.t.Helper()
	for _, program := range displayPrograms {
		if _, err := exec.LookPath(program.name); err != nil {
			w.t.Skipf("%s is not here: run .ci/install-editors --kate, or install Debian's package %s", program.name, program.pack)
		}
	}
	w.endsProcesses()
	number, ready, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	defer number.Close()
	d := &display{t: w.t, env: w.env}
	d.start(w, []*os.File{ready}, "Xvfb", "-displayfd", "3", "-screen", "0", "1100x760x24", "-nolisten", "tcp", "-noreset")
	ready.Close() // so that reading ends if Xvfb ends
	free, err := bufio.NewReader(number).ReadString('\n')
	if err != nil {
		w.t.Fatalf("Xvfb opens no screen: %v\n%s", err, d.said(w, "Xvfb"))
	}
	d.env = append(d.env, "DISPLAY=:"+strings.TrimSpace(string(free)))
	d.start(w, nil, "matchbox-window-manager", "-use_titlebar", "no")
	return d
}

// start starts a program that ends with the test, even if the test panics. Its output goes into a
// file of its own. The channel is closed when the program has ended.
func (d *display) start(w *world, files []*os.File, name string, args ...string) <-chan struct{} {
	d.t.Helper()
	out, err := os.Create(filepath.Join(w.home, name+".log"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.ExtraFiles, cmd.Stdout, cmd.Stderr = w.dir, d.env, files, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	return ended
}

func (d *display) said(w *world, name string) string {
	text, _ := os.ReadFile(filepath.Join(w.home, name+".log"))
	return string(text)
}

// xdotool fails if a window disappears while it searches for windows.
func (d *display) xdotool(args ...string) (string, error) {
	cmd := exec.Command("xdotool", args...)
	cmd.Env = d.env
	out, err := cmd.Output()
	return strings.TrimRight(string(out), "\n"), err
}

func (d *display) must(args ...string) {
	d.t.Helper()
	if _, err := d.xdotool(args...); err != nil {
		d.t.Fatalf("xdotool %q: %v", args, err)
	}
}

// press presses keys by their names in X11, one after another.
func (d *display) press(keys ...string) {
	d.t.Helper()
	d.must(append([]string{"key", "--"}, keys...)...)
}

// write types a text unchanged.
func (d *display) write(text string) {
	d.t.Helper()
	d.must("type", "--delay", "5", "--", text)
}

// windows returns the visible windows of a program; false while they change.
func (d *display) windows(class string) (all []window, ok bool) {
	ids, err := d.xdotool("search", "--onlyvisible", "--class", class)
	if err != nil {
		return nil, false
	}
	for _, id := range strings.Fields(ids) {
		title, err := d.xdotool("getwindowname", id)
		if err != nil {
			return nil, false
		}
		all = append(all, window{id, title})
	}
	return all, true
}

// focused reports whether a window has the keyboard focus.
func (d *display) focused(id string) bool {
	now, err := d.xdotool("getwindowfocus")
	return err == nil && now == id
}

// picture returns the screen as a PNG.
func (d *display) picture() []byte {
	d.t.Helper()
	cmd := exec.Command("import", "-window", "root", "png:-")
	cmd.Env = d.env
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatalf("import: %v", err)
	}
	return out
}

func (d *display) pixels() image.Image {
	d.t.Helper()
	pixels, err := png.Decode(bytes.NewReader(d.picture()))
	if err != nil {
		d.t.Fatal(err)
	}
	return pixels
}

// keep writes a picture of the screen to a file once the screen has been drawn: when two pictures
// are the same. Only a blinking cursor may differ.
func (d *display) keep(path string) {
	d.t.Helper()
	last := d.picture()
	for begun := time.Now(); time.Since(begun) < patience/18; {
		now := d.picture()
		if bytes.Equal(now, last) {
			break
		}
		last = now
	}
	keepShot(d.t, path, last)
}
