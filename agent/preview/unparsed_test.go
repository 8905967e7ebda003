package preview

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/plan"
)

// The files that do not parse are named above the steps, and the part changes nothing of how the
// rest is read.
func TestUnparsedPart(t *testing.T) {
	s := everything()
	change := s.revision().Changes[0]
	problem := "line 3: expected ';', found\n## Steps\n- [ ] o1"
	got := Render(s.plan, s.revision(), s.texts.of, Beside{Unparsed: map[string]string{change.Path: problem, "another": "not of the plan"}})
	want := unparsedHeading + "\n\nWith all of these edits, as they were when this page was written.\n\n- " + displayPath(change.NewPath) + ": line 3: expected ';', found ## Steps - [ ] o1\n\n## Steps\n"
	if !strings.Contains(got, want) {
		t.Errorf("the page does not have\n%s\nbut\n%s", want, got)
	}
	if WithoutBeside(got) != s.page() {
		t.Errorf("without the part -want +got\n%s", cmp.Diff(s.page(), WithoutBeside(got)))
	}
	edited := strings.Replace(got, "- [x] move", "- [ ] move", 1)
	e, problems := Read(s.plan, s.revision(), s.texts.of, edited)
	same, _ := Read(s.plan, s.revision(), s.texts.of, strings.Replace(s.page(), "- [x] move", "- [ ] move", 1))
	if edited == got || len(problems) > 0 || cmp.Diff(same.Items, e.Items) != "" {
		t.Errorf("read %+v with %v, want what the page without the part gives: %+v", e.Items, problems, same.Items)
	}
}

func TestUnparsedPartIsBounded(t *testing.T) {
	r := plan.Revision{Number: 1}
	why := map[string]string{}
	for i := range maxListed + 7 {
		path := fmt.Sprintf("%d.json", i)
		r.Changes = append(r.Changes, plan.Change{Path: path, Action: plan.Update})
		why[path] = "line 1: wrong"
	}
	got := Render(&plan.Plan{Number: 1}, &r, texts{}.of, Beside{Unparsed: why})
	if n := strings.Count(got, "line 1: wrong"); n != maxListed || !strings.Contains(got, "\n- 7 more files\n") {
		t.Errorf("the page names %d files, want %d and how many more:\n%.400s", n, maxListed, got)
	}
}
