package lsp

import (
	"path/filepath"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/store"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// Measures the end of a session with a plan of 10,000 applied hunks in 1,000 files, all
// open and unsaved: from the editor's first message to the end of the server, with
// everything stored. Quit just quits. Save saves every file, Close closes every file
// without saving, and Reopen closes and opens every file, before they quit.
func BenchmarkLeaveBig(b *testing.B) {
	each := func(act func(*connected, string) error) func(*connected) {
		return func(c *connected) {
			for i := range bigFiles {
				c.must(act(c, bigName(i)))
			}
		}
	}
	save := func(c *connected, path string) error { return c.Save(path) }
	shut := func(c *connected, path string) error { return c.Close(path) }
	open := func(c *connected, path string) error { return c.Open(path) }
	for _, v := range []struct {
		name    string
		says    func(*connected)
		pending bool // nothing was saved
	}{
		{"quit", func(*connected) {}, true},
		{"save", each(save), false},
		{"close", each(shut), true},
		{"reopen", func(c *connected) { each(shut)(c); each(open)(c) }, true},
	} {
		b.Run(v.name, func(b *testing.B) {
			files := make([]string, bigFiles)
			for i := range files {
				files[i] = bigText(i, 100)
			}
			for b.Loop() {
				b.StopTimer()
				e := bigEditor(b, files)
				for i := range bigFiles {
					e.must(e.Open(bigName(i)))
				}
				if _, err := e.Execute(e.ctx, command.Show, map[string]int{"plan": 1}); err != nil {
					b.Fatal(err)
				}
				e.await(lsptest.DiagnosticCount(bigName(0), bigHunks))
				if _, err := e.approve(); err != nil {
					b.Fatal(err)
				}
				for e.planNow(1).State != "completed" { // the approval took over 5 s
					time.Sleep(10 * time.Millisecond)
				}
				b.StartTimer()

				v.says(e)
				if err := e.Quit(e.ctx); err != nil {
					b.Fatal(err)
				}
				e.done <- <-e.done

				b.StopTimer()
				p := storedPlan(b, e.dir, 1)
				want := map[bool]string{true: "awaiting_approval", false: "completed"}[v.pending]
				if got := string(p.State); got != want {
					b.Fatalf("the plan is %s, want %s", got, want)
				}
				for path, m := range p.Progress.Files {
					if m.Unsaved && !v.pending {
						b.Fatalf("%s counts as unsaved", path)
					}
				}
				b.StartTimer()
			}
		})
	}
}

// storedPlan returns a plan from the store below the workspace.
func storedPlan(b *testing.B, dir string, n int) *plan.Plan {
	b.Helper()
	kept := store.New(filepath.Join(dir, ".state"))
	defer kept.Close()
	p, err := kept.Plan(b.Context(), dir, n)
	if err != nil {
		b.Fatal(err)
	}
	return p
}
