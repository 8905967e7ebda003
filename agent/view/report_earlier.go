package view

import (
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/internal/phrase"
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

// maxEarlierBytes limits the report on earlier plans.
const maxEarlierBytes = 4 << 10

// ReportEarlier names for a model the files that plans, given newest first, have changed, with their
// numbers of added and removed lines; "" if none of it is applied. seen returns the view of a
// plan, nil for one that the session does not hold. If the view shows that an applied change is
// gone, Earlier says so.
func ReportEarlier(plans []*plan.Plan, seen func(n int) *Plan) string {
	var b strings.Builder
	left := 0
	for _, p := range plans {
		text := appliedFiles(p, seen(p.Number))
		switch {
		case text == "":
		case left > 0 || b.Len()+len(text) > maxEarlierBytes:
			left++
		default:
			b.WriteString(text)
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "%s before that changed files too.\n", phrase.Count(left, "plan"))
	}
	if b.Len() == 0 {
		return ""
	}
	return "What earlier plans of this conversation have changed, the newest first:\n" + strings.TrimSuffix(b.String(), "\n")
}

// fileTally counts the applied changes of a plan to one file, in all revisions.
type fileTally struct {
	name           string
	added, removed int // lines
}

// appliedFiles returns a line for each file with applied changes of a plan.
func appliedFiles(p *plan.Plan, v *Plan) string {
	var files []*fileTally
	counted := map[string]bool{} // ids of hunks, and paths of moves
	byPath := map[string]*fileTally{}
	of := func(c *plan.Change) *fileTally {
		t := byPath[c.Path]
		if t == nil {
			t = &fileTally{name: fmt.Sprintf("%s %q", c.Action, c.Path)}
			byPath[c.Path], files = t, append(files, t)
		}
		return t
	}
	for i := range p.Revisions {
		r := &p.Revisions[len(p.Revisions)-1-i] // newest first
		for j := range r.Changes {
			c := &r.Changes[j]
			if c.Action == plan.Rename && p.Progress.File(r.Number, c.Path).Move == plan.FileApplied && !counted[c.Path] {
				counted[c.Path] = true
				of(c).name = fmt.Sprintf("%s %q to %q", c.Action, c.Path, c.NewPath)
			}
			for _, h := range c.Hunks {
				if p.Progress.Applied(h.ID) && !counted[h.ID] {
					counted[h.ID] = true
					t := of(c)
					t.added, t.removed = t.added+h.Added, t.removed+h.Removed
				}
			}
		}
	}
	if len(files) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Plan %d (%q), %s:\n", p.Number, phrase.FirstLine(p.Goal, 80), strings.ReplaceAll(string(p.State), "_", " "))
	for i, f := range files {
		if i == maxNames {
			fmt.Fprintf(&b, "- and %s more\n", phrase.Count(len(files)-i, "file"))
			break
		}
		fmt.Fprintf(&b, "- %s (+%d −%d)\n", f.name, f.added, f.removed)
	}
	if gone := goneSince(v); len(gone) > 0 {
		fmt.Fprintf(&b, "- of that, changed or taken back since: %s\n", strings.Join(phrase.FirstOf(gone, maxNames, "hunk"), ", "))
	}
	return b.String()
}

// goneSince returns the ids of applied hunks whose lines are no longer in the current texts.
func goneSince(v *Plan) (ids []string) {
	if v == nil {
		return nil
	}
	for _, f := range v.Files {
		for i := range f.Change.Hunks {
			if f.Applied(i) && (since(f) != "" || sinceApplied(f, i) != "") {
				ids = append(ids, f.Change.Hunks[i].ID)
			}
		}
	}
	return ids
}
