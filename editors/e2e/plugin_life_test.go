package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/model/modeltest"
)

const (
	sign    = "Redline: asking the model… (:Redline cancel)"
	anySign = "(:Redline cancel)" // after a second the sign names the model and counts the seconds
)

// While a model does not answer, the last line shows what is under way, from the moment that the
// request is sent. Text that the user types takes precedence, messages do not keep the line away,
// and it is cleared when the turn ends.
func TestNeovimPluginShowsSignOfLife(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		model := w.modelled(
			modeltest.Stream(modeltest.Wait("answer"), modeltest.Call("edit_file", `{"path":"main.go","old_string":"func greet() {}","new_string":"func salute() {}"}`)),
			modeltest.Stream(modeltest.Text("Renamed.")),
		)
		s := w.screened(nvim, "", "main.go")
		s.write(":Redline please rename greet")
		s.await("it is typed", func(screen string) bool { return strings.HasSuffix(lastLine(screen), "rename greet") })
		pressed := time.Now()
		s.press("Enter")
		for line := ""; !strings.HasPrefix(line, "Redline: ") || !strings.Contains(line, anySign); line = lastLine(s.screen()) {
			if time.Since(pressed) > patience {
				t.Fatal("no sign of life is shown")
			}
		}
		t.Logf("the first sign of life is seen %v after Enter", time.Since(pressed).Round(time.Millisecond))

		s.write(":echo 'mine")
		s.await("the line is the user's, the sign stands above it", func(screen string) bool {
			return lastLine(screen) == ":echo 'mine" && strings.Contains(screen, anySign)
		})
		s.write("'")
		s.server.is("c", "vim.api.nvim_get_mode().mode") // it takes no key
		s.press("Enter")
		s.await("what the user's command says stays", func(screen string) bool {
			return strings.HasPrefix(lastLine(screen), "mine") && strings.Contains(screen, anySign)
		})
		model.Release("answer")
		s.shows("plan 1 is ready")
		s.await("the sign is gone", func(screen string) bool { return !strings.Contains(screen, anySign) })
		messages := s.server.lua("vim.fn.execute('messages')")
		if !strings.Contains(messages, "plan 1 is ready") || strings.Contains(messages, "asking the model") {
			t.Errorf("messages has\n%s", messages)
		}
	})
}

// The sign fits a narrow screen, where it names no key, and a screen without a last line; it needs
// no answer from the server; and it can be turned off.
func TestNeovimPluginSignOfLifeFits(t *testing.T) {
	silent := func(w *world) { // a server that never sends anything
		script := filepath.Join(w.home, "bin", "redline")
		w.write(script, "#!/bin/sh\nexec cat >/dev/null\n")
		if err := os.Chmod(script, 0o755); err != nil {
			w.t.Fatal(err)
		}
		w.env[0] = "PATH=" + filepath.Dir(script) + string(os.PathListSeparator) + os.Getenv("PATH")
	}
	eachPlugin(t, func(t *testing.T, nvim string) {
		t.Run("narrow", func(t *testing.T) {
			w := pluginWorld(t, map[string]string{"main.go": before})
			w.modelled(modeltest.Stream(modeltest.Wait("never")))
			s := w.screened(nvim, "", "main.go")
			s.resize(50, 12)
			s.server.is("50", "vim.o.columns")
			s.command("Redline why?")
			s.await("the sign is cut to the line", func(screen string) bool {
				line := lastLine(screen)
				return strings.HasPrefix(line, "Redline: ") && strings.Contains(line, "… (:Redline cancel)") && strings.Contains(screen, "func main")
			})
			s.server.is("n", "vim.api.nvim_get_mode().mode") // no message has to be confirmed
		})
		t.Run("no last line", func(t *testing.T) {
			w := pluginWorld(t, map[string]string{"main.go": before})
			silent(w)
			s := w.screenedAtOnce(nvim, "vim.o.cmdheight = 0\n", "main.go")
			s.server.is("1", "#vim.lsp.get_clients({ name = 'redline', _uninitialized = true })")
			s.write(":Redline why?")
			s.press("Enter")
			s.shows(sign, "func main")
			s.server.is("n", "vim.api.nvim_get_mode().mode")
		})
		t.Run("off", func(t *testing.T) {
			w := pluginWorld(t, map[string]string{"main.go": before})
			model := w.modelled(modeltest.Stream(modeltest.Text("Because"), modeltest.Wait("end")))
			s := w.screened(nvim, "vim.g.redline = { progress = false }\n", "main.go")
			s.command("Redline why?")
			s.server.is("Redline: working…", "require('redline').statusline()")
			if screen := s.screen(); strings.Contains(screen, "(:Redline cancel)") {
				t.Errorf("the sign is shown:\n%s", screen)
			}
			model.Release("end")
			s.shows("Because")
		})
	})
}
