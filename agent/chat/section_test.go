package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSections(t *testing.T) {
	type said struct{ Who, Body string }
	for name, c := range map[string]struct {
		text string
		want []said
	}{
		"template":        {FileTemplate, []said{{You, "\n"}}},
		"two":             {"## You\na\n## Redline\nb", []said{{You, "a\n"}, {Redline, "b"}}},
		"crlf":            {"x\r\n## You\r\na\r\n", []said{{You, "a\r\n"}}},
		"blanks behind":   {"## You \t\na", []said{{You, "a"}}},
		"at the very end": {"## You", []said{{You, ""}}},
		"not a heading":   {" ## You\n### You\n##You\n## you\n## You all\n> ## You\n", nil},
		"in a fence":      {"## You\n```\n## Redline\n```\n## Redline\n", []said{{You, "```\n## Redline\n```\n"}, {Redline, ""}}},
		"in tildes":       {"~~~~ x\n## You\n~~~\n```\n~~~~\n## You\n", []said{{You, ""}}},
		"fence, not open": {"``` a`b\n## You\n", []said{{You, ""}}},
		"fence, open":     {"## You\n```\n## Redline\n", []said{{You, "```\n## Redline\n"}}},
		"nothing":         {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []said
			for _, s := range Sections(c.text) {
				got = append(got, said{s.Who, c.text[s.Body.Start:s.Body.End]})
				if !strings.HasPrefix(c.text[s.Span.Start:s.Span.End], "## "+s.Who) || s.Span.End != s.Body.End {
					t.Errorf("section %+v does not start with its heading and end with its body", s)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestLastRequest(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"one":                {"## You\n\nrename a to b\n", "rename a to b"},
		"with send":          {"## You\n\nrename a\nto b\n\n/send\n", "rename a\nto b"},
		"with send, crlf":    {"## You\r\n\r\nrename a\r\n/send  \r\n", "rename a"},
		"send in the line":   {"## You\nuse /send", "use /send"},
		"send alone":         {"## You\n/send\n", ""},
		"empty":              {FileTemplate, ""},
		"answered":           {"## You\na\n## Redline\nb\n", ""},
		"the last one":       {"## You\na\n## Redline\nb\n## You\nc\n", "c"},
		"no section":         {"hello\n", ""},
		"other headings":     {"## You\n# a\n## b\n", "# a\n## b"},
		"a command":          {"## You\n/approve 1\n/send\n", "/approve 1"},
		"after a code fence": {"## You\n```\n## You\n```\n", "```\n## You\n```"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := LastRequest(c.text)
			if got != c.want || ok != (c.want != "") {
				t.Errorf("got %q, %v, want %q", got, ok, c.want)
			}
			if got, want := Sent(c.text), strings.HasPrefix(name, "with send") || name == "a command"; got != want {
				t.Errorf("sent: %v, want %v", got, want)
			}
		})
	}
}

func TestTyped(t *testing.T) {
	shipped := "## You\n/approve 1\n## Redline\nok\n## You\n\n"
	for name, c := range map[string]struct {
		opened, now string
		want        bool
	}{
		"as it was opened":       {"## You\n/approve 1\n", "## You\n/approve 1\n", false},
		"sent only":              {"## You\n/approve 1", "## You\n/approve 1\n/send\n", false},
		"typed":                  {FileTemplate, FileTemplate + "/approve 1\n", true},
		"typed again":            {shipped, shipped + "/approve 1\n", true},
		"typed above":            {"## You\n/approve 1\n", "x\n/approve 1\n## You\n/approve 1\n", false},
		"typed below":            {"## You\n/approve 1\n", "## You\n/approve 1\n\nplease\n", false},
		"changed":                {"## You\n/approve 1\n", "## You\n/approve 2\n", true},
		"another heading before": {"# x\n/approve 1\n", "# x\n## You\n/approve 1\n", false},
		"in a new file":          {"", "## You\n/approve 1\n", true},
		"crlf":                   {"## You\r\n\r\n", "## You\r\n\r\n/undo\r\n", true},
		"no section":             {"", "/approve 1\n", false},
		"nothing asked":          {shipped, shipped, false},
	} {
		if got := Typed(c.opened, c.now); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
