package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// While a command waits for a save nothing counts seconds or speaks of the model, and its success is
// said.
func TestNeovimPluginSaysThatACommandSucceeded(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		s := w.screened(nvim, "", "main.go")
		s.resize(80, 24)
		s.command(`Redline replace "greet" with "wave" in main.go then run true`)
		s.shows("plan 1 is ready")
		s.server.run("lua Lines = {}; local p = require('redline.progress'); local line = p.line; p.line = function(room) local text = line(room); Lines[#Lines + 1] = text or ''; return text end")
		s.write(`\rA`)
		s.shows("1: Approve the edits only", "2: Approve the edits and run true", "Type number")
		s.write("2")
		s.press("Enter")
		s.shows("save main.go to run `true`")
		s.server.run("lua Now = vim.uv.now; vim.uv.now = function() return Now() + 60000 end")
		s.server.is("Redline: save main.go to run `true`… (:Redline cancel)", "require('redline.progress').line(70)")
		s.server.holds("not table.concat(Lines):find('model', 1, true)")
		s.command("write")
		s.shows("Redline: `true` succeeded.")
		s.server.is("completed", "State(1)")
	})
}

// A plan that has nothing but commands offers no approval of edits.
func TestNeovimPluginOffersNoEditsWhereThereAreNone(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		s := w.screened(nvim, "", "main.go")
		s.resize(80, 24)
		s.command("Redline run true")
		s.shows("plan 1 is ready")
		s.write(`\rA`)
		screen := s.await("it asks", func(screen string) bool { return holds(screen, "1: Approve and run true", "Type number") })
		if strings.Contains(screen, "edits") {
			t.Errorf("there are no edits:\n%s", screen)
		}
		s.write("1")
		s.press("Enter")
		s.shows("Redline: `true` succeeded.")
	})
}

// What u takes back is said: otherwise the last word would be that it is applied. An undo by
// :Redline undo is said by the server.
func TestNeovimPluginSaysWhatUndoTakesBack(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		s := fruity(t, nvim, "")
		s.write(`\rA`)
		s.shows("Not saved yet")
		s.server.is("completed", "State(1)")
		s.write("u")
		s.shows("Redline: 5 changes of plan 1 are undone and wait again.")
		s.write(`\rA`)
		s.shows("Not saved yet")
		s.server.is("completed", "State(1)")
		s.command("Redline undo")
		s.shows("taken back")
		s.server.is("awaiting_approval", "State(1)")
		s.command("messages")
		screen := s.await("all messages are there", func(screen string) bool { return holds(screen, "taken back", "Press ENTER") })
		if n := strings.Count(screen, "undone and wait"); n != 1 {
			t.Errorf("%d times it is said what was undone:\n%s", n, screen)
		}
	})
}

// The preview and the file may be open in another Neovim: nothing asks about a swap file, and an
// approval applies the changes of a file that is not open here.
func TestNeovimPluginInTwoNeovims(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before, "other.go": before})
		init := filepath.Join(w.home, "config_home", "nvim", "init.lua")
		w.write(init, "vim.opt.rtp:prepend([["+plugin(t)+"]])\n")
		first := w.headless(nvim, "main.go").tty.(headless)
		p := &plugged{&terminal{t: t, tty: first}, first}
		p.attached()
		p.run("Redline rename greet to salute in main.go")
		p.is("2", "#require('redline.hunks').list()")
		p.run("edit .redline/plans/0001-r1.md") // with a swap file, as a plain Neovim has it
		p.run("call setline(1, getline(1))")
		p.run("preserve")

		second := w.headless(nvim, "other.go").tty.(headless)
		q := &plugged{&terminal{t: t, tty: second}, second}
		q.attached()
		q.run("Redline plan 1")
		q.is("0001-r1.md n false", "vim.fn.expand('%:t') .. ' ' .. vim.api.nvim_get_mode().mode .. ' ' .. tostring(vim.bo.swapfile)")
		q.run("split other.go")
		q.run("edit .redline/plans/0001-r1.md")
		q.is("n", "vim.api.nvim_get_mode().mode")
		q.run("Redline approve plan")
		q.holds("table.concat(vim.fn.getbufline('main.go', 1, '$')):find('salute') ~= nil")
		q.holds("vim.fn.execute('messages'):find('E325', 1, true) == nil")
	})
}

// A mistyped subcommand is no request, and a request that only resembles one is.
func TestNeovimPluginMistypedCommand(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		s := fruity(t, nvim, "")
		for typed, meant := range map[string]string{"aprove": "approve", "approve plan": "", "aprove plan": "approve", "udno": "undo", "rejct": "reject", "plam 1": "plan", "nxet": "next", "lists": "list"} {
			got := s.server.lua("tostring(require('redline.command').meant('" + strings.Fields(typed)[0] + "', vim.list_slice(vim.split('" + typed + "', ' '), 2)))")
			if want := map[bool]string{true: "nil", false: meant}[meant == ""]; got != want && typed != "approve plan" {
				t.Errorf("%q means %q, want %q", typed, got, want)
			}
		}
		for _, request := range []string{"eject the disk when done", "dry run it", "plant a tree", "mix both lists", "improve the names", "last one wins"} {
			if got := s.server.lua("require('redline.command').meant('" + strings.Fields(request)[0] + "', vim.list_slice(vim.split('" + request + "', ' '), 2))"); got != "nil" {
				t.Errorf("%q means %q", request, got)
			}
		}
		s.command("Redline aprove")
		s.shows("Redline: there is no `:Redline aprove`: did you mean `approve`?")
		s.server.is("1", "#vim.api.nvim_list_wins()")
		s.server.is("0", "select(2, vim.fn.execute('messages'):gsub('asking', ''))")
	})
}

// :Redline plan moves into the preview and shows a changed line, on a screen of 80 × 24 too.
func TestNeovimPluginPlanShowsAChange(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		s := fruity(t, nvim, "")
		s.command("Redline plan")
		s.shows("-apple", "+Apple")
		s.server.is("0001-r1.md", "vim.fn.expand('%:t')")
		s.server.is("-apple", "vim.fn.getline('.')")
	})
}
