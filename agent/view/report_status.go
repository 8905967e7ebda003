package view

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/plan"
)

// maxNames is how many names a list has.
const maxNames = 40

// ReportStatus describes the state of each part of a plan's current revision in one paragraph, and
// quotes the output of its commands. It returns "" if nobody has decided anything about the plan
// yet.
func ReportStatus(p *plan.Plan, decisions []plan.Decision) string {
	r, ok := p.Revision(p.Current)
	if !ok || (len(decisions) == 0 || r.TextOnly) && !p.Applied() {
		return ""
	}
	undone := map[string]bool{}
	for _, d := range decisions {
		for _, id := range d.Hunks {
			undone[id] = d.Verdict == plan.VerdictUndo
		}
	}
	l := statusList{}
	for i := range r.Changes {
		l.change(p, r, &r.Changes[i], undone)
	}
	for i := range r.Operations {
		if o := &r.Operations[i]; o.IsCommand() {
			m := p.Progress.Command(o.ID)
			known := ""
			if m.Verdict != "" {
				known = " (" + m.Words() + ")"
			}
			l.add(string(m.Status), fmt.Sprintf("the command %q%s%s%s%s", o.Command, plan.InFolder(o.Folder()), commandResult(m), known, quotedReason(m.Reason)))
		}
	}
	l.earlier(p, r)
	return fmt.Sprintf("Plan %d, revision %d, is %s.%s", p.Number, r.Number, strings.ReplaceAll(string(p.State), "_", " "), l.text()) + outputs(p, r)
}

// statusList has the names of parts by status.
type statusList map[string][]string

// headings are the statuses of parts and the words for them, in the order of the report.
var headings = []struct{ status, words string }{
	{string(plan.HunkApplied), "Applied"},
	{string(plan.CommandSucceeded), "Run, with success"},
	{string(plan.HunkRejected), "Rejected by the user"},
	{"undone", "Taken back by the user after it was applied, and not decided again"},
	{string(plan.FileFailed), "Failed"},
	{"tried", "Approved, but not carried out"},
	{string(plan.FileApplying), "Being carried out, it is not known what came of it"},
	{string(plan.FileUnverified), "It cannot be seen what came of"},
	{string(plan.CommandSkipped), "Skipped"},
	{string(plan.HunkPending), "Not decided"},
}

func (l statusList) add(status, name string) {
	switch status {
	case string(plan.CommandWaitingForSave), string(plan.HunkApproved):
		status = string(plan.HunkPending)
	case string(plan.CommandRunning):
		status = string(plan.FileApplying)
	}
	l[status] = append(l[status], name)
}

// change adds the status of one file, and those of its hunks.
func (l statusList) change(p *plan.Plan, r *plan.Revision, c *plan.Change, undone map[string]bool) {
	name := fmt.Sprintf("%q", c.Path)
	file, reason := p.File(r, c)
	switch file {
	case plan.FileFailed, plan.FileApplying, plan.FileUnverified:
		l.add(string(file), name+quotedReason(reason))
	case plan.FilePending:
		if reason != "" { // it was approved, but could not be carried out
			l.add("tried", name+quotedReason(reason))
		}
	}
	switch c.Action {
	case plan.Create:
		name = "creating " + name
	case plan.Delete:
		name = "deleting " + name
	case plan.Rename:
		m := p.Progress.File(r.Number, c.Path)
		l.add(string(m.Move), fmt.Sprintf("moving %q to %q%s", c.Path, c.NewPath, quotedReason(m.Why(c))))
	}
	for i := range c.Hunks {
		h := &c.Hunks[i]
		m := p.Progress.Hunk(h.ID)
		status, what := string(m.Status), name
		if status == string(plan.HunkPending) && undone[h.ID] {
			status = "undone"
		}
		if c.Action == plan.Update || c.Action == plan.Rename {
			what = fmt.Sprintf("%s hunk %s", name, h.ID)
		}
		if status == string(plan.HunkRejected) {
			what += quotedReason(m.Why())
		}
		l.add(status, what)
	}
}

// earlier adds the rejected hunks of earlier revisions that r no longer has.
func (l statusList) earlier(p *plan.Plan, r *plan.Revision) {
	for i := range slices.Backward(p.Revisions) {
		old := &p.Revisions[i]
		for j := range old.Changes {
			for k := range old.Changes[j].Hunks {
				id := old.Changes[j].Hunks[k].ID
				if _, _, still := r.Hunk(id); still || p.Progress.Hunk(id).Status != plan.HunkRejected {
					continue
				}
				name := fmt.Sprintf("%q hunk %s%s", old.Changes[j].Path, id, quotedReason(p.Progress.Hunk(id).Why()))
				if !slices.Contains(l[string(plan.HunkRejected)], name) {
					l.add(string(plan.HunkRejected), name)
				}
			}
		}
	}
}

// text returns one sentence for each status that a part has.
func (l statusList) text() string {
	var b strings.Builder
	for _, h := range headings {
		names := l[h.status]
		if len(names) == 0 {
			continue
		}
		more := ""
		if n := len(names) - maxNames; n > 0 {
			names, more = names[:maxNames], fmt.Sprintf("; and %d more", n)
		}
		fmt.Fprintf(&b, " %s: %s%s.", h.words, strings.Join(names, "; "), more)
	}
	return b.String()
}

// DecidedSince describes to a model, in one line, what the user has decided between two values
// of a plan, "" for nothing.
func DecidedSince(was, now *plan.Plan) string {
	var applied, rejected []string
	for _, r := range now.Revisions {
		for _, c := range r.Changes {
			for _, h := range c.Hunks {
				name := fmt.Sprintf("%q hunk %s", c.Path, h.ID)
				m := now.Progress.Hunk(h.ID)
				switch {
				case m.Status == was.Progress.Hunk(h.ID).Status || slices.Contains(applied, name):
				case m.Status == plan.HunkApplied:
					applied = append(applied, name)
				case m.Status == plan.HunkRejected:
					if name += quotedReason(m.Why()); !slices.Contains(rejected, name) {
						rejected = append(rejected, name)
					}
				}
			}
		}
	}
	var parts []string
	if len(applied) > 0 {
		parts = append(parts, "approved, and in the files: "+strings.Join(applied, "; "))
	}
	if len(rejected) > 0 {
		parts = append(parts, "rejected, not staged any more, and not to be proposed again: "+strings.Join(rejected, "; "))
	}
	if len(parts) == 0 {
		return ""
	}
	return "[The user has meanwhile " + strings.Join(parts, ". Also ") + ".]"
}
