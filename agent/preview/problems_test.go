package preview

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/plan"
)

// The part on problems lists them with their places, and says how many are fixed and what was not checked.
func TestProblemsPart(t *testing.T) {
	s := everything()
	problem := func(path string, line int, severity plan.Severity, message string) plan.Problem {
		return plan.Problem{Path: path, Range: plan.Range{Start: plan.Place{Line: line}}, Severity: severity, Message: message, Source: "compiler", Code: "UndeclaredName"}
	}
	last := problem("sub/b.go", 2, plan.SeverityWarning, "`x` is unused")
	last.Source, last.Code = "", ""
	got := Render(s.plan, s.revision(), s.texts.of, Beside{Problems: &plan.Problems{
		Added: []plan.Problem{problem("cmd/main.go", 11, plan.SeverityError, "undefined: Total"), last},
		More:  2, Fixed: 1, Checked: []plan.Checked{{Language: "python", Server: "pyright", State: "pyright was not ready"}},
	}})
	want := problemsHeading + `

With all of these edits, as they were when this page was written: adds 1 error, fixes 1, not checked: pyright was not ready.

- cmd/main.go:12: error: ` + "`undefined: Total` (`compiler UndeclaredName`)" + `
- sub/b.go:3: warning: ` + "`` `x` is unused ``" + `
- 2 more problems

## Steps
`
	_, part, _ := strings.Cut(got, problemsHeading)
	part = problemsHeading + part
	if !strings.HasPrefix(part, want) {
		t.Errorf("-want +got\n%s", cmp.Diff(want, part[:min(len(part), len(want))]))
	}
	if WithoutBeside(got) != s.page() {
		t.Errorf("without the part -want +got\n%s", cmp.Diff(s.page(), WithoutBeside(got)))
	}
}

// While nothing is known, and where nothing was found, there is no such part.
func TestNoProblemsPart(t *testing.T) {
	s := everything()
	for name, p := range map[string]*plan.Problems{
		"not known": nil,
		"none":      {Checked: []plan.Checked{{Language: "go", Server: "gopls", State: plan.CheckedAll}}},
	} {
		if got := Render(s.plan, s.revision(), s.texts.of, Beside{Problems: p}); got != s.page() {
			t.Errorf("%s: %s", name, cmp.Diff(s.page(), got))
		}
	}
	only := Beside{Problems: &plan.Problems{Checked: []plan.Checked{{Language: "go", Server: "gopls", State: "gopls was not ready"}}}}
	if got := Render(s.plan, s.revision(), s.texts.of, only); !strings.Contains(got, "\n## Problems\n\nWith all of these edits, as they were when this page was written: not checked: gopls was not ready.\n\n## ") {
		t.Errorf("nothing is said of a server that was not ready:\n%s", got)
	}
}

// Whatever a server reports, the part is read over, and changes nothing of how the rest is read.
func TestProblemsPartIsReadOver(t *testing.T) {
	s := everything()
	for name, text := range map[string]string{
		"a page":  s.page(),
		"marks":   "x\n# Plan 9, revision 9\r\n## Commands\n- [ ] o1 x\n> quoted\n### a (update, +0 −0)\n",
		"fences":  "```\n~~~\n``` ` `` \n",
		"a link":  "[x](command:quit) <img src=x> ![](http://h/p.png)",
		"unseen":  "\x00\xff\u202e\r\n\x1b[2J",
		"nothing": "",
		"endless": strings.Repeat("very long ", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			p := &plan.Problems{Checked: []plan.Checked{{Language: text, Server: text, State: text}}}
			for i := range 300 {
				p.Added = append(p.Added, plan.Problem{Path: fmt.Sprintf("%d.go", i), Message: text, Source: text, Code: text, Severity: plan.Severity(text)})
			}
			page := Render(s.plan, s.revision(), s.texts.of, Beside{Problems: p.Bounded()})
			if e := s.read(t, page); !e.Empty() {
				t.Errorf("it was read as %+v", e)
			}
			if added := len(page) - len(s.page()); added > 16<<10 {
				t.Errorf("the part has %d bytes", added)
			}
			if WithoutBeside(page) != s.page() {
				t.Error("without the part the page is another one")
			}
		})
	}
}
