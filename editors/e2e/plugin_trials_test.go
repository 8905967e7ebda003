package e2e

import "testing"

// A plan's command is tried once the user allows that; the plugin reports the result and opens the
// output; the model fixes the plan, and the trial passes; the result is shown until something is
// typed.
func TestNeovimPluginTrials(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := trying(t, pluginWorld, "sum.sh")
		p := w.plugged(nvim, "sum.sh")
		p.attached()
		p.run("Redline try")
		p.holds("Noted('no plan waits for you.')")
		p.run("Redline turn the sum round")
		p.holds("State(1) == 'awaiting_approval' and require('redline.plans').trials() == 'ask'")
		p.run("Redline output 1")
		p.holds("Noted('nothing was tried yet. `:Redline try` runs a trial.')")
		p.run("Redline try 2")
		p.holds("Noted('there is no plan 2.')")
		p.run("lua Choose = 'Allow trials'")
		p.run("Redline try 1")
		p.holds("Noted('fails now: `sh check.sh`, after ') and Noted('See `:Redline output`.')")
		p.holds("select(2, Text('redline://chat'):gsub('2 and 3 are %-1', '')) == 1")
		p.run("drop sum.sh")
		p.run("Redline output")
		p.holds("vim.api.nvim_buf_get_name(0):find('redline://plan/1/trial/t1', 1, true) ~= nil and Text('redline://plan/1/trial/t1'):find('2 and 3 are -1', 1, true) ~= nil")
		p.holds("Text('redline://plan/1/trial/t1'):find([[Without the plan's edits: exit code 0]], 1, true) ~= nil")
		p.run("normal q")
		p.run("drop sum.sh")
		p.run("Redline list")
		p.holds("vim.bo.buftype == 'quickfix' and vim.fn.getline('$'):find('plan 1, tried: sh check.sh: fails now, after', 1, true) ~= nil")
		p.run("cc 3") // as <CR> there
		p.holds("vim.api.nvim_buf_get_name(0):find('redline://plan/1/trial/t1', 1, true) ~= nil")
		p.run("cclose")
		p.run("drop sum.sh")

		p.run("lua Choose = 'Fix it: sh check.sh fails now'") // beside what approves
		p.run("Redline approve plan")
		p.holds("(require('redline.plans').get(1) or {}).revision == 2")
		p.is("", "require('redline').statusline():match('working') or ''")
		p.run("lua Notes = {}")
		p.run("Redline /try 1")
		p.holds("Noted('passed: `sh check.sh`, after ') and not Noted('See `:Redline output`')")
		p.run("Redline fix 1")
		p.holds("Noted('nothing to fix: no current trial of plan 1 failed.')")
		p.run("Redline try grep -q 2 sum.sh")
		p.holds("Noted('trying `grep -q 2 sum.sh` on plan 1') and Noted('passed: `grep -q 2 sum.sh`, after ')")
		p.run("Redline try 1 sleep 600")
		p.holds("require('redline').statusline():find('trying `sleep 600`', 1, true) ~= nil")
		p.run("Redline cancel")
		p.holds("Noted('the turn was cancelled.')")
		p.run("call setline(2, '# typed')")
		p.holds("not require('redline.plans').get(1).trials[2].current")
		w.leftNothing("sum.sh")
	})
}
