package view

import (
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/workspace/secrets"
)

// earlierRevisions quotes the changes that only earlier revisions of a plan have applied and
// that are still applied, newest first, in about room bytes; "" for none. Without this, a model
// would believe that the current revision, which proposes only the rest, is the whole plan.
func earlierRevisions(v *Plan, secret func(path string) bool, room int) string {
	var b strings.Builder
	var rest []string
	for _, c := range v.Earlier {
		head, diff := appliedBefore(c, v.Plan, secret)
		if head == "" {
			continue
		}
		text := "\n" + head + "\n" + diff
		if b.Len()+len(text) > room {
			rest = append(rest, head)
			continue
		}
		b.WriteString(text)
	}
	if b.Len()+len(rest) == 0 {
		return ""
	}
	return fmt.Sprintf("What earlier revisions of plan %d have applied, and stays:\n%s", v.Plan.Number, strings.TrimSuffix(b.String()+unquoted(rest), "\n"))
}

// appliedBefore describes what an earlier revision has applied to a file: its name and size, and
// the lines as a fenced diff, which is "" for a mere move, a deletion and a file that may hold
// secrets. head is "" if nothing of it is applied any more.
func appliedBefore(c *Earlier, p *plan.Plan, secret func(path string) bool) (head, diff string) {
	added, removed := 0, 0
	var hunks strings.Builder
	for _, i := range c.Hunks {
		if !c.Applied(p, i) {
			continue
		}
		h := c.Change.Hunks[i]
		added, removed = added+h.Added, removed+h.Removed
		hunks.WriteString(hunkDiff(c.Base, h.Old, h.New.Of(c.Proposed), h.ID+", applied"))
	}
	if hunks.Len() == 0 && !c.Moved(p) {
		return "", ""
	}
	head = fmt.Sprintf("%s %q", c.Change.Action, c.Change.Path)
	if c.Moved(p) {
		head += fmt.Sprintf(" to %q", c.Change.NewPath)
	}
	head += fmt.Sprintf(" (+%d −%d), by revision %d", added, removed, c.Revision)
	switch {
	case hunks.Len() == 0 || c.Change.Action == plan.Delete:
		return head, ""
	case secret(c.Change.Path) || secrets.Text(c.Change.Path, c.Base) || secrets.Text(c.Change.Path, c.Proposed):
		return head + "; its lines are not quoted, since the file may hold secrets", ""
	}
	return head, fencedDiff(hunks.String())
}
