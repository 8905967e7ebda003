package plan

import (
	"fmt"
	"strings"

	"redline/edits"
)

// gitDiff is the change of a file as git writes it, so that "git apply" makes it:
//
//	diff --git a/old.txt b/new.txt
//	similarity index 90%
//	rename from old.txt
//	rename to new.txt
//	--- a/old.txt
//	+++ b/new.txt
//	@@ -1 +1 @@
//
// A change that the lines from "---" on tell completely has only those.
type gitDiff struct {
	from, to       string // paths, "" for none
	before, after  string
	oldMode, isNow uint32 // permission bits, 0 if they are not known
	es             []edits.Edit
}

func (d gitDiff) String() string {
	text := edits.UnifiedOf(sideOf("a/", d.from), sideOf("b/", d.to), d.before, d.es, 3)
	lines := d.header(text == "")
	if len(lines) == 0 {
		return text
	}
	from, to := d.from, d.to
	if from == "" {
		from = to
	}
	if to == "" {
		to = from
	}
	return fmt.Sprintf("diff --git %s %s\n%s\n", edits.GitName("a/"+from), edits.GitName("b/"+to), strings.Join(lines, "\n")) + text
}

// header returns git's own lines on what is not in the lines of the text. alone means that there are none.
func (d gitDiff) header(alone bool) (lines []string) {
	switch {
	case d.from == "":
		if alone || d.isNow&0o111 != 0 {
			lines = append(lines, "new file mode "+gitMode(d.isNow))
		}
		return lines
	case d.to == "":
		if alone {
			lines = append(lines, "deleted file mode "+gitMode(d.oldMode))
		}
		return lines
	}
	if d.oldMode != 0 && d.isNow != 0 && gitMode(d.oldMode) != gitMode(d.isNow) {
		lines = append(lines, "old mode "+gitMode(d.oldMode), "new mode "+gitMode(d.isNow))
	}
	if d.from != d.to {
		similar := 100
		if !alone {
			similar = edits.Similarity(d.before, d.after)
		}
		lines = append(lines, fmt.Sprintf("similarity index %d%%", similar), "rename from "+edits.GitName(d.from), "rename to "+edits.GitName(d.to))
	}
	return lines
}

// sideOf returns the name of one side of a diff.
func sideOf(prefix, path string) string {
	if path == "" {
		return "/dev/null"
	}
	return edits.GitSide(prefix + path)
}

// gitMode returns the mode of a file as git knows it.
func gitMode(mode uint32) string {
	if mode&0o111 != 0 {
		return "100755"
	}
	return "100644"
}

// Diff returns the change as a diff from base to proposed that "git apply" takes.
func (c *Change) Diff(base, proposed string) string {
	d := gitDiff{from: c.Path, to: c.Path, before: base, after: proposed, es: c.Edits(proposed)}
	switch c.Action {
	case Create:
		d.from, d.isNow = "", c.ModeAfter()
	case Delete:
		d.to, d.oldMode = "", c.Mode
	case Rename:
		d.to = c.NewPath
	}
	return d.String()
}

// diff returns the diff of two states of a file, "" if they are the same.
func diff(was, is Side) string {
	d := gitDiff{from: was.Path, to: is.Path, before: was.Text, after: is.Text, oldMode: was.Mode, isNow: is.Mode}
	switch {
	case !was.Exists && !is.Exists:
		return ""
	case !was.Exists:
		d.from, d.before, d.oldMode = "", "", 0
	case !is.Exists:
		d.to, d.after, d.isNow = "", "", 0
	}
	d.es = edits.EditsOf(edits.Diff(d.before, d.after))
	return d.String()
}
