package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// adds is a script that adds.
const adds = "echo $(($1 + $2))\n"

// trying returns a world with a script of the given name that adds, and one that checks it. Its
// model proposes a plan that breaks the first script, and fixes it when it gets the output of the
// second. It skips the test where there are no trials.
func trying(t *testing.T, world func(*testing.T, map[string]string) *world, name string) *world {
	t.Helper()
	check := "touch checked\ngot=$(sh " + name + " 2 3)\ntest $got = 5 && exit\necho \"2 and 3 are $got\"\nexit 1\n"
	w := world(t, map[string]string{name: adds, "check.sh": check})
	w.needsTrials()
	w.modelled(
		modeltest.Stream(
			modeltest.Call("edit_file", `{"path":"`+name+`","old_string":"+","new_string":"-"}`),
			modeltest.Call("run_command", `{"command":"sh check.sh"}`),
		),
		modeltest.Stream(modeltest.Text("It is turned round.")),
		modeltest.Stream(modeltest.Call("edit_file", `{"path":"`+name+`","old_string":"$1 - $2","new_string":"$2 + $1"}`)),
		modeltest.Stream(modeltest.Text("It adds again.")),
	)
	return w
}

// needsTrials skips the test where commands cannot be tried.
func (w *world) needsTrials() {
	w.t.Helper()
	status := exec.Command(filepath.Join(bin, "redline"), "trials", "status", "--dir", w.dir)
	status.Env = w.env
	if out, err := status.CombinedOutput(); err != nil || !strings.Contains(string(out), "redline trials allow") {
		w.t.Skipf("there are no trials here: %s", out)
	}
}

// leftNothing fails the test if a trial has changed something.
func (w *world) leftNothing(name string) {
	w.t.Helper()
	w.has(name, adds)
	if _, err := os.Stat(filepath.Join(w.dir, "checked")); !os.IsNotExist(err) {
		w.t.Errorf("what was tried has left a file: %v", err)
	}
}

// TestHelixTrials allows trials in Helix's menu, tries a plan's command, checks the result in the
// message, the preview and its hover, and has the plan fixed.
func TestHelixTrials(t *testing.T) {
	path, _ := findHelix(t)
	w := trying(t, newWorld, "sum.md")
	h := startHelix(w, path, "sum.md", "echo")
	h.ask("turn the sum round")
	h.preview()
	h.act("allow trials in this workspace", "commands may be tried in this workspace")
	h.act("try plan 1: `sh check.sh`", "`sh check.sh` fails now on what plan 1 proposes")
	h.shows("## Tried", "`sh check.sh`: fails now, after", "2 and 3 are -1")
	h.top()
	h.press("Space", "k")
	h.shows("Redline plan 1, as it was tried")
	h.press("Escape")
	h.await("the popup is closed", func(screen string) bool { return !holds(screen, "as it was tried") })
	h.act("fix plan 1: `sh check.sh` fails now", "# Plan 1, revision 2")
	h.act("try plan 1: `sh check.sh`", "`sh check.sh` passed on what plan 1 proposes")
	w.leftNothing("sum.md")
	h.quit()
}

// TestEmacsTrials does the same with the commands of Emacs's page.
func TestEmacsTrials(t *testing.T) {
	path, _ := findEmacs(t)
	w := trying(t, newWorld, "sum.txt")
	e := startEmacs(w, path, "sum.txt", "echo")
	e.do("redline-output")
	e.shows("no plan waits for you.")
	e.ask("turn the sum round")
	e.await("the change is proposed", func(screen string) bool {
		return strings.Contains(screen, "plan 1 is ready") || strings.Contains(screen, "Flymake[0 0 1]")
	})
	e.do("redline-try")
	e.terminal.shows("Try command (empty:")
	e.press("Enter")
	e.terminal.shows("Allow trials here?")
	e.press("y")
	e.terminal.shows("`sh check.sh` fails now on what plan 1")
	e.do("redline-output")
	e.terminal.shows("*redline output*", "$ sh check.sh", "fails now, after", "2 and 3 are -1")
	e.press("C-x", "1")
	e.await("the window is closed", func(screen string) bool { return !holds(screen, "*redline output*") })
	e.do("redline-fix")
	e.terminal.shows("plan 1, revision 2, is ready")
	e.do("redline-try")
	e.terminal.shows("Try command (empty:")
	e.write("sh check.sh")
	e.press("Enter")
	e.terminal.shows("`sh check.sh` passed on what plan 1")
	w.leftNothing("sum.txt")
	e.quit()
}
