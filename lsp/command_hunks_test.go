package lsp

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/state"
	"redline/lsp/command"
)

func (f *fixture) hunksOf(name string) []command.DocumentHunk {
	f.Helper()
	var args command.HunksArgs
	args.TextDocument.URI = string(f.uri(name))
	run, err := f.commands.Hunks(args)
	if err != nil {
		f.Fatal(err)
	}
	result, err := run(f.ctx)
	if err != nil {
		f.Fatal(err)
	}
	return result.(command.DocumentHunks).Hunks
}

func TestHunksOfADocument(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits, "b.txt": "nothing\n"})
	f.ask(`replace "apple" with "pear*" in a.txt`)
	got := f.hunksOf("a.txt")
	revision := f.backend.Snapshot().Plans[0].Revision
	want := command.DocumentHunk{
		Plan: 1, Revision: 1, Hash: revision.Hash, Path: "a.txt", Hunk: "h1", Status: "pending", Action: "update",
		Range:   state.NewRange(state.Position{}, state.Position{Line: 1}),
		OldText: "one apple\n", NewText: "one pear*\n", Match: "exact",
		Rows: []state.Row{{Kind: "edited", Old: new(0), New: new(0), Changes: [][4]int{{4, 9, 4, 9}}}},
	}
	if len(got) != 2 {
		t.Fatalf("there are %d hunks, want 2", len(got))
	}
	if diff := cmp.Diff(want, got[0], cmp.AllowUnexported(state.Range{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if none := f.hunksOf("b.txt"); len(none) != 0 {
		t.Errorf("a file that the plan does not touch has the hunks %v", none)
	}
	raw, err := json.Marshal(command.DocumentHunks{Hunks: f.hunksOf("b.txt")})
	if err != nil || string(raw) != `{"hunks":[]}` {
		t.Errorf("no hunks are %s, %v", raw, err)
	}
}

// Ranges refer to the text that the client had when it asked, even if the hunk is stale in
// it.
func TestHunksFollowTyping(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	f.ask(`replace "apple" with "pear" in a.txt`)
	f.open("a.txt", "new\none crab apple\n"+twoFruits[len("one apple\n"):])
	got := f.hunksOf("a.txt")
	if got[0].Status != "stale" || got[0].Reason == "" || got[0].Rows != nil {
		t.Errorf("the hunk whose line was changed is %s (%s) with the rows %v", got[0].Status, got[0].Reason, got[0].Rows)
	}
	if got[1].Status != "pending" || got[1].Range.Start.Line != 4 {
		t.Errorf("the other hunk is %s at line %d, want pending at 4", got[1].Status, got[1].Range.Start.Line)
	}
}

func TestHunksNeedADocument(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	if _, err := f.commands.Hunks(command.HunksArgs{}); err == nil {
		t.Error("no document is no error")
	}
}
