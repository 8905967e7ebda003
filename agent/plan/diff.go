package plan

import (
	"fmt"

	"redline/edits"
)

// Diff returns the change as a unified diff from base to proposed.
func (c *Change) Diff(base, proposed string) string {
	from, to := "a/"+c.Path, "b/"+c.Path
	switch c.Action {
	case Create:
		from = "/dev/null"
	case Delete:
		to = "/dev/null"
	case Rename:
		to = "b/" + c.NewPath
		if base == proposed {
			return MoveDiff(c.Path, c.NewPath)
		}
	}
	diff := edits.UnifiedOf(from, to, base, c.Edits(proposed), 3)
	if c.MakesProgram() {
		return ProgramHeader(c.Path) + diff
	}
	return diff
}

// ProgramHeader returns the lines of a diff by which a new file is executable.
func ProgramHeader(path string) string {
	return fmt.Sprintf("diff --git a/%s b/%s\nnew file mode 100755\n", path, path)
}

// MoveDiff returns the diff of a file that is moved and not changed.
func MoveDiff(from, to string) string {
	return fmt.Sprintf("rename from %s\nrename to %s\n", from, to)
}
