package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"redline/agent/plan"
)

func TestWordsOfProblems(t *testing.T) {
	problem := func(severities ...plan.Severity) (all []plan.Problem) {
		for _, s := range severities {
			all = append(all, plan.Problem{Path: "a.go", Severity: s, Message: "undefined: x"})
		}
		return all
	}
	gopls := plan.Checked{Language: "go", Server: "gopls", State: plan.CheckedAll}
	late := plan.Checked{Language: "go", Server: "gopls", State: "gopls was not ready"}
	for _, c := range []struct {
		problems *plan.Problems
		want     string
	}{
		{nil, ""},
		{&plan.Problems{Checked: []plan.Checked{gopls}}, ""},
		{&plan.Problems{Added: problem(plan.SeverityWarning)}, ""}, // only errors count
		{&plan.Problems{Added: problem(plan.SeverityError)}, "adds 1 error"},
		{&plan.Problems{Added: problem(plan.SeverityError, plan.SeverityHint, plan.SeverityError), Fixed: 1}, "adds 2 errors, fixes 1"},
		{&plan.Problems{Added: problem(plan.SeverityError, plan.SeverityError), More: 3}, "adds more than 2 errors"},
		{&plan.Problems{Added: problem(plan.SeverityError, plan.SeverityHint), More: 3}, "adds 1 error"}, // errors are kept first
		{&plan.Problems{Checked: []plan.Checked{late, late}}, "not checked: gopls was not ready"},
		{&plan.Problems{Fixed: 2, Checked: []plan.Checked{gopls, {Language: "python", Server: "pyright", State: "pyright has ended"}, late}}, "fixes 2, not checked: pyright has ended; gopls was not ready"},
	} {
		if got := c.problems.Words(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.problems, got, c.want)
		}
	}
}

// What a server reports is one line of plain text, and not more than anybody reads.
func TestBoundedProblems(t *testing.T) {
	if (*plan.Problems)(nil).Bounded() != nil {
		t.Error("nothing known has become something")
	}
	hostile := "one\r\ntwo\x1b[31m\u202ethree\x00\u2028" + strings.Repeat("x", 9000) + "\xff"
	p := &plan.Problems{More: -1, Fixed: -1, Checked: []plan.Checked{{Language: hostile, Server: hostile, State: hostile}}}
	for i := range 300 {
		p.Added = append(p.Added, plan.Problem{Path: fmt.Sprintf("%03d.go", i), Range: plan.Range{Start: plan.Place{Line: 3, Column: -1}, End: plan.Place{Line: -2}}, Message: hostile, Source: hostile, Code: hostile, Severity: plan.SeverityHint})
	}
	p.Added = append(p.Added, plan.Problem{Path: "z.go", Message: "no severity"}, plan.Problem{Path: "a\nb.go"}, plan.Problem{Path: strings.Repeat("a", 5000)})
	b := p.Bounded()
	if len(b.Added) != 100 || b.More != 203 || b.Fixed != 0 {
		t.Errorf("%d problems, %d more, %d fixed", len(b.Added), b.More, b.Fixed)
	}
	if first := b.Added[0]; first.Path != "z.go" || first.Severity != plan.SeverityError {
		t.Errorf("the first is %+v, want the error", first)
	}
	one := b.Added[1]
	if want := "one two[31mthree xxx"; !strings.HasPrefix(one.Message, want) || len([]rune(one.Message)) != 300 {
		t.Errorf("the message is %q", one.Message)
	}
	for _, text := range []string{one.Message, one.Source, one.Code, b.Checked[0].Language, b.Checked[0].Server, b.Checked[0].State} {
		if len([]rune(text)) > 300 || !utf8.ValidString(text) || strings.ContainsAny(text, "\r\n\x00\x1b\u202e\u2028") {
			t.Errorf("a text is %q", text)
		}
	}
	if at := (plan.Place{Line: 3}); one.Path != "000.go" || one.Range != (plan.Range{Start: at, End: at}) {
		t.Errorf("the place is %s, %+v", one.Path, one.Range)
	}
	if p.Added[0].Message != hostile {
		t.Error("the problems of the caller were changed")
	}
}
