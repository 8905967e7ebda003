// Package preview writes the preview of a plan's revision, a Markdown file that shows
// everything that would happen, and reads the user's edits of it.
//
// [Read] compares the parts of an edited page with those of the rendering of its
// revision, so nothing that Redline draws can be out of date, and Redline can tell its
// own text from the user's without storing it. It reads a diff row by row against base:
// the signs show what stays, and an unchanged row keeps its bytes. [Edit.Revise] makes
// the new revision. The user's edits become a separate operation on the result of the
// others, so that the list of operations stays true.
package preview

import (
	"fmt"
	"path"
	"strconv"

	"redline/internal/lazyregexp"
)

// Name returns the name of a revision's preview among Redline's own files:
// "plans/0001-r1.md".
func Name(plan, revision int) string {
	return fmt.Sprintf("plans/%04d-r%d.md", plan, revision)
}

var nameForm = lazyregexp.New(`^([0-9]{4,9})-r([1-9][0-9]{0,8})\.md$`)

// PlanOf returns the plan and revision of the preview with the given name or path. ok is
// false if it is not the name of a preview.
func PlanOf(name string) (plan, revision int, ok bool) {
	m := nameForm().FindStringSubmatch(path.Base(name))
	if m == nil || path.Base(path.Dir(name)) != "plans" {
		return 0, 0, false
	}
	plan, _ = strconv.Atoi(m[1]) // at most nine digits
	revision, _ = strconv.Atoi(m[2])
	return plan, revision, plan > 0 && path.Base(name) == path.Base(Name(plan, revision))
}
