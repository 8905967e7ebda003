package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The entry for nvim-lspconfig connects Neovim without the plugin: a request, the proposed changes
// as diagnostics, and their approval by a code action.
func TestNeovimLspconfig(t *testing.T) {
	nvim, version := editor(t, "REDLINE_NVIM_NEW", cached("nvim"))
	t.Log(version)
	entry, err := os.ReadFile("../../packaging/nvim/lsp/redline.lua.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("{{.Homepage}}", "https://example.org/redline", "{{.Package}}", "redline-lsp").Replace(string(entry))
	if strings.Contains(text, "{{") {
		t.Fatalf("the entry has more to fill in:\n%s", text)
	}
	w := newWorld(t, map[string]string{"main.go": before, "other.go": before, "notes": "greet\n"})
	w.write(filepath.Join(w.home, "config_home/nvim/lsp/redline.lua"), text)
	w.write(filepath.Join(w.home, "config_home/nvim/init.lua"), "vim.lsp.enable('redline')\n")

	p := w.plugged(nvim, "main.go")
	p.attached()
	p.is(w.dir, "vim.lsp.get_clients()[1].root_dir")
	p.run("edit other.go") // in whatever language
	p.attached()
	p.is("1", "#vim.lsp.get_clients()")
	p.run("LspRedlineAsk rename greet to salute in other.go")
	p.is("2", "#vim.diagnostic.get(0)")
	p.run("lua vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title:find('approve plan 1', 1, true) ~= nil end })")
	p.is(after[:len(after)-1], "Text('other.go')")
	p.is(before[:len(before)-1], "Text('main.go')")
}
