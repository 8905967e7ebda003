package preview

import (
	"strings"
	"testing"

	"redline/agent/plan"
)

// The heading and the extent of a preview name new files that are executable. A page of an earlier
// version, which does not, is read as it was meant; what a page of this version says is not lost.
func TestExecutableFiles(t *testing.T) {
	s := sampleOf(func(b texts) plan.Revision {
		r := plan.Revision{
			Operations: []plan.Operation{op("o1", "", "apply_patch", "a"), op("o2", "", "apply_patch", "b"), op("o3", "", "edit_file", "c")},
			Changes: []plan.Change{
				b.change(plan.Create, "a", "", "", "x\n", "o1"), b.change(plan.Create, "b", "", "", "x\n", "o2"),
				b.change(plan.Update, "c", "", "x\n", "y\n", "o3"),
			},
		}
		r.Changes[0].Mode, r.Changes[1].Mode, r.Changes[2].Mode = 0o711, 0o666, 0o755
		return r
	})
	const program, file, was = "### a (create, executable, +1 −0)\n", "### b (create, +1 −0)\n", "### c (update, +1 −1)\n"
	const extent = "**Changes:** 3 files, +3 −1, 1 new executable file\n"
	page := s.page()
	for _, want := range []string{program, file, was, extent} {
		if !strings.Contains(page, "\n"+want) {
			t.Fatalf("%q is not in\n%s", want, page)
		}
	}
	if at, ok := SectionAt(page, strings.Count(page[:strings.Index(page, program)], "\n")); !ok || at != "a" {
		t.Errorf("the section is of %q", at)
	}
	earlier := strings.NewReplacer(", executable", "", ", 1 new executable file", "").Replace(page)
	if e := s.read(t, earlier); !e.Empty() {
		t.Errorf("a page of an earlier version says %+v", e)
	}
	for _, edited := range []string{strings.Replace(page, ", executable", "", 1), strings.Replace(page, "b (create,", "b (create, executable,", 1)} {
		_, problems := Read(s.plan, s.revision(), s.texts.of, edited)
		if len(problems) != 1 || !strings.Contains(problems[0].Reason, "executable cannot be changed here") {
			t.Errorf("%+v", problems)
		}
	}
}
