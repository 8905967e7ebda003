package e2e

import (
	"testing"

	"redline/agent/model/modeltest"
)

// The page of a turn opens with its parts folded; two revisions are compared in a diff; a completed
// plan is rated; a diff is shown side by side once the user asked for that, and then as text again.
func TestNeovimPluginRevisions(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		w.modelled(
			modeltest.Stream(modeltest.Call("edit_file", `{"path":"main.go","old_string":"func greet() {}","new_string":"func salute() {}"}`)),
			modeltest.Stream(modeltest.Text("The function has another name.")),
			modeltest.Stream(modeltest.Call("edit_file", `{"path":"main.go","old_string":"func salute() {}","new_string":"func wave() {}"}`)),
			modeltest.Stream(modeltest.Text("It waves.")),
			modeltest.Stream(modeltest.Call("set_diff_mode", `{"mode":"split"}`)),
			modeltest.Stream(modeltest.Text("Side by side.")),
			modeltest.Stream(modeltest.Call("set_diff_mode", `{"mode":"unified"}`)),
			modeltest.Stream(modeltest.Text("In the text.")),
		)
		p := w.plugged(nvim, "main.go")
		p.attached()
		p.run("Redline please rename the function greet")
		p.holds("State(1) == 'awaiting_approval' and Drawn():find('salute', 1, true) ~= nil")
		p.run("Redline rework let it wave")
		p.holds("(require('redline.plans').get(1) or {}).revision == 2 and Drawn():find('wave', 1, true) ~= nil")

		p.run("Redline compare 1 r1 r2 main.go")
		p.holds("vim.wo.diff and vim.fn.tabpagenr('$') == 2 and #vim.api.nvim_tabpage_list_wins(0) == 2")
		p.holds("Text('redline://plan/1/r1/main.go'):find('func salute', 1, true) ~= nil and Text('redline://plan/1/r2/main.go'):find('func wave', 1, true) ~= nil")
		p.is("go false false", "vim.bo.filetype .. ' ' .. tostring(vim.bo.modifiable) .. ' ' .. tostring(vim.bo.modified)")
		p.run("normal q")
		p.holds("vim.fn.tabpagenr('$') == 1")
		p.run("Redline compare 1 1 1")
		p.holds("Noted('revisions 1 and 1 of plan 1 do not differ in any file.')")
		p.run("Redline compare 1")
		p.holds("vim.wo.diff")
		p.run("normal q")
		p.run("Redline compare 1 r1 r9")
		p.holds("Noted('Plan 1 has no revision 9')")

		// The page is folded to its headings, and no other buffer is.
		p.run("Redline trace")
		p.holds("vim.api.nvim_buf_get_name(0):find('plans/trace.md', 1, true) ~= nil and vim.wo.foldmethod == 'expr'")
		p.holds("vim.fn.foldclosed(vim.fn.search('^## Request 1', 'cnw')) > 0 and vim.fn.foldclosed(1) == -1")
		p.holds("Text(vim.api.nvim_buf_get_name(0)):find('let it wave', 1, true) ~= nil")
		p.run("Redline trace t1") // the page shows another trace now
		p.holds("Text(vim.api.nvim_buf_get_name(0)):find('please rename the function', 1, true) ~= nil")
		p.run("drop main.go")
		p.holds("vim.wo.foldmethod ~= 'expr'")

		p.run("Redline show differences side by side, please")
		p.holds("vim.wo.diff and Text('redline://proposed/main.go'):find('func wave', 1, true) ~= nil")
		p.run("Redline show them in the text again")
		p.holds("not vim.wo.diff and Drawn():find('wave', 1, true) ~= nil")
		p.is("", "require('redline').statusline():match('working') or ''") // a plan cannot be approved while a turn may change it

		p.run("Redline rate 1")
		p.holds("Noted([==[`:Redline rate [N] good|bad|1-5`]==])")
		p.run("Redline approve plan")
		p.is("completed", "State(1)")
		p.run("Redline rate good")
		p.holds("Noted('plan 1 is rated 5 of 5')")
	})
}
