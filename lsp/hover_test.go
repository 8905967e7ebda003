package lsp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"

	"redline/lsp/diagnostics"
	"redline/lsp/position"
)

func (f *fixture) hoverAt(name string, line uint32) *protocol.Hover {
	f.Helper()
	run, err := f.hover(f.ctx, &positionParams{TextDocument: position.TextDocument{URI: f.uri(name)}, Position: protocol.Position{Line: line}})
	if err != nil {
		f.Fatal(err)
	}
	result, err := run(f.ctx)
	if err != nil {
		f.Fatal(err)
	}
	h, _ := result.(*protocol.Hover)
	return h
}

func TestHover(t *testing.T) {
	const message = `replace "apple" with "pear*" in a.txt`
	const markdown = "**Redline plan 1, change 1 of 2: replace 1 line with 1 (match: exact)**\n\n" +
		"```diff\n-one apple\n+one pear*\n```\n\n" + `replace "apple" with "pear\*" in a.txt`
	const plain = "Redline plan 1, change 1 of 2: replace 1 line with 1 (match: exact)\n" +
		"-one apple\n+one pear*\n\n" + message + "\n"
	for name, c := range map[string]struct {
		client client
		want   protocol.MarkupContent
	}{
		"markdown":   {client{markdown: true}, protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: markdown}},
		"plain text": {client{}, protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: plain}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, c.client, map[string]string{"a.txt": twoFruits})
			f.ask(message)
			h := f.hoverAt("a.txt", 0)
			if h == nil {
				t.Fatal("there is no hover on the hunk")
			}
			if diff := cmp.Diff(&c.want, h.Contents); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if want := (protocol.Range{End: protocol.Position{Line: 1}}); *h.Range != want {
				t.Errorf("the range is %v, want %v", *h.Range, want)
			}
			if h := f.hoverAt("a.txt", 1); h != nil {
				t.Errorf("there is a hover beside the hunks: %v", h.Contents)
			}
		})
	}
}

// A plan's changes are numbered across its files, in diagnostics and in hovers.
func TestChangesAreNumberedThroughThePlan(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": "an apple\n", "b.txt": "an apple\n"})
	f.ask(`replace "apple" with "pear"`)
	view := f.backend.Snapshot().Plans[0]
	for i, name := range []string{"a.txt", "b.txt"} {
		list := diagnostics.Sources{Mapper: f.Mapper}.List(diagnostics.Document{Plans: f.backend.Snapshot().Plans, Files: view.Files[i : i+1]})
		want := fmt.Sprintf("an pear · change %d of 2, plan 1\n-an apple\n+an pear", i+1)
		if got := string(list[0].Message.(protocol.String)); got != want {
			t.Errorf("the diagnostic of %s is %q, want %q", name, got, want)
		}
		got := f.hoverAt(name, 0).Contents.(*protocol.MarkupContent).Value
		want = fmt.Sprintf("Redline plan 1, change %d of 2: replace 1 line with 1 (match: exact)\n", i+1)
		if !strings.HasPrefix(got, want) {
			t.Errorf("the hover of %s is %q, want %q", name, got, want)
		}
	}
}

// The text of a file can neither end the code fence of a hover nor hide characters in it.
func TestHoverOfHostileText(t *testing.T) {
	f := newFixture(t, client{markdown: true}, map[string]string{"a.md": "```apple\u202e\n"})
	f.ask(`replace "apple" with "pear" in a.md`)
	h := f.hoverAt("a.md", 0)
	if h == nil {
		t.Fatal("there is no hover on the hunk")
	}
	text := h.Contents.(*protocol.MarkupContent).Value
	if strings.Contains(text, "\u202e") || !strings.Contains(text, "⟨U+202E⟩") {
		t.Errorf("a hidden character stays hidden: %q", text)
	}
	if !strings.Contains(text, "\n````\n\n") || !strings.Contains(text, "````diff\n") {
		t.Errorf("the fence is not longer than what it holds: %q", text)
	}
}

// A goal is shown literally: it adds no link, image or HTML to a hover.
func TestHoverOfHostileGoal(t *testing.T) {
	for text, want := range map[string]string{
		"fix the sum (a.go), 2x":           "fix the sum (a.go), 2x",
		"![x](http://h/p.png)":             `!\[x](http:\//h/p.png)`,
		"[x](command:quit) <img src=x>":    `\[x](command:quit) \<img src=x\>`,
		"see https://h and www.h.test":     `see https:\//h and www\.h.test`,
		"- a **b** `c` _d_ ~~e~~ &lt; f|g": "\\- a \\*\\*b\\*\\* \\`c\\` \\_d\\_ \\~\\~e\\~\\~ \\&lt; f\\|g",
		"1. one\n    two\n---\n# three":    "1\\. one\ntwo\n\\---\n\\# three",
		"12":                               "12",
	} {
		if got := escapeMarkdown(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
