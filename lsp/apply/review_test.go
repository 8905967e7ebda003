package apply_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/state"
	"redline/edits"
)

// Hunks on adjacent lines are separate proposals, and each operation names an existing
// annotation.
func TestAnnotatedEdit(t *testing.T) {
	h := newHarness(t, everything, map[string]string{"f": "a\nb\nc\n"}, "f")
	h.client.answer = func() string { return `{"applied":false}` }
	change := edits.Change{Path: "f", Kind: edits.Rename, NewPath: "g", Base: "a\nb\nc\n", Edits: []edits.Edit{
		{Span: edits.Span{Start: 0, End: 2}, New: "A\n"}, {Span: edits.Span{Start: 2, End: 4}, New: "B\n"},
	}}
	hunks := []state.ProposedHunk{{ID: "h1", Added: 1, Removed: 1}, {ID: "h2", Added: 1, Removed: 1}}
	results, err := h.Review(t.Context(), 7, []state.Proposal{{Change: change, Hunks: hunks}})
	if err != nil || len(results) != 1 || results[0].Status != edits.Refused || len(h.client.edits) != 1 {
		t.Fatalf("%+v, %v, %s", results, err, h.client.edits)
	}
	got := h.client.edits[0]
	text := func(line int, text, id string) string {
		return fmt.Sprintf(`{"range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":0}},"newText":%q,"annotationId":%q}`, line, line+1, text, id)
	}
	uri := h.uri("f")
	want := fmt.Sprintf(`{"documentChanges":[{"textDocument":{"uri":%q,"version":3},"edits":[%s,%s]},`+
		`{"annotationId":"7.1.move","kind":"rename","oldUri":%q,"newUri":"file:///w/g"}],"changeAnnotations":{`+
		`"7.1.edit1":{"label":"Redline plan 7: f","needsConfirmation":true,"description":"h1 +1 −1"},`+
		`"7.1.edit2":{"label":"Redline plan 7: f","needsConfirmation":true,"description":"h2 +1 −1"},`+
		`"7.1.move":{"label":"Redline plan 7: f","needsConfirmation":true,"description":"move the file to g"}}}`,
		uri, text(0, "A\n", "7.1.edit1"), text(1, "B\n", "7.1.edit2"), uri)
	var gotAny, wantAny any
	if json.Unmarshal(got, &gotAny) != nil || json.Unmarshal([]byte(want), &wantAny) != nil {
		t.Fatalf("not JSON: %s\n%s", got, want)
	}
	if diff := cmp.Diff(wantAny, gotAny); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
