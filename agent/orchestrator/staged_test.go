package orchestrator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/workspace"
)

func TestStagedDiff(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.txt": "one\ntwo\nthree\n", "gone.txt": "old\n", "from.txt": "moved\nand changed\n",
		"big.txt": strings.Repeat("line\n", 4000), ".env": "TOKEN=hunter2\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{})
	d := draft.New(ws)
	if got := stagedDiff(d, ws.Secret); got != "" {
		t.Errorf("an empty draft has the diff %q", got)
	}
	for what, stage := range map[string]func(plan.Operation) (draft.Staged, error){
		"edit":    func(op plan.Operation) (draft.Staged, error) { return d.Edit("a.txt", "two", "2", false, op) },
		"create":  func(op plan.Operation) (draft.Staged, error) { return d.Write("b.md", "```\nnew\n```\n", op) },
		"delete":  func(op plan.Operation) (draft.Staged, error) { return d.Delete("gone.txt", op) },
		"large":   func(op plan.Operation) (draft.Staged, error) { return d.Edit("big.txt", "line", "row", true, op) },
		"secret":  func(op plan.Operation) (draft.Staged, error) { return d.Edit(".env", "hunter2", "hunter3", false, op) },
		"command": func(op plan.Operation) (draft.Staged, error) { return d.Command("go test ./...", "", op) },
	} {
		if _, err := stage(plan.Operation{}); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	if _, err := d.Rename("from.txt", "to.txt", plan.Operation{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Edit("to.txt", "changed", "fixed", false, plan.Operation{}); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"````diff",
		"--- a/a.txt", "+++ b/a.txt", "@@ -1,3 +1,3 @@", " one", "-two", "+2", " three",
		"--- /dev/null", "+++ b/b.md", "@@ -0,0 +1,3 @@", "+```", "+new", "+```",
		"--- a/to.txt", "+++ b/to.txt", "@@ -1,2 +1,2 @@", " moved", "-and changed", "+and fixed",
		"````",
		`- ".env" is changed; it may hold secrets`,
		`- "big.txt" is changed; its diff has 8003 lines`,
		`- "from.txt" is deleted`,
		`- "gone.txt" is deleted`,
		`- "to.txt" was moved there`,
		"- to be run after approval: go test ./...",
	}, "\n")
	if diff := cmp.Diff(want, stagedDiff(d, ws.Secret)); diff != "" {
		t.Errorf("the diff (-want +got):\n%s", diff)
	}
}
