package lsp

import (
	"slices"
	"testing"

	"go.lsp.dev/protocol"

	"redline/lsp/command"
	"redline/lsp/diagnostics"
	"redline/lsp/lsptest"
	"redline/lsp/position"
)

// A client is asked to refresh lenses and hints when there is something else to decide, not
// for each typed character.
func TestRefreshesAreForWhatIsDecided(t *testing.T) {
	f := newFixture(t, client{refresh: diagnostics.RefreshClient{CodeLens: true, InlayHint: true}}, map[string]string{"a.txt": twoFruits})
	f.open("a.txt", twoFruits)
	r := diagnostics.NewRefresher(f.refreshing()) // its Run is not called
	look := func(when string, want ...string) {
		t.Helper()
		if got := r.Due(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	look("at the start")
	r.Asked(diagnostics.RefreshCodeLens)
	look("nothing to show")
	f.ask(`replace "apple" with "pear" in a.txt`)
	look("a plan", diagnostics.RefreshCodeLens)
	look("the same plan")
	f.change("a.txt", `[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":0}},"text":"typed\n"}]`)
	look("the hunks have moved")
	f.change("a.txt", `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":"x"}]`)
	look("one is stale", diagnostics.RefreshCodeLens)
	f.settings.take([]byte(`{"ui":{"code_lens":false,"inlay_hints":true}}`))
	look("they are not wanted any more", diagnostics.RefreshCodeLens)
	r.Asked(diagnostics.RefreshInlayHint)
	f.shownOnce(1, 1)
	if _, err := f.run(command.Reject, map[string]any{"plan": 1}); err != nil {
		t.Fatal(err)
	}
	look("all is decided", diagnostics.RefreshInlayHint)
}

// A client that pulls diagnostics is asked to refresh them when they change, not for each
// typed character in a file that it shows.
func TestRefreshesOfDiagnostics(t *testing.T) {
	f := newFixture(t, client{pull: true, refresh: diagnostics.RefreshClient{Diagnostic: true}}, map[string]string{"a.txt": twoFruits, "b.txt": "apple\n"})
	f.open("a.txt", twoFruits)
	r := diagnostics.NewRefresher(f.refreshing()) // its Run is not called
	look := func(when string, want ...string) {
		t.Helper()
		if got := r.Due(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	r.Asked(diagnostics.RefreshDiagnostic)
	look("nothing to show")
	f.ask(`replace "apple" with "pear"`)
	look("a plan", diagnostics.RefreshDiagnostic)
	look("the same plan")
	f.change("a.txt", `[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":0}},"text":"typed\n"}]`)
	look("the hunks have moved")
	f.change("a.txt", `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":"x"}]`)
	look("one is stale", diagnostics.RefreshDiagnostic)
	f.open("b.txt", "an orange\napple\n")
	f.didClose(f.ctx, &documentParams{position.TextDocument{URI: f.uri("b.txt")}})
	look("opened and closed again")
	f.diagnostics.Note(f.uri("a.txt"), []protocol.Diagnostic{{}}, func() bool { return true })
	look("something is noted", diagnostics.RefreshDiagnostic)
	f.shownOnce(1, 1)
	if _, err := f.run(command.Reject, map[string]any{"plan": 1}); err != nil {
		t.Fatal(err)
	}
	look("all is decided", diagnostics.RefreshDiagnostic)
	f.diagnostics.Unnote(f.uri("a.txt"))
	look("the note is gone", diagnostics.RefreshDiagnostic)
}

// A client gets only the refreshes that it announces.
func TestRefreshesAreForWhoTakesThem(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	r := diagnostics.NewRefresher(f.refreshing())
	r.Asked(diagnostics.RefreshCodeLens)
	r.Asked(diagnostics.RefreshInlayHint)
	f.ask(`replace "apple" with "pear" in a.txt`)
	if got := r.Due(); len(got) > 0 {
		t.Errorf("a client that takes no refresh is sent %q", got)
	}
}

// Settings that a client sends only when asked apply, too.
func TestSettingsAreAskedFor(t *testing.T) {
	c := connect(t, lsptest.VSCodeLike(), map[string]string{"a.txt": twoFruits},
		lsptest.WithConfiguration(map[string]any{"redline": map[string]any{"ui": map[string]any{"inlay_hints": true}}}))
	c.plan(`replace "apple" with "pear" in a.txt`)
	all := lsptest.Range{End: lsptest.Position{Line: 100}}
	hints := func() int {
		got, err := c.InlayHints(c.ctx, "a.txt", all)
		c.must(err)
		return len(got)
	}
	if n := hints(); n != 0 {
		t.Errorf("there are %d hints before the settings", n)
	}
	c.must(c.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil}))
	c.await(lsptest.Expect("hints", func(*lsptest.Editor) bool { return hints() == 2 }))
}

// Settings in the initializationOptions apply from the start, with or without their
// section.
func TestSettingsOfInitialize(t *testing.T) {
	ui := map[string]any{"ui": map[string]any{"code_lens": false}}
	for name, options := range map[string]any{"with": map[string]any{"redline": ui}, "without": ui} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, lsptest.VSCodeLike(), map[string]string{"a.txt": twoFruits}, lsptest.WithInitialization(options))
			c.plan(`replace "apple" with "pear" in a.txt`)
			lenses, err := c.CodeLenses(c.ctx, "a.txt")
			c.must(err)
			if len(lenses) != 0 {
				t.Errorf("there are lenses: %v", lenses)
			}
		})
	}
}
