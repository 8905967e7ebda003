package lsp

import (
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"

	"redline/lsp/codeaction"
)

// Kate runs whatever it gets for a Quick Fix, so it gets only the preferred action for the
// change at the cursor.
func TestQuickFixIsOneAction(t *testing.T) {
	all := protocol.Range{End: protocol.Position{Line: 5}}
	change := func(line int, code string) string {
		at := protocol.Range{Start: protocol.Position{Line: uint32(line)}, End: protocol.Position{Line: uint32(line) + 1}}
		raw, err := json.Marshal(map[string]any{"range": at, "source": "redline", "code": code, "message": "plan 1"})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	first, second := change(0, "1.h1"), change(3, "1.h2")
	linter := `{"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}},"source":"lint","message":"no"}`

	for name, c := range map[string]struct {
		client   client
		at       protocol.Range
		problems []string
		want     []string // nil: the whole menu
	}{
		"the first change":              {client{actions: codeaction.Client{Wholesale: true}}, all, []string{first}, []string{"approve this change (plan 1, h1)"}},
		"the second":                    {client{actions: codeaction.Client{Wholesale: true}}, all, []string{second}, []string{"approve this change (plan 1, h2)"}},
		"one that is there no more":     {client{actions: codeaction.Client{Wholesale: true}}, all, []string{change(3, "1.h9")}, []string{}},
		"the menu":                      {client{actions: codeaction.Client{Wholesale: true}}, all, nil, nil},
		"a part of the text":            {client{actions: codeaction.Client{Wholesale: true}}, cursor(3, 2), []string{second}, nil},
		"several problems":              {client{actions: codeaction.Client{Wholesale: true}}, all, []string{first, second}, nil},
		"a problem of another server":   {client{actions: codeaction.Client{Wholesale: true}}, all, []string{linter}, nil},
		"a client that shows its menus": {client{}, all, []string{first}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, c.client, map[string]string{"a.txt": twoFruits, "b.txt": "an apple\n"})
			f.open("a.txt", twoFruits)
			f.ask(`replace "apple" with "pear"`)
			var problems []jsontext.Value
			for _, problem := range c.problems {
				problems = append(problems, jsontext.Value(problem))
			}
			got := titles(t, f.actionsFor("a.txt", c.at, problems))
			if c.want == nil {
				if len(got) < 5 {
					t.Errorf("there is only %q", got)
				}
			} else if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
