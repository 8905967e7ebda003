package lsp

import (
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/audit"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/store"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// An editor that shows a plan and approves it at once is on record as having been shown it
// first.
func TestAuditOfAnEditor(t *testing.T) {
	dir, kept := t.TempDir(), store.New(t.TempDir())
	t.Cleanup(func() { kept.Close() })
	write(t, dir+"/a.txt", twoFruits)
	e := connectTo(t, lsptest.HelixLike(), dir, Options{NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
		return agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{})}), nil
	}})
	e.must(e.Open("a.txt"))
	e.plan(`replace "apple" with "pear"`)
	e.await(lsptest.DiagnosticCount("a.txt", 2))
	for range 3 {
		if _, err := e.Execute(e.ctx, command.Show, map[string]any{"plan": 1}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.approve(); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := kept.AuditLog(e.ctx, "", func(entry audit.Entry) error {
		r, err := entry.Decode()
		got = append(got, strings.TrimSpace(string(r.Event)+" "+r.Client))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	name := lsptest.HelixLike().Name
	want := []string{"revised", "shown " + name, "approved " + name, "executed " + name}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("the audit log has %q, want %q", got, want)
	}
	if r, err := kept.VerifyAudit(e.ctx); err != nil || !r.Whole() {
		t.Errorf("%s %v", r.Sentence(), err)
	}
}
