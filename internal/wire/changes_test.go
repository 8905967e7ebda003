package wire

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

func TestDecodeContentChanges(t *testing.T) {
	at := func(l1, c1, l2, c2 int64) Range { return Range{Position{l1, c1}, Position{l2, c2}} }
	tests := []struct {
		name, raw string
		want      []ContentChange // nil: an error
	}{
		{"whole", `[{"text":"a\r\n😀\u0000"}]`, []ContentChange{{Text: "a\r\n😀\x00"}}},
		{"empty text", `[{"text":""}]`, []ContentChange{{}}},
		{"none", `[]`, []ContentChange{}},
		{
			"range", `[{"range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}},"rangeLength":5,"text":"x"},{"text":"y"}]`,
			[]ContentChange{{true, at(1, 2, 3, 4), "x"}, {Text: "y"}},
		},
		{
			"largest", `[{"range":{"start":{"line":0,"character":0},"end":{"line":2147483647,"character":2147483647}},"text":""}]`,
			[]ContentChange{{true, at(0, 0, 2147483647, 2147483647), ""}},
		},
		{"invalid UTF-8", "[{\"text\":\"a\xffb\"}]", []ContentChange{{Text: "a\uFFFDb"}}},
		{"unknown members", `[{"text":"a","flags":{"x":1}}]`, []ContentChange{{Text: "a"}}},
		{"missing", ``, nil},
		{"null", `null`, nil},
		{"object", `{"text":"a"}`, nil},
		{"null change", `[null]`, nil},
		{"no text", `[{"range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}}}]`, nil},
		{"text null", `[{"text":null}]`, nil},
		{"text a number", `[{"text":1}]`, nil},
		{"range null", `[{"range":null,"text":"x"}]`, nil},
		{"range an array", `[{"range":[0,0,0,0],"text":"x"}]`, nil},
		{"range empty", `[{"range":{},"text":"x"}]`, nil},
		{"end missing", `[{"range":{"start":{"line":1,"character":2}},"text":"x"}]`, nil},
		{"end null", `[{"range":{"start":{"line":1,"character":2},"end":null},"text":"x"}]`, nil},
		{"line missing", `[{"range":{"start":{"character":2},"end":{"line":3,"character":4}},"text":"x"}]`, nil},
		{"line null", `[{"range":{"start":{"line":null,"character":2},"end":{"line":3,"character":4}},"text":"x"}]`, nil},
		{"line negative", `[{"range":{"start":{"line":-1,"character":2},"end":{"line":3,"character":4}},"text":"x"}]`, nil},
		{"line 2^31", `[{"range":{"start":{"line":0,"character":2},"end":{"line":2147483648,"character":4}},"text":"x"}]`, nil},
		{"line 2^32", `[{"range":{"start":{"line":4294967296,"character":2},"end":{"line":4294967296,"character":4}},"text":"x"}]`, nil},
		{"line 2^64", `[{"range":{"start":{"line":18446744073709551616,"character":2},"end":{"line":3,"character":4}},"text":"x"}]`, nil},
		{"line fractional", `[{"range":{"start":{"line":1.5,"character":2},"end":{"line":3,"character":4}},"text":"x"}]`, nil},
		{"line with exponent", `[{"range":{"start":{"line":1e0,"character":2},"end":{"line":3,"character":4}},"text":"x"}]`, nil},
		{"line a string", `[{"range":{"start":{"line":"1","character":2},"end":{"line":3,"character":4}},"text":"x"}]`, nil},
		{"character negative", `[{"range":{"start":{"line":1,"character":-2},"end":{"line":3,"character":4}},"text":"x"}]`, nil},
		{"second change bad", `[{"text":"good"},{"range":null,"text":"bad"}]`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := DecodeContentChanges(json.RawMessage(tt.raw))
			if tt.want == nil {
				if err == nil {
					t.Fatalf("got %+v, want an error", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestDidChangeParams keeps the client's spelling of a URI and the changes unread.
func TestDidChangeParams(t *testing.T) {
	p, err := decode[DidChangeParams]("textDocument/didChange", []byte(
		`{"textDocument":{"uri":"file:///C%3a/%7Eme/a b.go","version":7},"contentChanges":[{"range":null,"text":"x"}],"more":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if p.TextDocument.URI != "file:///C%3a/%7Eme/a b.go" || p.TextDocument.Version != 7 || string(p.ContentChanges) != `[{"range":null,"text":"x"}]` {
		t.Errorf("got %+v", p)
	}
}

// FuzzDecodeContentChanges: for any input, a change without a range had none, and numbers are in
// bounds.
func FuzzDecodeContentChanges(f *testing.F) {
	f.Add([]byte(`[{"range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}},"rangeLength":5,"text":"x"},{"text":"y"}]`))
	f.Add([]byte(`[{"range":null,"text":"x"}]`))
	f.Add([]byte(`[{"range":{"start":{"line":-1,"character":4294967296},"end":{"line":3,"character":4}},"text":"x"}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		changes, err := DecodeContentChanges(raw)
		if err != nil {
			return
		}
		for _, c := range changes {
			for _, n := range []int64{c.Range.Start.Line, c.Range.Start.Character, c.Range.End.Line, c.Range.End.Character} {
				if n < 0 || n > 1<<31-1 {
					t.Errorf("%d is out of bounds in %+v", n, c)
				}
			}
			if !c.HasRange && c.Range != (Range{}) {
				t.Errorf("a range is there and is not: %+v", c)
			}
		}
	})
}

func TestDecodeLenient(t *testing.T) {
	tests := []struct {
		name, raw string
		dropped   []string
		check     func(*protocol.InitializeParams) bool
	}{
		{"good", `{"processId":1,"rootUri":null,"capabilities":{"workspace":{"applyEdit":true}}}`, nil, applyEdit},
		{
			"a list for a capability", `{"processId":1,"rootUri":null,"capabilities":{"workspace":{"applyEdit":true,"workspaceEdit":[]}}}`,
			[]string{"capabilities.workspace.workspaceEdit"}, applyEdit,
		},
		{
			"two of them", `{"processId":"x","rootUri":null,"capabilities":{"textDocument":[],"workspace":{"applyEdit":true,"codeLens":{"refreshSupport":"yes"}}}}`,
			[]string{"capabilities.textDocument", "capabilities.workspace.codeLens.refreshSupport", "processId"}, applyEdit,
		},
		{"capabilities a list", `{"processId":1,"rootUri":null,"capabilities":[]}`, []string{"capabilities"}, nil},
		{"capabilities null", `{"processId":1,"rootUri":null,"capabilities":null}`, nil, nil},
		{"empty", `{}`, nil, nil},
		{"odd names", `{"capabilities":{"workspace":{"applyEdit":true,"\"\u0000":1}},"rootUri":7}`, []string{"rootUri"}, applyEdit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, dropped, err := DecodeLenient[protocol.InitializeParams](json.RawMessage(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.dropped, dropped); d != "" {
				t.Error(d)
			}
			if tt.check != nil && !tt.check(p) {
				t.Errorf("what was good is lost: %+v", p.Capabilities.Workspace)
			}
		})
	}
	for _, raw := range []string{``, `7`, `[]`, `"x"`} {
		if _, _, err := DecodeLenient[protocol.InitializeParams](json.RawMessage(raw)); err == nil {
			t.Errorf("%q was accepted", raw)
		}
	}
}

func applyEdit(p *protocol.InitializeParams) bool {
	raw, err := protocol.Marshal(p.Capabilities.Workspace)
	var w struct{ ApplyEdit bool }
	return err == nil && json.Unmarshal(raw, &w) == nil && w.ApplyEdit
}
