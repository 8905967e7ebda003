package view

import (
	"slices"
	"time"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/workspace"
)

// Trials returns the trials of a plan in the form that clients see: whether each ran on the texts
// that the plan would leave now, and which are to be shown. It reads no file.
func Trials(ws *workspace.Workspace, v *Plan) []state.Trial {
	if len(v.Plan.Trials) == 0 {
		return nil
	}
	now := &present{ws: ws, view: v, texts: UnsavedTexts(ws).WithPlan(v), applied: v.AppliedParts(), blobs: map[string]plan.Blob{}}
	all := make([]state.Trial, 0, len(v.Plan.Trials))
	for i := range v.Plan.Trials {
		one := &v.Plan.Trials[i]
		all = append(all, *state.NewTrial(one, now.are(one) && !changedSince(ws, one)))
	}
	var own []state.CommandLine
	for _, o := range v.Revision.CommandLines() {
		own = append(own, state.CommandLine{Command: o.Command, Cwd: o.Folder()})
	}
	state.MarkShown(all, own)
	return all
}

// changedSince reports whether a file has changed on the disk since a trial began, besides those
// whose text the trial has.
func changedSince(ws *workspace.Workspace, t *plan.Trial) bool {
	took := t.Millis
	if t.Baseline != nil {
		took += t.Baseline.Millis
	}
	return ws.ChangedSince(t.At.Add(-time.Duration(took)*time.Millisecond), func(path string) bool {
		return !slices.ContainsFunc(t.Texts, func(was plan.TriedText) bool { return was.Path == path })
	})
}

// CurrentTrials returns the ids of the trials of a plan that ran on the texts that it would leave
// now. It reads no file.
func CurrentTrials(ws *workspace.Workspace, v *Plan) (ids []string) {
	for _, one := range Trials(ws, v) {
		if one.Current {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

// present has the current texts, without looking at the disk.
type present struct {
	ws      *workspace.Workspace
	view    *Plan
	texts   TriedTexts           // what a trial would run on now
	applied map[string]string    // what of the plan is applied, see [Plan.AppliedParts]
	blobs   map[string]plan.Blob // names of the texts that were looked at
}

// are reports whether the current texts are those that a trial ran on. A file that has been
// saved since is compared by its text.
func (n *present) are(t *plan.Trial) bool {
	had := make(map[string]bool, len(t.Texts))
	for _, was := range t.Texts {
		had[was.Path] = true
	}
	for path := range n.texts {
		if !had[path] {
			return false
		}
	}
	if !n.appliedIn(t, had) {
		return false
	}
	for _, was := range t.Texts {
		if blob, known := n.blob(was.Path); known && blob != was.Text || !known && !was.OnDisk {
			return false
		}
	}
	return true
}

// appliedIn reports whether a trial had all that is applied of the plan now, and nothing that was
// undone since. Files on the disk do not tell, since they are no longer part of what differs from
// it. had has the paths of the trial's texts.
func (n *present) appliedIn(t *plan.Trial, had map[string]bool) bool {
	for id, path := range n.applied {
		if !had[path] && !slices.Contains(t.Applied, id) {
			return false
		}
	}
	for _, id := range t.Applied {
		if _, still := n.applied[id]; !still {
			return false
		}
	}
	return true
}

// blob names the text of a file. known is false if only the disk has it.
func (n *present) blob(path string) (blob plan.Blob, known bool) {
	if blob, known = n.blobs[path]; known {
		return blob, true
	}
	text, known := n.texts[path]
	if !known {
		text, known = n.live(path)
	}
	if known {
		n.blobs[path] = text.blob()
	}
	return n.blobs[path], known
}

// live returns the text of a file that does not differ from the disk.
func (n *present) live(path string) (t TriedText, known bool) {
	if b, ok := n.ws.Buffer(path); ok {
		return TriedText{Text: b.Lines.Text()}, true
	}
	f := n.view.File(path)
	if f == nil || f.Unreadable != "" || f.Path != path {
		return TriedText{Gone: f != nil}, f != nil && f.Unreadable == ""
	}
	return TriedText{Gone: !f.Exists, Text: f.Live.Text()}, true
}
