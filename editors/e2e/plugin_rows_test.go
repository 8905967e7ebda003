package e2e

import (
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// drawnParts returns what is marked within the lines of a text, old lines first, and how many lines are drawn.
const drawnParts = `function DrawnParts()
	local old, new, gone, come = {}, {}, 0, 0
	for _, m in ipairs(vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces().redline, 0, -1, { details = true })) do
		local d = m[4]
		if d.hl_group == 'RedlineDelete' then gone = gone + 1 end
		if d.hl_group == 'RedlineDeleteText' then old[#old + 1] = vim.api.nvim_buf_get_text(0, m[2], m[3], d.end_row, d.end_col, {})[1] end
		for _, line in ipairs(d.virt_lines or {}) do
			come = come + 1
			for _, chunk in ipairs(line) do
				if chunk[2] == 'RedlineAddText' then new[#new + 1] = chunk[1] end
			end
		end
	end
	return table.concat(old, '|') .. ' > ' .. table.concat(new, '|') .. ' ' .. gone .. ' ' .. come
end`

// The words that differ are marked as the server pairs the lines: also where there are more new lines than old
// ones, in several places of a line, behind characters of several bytes, and not in lines that have nothing in common.
func TestNeovimPluginDrawsWhatTheServerPairs(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		old, now := "\tgreet(\"🛒 é\", you, me, all)\n\tpanic(1)\n", "\tgreet(\"🛒 é\", we, me, everybody)\n\tfmt.Println(name)\n\treturn\n"
		w := pluginWorld(t, map[string]string{"main.go": "package main\n\nfunc main() {\n" + old + "}\n"})
		w.modelled(edits("main.go", old, now), modeltest.Stream(modeltest.Text("Done.")))
		s := w.screened(nvim, "vim.o.termguicolors = true\n", "main.go")
		s.server.run("lua " + strings.Join(strings.Fields(drawnParts), " "))
		s.command("Redline greet everybody")
		s.shows("everybody", "plan 1 is ready")
		s.server.is("you|all > we|everybody 2 3", "DrawnParts()")
		s.shot("neovim-"+versionName(t), "rows")

		s.server.run("lua local list = require('redline.hunks').list(); list[1].rows = nil; require('redline.marks').draw(0, list)")
		s.server.is(" >  2 3", "DrawnParts()") // an older server says nothing of them
	})
}
