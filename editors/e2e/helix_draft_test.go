package e2e

import "testing"

// Helix does not say why it saves. So what it saves of a preview is a draft until the next action on
// the plan, and an approval shows the revision that the draft becomes before it approves anything.
func TestHelixDraftOfAPreview(t *testing.T) {
	path, version := findHelix(t)
	t.Log(version)
	w := newWorld(t, map[string]string{"main.go": before, "other.go": before})
	h := startHelix(w, path, "main.go", "func greet() {}")

	h.ask("rename greet to salute in *.go")
	h.preview()
	h.edit(`x\] edit other`, " ] edit other")
	h.do("write")
	h.shows("Your edits are a draft, not in plan 1 yet: the next action on it makes them revision 2.")
	h.first("make these edits revision 2 of plan 1")
	h.shot("helix-draft", "1-draft")
	h.press("Enter")
	h.shows("plans/0001-r2.md", "# Plan 1, revision 2")

	h.edit(`x\] edit other`, " ] edit other")
	h.do("write")
	h.shows("Your edits are a draft")
	h.open("main.go", "change 1 of")
	h.next()
	h.act("approve this change", "# Plan 1, revision 3")
	h.shot("helix-draft", "2-revision-instead")
	w.has("main.go", before)
	h.act("approve plan 1", "2 changes in 1 file applied")
	h.save()
	h.quit()
	w.has("main.go", after)
	w.has("other.go", before)
}

// edit replaces the next place of the shown file that a pattern matches.
func (h helix) edit(pattern, with string) {
	h.t.Helper()
	h.press("g", "g", "/")
	h.write(pattern)
	h.press("Enter", "c")
	h.write(with)
	h.press("Escape")
	h.shows(with, " NOR ", "[+]")
}
