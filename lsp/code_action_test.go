package lsp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got, indented and without the parts that differ between runs, with a file
// in testdata.
func golden(t *testing.T, f *fixture, name string, got json.RawMessage) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, got, "", "  "); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(b.String(), f.dir, "/DIR") + "\n"
	text = regexp.MustCompile(`sha256:[0-9a-f]{64}`).ReplaceAllString(text, "sha256:HASH")
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (-want +got)\n%s", file, diff)
	}
}

// titles returns the titles of actions, without their common prefix.
func titles(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	var actions []struct{ Title string }
	if err := json.Unmarshal(raw, &actions); err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, a := range actions {
		rest, ok := strings.CutPrefix(a.Title, "Redline: ")
		if !ok {
			t.Errorf("the title %q does not begin with “Redline: ”", a.Title)
		}
		wantOnPage(t, rest)
		out = append(out, rest)
	}
	return out
}

const twoFruits = "one apple\ntwo\nthree\nfour 😀 apple\nfive\n"

func TestCodeActionsOnAPlan(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits, "b.txt": "an apple\n"})
	f.ask(`replace "apple" with "pear"`)

	golden(t, f, "code_action_hunk", f.actions("a.txt", cursor(3, 2)))
	for name, c := range map[string]struct {
		document string
		at       protocol.Range
		only     []string
		want     []string
	}{
		"beside the hunks": {"a.txt", cursor(1, 0), nil, []string{
			"approve all in this file (plan 1)", "reject all in this file (plan 1)",
			"approve plan 1: replace \"apple\" with \"pear\" (2 files, +3 −3)", "reject plan 1 (2 files, +3 −3)", "rework plan 1", "show plan 1"}},
		"quick fixes only": {"a.txt", cursor(0, 0), []string{"quickfix"}, []string{
			"approve this change (plan 1, h1)", "reject this change (plan 1, h1)"}},
		"over both hunks": {"a.txt", protocol.Range{End: protocol.Position{Line: 4}}, []string{"quickfix"}, []string{
			"approve this change (plan 1, h1)", "reject this change (plan 1, h1)",
			"approve this change (plan 1, h2)", "reject this change (plan 1, h2)"}},
		"source actions": {"a.txt", cursor(0, 0), []string{"source"}, []string{}},
		"another file":   {"c.txt", cursor(0, 0), nil, []string{}},
		"in the preview": {".redline/plans/0001-r1.md", cursor(0, 0), nil, []string{
			"approve plan 1: replace \"apple\" with \"pear\" (2 files, +3 −3)", "reject plan 1 (2 files, +3 −3)", "rework plan 1", "show plan 1"}},
		"outdated preview": {".redline/plans/0001-r9.md", cursor(0, 0), nil, []string{"show plan 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, titles(t, f.actions(c.document, c.at, c.only...))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}

	preview, err := os.ReadFile(filepath.Join(f.dir, ".redline/plans/0001-r1.md"))
	if err != nil {
		t.Fatal(err)
	}
	f.open(".redline/plans/0001-r1.md", string(preview))
	line := strings.Count(strings.Split(string(preview), "### b.txt")[0], "\n")
	got := titles(t, f.actions(".redline/plans/0001-r1.md", cursor(uint32(line)+2, 0)))
	if len(got) == 0 || got[0] != "approve all in b.txt (plan 1)" {
		t.Errorf("in the section of b.txt: %q", got)
	}
}

// Every action on a plan names the revision it was offered for.
func TestCodeActionsNameTheRevision(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	f.open("a.txt", twoFruits)
	f.ask(`replace "apple" with "pear"`)
	hash := f.backend.Snapshot().Plans[0].Revision.Hash
	var actions []struct {
		Title   string
		Command struct {
			Arguments []struct {
				Plan, Revision int
				Hash           string
			}
		}
	}
	if err := json.Unmarshal(f.actions("a.txt", cursor(0, 0)), &actions); err != nil {
		t.Fatal(err)
	}
	for _, a := range actions {
		if got := a.Command.Arguments[0]; got.Plan != 1 || got.Revision != 1 || got.Hash != hash {
			t.Errorf("%s carries %+v", a.Title, got)
		}
	}
}

// A stale hunk cannot be approved; an approval of its file or plan is offered without it.
func TestCodeActionsOnAStaleHunk(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	f.open("a.txt", twoFruits)
	f.ask(`replace "apple" with "pear"`)
	f.change("a.txt", `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":"O"}]`)
	want := []string{
		"reject this change (plan 1, h1)",
		"approve the rest of this file, without 1 stale change (plan 1)", "reject all in this file (plan 1)",
		"approve the rest of plan 1, without 1 stale change (1 file, +1 −1)", "reject plan 1 (1 file, +2 −2)",
		"rework plan 1", "show plan 1",
	}
	if diff := cmp.Diff(want, titles(t, f.actions("a.txt", cursor(0, 0)))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func (f *fixture) change(name, changes string) {
	f.Helper()
	p := changeParams(f.uri(name), changes)
	if err := f.didChange(f.ctx, p); err != nil {
		f.Fatal(err)
	}
}

func TestCodeActionsForRequests(t *testing.T) {
	const code = "package p\n\n// redline: make it faster\n// much faster\nfunc f() {}\n"
	f := newFixture(t, client{}, nil)
	f.open("p.go", code)
	f.open(".redline/chat.md", "## You\n\nhelp me\n")
	problem := `{"range":{"start":{"line":4,"character":5},"end":{"line":4,"character":6}},"severity":1,"source":"compiler","code":"U1","message":"f is unused",` +
		`"codeDescription":{"href":"https://a.example/?of=a%2Fb"},"tags":["new"],"data":{"k":[1]}}` // goes back as it came

	if diff := cmp.Diff([]string{"plan this request"}, titles(t, f.actions("p.go", cursor(3, 4)))); diff != "" {
		t.Errorf("on the comment (-want +got)\n%s", diff)
	}
	selection := protocol.Range{Start: protocol.Position{Line: 4}, End: protocol.Position{Line: 4, Character: 6}}
	if diff := cmp.Diff([]string{"ask about this"}, titles(t, f.actions("p.go", selection))); diff != "" {
		t.Errorf("on a selection (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"send"}, titles(t, f.actions(".redline/chat.md", cursor(0, 0)))); diff != "" {
		t.Errorf("in the chat file (-want +got)\n%s", diff)
	}

	got := f.actionsFor("p.go", cursor(4, 5), []jsontext.Value{
		jsontext.Value(problem), jsontext.Value(problem), // Helix has some twice after a server restart
		jsontext.Value(`{"source":"redline","message":"x","range":{}}`), jsontext.Value(`"what"`),
	})
	golden(t, f, "code_action_fix", got)
}

// No optional member is null, at any depth, those of the client's own problems included: Neovim 0.12 decodes null to a value that counts
// as true.
func TestCodeActionsHoldNoNull(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	f.ask(`replace "apple" with "pear"`)
	problem := jsontext.Value(`{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":1}},"severity":null,"code":null,"codeDescription":null,` +
		`"source":null,"message":"two is odd","tags":null,"relatedInformation":null,"data":null}`)
	fix := f.actionsFor("a.txt", cursor(1, 0), []jsontext.Value{problem})
	if !bytes.Contains(fix, []byte(`{"message":"two is odd","range":{`)) {
		t.Errorf("the problem is not in %s", fix)
	}
	for _, raw := range []json.RawMessage{f.actions("a.txt", cursor(0, 0)), f.actions("nothing.txt", cursor(0, 0)), fix} {
		if bytes.Contains(raw, []byte("null")) {
			t.Errorf("there is a null in %s", raw)
		}
	}
}
