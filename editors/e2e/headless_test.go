package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// headless is a Neovim without a screen, given by its program and the path of its socket. Its
// screen is the text of the current buffer, and a last line that shows whether text or a command is
// being typed.
type headless struct{ nvim, socket string }

// headless starts a Neovim in the workspace that is driven through a socket.
func (w *world) headless(command ...string) *terminal { return w.at(w.listening(command...)) }

// listening starts a Neovim that has no screen until one is attached to it.
func (w *world) listening(command ...string) headless {
	w.t.Helper()
	dir, err := os.MkdirTemp("", "rl") // short, because the length of a socket's path is limited
	if err != nil {
		w.t.Fatal(err)
	}
	h := headless{command[0], filepath.Join(dir, "nvim")}
	start := exec.Command(command[0], append([]string{"--headless", "--listen", h.socket}, command[1:]...)...)
	start.Dir, start.Env = w.dir, w.env
	if err := start.Start(); err != nil {
		w.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = start.Wait() // the test checks how it ended
		close(ended)
	}()
	w.t.Cleanup(func() {
		_ = start.Process.Kill() // it may have ended
		<-ended
		os.RemoveAll(dir)
	})
	for deadline := time.Now().Add(patience); h.screen() == ""; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatal("Neovim does not answer")
		}
	}
	return h
}

func (h headless) remote(what, text string) ([]byte, error) {
	return exec.Command(h.nvim, "--headless", "--server", h.socket, what, text).CombinedOutput()
}

func (h headless) screen() string {
	out, err := h.remote("--remote-expr", `join(getline(1, '$'), "\n") . "\n" . {'c': ':' . getcmdline(), 'i': '-- INSERT --'}->get(mode(), '') . "\n"`)
	if err != nil {
		return ""
	}
	return string(out)
}

func (h headless) keys(names ...string) ([]byte, error) {
	text := ""
	for _, name := range names {
		switch name { // as Neovim spells them
		case "Escape":
			text += "<Esc>"
		case "C-r", "Enter":
			text += "<" + name + ">"
		default:
			text += name
		}
	}
	return h.remote("--remote-send", text)
}

func (h headless) text(text string) ([]byte, error) {
	return h.remote("--remote-send", strings.ReplaceAll(text, "<", "<lt>"))
}
