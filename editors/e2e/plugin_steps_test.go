package e2e

import (
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// The files of the eight steps: two changes in one file, one in another.
var till = map[string]string{
	"prices.go": "package shop\n\n// Total is what a customer pays.\nfunc Total(food, books int) int {\n\treturn food + books\n}\n\n// Half is what a friend pays.\nfunc Half(food, books int) int {\n\treturn (food + books) / 2\n}\n",
	"report.go": "package shop\n\nimport \"fmt\"\n\n// Report prints the day's sales.\nfunc Report(food, books int) {\n\tfmt.Println(\"sales:\", Total(food, books))\n}\n",
}

// The eight steps, with the keys that the plugin takes while a plan is pending. The screen shows
// something from the first moment and shows each decision, and no message has to be confirmed.
func TestEightStepsInNeovim(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, till)
		model := w.modelled(
			modeltest.Stream(
				modeltest.Wait("begin"),
				modeltest.Call("edit_file", `{"path":"prices.go","old_string":"\treturn food + books\n","new_string":"\treturn food + books + shipping\n"}`),
				modeltest.Call("edit_file", `{"path":"prices.go","old_string":"\treturn (food + books) / 2\n","new_string":"\treturn Total(food, books) / 2\n"}`),
				modeltest.Call("edit_file", `{"path":"report.go","old_string":"\tfmt.Println(\"sales:\", Total(food, books))\n","new_string":"\tfmt.Println(\"sales with shipping:\", Total(food, books))\n"}`),
			),
			modeltest.Stream(modeltest.Text("Shipping is charged.")),
			modeltest.Stream(modeltest.Wait("never")),
		)
		s := w.screened(nvim, "vim.o.termguicolors = true\n", "prices.go")
		name := "neovim-" + versionName(t)
		s.shows("func Total")

		s.command("Redline charge shipping")
		s.shows(anySign)
		s.shot(name, stepRequest)
		model.Release("begin")

		s.shows("Redline: plan 1 is ready: 2 files, +3 −3. ]r goes to a change, \\ra approves it.", "return food + books + shipping", "return Total(food, books) / 2")
		s.shot(name, stepSee)

		s.server.is("true true", "(function() local k, f = vim.fn.maparg('\\\\ra', 'n', false, true), vim.fn.maparg(']r', 'n', false, true); return tostring(k.buffer == 1) .. ' ' .. tostring(f.buffer == 1) end)()")
		s.write("]r")
		s.server.is("5", "vim.fn.line('.')")
		s.write("]r")
		s.server.is("10", "vim.fn.line('.')")
		s.write("]r")
		s.shows("report.go", "sales with shipping:")
		s.server.is("7", "vim.fn.line('.')")
		s.shot(name, stepNavigate)

		s.write(`\ra`)
		s.shows("Not saved yet: report.go.", "[+]")
		s.await("the change is made", func(screen string) bool { return !strings.Contains(screen, `"sales:"`) })
		s.shot(name, stepApproveHunk)

		s.server.is("reviewing", "State(1)")
		s.write("]r") // the keys stay for the pending change in the other file
		s.shows("prices.go", "return food + books + shipping")
		s.server.is("5", "vim.fn.line('.')")
		s.write(`\rr`)
		s.shows("Redline: rejected this change of prices.go.")
		s.await("it is gone", func(screen string) bool {
			return !strings.Contains(screen, "food + books + shipping") && strings.Contains(screen, "return Total(food, books) / 2")
		})
		s.shot(name, stepRejectHunk)

		s.write(`\rA`)
		s.await("the rest is made", func(screen string) bool {
			return !strings.Contains(screen, "(food + books) / 2") && holds(screen, "return Total(food, books) / 2", "applied")
		})
		s.shot(name, stepApprovePlan)

		s.server.is("completed", "State(1)")
		s.command("Redline undo")
		s.shows("taken ba", "(food + books) / 2")
		s.shot(name, stepUndo)

		s.command("Redline think about it")
		s.shows(anySign)
		s.command("Redline cancel")
		s.shows("the turn was cancelled.")
		s.await("the sign of life is gone", func(screen string) bool { return !strings.Contains(screen, anySign) })
		s.server.is("1", "#vim.api.nvim_list_wins()") // an answer opens the chat, and there is none
		s.shot(name, stepCancel)
	})
}
