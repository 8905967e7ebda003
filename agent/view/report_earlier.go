package view

import (
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/internal/phrase"
)

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
