package e2e

import (
	"path/filepath"
	"strings"
	"time"
)

// plugged is a Neovim with the plugin and without a screen, driven from outside.
type plugged struct {
	*terminal
	nvim headless
}

// plugged starts a Neovim with the plugin that shows a file.
func (w *world) plugged(nvim, file string) *plugged {
	w.t.Helper()
	notes, err := filepath.Abs(filepath.Join("testdata", "plugin_notes.lua"))
	if err != nil {
		w.t.Fatal(err)
	}
	term := w.headless(nvim, "-n", "--cmd", "luafile "+notes, file)
	return &plugged{term, term.tty.(headless)}
}

// lua returns the value of a Lua expression as text.
func (p *plugged) lua(expression string) string {
	quoted := "'" + strings.ReplaceAll("tostring("+expression+")", "'", "''") + "'"
	out, err := p.nvim.remote("--remote-expr", "luaeval("+quoted+")")
	if err != nil {
		return "error: " + string(out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// run runs a command line of Neovim, and fails the test if that fails.
func (p *plugged) run(command string) {
	p.t.Helper()
	if got := p.lua("select(2, pcall(vim.cmd, [==[" + command + "]==])) or ''"); got != "" {
		p.t.Fatalf(":%s: %s", command, got)
	}
}

// is waits until a Lua expression has a value.
func (p *plugged) is(want, expression string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		got := p.lua(expression)
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("waited in vain until %s is %q; it is %q\nsaid: %s\nmessages: %s\nlog: %s", expression, want, got,
				p.lua("vim.inspect(Notes)"), p.lua("vim.fn.execute('messages')"),
				p.lua("table.concat(vim.fn.readfile(vim.lsp.get_log_path()), '\\n')"))
		}
	}
}

// holds waits until an expression is true.
func (p *plugged) holds(expression string) {
	p.t.Helper()
	p.is("true", expression)
}

// attached waits until the server is attached.
func (p *plugged) attached() {
	p.t.Helper()
	p.holds("(vim.lsp.get_clients({ bufnr = 0, name = 'redline' })[1] or {}).initialized")
}
