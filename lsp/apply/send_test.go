package apply_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/edits"
)

// Only a plain no, or a reason, is a refusal: several clients answer incorrectly but have
// made the change, or will.
func TestAnswers(t *testing.T) {
	const says = "The editor says that it changed f"
	for raw, want := range map[string]string{
		`{"applied":true}`:                      says,
		`{"applied":false}`:                     "gave no reason",
		`{"applied":false,"failureReason":"x"}`: "did not make the change: x.",
		`{"applied":null}`:                      says,
		`{"applied":null,"failureReason":"decision to apply manually"}`: "did not make the change: decision to apply manually.",
		`{}`:              says,
		`null`:            says,
		`"what"`:          says,
		`{"applied":"t"}`: says,
		`{"applied":true,"failureReason":"ignored"}`: says,
	} {
		h := newHarness(t, everything, map[string]string{"f": "a\n"}, "f")
		h.client.answer = func() string { return raw }
		results, err := h.Apply(t.Context(), []edits.Change{{Path: "f", Base: "a\n", Edits: []edits.Edit{{Span: edits.Span{End: 1}, New: "b"}}}}, nil)
		if err != nil || len(results) != 1 || results[0].Status != edits.Refused || !strings.Contains(results[0].Reason, want) {
			t.Errorf("%s: got %+v, %v, want %q", raw, results, err, want)
		}
	}
}

// A deletion that empties the buffer and then fails leaves the text.
func TestHalfADeletion(t *testing.T) {
	for name, x := range map[string]struct {
		makes  func(h *harness) // what the client does before it refuses
		status edits.Status
		reason string
	}{
		"nothing":             {func(*harness) {}, edits.Refused, "no."},
		"empties":             {func(h *harness) { h.open("d", 2, "") }, edits.Half, "was emptied, but not deleted"},
		"empties and deletes": {func(h *harness) { h.open("d", 2, ""); os.Remove(filepath.Join(h.dir, "d")) }, edits.Done, ""},
		"deletes":             {func(h *harness) { os.Remove(filepath.Join(h.dir, "d")) }, edits.Refused, "no."},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, everything, map[string]string{"d": ""})
			h.open("d", 1, "hello")
			h.client.answer = func() string {
				x.makes(h)
				x.makes = func(*harness) {}
				return `{"applied":false,"failureReason":"no"}`
			}
			results, err := h.Apply(t.Context(), []edits.Change{{Path: "d", Kind: edits.Delete, Base: "hello"}}, nil)
			if err != nil || len(results) != 1 || results[0].Status != x.status || !strings.Contains(results[0].Reason, x.reason) {
				t.Errorf("got %+v, %v, want %v %q", results, err, x.status, x.reason)
			}
			if first := string(h.client.edits[0]); !strings.Contains(first, `"newText":""`) || !strings.Contains(first, `"kind":"delete"`) {
				t.Errorf("an unsaved text is emptied, then deleted: %s", first)
			}
		})
	}
}
