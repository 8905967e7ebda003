package plan

import (
	"fmt"

	"redline/edits"
)

// diff returns the unified diff of two states of a file, "" if they are the same.
func diff(was, is Side) string {
	if !was.Exists && !is.Exists {
		return ""
	}
	return modeDiff(was, is) + textDiff(was, is)
}

// textDiff returns the part of a diff on the path and the text, "" if they are the same.
func textDiff(was, is Side) string {
	if was.Exists && is.Exists && was.Text == is.Text {
		if was.Path == is.Path {
			return ""
		}
		return MoveDiff(was.Path, is.Path)
	}
	from, to := "a/"+was.Path, "b/"+is.Path
	if !was.Exists {
		from, was.Text = "/dev/null", ""
	}
	if !is.Exists {
		to, is.Text = "/dev/null", ""
	}
	if was.Text == is.Text {
		return fmt.Sprintf("--- %s\n+++ %s\n", from, to) // an empty file
	}
	return edits.UnifiedOf(from, to, was.Text, edits.EditsOf(edits.Diff(was.Text, is.Text)), 3)
}

// modeDiff returns the lines of a diff on whether a new file is executable, "" if that is the
// same.
func modeDiff(was, is Side) string {
	switch {
	case !was.Exists && is.Mode&0o111 != 0:
		return ProgramHeader(is.Path)
	case was.Exists && is.Exists && was.Mode != 0 && is.Mode != 0 && was.Mode != is.Mode:
		return fmt.Sprintf("diff --git a/%s b/%s\nold mode 100%o\nnew mode 100%o\n", was.Path, is.Path, was.Mode, is.Mode)
	}
	return ""
}

// newMode returns the permission bits of a file that a change creates, 0 for any other change.
func newMode(k *Change) uint32 {
	if k.Action == Create {
		return k.ModeAfter()
	}
	return 0
}
