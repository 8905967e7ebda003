package e2e

import (
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// A list of fruits with five changes in one file and one in another.
var (
	fruits = map[string]string{
		"fruits.txt": "apple\n\none\n\nbanana\n\ntwo\n\ncherry\n\nthree\n\ndamson\n\nfour\n\nelder\n",
		"more.txt":   "fig\n",
	}
	capital = edits("fruits.txt", "apple", "Apple", "banana", "Banana", "cherry", "Cherry", "damson", "Damson", "elder", "Elder")
)

// fruity is a Neovim at 80 × 24 in which a plan has six changes, five of them in the file that it
// shows.
func fruity(t *testing.T, nvim, init string) *screened {
	w := pluginWorld(t, fruits)
	w.modelled(
		capital,
		edits("more.txt", "fig", "Fig"),
		modeltest.Stream(modeltest.Text("In capitals.")),
	)
	s := w.screened(nvim, init, "fruits.txt")
	s.resize(80, 24)
	s.command("Redline write them in capitals")
	s.shows("plan 1 is ready", "Banana")
	s.server.is("awaiting_approval", "State(1)")
	return s
}

const (
	fruitText    = "table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('fruits.txt'), 0, -1, false), ' ')"
	hunkStatuses = "(function() local p, out = require('redline.plans').get(1), {} for _, f in ipairs(p.files) do for _, h in ipairs(f.hunks) do out[#out + 1] = h.id .. ' ' .. h.status end end return table.concat(out, ', ') end)()"
)

// The keys decide or say that nothing waits; they never are Vim's own keys, which would edit the
// text: not after the last change, not in a file without one, not in Visual mode.
func TestNeovimPluginKeysNeverEdit(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": "package main // greet\n", "plain.txt": "as it is\n"})
		s := w.screened(nvim, "", "main.go")
		s.resize(80, 24)
		s.write(`\ra`)
		s.shows("Redline: no change waits for you.")
		s.command("Redline rename greet to salute in main.go")
		s.shows("plan 1 is ready")
		s.write(`\ra`)
		s.shows("applied")
		s.server.is("completed", "State(1)")
		for _, keys := range []string{`\ra`, `\rr`, "]r", "[r", `\rA`, `\rp`} {
			s.command("messages clear")
			s.command("echo 'ready'")
			s.shows("ready")
			s.write(keys)
			s.shows("for you.")
			s.server.is("package main // salute", "vim.fn.getline(1)")
			s.server.is("n", "vim.api.nvim_get_mode().mode")
		}
		s.command("edit plain.txt")
		s.server.attached()
		for _, keys := range []string{`V\ra`, `V\rr`, `\ra`, "dir", "cir"} {
			s.command("echo 'ready'")
			s.shows("ready")
			s.write(keys)
			s.await("it says that there is none", func(screen string) bool { return strings.Contains(lastLine(screen), "no change") })
			s.press("Escape")
			s.server.is("as it is n", "vim.fn.getline(1) .. ' ' .. vim.api.nvim_get_mode().mode")
		}
	})
}

// In the preview the keys go from change to change and decide on the one under the cursor, and the
// page stays as it is.
func TestNeovimPluginKeysInPreview(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		s := fruity(t, nvim, "")
		s.write(`\rp`)
		s.server.holds("#vim.fn.win_findbuf(vim.fn.bufnr('0001-r1.md')) == 1")
		s.server.run("call win_gotoid(bufwinid('0001-r1.md'))")
		s.server.attached()
		s.write("gg]r]r")
		s.shows("change 2 of 6")
		s.server.is("-banana", "vim.fn.getline('.')")
		s.write(`\ra`)
		s.server.is("h1 pending, h2 applied, h3 pending, h4 pending, h5 pending, h6 pending", hunkStatuses)
		s.server.holds(fruitText + ":find('Banana', 1, true) ~= nil")
		s.server.is("-cherry", "vim.fn.getline('.')") // the cursor has moved to the next change
		s.write("j" + `\rr`)
		s.server.is("h1 pending, h2 applied, h3 rejected, h4 pending, h5 pending, h6 pending", hunkStatuses)
		s.write("G[r")
		s.server.is("-fig", "vim.fn.getline('.')")
		s.write("gg" + `\ra`)
		s.shows("no change at the cursor")
		s.server.is("false", "vim.bo.modified")
		s.server.is("h1 pending, h2 applied, h3 rejected, h4 pending, h5 pending, h6 pending", hunkStatuses)
	})
}

// A count, a range, the repetition of the last decision, and a text object.
func TestNeovimPluginManyChanges(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		s := fruity(t, nvim, "vim.g.redline = { advance = false }\n")
		s.write("gg3]r")
		s.shows("change 4 of 6, plan 1")
		s.server.is("13", "vim.fn.line('.')")
		s.write("2[r")
		s.server.is("5", "vim.fn.line('.')")

		s.write(`2\ra`) // banana and cherry
		s.server.is("h1 pending, h2 applied, h3 applied, h4 pending, h5 pending, h6 pending", hunkStatuses)
		s.write("u") // of one decision
		s.server.is("h1 pending, h2 pending, h3 pending, h4 pending, h5 pending, h6 pending", hunkStatuses)

		s.write("gg" + `\rr`)
		s.server.is("h1 rejected, h2 pending, h3 pending, h4 pending, h5 pending, h6 pending", hunkStatuses)
		s.write("]r.")
		s.server.is("h1 rejected, h2 rejected, h3 pending, h4 pending, h5 pending, h6 pending", hunkStatuses)

		s.write(`9GV13G\ra`)
		s.server.is("h1 rejected, h2 rejected, h3 applied, h4 applied, h5 pending, h6 pending", hunkStatuses)
		s.server.is("n", "vim.api.nvim_get_mode().mode")

		s.write("G")
		s.write("yir")
		s.server.is("elder V", "vim.trim(vim.fn.getreg('\"')) .. ' ' .. vim.fn.getregtype('\"')")
		s.write(`Vir` + `\rr`)
		s.server.is("h1 rejected, h2 rejected, h3 applied, h4 applied, h5 rejected, h6 pending", hunkStatuses)
		s.server.is("apple  one  banana  two  Cherry  three  Damson  four  elder", fruitText)

		s.command("edit more.txt")
		s.server.is("1", "#require('redline.hunks').list()")
		s.command("%Redline approve")
		s.server.is("completed", "State(1)")
		s.server.is("Fig", "vim.fn.getline(1)")
	})
}

// After a decision the cursor is on the next change of the file, so that `.` decides on that one.
func TestNeovimPluginGoesOn(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		s := fruity(t, nvim, "")
		s.write("gg" + `\ra`)
		s.server.is("h1 applied, h2 pending, h3 pending, h4 pending, h5 pending, h6 pending", hunkStatuses)
		s.server.is("5", "vim.fn.line('.')")
		s.write(".")
		s.server.is("h1 applied, h2 applied, h3 pending, h4 pending, h5 pending, h6 pending", hunkStatuses)
		s.server.is("9", "vim.fn.line('.')")
		s.write("G" + `\rr`)
		s.server.is("h1 applied, h2 applied, h3 pending, h4 pending, h5 rejected, h6 pending", hunkStatuses)
		s.server.is("9", "vim.fn.line('.')") // the first that is left
		s.command("Redline reject plan")
		s.shows("Redline: rejected the rest of plan 1. What you approved stays.")
		s.server.holds("vim.fn.execute('messages'):find('`:Redline undo` takes it back.', 1, true) ~= nil")
	})
}

// A change that a jump goes to is on the screen as a whole, with its new lines.
func TestNeovimPluginShowsTheWholeChange(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"long.txt": lines(1, 60, "line %d")})
		w.modelled(
			edits("long.txt", "line 22\n", lines(1, 8, "new %d"), "line 60\n", lines(1, 8, "end %d"), "line 40\n", "line 40\n"+lines(1, 6, "more %d")),
			modeltest.Stream(modeltest.Text("Longer.")),
		)
		s := w.screened(nvim, "", "long.txt")
		s.resize(80, 24)
		s.command("Redline make it longer")
		s.shows("plan 1 is ready")
		s.write("gg]r")
		s.shows("line 22", "new 1", "new 8", "change 1 of 3")
		s.write("]r")
		s.shows("more 1", "more 6", "change 2 of 3")
		s.write("]r")
		s.shows("line 60", "end 1", "end 8", "change 3 of 3")
		s.write("gg2]r")
		s.shows("more 1", "more 6")
	})
}

// Autocommands of the user learn that a plan is ready and what was decided.
func TestNeovimPluginUserEvents(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		w.write(w.home+"/config_home/nvim/init.lua", "vim.opt.rtp:prepend([["+plugin(t)+"]])\n"+`
			Seen = {}
			vim.api.nvim_create_autocmd('User', { pattern = 'Redline*', callback = function(e)
				Seen[#Seen + 1] = ('%s %d.%d %s %d'):format(e.match, e.data.plan, e.data.revision, e.data.state, e.data.undecided)
			end })`)
		p := w.plugged(nvim, "main.go")
		p.attached()
		p.run("Redline rename greet to salute in main.go")
		p.is("RedlinePlanReady 1.1 awaiting_approval 2", "table.concat(Seen, '; ')")
		p.run("4")
		p.run("Redline approve")
		p.is("RedlinePlanReady 1.1 awaiting_approval 2; RedlinePlanDecided 1.1 reviewing 1", "table.concat(Seen, '; ')")
		p.run("Redline reject plan")
		p.holds("table.concat(Seen, '; '):find('; RedlinePlanDecided 1.1 completed 0$') ~= nil")
	})
}
