package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// terminal is an editor on a screen of its own.
type terminal struct {
	t *testing.T
	tty
	said *said // what the editor has said since the last key; nil for an editor that does not write it down
}

// said is a file into which an editor writes each message that it shows.
type said struct {
	path string
	from int64 // where the messages since the last key begin
}

// next makes the messages from here on count.
func (s *said) next() {
	if s == nil {
		return
	}
	if info, err := os.Stat(s.path); err == nil {
		s.from = info.Size()
	}
}

// text returns the messages since the last key.
func (s *said) text() string {
	if s == nil {
		return ""
	}
	all, _ := os.ReadFile(s.path) // absent before the first message
	return string(all[min(int64(len(all)), s.from):])
}

// tty is the keyboard and the screen of an editor.
type tty interface {
	screen() string // the content of the screen, "" when the editor has ended
	keys(names ...string) ([]byte, error)
	text(text string) ([]byte, error)
}

// tmux is a tty by the path of its socket.
type tmux string

// terminal starts a command in the workspace, on a screen of its own. It skips the test without
// tmux.
func (w *world) terminal(command ...string) *terminal {
	w.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		w.t.Skip("tmux is not here: run .ci/install-editors")
	}
	dir, err := os.MkdirTemp("", "rl") // short, because the length of a socket's path is limited
	if err != nil {
		w.t.Fatal(err)
	}
	tty := tmux(filepath.Join(dir, "tmux"))
	start := tty.command(append([]string{"-f", os.DevNull, "new-session", "-d", "-x", "130", "-y", "40"}, command...)...)
	start.Dir, start.Env = w.dir, w.env
	out, err := start.CombinedOutput()
	w.t.Cleanup(func() {
		_ = tty.command("kill-server").Run() // there is no session left when the editor has ended
		os.RemoveAll(dir)
	})
	if err != nil {
		w.t.Fatalf("tmux: %v\n%s", err, out)
	}
	return w.at(tty)
}

// at returns a terminal whose screen is printed when the test fails.
func (w *world) at(tty tty) *terminal {
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("the screen:\n%s", strings.TrimRight(tty.screen(), "\n"))
		}
	})
	return &terminal{t: w.t, tty: tty}
}

func (socket tmux) command(args ...string) *exec.Cmd {
	return exec.Command("tmux", append([]string{"-S", string(socket)}, args...)...)
}

func (socket tmux) screen() string {
	out, _ := socket.command("capture-pane", "-p").Output()
	return string(out)
}

func (socket tmux) keys(names ...string) ([]byte, error) {
	return socket.command(append([]string{"send-keys", "--"}, names...)...).CombinedOutput()
}

func (socket tmux) text(text string) ([]byte, error) {
	return socket.command("send-keys", "-l", "--", text).CombinedOutput()
}

// resize sets the size of a tmux screen, without tmux's own status line.
func (term *terminal) resize(columns, rows int) {
	term.t.Helper()
	socket := term.tty.(tmux)
	for _, args := range [][]string{
		{"set-option", "-g", "status", "off"},
		{"resize-window", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows)},
	} {
		if out, err := socket.command(args...).CombinedOutput(); err != nil {
			term.t.Fatalf("tmux %q: %v\n%s", args, err, out)
		}
	}
}

// scrolled returns the lines that have scrolled off the top of a tmux screen: a screen that becomes
// narrower wraps lines and keeps the last ones.
func (term *terminal) scrolled() string {
	out, _ := term.tty.(tmux).command("capture-pane", "-p", "-S", "-", "-E", "-1").Output()
	return string(out)
}

// press presses keys by their names in tmux.
func (term *terminal) press(keys ...string) {
	term.t.Helper()
	term.said.next()
	if out, err := term.keys(keys...); err != nil {
		term.t.Fatalf("press %q: %v\n%s", keys, err, out)
	}
}

// write types a text as it is.
func (term *terminal) write(text string) {
	term.t.Helper()
	term.said.next()
	if out, err := term.text(text); err != nil {
		term.t.Fatalf("write %q: %v\n%s", text, err, out)
	}
}

// paste pastes a text, as one if the program has asked for that (bracketed paste).
func (term *terminal) paste(text string) {
	term.t.Helper()
	for _, args := range [][]string{{"set-buffer", text}, {"paste-buffer", "-p"}} {
		if out, err := term.tty.(tmux).command(args...).CombinedOutput(); err != nil {
			term.t.Fatalf("tmux %q: %v\n%s", args, err, out)
		}
	}
}

// await waits until the screen meets the condition and returns it.
func (term *terminal) await(what string, condition func(screen string) bool) string {
	term.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		screen := term.screen()
		if condition(screen) {
			return screen
		}
		if time.Now().After(deadline) {
			term.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// shows waits until all texts are on the screen, or were said since the last key: of two messages at
// the same time an editor with one line for them shows the first for an instant only.
func (term *terminal) shows(texts ...string) {
	term.t.Helper()
	term.await("the screen shows "+strings.Join(texts, " and "), func(screen string) bool { return holds(screen+term.said.text(), texts...) })
}

func holds(screen string, texts ...string) bool {
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			return false
		}
	}
	return true
}

// do runs a command line of the editor, which opens with a colon. If the server shows a document at
// just that moment, the command line closes (Helix); then do opens it once more.
func (term *terminal) do(command string) {
	term.t.Helper()
	term.typeCommand(command)
	term.press("Enter")
}

// end runs the command line that ends the editor, and waits until it has ended. Sending the last
// key may fail: Neovim may have ended before it answers.
func (term *terminal) end(command string) {
	term.t.Helper()
	term.typeCommand(command)
	_, _ = term.keys("Enter")
	term.await("the editor has ended", func(screen string) bool { return screen == "" })
}

// typeCommand is do without the last key.
func (term *terminal) typeCommand(command string) {
	term.t.Helper()
	term.write(":")
	again := time.Now().Add(patience / 6)
	term.await("the command line is open", func(screen string) bool {
		lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
		if strings.HasPrefix(lines[len(lines)-1], ":") {
			return true
		}
		if time.Now().After(again) {
			term.press("Escape") // in case the first key arrives only now
			term.write(":")
			again = time.Now().Add(patience / 6)
		}
		return false
	})
	term.write(command)
}

// lastLine returns the last line of a screen that is not empty.
func lastLine(screen string) string {
	screen = strings.TrimRight(screen, "\n ")
	return screen[strings.LastIndex(screen, "\n")+1:]
}
