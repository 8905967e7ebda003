package lsp

import (
	"slices"
	"testing"

	"go.lsp.dev/protocol"

	"redline/lsp/command"
	"redline/lsp/location"
	"redline/lsp/lsptest"
	"redline/lsp/refresh"
)

// A client is asked to refresh lenses and hints when there is something else to decide, not
// for each typed character.
func TestRefreshesAreForWhatIsDecided(t *testing.T) {
	f := newFixture(t, client{refresh: refresh.Client{CodeLens: true, InlayHint: true}}, map[string]string{"a.txt": twoFruits})
	f.open("a.txt", twoFruits)
	r := refresh.New(f.refreshing()) // its Run is not called
	look := func(when string, want ...string) {
		t.Helper()
		if got := r.Due(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	look("at the start")
	r.Asked(refresh.CodeLens)
	look("nothing to show")
	f.ask(`replace "apple" with "pear" in a.txt`)
	look("a plan", refresh.CodeLens)
	look("the same plan")
	f.change("a.txt", `[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":0}},"text":"typed\n"}]`)
	look("the hunks have moved")
	f.change("a.txt", `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":"x"}]`)
	look("one is stale", refresh.CodeLens)
	f.settings.take([]byte(`{"ui":{"code_lens":false,"inlay_hints":true}}`))
	look("they are not wanted any more", refresh.CodeLens)
	r.Asked(refresh.InlayHint)
	f.shownOnce(1, 1)
	if _, err := f.run(command.Reject, map[string]any{"plan": 1}); err != nil {
		t.Fatal(err)
	}
	look("all is decided", refresh.InlayHint)
}

// A client that pulls diagnostics is asked to refresh them when they change, not for each
// typed character in a file that it shows.
func TestRefreshesOfDiagnostics(t *testing.T) {
	f := newFixture(t, client{pull: true, refresh: refresh.Client{Diagnostic: true}}, map[string]string{"a.txt": twoFruits, "b.txt": "apple\n"})
	f.open("a.txt", twoFruits)
	r := refresh.New(f.refreshing()) // its Run is not called
	look := func(when string, want ...string) {
		t.Helper()
		if got := r.Due(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	r.Asked(refresh.Diagnostic)
	look("nothing to show")
	f.ask(`replace "apple" with "pear"`)
	look("a plan", refresh.Diagnostic)
	look("the same plan")
	f.change("a.txt", `[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":0}},"text":"typed\n"}]`)
	look("the hunks have moved")
	f.change("a.txt", `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":"x"}]`)
	look("one is stale", refresh.Diagnostic)
	f.open("b.txt", "an orange\napple\n")
	f.didClose(f.ctx, &documentParams{location.TextDocument{URI: f.uri("b.txt")}})
	look("opened and closed again")
	f.diagnostics.Note(f.uri("a.txt"), []protocol.Diagnostic{{}}, func() bool { return true })
	look("something is noted", refresh.Diagnostic)
	f.shownOnce(1, 1)
	if _, err := f.run(command.Reject, map[string]any{"plan": 1}); err != nil {
		t.Fatal(err)
	}
	look("all is decided", refresh.Diagnostic)
	f.diagnostics.Unnote(f.uri("a.txt"))
	look("the note is gone", refresh.Diagnostic)
}

// A client gets only the refreshes that it announces.
func TestRefreshesAreForWhoTakesThem(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	r := refresh.New(f.refreshing())
	r.Asked(refresh.CodeLens)
	r.Asked(refresh.InlayHint)
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
