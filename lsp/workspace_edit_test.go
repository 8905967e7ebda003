package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"redline/edits"
	"redline/lsp/position"
	"redline/workspace"
)

// newApplier returns an applier for a client over a workspace with the given
// files, some of which are open.
func newApplier(t *testing.T, c client, files map[string]string, open ...string) (*applier, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := workspace.New([]workspace.Folder{{URI: "file:///w", Dir: dir}}, workspace.Options{})
	for _, name := range open {
		w.Open("file://"+dir+"/"+name, "text", 3, files[name])
	}
	return &applier{workspace: w, disk: workspace.NewDisk(w), mapper: position.Mapper{Encoding: c.encoding}, client: c, timeouts: Timeouts{}.withDefaults(), damaged: &damaged{}}, dir
}

// The edit as the client gets it, byte by byte: a version that is null is
// there, kinds are set, and optional members that are not needed are not there.
func TestWorkspaceEdit(t *testing.T) {
	documents := client{documentChanges: true, create: true, rename: true, remove: true}
	const text = "a\n😀b\nc\n"
	replace := edits.Change{Path: "f", Base: text, Edits: []edits.Edit{{Span: edits.Span{Start: 6, End: 7}, New: "B"}}}
	for name, c := range map[string]struct {
		client client
		open   []string
		change edits.Change
		want   string
	}{
		"an open file": {documents, []string{"f"}, replace,
			`{"documentChanges":[{"textDocument":{"uri":"file://DIR/f","version":3},"edits":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"newText":"B"}]}]}`},
		"a file that is not open": {documents, nil, replace,
			`{"documentChanges":[{"textDocument":{"uri":"file:///w/f","version":null},"edits":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"newText":"B"}]}]}`},
		"utf-8": {client{documentChanges: true, encoding: edits.UTF8}, nil, replace,
			`{"documentChanges":[{"textDocument":{"uri":"file:///w/f","version":null},"edits":[{"range":{"start":{"line":1,"character":4},"end":{"line":1,"character":5}},"newText":"B"}]}]}`},
		"changes only": {client{}, []string{"f"}, replace,
			`{"changes":{"file://DIR/f":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"newText":"B"}]}}`},
		"adjacent lines": {client{}, nil, edits.Change{Path: "f", Base: text, Edits: []edits.Edit{
			{Span: edits.Span{Start: 0, End: 2}, New: "A\n"}, {Span: edits.Span{Start: 2, End: 2}, New: "new\n"}, {Span: edits.Span{Start: 2, End: 8}}}},
			`{"changes":{"file:///w/f":[{"range":{"start":{"line":0,"character":0},"end":{"line":2,"character":0}},"newText":"A\nnew\n"}]}}`},
		"a new file": {documents, nil, edits.Change{Path: "d/new", Kind: edits.Create, Text: "x\n"},
			`{"documentChanges":[{"kind":"create","uri":"file:///w/d/new","options":{"ignoreIfExists":true}},` +
				`{"textDocument":{"uri":"file:///w/d/new","version":null},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"x\n"}]}]}`},
		"a new empty file": {documents, nil, edits.Change{Path: "new", Kind: edits.Create},
			`{"documentChanges":[{"kind":"create","uri":"file:///w/new","options":{"ignoreIfExists":true}}]}`},
		"a deleted file": {documents, nil, edits.Change{Path: "f", Kind: edits.Delete, Base: text},
			`{"documentChanges":[{"kind":"delete","uri":"file:///w/f"}]}`},
		"a moved and edited file": {documents, []string{"f"}, edits.Change{Path: "f", Kind: edits.Rename, NewPath: "g", Base: text, Edits: replace.Edits},
			`{"documentChanges":[{"textDocument":{"uri":"file://DIR/f","version":3},"edits":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"newText":"B"}]},` +
				`{"kind":"rename","oldUri":"file://DIR/f","newUri":"file:///w/g"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			a, dir := newApplier(t, c.client, map[string]string{"f": text}, c.open...)
			s := a.prepare(c.change)
			if s.settled {
				t.Fatalf("refused: %s", s.result.Reason)
			}
			got, err := protocol.Marshal(a.workspaceEdit([]*sending{s}))
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.ReplaceAll(c.want, "DIR", dir); string(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// What must not be sent is refused before anything is.
func TestPrepareRefuses(t *testing.T) {
	all := client{documentChanges: true, create: true, rename: true, remove: true}
	files := map[string]string{"f": "a\nb\n", "g": "g\n"}
	for name, c := range map[string]edits.Change{
		"creation over a file":          {Path: "f", Kind: edits.Create, Text: "x"},
		"a move over a file":            {Path: "f", Kind: edits.Rename, NewPath: "g", Base: "a\nb\n"},
		"a file that is gone":           {Path: "no", Base: "a\n", Edits: []edits.Edit{{New: "x\n"}}},
		"deletion of a changed file":    {Path: "f", Kind: edits.Delete, Base: "a\n"},
		"an edit whose lines are gone":  {Path: "f", Base: "a\nz\n", Edits: []edits.Edit{{Span: edits.Span{Start: 2, End: 4}, New: "y\n"}}},
		"a path outside the workspace":  {Path: "../f", Kind: edits.Create, Text: "x"},
		"a path in the repository data": {Path: ".git/config", Kind: edits.Create, Text: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := newApplier(t, all, files)
			s := a.prepare(c)
			if !s.settled || s.result.Status != edits.Refused || s.result.Reason == "" {
				t.Errorf("not refused: %+v", s.result)
			}
		})
	}
}

func TestReadAnswer(t *testing.T) {
	for raw, want := range map[string]verdict{
		`{"applied":true}`:                      accepted,
		`{"applied":false}`:                     refused,
		`{"applied":false,"failureReason":"x"}`: refused,
		`{"applied":null}`:                      accepted,
		`{"applied":null,"failureReason":"decision to apply manually"}`: refused,
		`{}`:              accepted,
		`null`:            accepted,
		`"what"`:          accepted,
		`{"applied":"t"}`: accepted,
		`{"applied":true,"failureReason":"ignored"}`: accepted,
	} {
		if got := readAnswer([]byte(raw)); got.verdict != want || (want == refused) != (got.reason != "") {
			t.Errorf("%s: got %+v, want %v", raw, got, want)
		}
	}
}
