package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// mapped returns the description of a key's mapping in Normal mode in the buffer; ” if it has none.
func mapped(key string) string {
	return "(function() local k = vim.fn.maparg('" + key + "', 'n', false, true); return (k.buffer == 1 and 'here: ' or '') .. (k.desc or k.rhs or '') end)()"
}

// A buffer with a server has keys, each with a description, from the start and after the last change.
// The plugin takes no key that is already mapped or that would delay another mapping.
func TestNeovimPluginTakesFreeKeys(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before, "other.go": before})
		w.write(filepath.Join(w.home, "config_home", "nvim", "init.lua"), "vim.opt.rtp:prepend([["+plugin(t)+"]])\n"+
			"vim.cmd([[let mapleader = ' ' | exe \"nnoremap ]r :echo 'mine'<CR>\" | exe \"nnoremap <Leader>rab :echo 'longer'<CR>\"]])\n")
		p := w.plugged(nvim, "main.go")
		p.attached()
		p.is("here: Redline: previous change", mapped("[r"))
		p.run("Redline rename greet to salute in main.go")
		p.is("2", "#require('redline.hunks').list()")
		for key, does := range map[string]string{
			"[r": "here: Redline: previous change", " rr": "here: Redline: reject this change",
			" rA": "here: Redline: approve the plan", " rp": "here: Redline: show the plan",
			"]r": ":echo 'mine'<CR>", " ra": "",
		} {
			p.is(does, mapped(key))
		}
		p.holds("Noted(':Redline next goes to a change, :Redline approve approves it.')") // since neither key is free
		p.run("edit other.go")
		p.is("here: Redline: previous change", mapped("[r"))
		p.run("buffer main.go")

		// A mapping that is made later takes precedence, too.
		p.run("nnoremap <Leader>rp :echo 'late'<CR>")
		p.run("4")
		p.write(" rr")
		p.holds("Noted('rejected this change of main.go. The text is unchanged.')")
		p.is("1", "#require('redline.hunks').list()")
		p.is(":echo 'late'<CR>", mapped(" rp"))
		p.is("here: Redline: reject this change", mapped(" rr"))

		p.run("Redline reject plan")
		p.holds("Noted('rejected plan 1. Your files are unchanged.')")
		p.is("0", "#require('redline.hunks').list()")
		p.is("here: Redline: reject this change", mapped(" rr"))
		p.is(strings.TrimSuffix(before, "\n"), "Text('main.go')")
	})
}

// If a setting turns the keys off, the message names the commands.
func TestNeovimPluginTakesNoKeys(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		for _, off := range []string{"let g:redline_keys = v:false", "let g:redline_keys = 0", "lua vim.g.redline = { keys = false }", "lua require('redline').setup({ keys = false })"} {
			w := pluginWorld(t, map[string]string{"main.go": before})
			p := w.plugged(nvim, "main.go")
			p.attached()
			p.run(off)
			p.run("Redline rename greet to salute")
			p.holds("Noted(':Redline next goes to a change, :Redline approve approves it.') and #require('redline.hunks').list() == 2")
			for _, key := range []string{"]r", "[r", `\\ra`, `\\rr`, `\\rA`, `\\rp`} {
				p.is("", mapped(key))
			}
		}
	})
}

// The keys are there before, while and after a plan waits, in its files and in others, until the
// server has been stopped.
func TestNeovimPluginKeepsKeys(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": "package main // greet\n", "other.go": "package main // greet\n", "third.go": "package main\n"})
		p := w.plugged(nvim, "main.go")
		p.attached()
		p.is("here: Redline: approve the plan", mapped(`\\rA`))
		p.run("Redline rename greet to salute in *.go")
		p.is("1", "#require('redline.hunks').list()")
		p.write(`\ra`)
		p.is("0", "#require('redline.hunks').list()")
		p.is("package main // salute", "Text('main.go')")
		p.write("]r")
		p.is("other.go", "vim.fn.expand('%:t')")
		p.is("1", "#require('redline.hunks').list()")
		p.write(`\rr`)
		p.is("0", "#require('redline.hunks').list()")
		for _, file := range []string{"other.go", "main.go", "third.go"} {
			p.run("edit " + file)
			for _, key := range []string{"]r", "[r", `\\ra`, `\\rr`, `\\rA`, `\\rp`} {
				p.holds(mapped(key) + ":find('here: Redline: ', 1, true) == 1")
			}
		}
		p.run("lua for _, c in ipairs(vim.lsp.get_clients({ name = 'redline' })) do vim.lsp.stop_client(c.id) end")
		p.is("", mapped("[r"))
	})
}

// If the plan changes only other files, its message names keys that work here too.
func TestNeovimPluginNamesKeysThatAreThere(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before, "other.go": before})
		p := w.plugged(nvim, "main.go")
		p.attached()
		p.run("Redline rename greet to salute in other.go")
		p.holds(`Noted(']r goes to a change, \\ra approves it.')`)
		p.write("]r")
		p.is("other.go", "vim.fn.expand('%:t')")
	})
}

// In a buffer without a server the keys say so, and edit nothing; where the user wants none, they are Vim's.
func TestNeovimPluginKeysWithoutServer(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		s := w.screenedAtOnce(nvim, "vim.g.redline = { auto_start = false }\n", "main.go")
		s.server.holds(mapped(`\\ra`) + " == 'Redline: no server here'")
		text := s.server.lua("Text('main.go')")
		for _, keys := range []string{`\ra`, `\rr`, `\rA`, `\rp`, `V\ra`} {
			s.write("gg" + keys)
			s.server.holds("vim.fn.execute('messages'):find('this buffer has no server', 1, true) ~= nil")
			s.press("Escape")
			s.server.run("messages clear")
		}
		s.server.is(text, "Text('main.go')")
		s.server.is("0", "vim.fn.changenr()")
		s.command("Redline start")
		s.server.attached()
		s.server.is("here: Redline: approve this change", mapped(`\\ra`))
		s.server.run("lua vim.g.redline = { keys = false }; require('redline.keys').guard()")
		s.server.run("enew")
		s.server.is("", mapped(`\\ra`))
	})
}
