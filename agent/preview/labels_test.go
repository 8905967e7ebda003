package preview

import (
	"strings"
	"testing"

	"redline/agent/plan"
)

// No item of a page passes for another, whatever its file is called: like the mark of an item, like a status, or
// with a blank at its end.
func TestItemsHaveNamesOfTheirOwn(t *testing.T) {
	for _, other := range []string{"a.go, 1 of 2", "a.go · applied", "a.go "} {
		s := sampleOf(func(b texts) plan.Revision {
			return plan.Revision{
				Steps: []plan.Step{{ID: "s1", Description: "one"}, {ID: "s2", Description: "two"}},
				Operations: []plan.Operation{
					op("o1", "s1", "edit_file", "a.go"), op("o2", "s1", "edit_file", "a.go"),
					op("o3", "s2", "edit_file", other), op("o4", "s2", "write_file", other),
				},
				Changes: []plan.Change{b.change(plan.Update, "a.go", "", "A\n", "B\n", "o1", "o2"), b.change(plan.Update, other, "", "A\n", "B\n", "o3", "o4")},
			}
		})
		lines := strings.SplitAfter(s.page(), "\n")
		seen, first := map[string]bool{}, 0
		for i, it := range readPage(s.page()).items {
			if seen[it.text] {
				t.Errorf("%q: %q is on the page twice", other, it.text)
			}
			if seen[it.text] = true; i == 0 {
				first = it.line
			}
		}
		// The user moves the second step up, and leaves out its first edit.
		one, two := strings.Join(lines[first:first+3], ""), strings.Join(lines[first+3:first+6], "")
		edited := strings.Replace(s.page(), one+two, strings.Replace(two, "  - [x]", "  - [ ]", 1)+one, 1)
		if e := s.read(t, edited); len(e.Items) != 6 || e.Items[1].ID != "o3" || e.Items[1].Ticked || !e.Items[4].Ticked {
			t.Errorf("%q: read as %+v", other, e.Items)
		}
	}
}

// A page with names and one with ids are read as what they are, whatever the ids of the steps.
func TestPagesAreToldApart(t *testing.T) {
	for _, id := range []string{"s1", "rename", "fix it", "edit", "Step", "Command"} {
		for _, tool := range []string{"edit_file", "rename_symbol"} {
			s := sampleOf(func(b texts) plan.Revision {
				return plan.Revision{
					Steps:      []plan.Step{{ID: id, Description: "rename two symbols"}},
					Operations: []plan.Operation{op("o1", id, tool, "a.go")},
					Changes:    []plan.Change{b.change(plan.Update, "a.go", "", "A\n", "B\n", "o1")},
				}
			})
			for _, l := range []layout{named, apart} {
				page := l.render(s.plan, s.revision(), s.texts.of, Beside{})
				if e := s.read(t, strings.Replace(page, "+B", "+C", 1)); e.layout != l || len(e.Files) != 1 {
					t.Errorf("step %q, %s, layout %d: read as layout %d with %d files", id, tool, l, e.layout, len(e.Files))
				}
			}
		}
	}
}
