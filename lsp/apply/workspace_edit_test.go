package apply_test

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"redline/edits"
	"redline/lsp/apply"
	"redline/lsp/position"
)

// The edit as the client gets it, byte by byte: a null version is present, kinds are set,
// and optional members that are not needed are absent.
func TestWorkspaceEdit(t *testing.T) {
	const text = "a\n😀b\nc\n"
	replace := edits.Change{Path: "f", Base: text, Edits: []edits.Edit{{Span: edits.Span{Start: 6, End: 7}, New: "B"}}}
	for name, c := range map[string]struct {
		client apply.Client
		open   []string
		change edits.Change
		want   string
	}{
		"an open file": {everything, []string{"f"}, replace,
			`{"documentChanges":[{"textDocument":{"uri":"file://DIR/f","version":3},"edits":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"newText":"B"}]}]}`},
		"a file that is not open": {everything, nil, replace,
			`{"documentChanges":[{"textDocument":{"uri":"file:///w/f","version":null},"edits":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"newText":"B"}]}]}`},
		"utf-8": {apply.Client{DocumentChanges: true}, nil, replace,
			`{"documentChanges":[{"textDocument":{"uri":"file:///w/f","version":null},"edits":[{"range":{"start":{"line":1,"character":4},"end":{"line":1,"character":5}},"newText":"B"}]}]}`},
		"changes only": {apply.Client{}, []string{"f"}, replace,
			`{"changes":{"file://DIR/f":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"newText":"B"}]}}`},
		"adjacent lines": {apply.Client{}, nil, edits.Change{Path: "f", Base: text, Edits: []edits.Edit{
			{Span: edits.Span{Start: 0, End: 2}, New: "A\n"}, {Span: edits.Span{Start: 2, End: 2}, New: "new\n"}, {Span: edits.Span{Start: 2, End: 8}}}},
			`{"changes":{"file:///w/f":[{"range":{"start":{"line":0,"character":0},"end":{"line":2,"character":0}},"newText":"A\nnew\n"}]}}`},
		"the last line": {apply.Client{}, nil, edits.Change{Path: "f", Base: text, Edits: []edits.Edit{{Span: edits.Span{Start: 8, End: 10}, New: "C\n"}}},
			`{"changes":{"file:///w/f":[{"range":{"start":{"line":2,"character":0},"end":{"line":2,"character":1}},"newText":"C"}]}}`},
		"behind the last line": {apply.Client{}, nil, edits.Change{Path: "f", Base: text, Edits: []edits.Edit{{Span: edits.Span{Start: 10, End: 10}, New: "d\ne\n"}}},
			`{"changes":{"file:///w/f":[{"range":{"start":{"line":2,"character":1},"end":{"line":2,"character":1}},"newText":"\nd\ne"}]}}`},
		"the last line and behind it": {apply.Client{}, nil, edits.Change{Path: "f", Base: text, Edits: []edits.Edit{
			{Span: edits.Span{Start: 8, End: 10}, New: "C\n"}, {Span: edits.Span{Start: 10, End: 10}, New: "d\n"}}},
			`{"changes":{"file:///w/f":[{"range":{"start":{"line":2,"character":0},"end":{"line":2,"character":1}},"newText":"C\nd"}]}}`},
		"without the last line end": {apply.Client{}, nil, edits.Change{Path: "f", Base: text, Edits: []edits.Edit{{Span: edits.Span{Start: 8, End: 10}, New: "C"}}},
			`{"changes":{"file:///w/f":[{"range":{"start":{"line":2,"character":0},"end":{"line":3,"character":0}},"newText":"C"}]}}`},
		"a new file": {everything, nil, edits.Change{Path: "d/new", Kind: edits.Create, Text: "x\n"},
			`{"documentChanges":[{"kind":"create","uri":"file:///w/d/new","options":{"ignoreIfExists":true}},` +
				`{"textDocument":{"uri":"file:///w/d/new","version":null},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"x\n"}]}]}`},
		"a new empty file": {everything, nil, edits.Change{Path: "new", Kind: edits.Create},
			`{"documentChanges":[{"kind":"create","uri":"file:///w/new","options":{"ignoreIfExists":true}}]}`},
		"a deleted file": {everything, nil, edits.Change{Path: "f", Kind: edits.Delete, Base: text},
			`{"documentChanges":[{"kind":"delete","uri":"file:///w/f"}]}`},
		"a moved and edited file": {everything, []string{"f"}, edits.Change{Path: "f", Kind: edits.Rename, NewPath: "g", Base: text, Edits: replace.Edits},
			`{"documentChanges":[{"textDocument":{"uri":"file://DIR/f","version":3},"edits":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"newText":"B"}]},` +
				`{"kind":"rename","oldUri":"file://DIR/f","newUri":"file:///w/g"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			positions := position.Mapper{}
			if name == "utf-8" {
				positions.Encoding = edits.UTF8
			}
			h := newHarnessIn(t, positions, c.client, map[string]string{"f": text}, c.open...)
			edit, omitted := h.Preview([]edits.Change{c.change})
			if len(omitted) > 0 {
				t.Fatalf("left out: %+v", omitted)
			}
			got, err := protocol.Marshal(edit)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.ReplaceAll(c.want, "DIR", h.dir); string(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
