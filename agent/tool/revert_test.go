package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"redline/agent/tool"
	"redline/edits"
)

// reverts makes the tool revert changes, and returns its answer.
func (b *bench) reverts(t *testing.T, stays []string, changes ...edits.Change) tool.Result {
	t.Helper()
	revert := tool.Revert(func(context.Context, int, string, string) (back []tool.Reversal, _ []string, _ error) {
		for _, c := range changes {
			back = append(back, tool.Reversal{Change: c})
		}
		return back, stays, nil
	})
	return revert.Run(t.Context(), b.env, json.RawMessage(`{"plan":1}`))
}

// An update is reverted exactly, wherever its text is in the file, and staged as edits that can be
// staged again.
func TestRevertIsExact(t *testing.T) {
	const rest = "// ... existing code ..."
	for _, test := range []struct{ name, now, before string }{
		{"one of several places", "x\na\nx\nb\nx\n", "x\na\ny\nb\nx\n"},
		{"lines that were taken out", "a\nb\n", "a\nmore\nlines\nb\n"},
		{"lines that were added", "a\nmore\na\nb\n", "a\nb\n"},
		{"the same lines over and over", strings.Repeat("x\n", 40), strings.Repeat("x\n", 20) + "y\n" + strings.Repeat("x\n", 20)},
		{"the last line end", "a\nb\n", "a\nb"},
		{"no last line end", "a\nb", "a\nb\n"},
		{"an empty file", "", "a\nb\n"},
		{"a file that becomes empty", "a\nb\n", ""},
		{"line ends of two kinds", "a\r\nb\nc\r\n", "a\nb\r\nc\r\n"},
		{"a line that stands for others elsewhere", "a\nb\n", "a\n" + rest + "\nb\n"},
		{"many hunks", "1\na\n2\na\n3\na\n", "one\na\ntwo\na\nthree\na\n"},
		{"characters of Unicode", "“a”\u00a0b\n", "\"a\" b\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f.go": test.now})
			r := b.reverts(t, nil, edits.Change{Path: "f.go", Base: test.now, Edits: edits.EditsOf(edits.Diff(test.now, test.before))})
			got, exists, err := b.env.Draft.Read("f.go")
			if err != nil || !exists {
				t.Fatal(exists, err)
			}
			if strings.Contains(test.before, rest) { // no tool can write it, and nothing else is written
				if got != test.now || !strings.Contains(r.Text, "error: not staged: f.go: it cannot be staged exactly as it was") {
					t.Errorf("got %q: %s", got, r.Text)
				}
				return
			}
			if got != test.before || r.IsError {
				t.Errorf("got %q, want %q: %s", got, test.before, r.Text)
			}
		})
	}
}

// A change that cannot be staged is named together with those that can, and leaves nothing half
// staged.
func TestRevertInPart(t *testing.T) {
	b := newBench(t, map[string]string{"a": "1\n", "b": "2\n", "to": "x\n", "from": "in the way\n"})
	r := b.reverts(t, []string{"h7"},
		edits.Change{Path: "a", Base: "1\n", Edits: []edits.Edit{{Span: edits.Span{End: 1}, New: "one"}}},
		edits.Change{Path: "gone", Base: "1\n", Edits: []edits.Edit{{Span: edits.Span{End: 1}, New: "one"}}},
		edits.Change{Path: "b", Kind: edits.Create, Text: "other\n"},
		edits.Change{Path: "to", Kind: edits.Rename, NewPath: "from", Base: "x\n", Edits: []edits.Edit{{Span: edits.Span{End: 1}, New: "y"}}},
		edits.Change{Path: "none", Kind: edits.Delete},
	)
	want := "staged: a line 1\nnothing to do: none is as it was before already\nnot staged: gone: it is not there any more\n" +
		"not staged: b: a file of this name is there now; change it with edit_file\n" +
		"not staged: to: from exists already; delete it first or choose another name\n" +
		"not staged: h7, whose text was changed since it was applied; read it, and take it back with edit_file"
	if r.Text != want || r.Refused != 4 || len(r.Staged) != 1 {
		t.Errorf("got %d refused, %d staged\n%s\nwant\n%s", r.Refused, len(r.Staged), r.Text, want)
	}
	if text, exists, _ := b.env.Draft.Read("to"); text != "x\n" || !exists || len(b.env.Draft.Operations()) != 1 {
		t.Errorf("to is %q, %v; staged is %+v", text, exists, b.env.Draft.Operations())
	}
}

// An error of the record is returned to the model as an answer.
func TestRevertOfNothing(t *testing.T) {
	b := newBench(t, nil)
	revert := tool.Revert(func(context.Context, int, string, string) ([]tool.Reversal, []string, error) {
		return nil, nil, errors.New("nothing of plan 3 is applied")
	})
	if r := revert.Run(t.Context(), b.env, json.RawMessage(`{"plan":3}`)); r.Text != "error: nothing of plan 3 is applied" || !r.IsError || r.Summary != "take back plan 3 refused: nothing of plan 3 is applied" {
		t.Errorf("got %+v", r)
	}
}
