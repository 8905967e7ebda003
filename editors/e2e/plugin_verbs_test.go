package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// Text that begins with the name of a subcommand is never a request: it is run, or refused with the
// subcommand's form. A reason may follow reject directly.
func TestNeovimPluginVerbs(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		model := w.modelled(
			modeltest.Stream(modeltest.Call("edit_file", `{"path":"main.go","old_string":"func greet() {}","new_string":"func salute() {}"}`)),
			modeltest.Stream(modeltest.Text("The function has another name.")),
		)
		p := w.plugged(nvim, "main.go")
		p.attached()
		for line, form := range map[string]string{
			"approve everything, please": "`:Redline approve [hunk|file|plan]`",
			"approve 1":                  "`:Redline approve [hunk|file|plan]`",
			"approve plan 1":             "`:Redline approve [hunk|file|plan]`",
			"reject 1":                   "`:Redline reject [hunk|file|plan] [reason]`",
			"rework":                     "`:Redline rework {feedback}`",
			"undo it all":                "`:Redline undo [N]`",
			"undo 1.5":                   "`:Redline undo [N]`",
			"plan the work":              "`:Redline plan [N]`",
			"next change":                "`:Redline next` takes no arguments",
			"prev 2":                     "`:Redline prev` takes no arguments",
			"hunk h1":                    "`:Redline hunk` takes no arguments",
			"diff of main.go":            "`:Redline diff` takes no arguments",
			"list all files":             "`:Redline list` takes no arguments",
			"chat about this":            "`:Redline chat` takes no arguments",
			"fix the tests":              "`:Redline fix [N]`",
			"cancel that":                "`:Redline cancel` takes no arguments",
			"log everything":             "`:Redline log` takes no arguments",
			"output of it":               "`:Redline output [N]`",
			"start again":                "`:Redline start` takes no arguments",
			"agent of change":            "`:Redline agent [NAME|none]`",
			"model of the shop":          "`:Redline model [NAME]`",
			"with great care":            "`:Redline with [NAME|model]`",
		} {
			p.run("lua Notes = {}")
			p.run("Redline " + line)
			p.holds("Noted([==[" + form + "]==]) and Noted('`:Redline! " + strings.Fields(line)[0] + " …`')")
			p.run("lua Notes = {}")
			p.run("1,2Redline " + line)
			p.holds("Noted([==[" + form + "]==])")
		}
		p.run("Redline reject I like the old words")
		p.holds("Noted('no change waits for you')")
		if n := len(model.Requests()); n != 0 {
			t.Fatalf("the model was asked %d times", n)
		}

		p.run("Redline please rename the function greet")
		p.holds("State(1) == 'awaiting_approval' and Drawn():find('salute', 1, true) ~= nil")
		p.run("Redline next")
		p.run("Redline reject I like the old words")
		p.is("cancelled", "State(1)")
		if n := len(model.Requests()); n != 2 {
			t.Errorf("the model was asked %d times", n)
		}
		log := exec.Command(filepath.Join(bin, "redline"), "audit", "log", "--dir", w.dir)
		log.Env = w.env
		if out, err := log.CombinedOutput(); err != nil || !strings.Contains(string(out), "I like the old words") {
			t.Errorf("the reason is not on record: %v\n%s", err, out)
		}
	})
}

// In an older Neovim the same words are not requests either.
func TestNeovimPluginVerbsOnOldNeovim(t *testing.T) {
	path, version := editor(t, "REDLINE_NVIM", "nvim")
	if !strings.HasPrefix(neovimHeading(version), "## Neovim 0.7") {
		t.Skip("this Neovim is not older than 0.10: " + version)
	}
	w := pluginWorld(t, map[string]string{"main.go": before})
	model := w.modelled(modeltest.Stream(modeltest.Text("I was asked.")))
	p := w.plugged(path, "main.go")
	p.holds("#vim.lsp.buf_get_clients(0) == 1")
	for _, line := range []string{"reject I like the old words", "approve everything", "rework make it shorter", "undo it", "plan the work", "fix the tests", "list all", "chat about it"} {
		p.run("lua Notes = {}")
		p.run("Redline " + line)
		p.holds("Noted('`:Redline! " + strings.Fields(line)[0] + " …`')")
	}
	if n := len(model.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

// If changes of two plans are on one line, the drawing shows which is whose, the float shows both,
// and a decision at the cursor asks which one is meant.
func TestNeovimPluginTwoPlans(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		p := w.plugged(nvim, "main.go")
		p.attached()
		p.run(`Redline replace "func greet" with "func salute" in main.go`)
		p.holds("#require('redline.hunks').list() == 1 and Drawn():find('salute', 1, true) ~= nil")
		if drawn := p.lua("Drawn()"); strings.Contains(drawn, "plan 1") {
			t.Errorf("one plan alone is named:\n%s", drawn)
		}
		p.run(`Redline /plan replace "func greet" with "func wave" in main.go`)
		p.holds("#require('redline.hunks').list() == 2")
		p.holds(`(Drawn():gsub('|', '')):find('plan 1: replace "func greet" with "func salute" in main.gofunc salute', 1, true) ~= nil`)
		p.holds(`(Drawn():gsub('|', '')):find('plan 2: replace "func greet" with "func wave" in main.gofunc wave', 1, true) ~= nil`)
		p.run("only")
		p.run("drop main.go")
		p.run("Redline next")
		p.run("Redline hunk")
		p.holds("(function() for _, win in ipairs(vim.api.nvim_list_wins()) do local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), '\\n') if text:find('+func salute', 1, true) and text:find('+func wave', 1, true) then return true end end end)()")
		p.run("lua Choose = 'plan 2'")
		p.run("Redline approve")
		p.is("completed", "State(2)")
		p.holds("vim.fn.getline(4):find('func wave', 1, true) ~= nil")
	})
}
