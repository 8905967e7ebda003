package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const typed = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwx"

// Typing costs only what LSP requires: while fifty characters are typed into a file with proposed
// changes, the editor sends the text to the server and no other request, calls no function of the
// plugin, and draws nothing anew.
func TestNeovimPluginOnKeystrokes(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		relay := w.relayed()
		p := w.plugged(nvim, "main.go")
		p.attached()
		p.run("Redline rename greet to salute in *.go")
		p.holds("#require('redline.hunks').list() == 2 and Drawn() ~= ''")
		for _, last := range []string{`"turn.finished"`, `"kind":"end"`} {
			relay.awaitSaid(t, "the turn has ended", 0, func(m string) bool { return strings.Contains(m, last) })
		}
		driver, err := filepath.Abs(filepath.Join("testdata", "plugin_calls.lua"))
		if err != nil {
			t.Fatal(err)
		}
		p.run("luafile " + driver)
		p.press("g", "g", "O")
		p.holds("require('redline.hunks').list()[1].range.start.line == 3") // the server has reported their new positions
		p.run("lua Settle()")
		drawn := p.lua("Drawn()")
		p.run("lua Quiet()")
		since := len(relay.said(0))
		for i, char := range typed {
			p.write(string(char))
			if i%10 < 9 {
				continue
			}
			// Neovim waits for a pause and reports all characters at once.
			relay.awaitSaid(t, "the server knows the text so far", since, func(m string) bool {
				return strings.HasPrefix(m, "editor:") && strings.Contains(m, "didChange") &&
					regexp.MustCompile(fmt.Sprintf(`"character":%d[,}]`, i)).MatchString(m) && strings.Contains(m, fmt.Sprintf(`"text":"%c"`, char))
			})
		}
		if calls := p.lua("Calls()"); calls != "" {
			t.Errorf("while the user typed, the plugin was called:\n%s", calls)
		}
		for line := range strings.Lines(relay.said(since)) {
			if strings.HasPrefix(line, "editor:") && !strings.Contains(line, `"textDocument/didChange"`) && strings.Contains(line, `"method"`) {
				t.Errorf("while the user typed, the editor said: %s", line)
			}
		}
		if now := p.lua("Drawn()"); now != drawn {
			t.Errorf("drawn is\n%s\nwant\n%s", now, drawn)
		}
		p.press("Escape")
		p.run("1")
		p.run("Redline next")
		p.is("4", "vim.fn.line('.')")
		p.run("Redline approve plan")
		p.is(typed+"\n"+strings.TrimSuffix(after, "\n"), "Text('main.go')")
	})
}

// The same holds if the user continues to type while the plugin waits for the buffer's changes from
// a slow server: the plugin requests them again once, in the next pause, and draws them at their
// places then.
func TestNeovimPluginOnKeystrokesOfSlowServer(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		w.late = max(w.late, 100*time.Millisecond)
		w.relayed()
		p := w.plugged(nvim, "main.go")
		p.attached()
		p.run("Redline rename greet to salute in *.go")
		p.holds("#require('redline.hunks').list() == 2 and Drawn() ~= ''")
		driver, err := filepath.Abs(filepath.Join("testdata", "plugin_calls.lua"))
		if err != nil {
			t.Fatal(err)
		}
		p.run("luafile " + driver)
		p.run("lua Watch()")
		p.press("g", "g", "O")
		for _, char := range typed {
			p.write(string(char))
		}
		if hasty := p.lua("Hasty()"); hasty != "" {
			t.Errorf("the plugin did not wait for a pause, but asked for the changes so soon after a key:\n%s", hasty)
		}
		p.press("Escape")
		p.run("1")
		p.holds("require('redline.hunks').list()[1].range.start.line == 3")
		p.run("Redline next")
		p.is("4", "vim.fn.line('.')")
	})
}
