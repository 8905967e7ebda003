package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A plan that a pipeline made and kept as a file is imported in Neovim's chat: its hunks are in the
// open file, and nothing is applied before the approval.
func TestNeovimPluginImports(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		made := w.madeElsewhere(`replace "greet" with "salute" in main.go`)
		p := w.plugged(nvim, "main.go")
		p.attached()

		p.run("Redline chat")
		p.message("/import " + made)
		p.holds("Text('redline://chat'):find('Plan 1 is a new plan from', 1, true) ~= nil")
		p.run("wincmd p | edit main.go")
		p.is("1.h1 1.h2", "table.concat(vim.tbl_map(function(d) return d.code end, vim.diagnostic.get(vim.fn.bufnr('main.go'))), ' ')")
		w.has("main.go", before)

		p.run("Redline approve plan")
		p.holds("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n'):find('func salute', 1, true) ~= nil")
		p.run("silent write")
		w.has("main.go", after)
	})
}

// madeElsewhere has the plan of a request made in a copy of the workspace, as a pipeline does:
// without a HOME and a terminal. It returns the file of the plan.
func (w *world) madeElsewhere(request string) string {
	w.t.Helper()
	dir, file := tempDir(w.t), filepath.Join(tempDir(w.t), "plan.json")
	w.write(filepath.Join(dir, "main.go"), before)
	w.write(filepath.Join(dir, ".redline", "ignore"), "")
	run := exec.Command(filepath.Join(bin, "redline"), "run", "--json", "--export", file, request)
	run.Dir = dir
	run.Env = []string{"PATH=" + os.Getenv("PATH"), "CI=true", "REDLINE_STATE_DIR=" + filepath.Join(dir, "main.go", "none")}
	out, err := run.Output()
	if run.ProcessState == nil || run.ProcessState.ExitCode() != 3 || !strings.Contains(string(out), `"kind":"result"`) {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return file
}
