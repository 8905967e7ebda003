package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

const greetings = "package main\n\nimport \"fmt\"\n\n// greet says hello.\nfunc greet(name string) {\n\tfmt.Println(\"hello\", name)\n\tfmt.Println(\"nobody reads this\")\n}\n\nfunc main() {\n\tgreet(\"you\")\n\tgreet(\"me\")\n}\n"

// edits is a model's reply that replaces texts in a file.
func edits(path string, texts ...string) modeltest.Reply {
	var parts []modeltest.Part
	for i := 0; i < len(texts); i += 2 {
		arguments, _ := json.Marshal(map[string]string{"path": path, "old_string": texts[i], "new_string": texts[i+1]})
		parts = append(parts, modeltest.Call("edit_file", string(arguments)))
	}
	return modeltest.Stream(parts...)
}

// shade returns whether the background of a highlight group is red, green or another colour.
const shade = `function Shade(name)
	local bg = vim.api.nvim_get_hl(0, { name = name, link = false }).bg
	if not bg then return 'none' end
	local r, g, b = math.floor(bg / 65536), math.floor(bg / 256) % 256, bg % 256
	return r > g + 20 and r > b + 20 and 'red' or g > r + 20 and g > b + 10 and 'green' or 'neither'
end`

const shades = "table.concat(vim.tbl_map(Shade, { 'RedlineDelete', 'RedlineDeleteText', 'RedlineAdd', 'RedlineAddText' }), ' ')"

// Removed text is red and new text is green, lines and words, in Neovim's own colours on both
// backgrounds; a line that is only removed is red, too. The red and green of a colour scheme, and
// those of a user, are kept.
func TestNeovimPluginColours(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		for _, background := range []string{"dark", "light"} {
			w := pluginWorld(t, map[string]string{"main.go": greetings})
			w.modelled(
				edits("main.go", "// greet says hello.", "// greet says good morning.", "\tgreet(\"me\")\n", ""),
				modeltest.Stream(modeltest.Text("Good morning.")),
			)
			s := w.screened(nvim, "vim.o.termguicolors = true\nvim.o.background = '"+background+"'\n", "main.go")
			p := s.server
			p.run("lua " + strings.Join(strings.Fields(shade), " "))
			s.command("Redline say good morning")
			s.shows("// greet says good morning.", "plan 1 is ready")
			p.is("red red green green", shades)
			p.is("1", "#vim.tbl_filter(function(m) return m[2] == 12 and m[4].hl_group == 'RedlineDelete' and m[4].hl_eol end, vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces().redline, 0, -1, { details = true }))")
			s.shot("neovim-"+versionName(t), "hunk-"+background)

			other := map[string]string{"dark": "light", "light": "dark"}[background]
			mine := p.lua("vim.api.nvim_get_hl(0, { name = 'RedlineAdd' }).bg")
			p.run("set background=" + other)
			p.is("red red green green", shades)
			if now := p.lua("vim.api.nvim_get_hl(0, { name = 'RedlineAdd' }).bg"); now == mine {
				t.Errorf("the green of a %s screen is that of a %s one: %s", other, background, now)
			}
			p.run("highlight DiffAdd guibg=#00aa00")
			p.run("highlight DiffDelete guibg=#aa0000")
			p.run("highlight RedlineAddText guibg=#0000ff guifg=NONE gui=NONE")
			p.run("doautocmd ColorScheme")
			p.is("#00aa00 #aa0000 #0000ff", "table.concat(vim.tbl_map(function(n) return ('#%06x'):format(vim.api.nvim_get_hl(0, { name = n }).bg) end, { 'RedlineAdd', 'RedlineDelete', 'RedlineAddText' }), ' ')")
		}
	})
}

// For a change of 2,000 lines the screen shows its beginning, its end and the new text. A fold that
// the user has opened stays open; no fold is left when the change is decided.
func TestNeovimPluginFoldsLongChange(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		old, now := lines(1, 2000, "func old%d() {}"), lines(1, 2000, "func now%d() {}")
		w := pluginWorld(t, map[string]string{"big.go": "package main\n\n" + old + "\nfunc end() {}\n"})
		w.modelled(
			edits("big.go", strings.TrimSuffix(old, "\n"), strings.TrimSuffix(now, "\n")),
			modeltest.Stream(modeltest.Text("All new.")),
			edits("big.go", strings.TrimSuffix(now, "\n"), strings.TrimSuffix(old, "\n")),
			modeltest.Stream(modeltest.Text("All old.")),
		)
		s := w.screened(nvim, "vim.o.termguicolors = true\n", "big.go")
		s.command("Redline make all new")
		s.shows("plan 1 is ready", "old3", "1994 more lines to remove", "old1998", "now1()", "now20()", "more lines: :Redline diff", "func end()")
		s.shot("neovim-"+versionName(t), "long")
		const folded = "#vim.tbl_filter(function(n) return vim.fn.foldclosed(n) > 0 end, vim.fn.range(1, vim.fn.line('$')))"
		s.server.is("1994", folded)

		s.server.run("6foldopen")
		s.server.is("0", folded)
		s.server.run("call append(0, ['// one', '// two'])") // it moves and is drawn again
		s.server.is("4", "(require('redline.hunks').list()[1] or { range = { start = {} } }).range.start.line")
		s.server.is("0", folded)
		s.server.run("silent undo")
		s.server.is("2", "(require('redline.hunks').list()[1] or { range = { start = {} } }).range.start.line")

		s.server.run("6foldclose")
		s.server.is("1994", folded)
		s.write("]r")
		s.server.is("3", "vim.fn.line('.')")
		s.write(`\ra`)
		s.shows("applied")
		s.server.is("0", folded)
		s.server.is("0", "#vim.tbl_filter(function(n) return vim.fn.foldlevel(n) > 0 end, vim.fn.range(1, vim.fn.line('$')))")

		s.server.is("completed", "State(1)")
		s.command("Redline /new make all old")
		s.shows("plan 2 is ready")
		s.server.is("1994", folded)
		s.command("Redline reject plan")
		s.shows("rejected plan 2")
		s.server.is("0", folded)
	})
}

// A plan opens no window by itself. Its preview has one window for all revisions and shows the
// newest; before an approval, the plugin asks about changes that no text shows, unless the user has
// seen the preview.
func TestNeovimPluginPreviewHasOneWindow(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": greetings})
		w.modelled(
			modeltest.Stream(modeltest.Call("write_file", `{"path":"new.go","content":"package main\n\nfunc wave() {}\n"}`)),
			modeltest.Stream(modeltest.Text("One.")),
			edits("new.go", "wave", "nod"),
			modeltest.Stream(modeltest.Text("Two.")),
			edits("new.go", "nod", "bow"),
			modeltest.Stream(modeltest.Text("Three.")),
		)
		p := w.plugged(nvim, "main.go")
		p.attached()
		revision := func(n int) string { return fmt.Sprintf("(require('redline.plans').get(1) or {}).revision == %d", n) }
		names := "table.concat(vim.tbl_map(function(win) return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)), ':t') end, vim.api.nvim_tabpage_list_wins(0)), ' ')"
		p.run("Redline add wave")
		p.holds(revision(1))
		p.holds("Noted('plan 1 is ready: 1 file, +3 −0. :Redline plan shows all of it.')")
		p.is("main.go", names)
		p.run("Redline approve plan") // asks, and the question is dismissed
		p.is("1", "Asked")
		p.run("lua Choose = 'Show the plan first'")
		p.run("Redline approve plan")
		p.is("main.go 0001-r1.md", names)
		p.is("0001-r1.md", "vim.fn.expand('%:t')")
		p.run("drop main.go")
		p.is("reviewing", "State(1)") // the preview is being viewed

		p.run("Redline rework let it nod")
		p.holds(revision(2))
		p.is("main.go 0001-r2.md", names)
		p.run("Redline rework let it bow")
		p.holds(revision(3))
		p.is("main.go 0001-r3.md", names)
		p.is("", "Text('0001-r2.md')") // its buffer is deleted
		p.holds("Text('0001-r3.md'):find('func bow', 1, true) ~= nil")

		p.run("lua Choose = nil") // the preview was seen: the plugin does not ask
		p.run("Redline approve plan")
		p.is("completed", "State(1)")
		p.run("drop new.go")
		p.is("package main\n\nfunc bow() {}", "Text('/new.go')")
	})
}

// No message is cut: one that does not fit into the last line without its hint stands in a float above
// it until a key is pressed, and :messages keeps all of each.
func TestNeovimPluginKeepsMessages(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, till)
		w.modelled(
			edits("prices.go", "\treturn food + books\n", "\treturn food + books + shipping\n"),
			modeltest.Stream(modeltest.Text("Shipping is charged.")),
		)
		s := w.screened(nvim, "", "prices.go")
		s.resize(72, 20)
		s.server.is("72", "vim.o.columns")
		s.command("Redline charge shipping")
		s.shows("Redline: plan 1 is ready: 1 file, +1 −1. ]r goes to a change, \\ra", "approves it.", "func Total")
		s.server.is("n", "vim.api.nvim_get_mode().mode")
		s.command("Redline reject plan")
		s.shows("Redline: rejected plan 1.")
		s.command("Redline approve everything, please")
		s.shows("Redline: usage: `:Redline approve [hunk|file|plan]`.")
		if strings.Contains(s.screen(), "To send") {
			t.Errorf("a hint without room is shown:\n%s", s.screen())
		}

		s.server.run("lua require('redline.client').say('the command `make everything` waits until you have saved prices.go and report.go. Approve it again to run it at once.')")
		s.shows("Redline: the command `make everything` waits until you have saved", "prices.go and report.go. Approve it again to run it at once.")
		s.server.run("lua Now = vim.uv.now; vim.uv.now = function() return Now() + 2000 end") // there was time to read it
		s.write("l")
		s.await("the float is gone", func(screen string) bool { return !strings.Contains(screen, "make everything") })

		s.server.run("lua require('redline.client').say(('a long story '):rep(400) .. 'ends')") // more than a screen
		s.shows("Redline: a long story", "… (:messages has all of it)", "func Total")
		s.server.is("n", "vim.api.nvim_get_mode().mode")
		s.server.holds("vim.fn.execute('messages'):find('story%s+ends') ~= nil")
		for _, said := range []string{"Redline: plan 1 is ready: 1 file, +1 −1. ]r goes to a change, \\ra approves it.", "Redline: rejected plan 1. Your files are unchanged.", "To send these words as a request: `:Redline! approve …`."} {
			if messages := strings.Join(strings.Fields(s.server.lua("vim.fn.execute('messages')")), " "); strings.Count(messages, said) != 1 {
				t.Errorf("messages does not have %q once:\n%s", said, messages)
			}
		}
	})
}

// A long message, and what is shown of running work, stand at the top where the bottom has the line of the
// cursor or the change there.
func TestNeovimPluginHidesNoChangeBelowAMessage(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"long.txt": lines(1, 60, "line %d")})
		s := w.screened(nvim, "", "long.txt")
		s.resize(60, 20)
		s.server.is("60", "vim.o.columns")
		long := func(text string) {
			s.server.run("lua require('redline.client').say(('%s '):format([[" + text + "]]):rep(6) .. 'all said')")
		}
		s.write("G")
		s.shows("line 60")
		s.command(`Redline replace "line 60" with "line sixty"`)
		s.shows("plan 1 is ready", "approves it.", "line 60") // the line of the cursor stays visible
		s.write("gg")
		s.write("]r")
		s.shows("change 1 of 1", "line 60", "line sixty")
		long("a story")
		s.shows("all said", "line 60", "line sixty", "line 58")
		s.write("gg")
		s.shows("all said", "line 1", "line 2", "line 3") // and goes back to the bottom
	})
}

// The file that a key has opened has a short name, as one that the user has opened; lists have the names of
// the workspace, whatever folder Neovim works in.
func TestNeovimPluginShortensNames(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"shop/a.txt": "Total\n", "shop/deep/b.txt": "Total\n"})
		s := w.screened(nvim, "", "shop/a.txt")
		s.command("cd shop")
		s.server.is("a.txt", "vim.fn.bufname()")
		s.server.run("lua Moved = 0; vim.api.nvim_create_autocmd({ 'DirChanged', 'DirChangedPre' }, { callback = function() Moved = Moved + 1 end })")
		s.command("Redline rename Total to Sum")
		s.shows("plan 1 is ready", "Sum")
		s.write("]r")
		s.shows("change 2 of 2", "deep/b.txt")
		if screen := s.screen(); strings.Contains(screen, "/shop/deep") {
			t.Errorf("the screen has the full name:\n%s", screen)
		}
		s.write(`\ra`)
		s.shows("Not saved yet: shop/deep/b.txt.")
		s.command("w")
		s.shows(`"deep/b.txt" 1L`)
		s.server.is("0", "Moved")
		s.server.is(filepath.Join(w.dir, "shop"), "vim.fn.getcwd()")
		s.command("Redline list")
		s.await("the list has the name of the workspace", func(screen string) bool { return strings.Contains(screen, "\nshop/a.txt|1 info|") })
	})
}
