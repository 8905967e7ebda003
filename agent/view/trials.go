package view

import (
	"io/fs"
	"maps"
	"slices"
	"time"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/workspace"
)

// TriedTexts are the files that a trial runs on because they differ from those on disk: they are
// unsaved, staged in a draft or proposed by a plan. The keys are workspace paths.
type TriedTexts map[string]TriedText

// TriedText is a file.
type TriedText struct {
	Gone bool        // the file does not exist
	Text string      // without a byte order mark
	BOM  bool        // it has a byte order mark before the text
	Mode fs.FileMode // permissions of a file that is not on disk; 0: the default ones
}

// blob names the text, "" for none.
func (t TriedText) blob() plan.Blob {
	if t.Gone {
		return ""
	}
	return plan.BlobOf(t.Text)
}

// UnsavedTexts returns the documents with unsaved changes, except for Redline's own files: no command
// is about these, and the result of a trial is written into the chat file. It reads no file.
func UnsavedTexts(ws *workspace.Workspace) TriedTexts {
	texts := TriedTexts{}
	for _, b := range ws.Buffers() {
		if b.Path == "" || !b.Dirty {
			continue
		}
		if _, own := ws.Own().Is(b.Path); !own {
			texts[b.Path] = TriedText{Text: b.Lines.Text(), BOM: b.BOM}
		}
	}
	return texts
}

// WithDraft returns the texts that a draft would leave.
func (t TriedTexts) WithDraft(d *draft.Draft) TriedTexts {
	all := maps.Clone(t)
	for path, f := range d.Files() {
		all[path] = TriedText{Gone: !f.Exists, Text: f.Text, BOM: f.BOM, Mode: fs.FileMode(f.Mode)}
	}
	return all
}

// WithPlan returns the texts that an approval of a whole plan would leave, without stale
// changes.
func (t TriedTexts) WithPlan(v *Plan) TriedTexts {
	all := maps.Clone(t)
	for _, f := range v.Files {
		stale := f.Status == plan.FileStale
		if f.Status != plan.FilePending && f.Status != plan.FileApplying && !stale {
			continue // there is nothing to do
		}
		text, _ := f.ProposedNow()
		proposed := TriedText{Text: text, BOM: f.Change.BOM, Mode: fs.FileMode(f.Change.ModeAfter())}
		switch f.Change.Action {
		case plan.Delete:
			if !stale {
				all[f.Path] = TriedText{Gone: true}
			}
		case plan.Create:
			if !stale {
				all[f.Path] = proposed
			}
		case plan.Rename:
			if !f.Moved {
				all[f.Change.Path] = TriedText{Gone: true}
			}
			all[f.Change.NewPath] = proposed
		default:
			all[f.Path] = proposed
		}
	}
	return all
}

// Beside returns the texts of t that differ from others.
func (t TriedTexts) Beside(others TriedTexts) TriedTexts {
	all := TriedTexts{}
	for path, text := range t {
		if other, has := others[path]; !has || other != text {
			all[path] = text
		}
	}
	return all
}

// AddApplied notes in a trial what of its plan was applied when it began, as v shows it: a trial
// from before something was applied is not about what the disk has now. v is nil for a plan that
// is only being made.
func AddApplied(t *plan.Trial, v *Plan) {
	if v == nil {
		return
	}
	t.Texts, t.Applied = withApplied(t.Texts, v)
}

// withApplied returns texts with those of the files that v has applied parts in, and the parts.
func withApplied(texts []plan.TriedText, v *Plan) (all []plan.TriedText, applied []string) {
	parts := v.AppliedParts()
	notes := map[string]bool{}
	for _, path := range parts {
		notes[path] = true
	}
	for _, was := range texts {
		notes[was.Path] = false
	}
	for _, f := range v.Files {
		if notes[f.Path] && f.Unreadable == "" {
			texts = append(texts, plan.TriedText{Path: f.Path, Text: TriedText{Gone: !f.Exists, Text: f.Live.Text()}.blob(), OnDisk: true})
		}
	}
	return texts, slices.Sorted(maps.Keys(parts))
}

// Names converts the texts to the form that a trial stores.
func (t TriedTexts) Names() []plan.TriedText {
	var names []plan.TriedText
	for _, path := range slices.Sorted(maps.Keys(t)) {
		names = append(names, plan.TriedText{Path: path, Text: t[path].blob()})
	}
	return names
}

// Trials returns the trials of a plan in the form that clients see: whether each ran on the texts
// that the plan would leave now, and which are to be shown. It reads no file.
func Trials(ws *workspace.Workspace, v *Plan) []state.Trial {
	if len(v.Plan.Trials) == 0 {
		return nil
	}
	now := presentOf(ws, v)
	all := make([]state.Trial, 0, len(v.Plan.Trials))
	for i := range v.Plan.Trials {
		one := &v.Plan.Trials[i]
		all = append(all, *state.NewTrial(one, now.are(basisOf(one))))
	}
	var own []state.CommandLine
	for _, o := range v.Revision.CommandLines() {
		own = append(own, state.CommandLine{Command: o.Command, Cwd: o.Folder()})
	}
	state.MarkShown(all, own)
	return all
}

// basisOf returns the texts that a trial ran on.
func basisOf(t *plan.Trial) plan.Basis {
	took := t.Millis
	if t.Baseline != nil {
		took += t.Baseline.Millis
	}
	return plan.Basis{Texts: t.Texts, Applied: t.Applied, Began: t.At.Add(-time.Duration(took) * time.Millisecond)}
}

// changedSince reports whether a file on which a check depends has changed on the disk since it began, besides those
// whose text the check has. A command of a trial may tell a file that was saved unchanged; a language server does not.
func changedSince(ws *workspace.Workspace, b plan.Basis) bool {
	if b.Reads == nil {
		return ws.ChangedSince(b.Began, b.DependsOn)
	}
	return ws.ContentChangedAt(b.DependsOn).After(b.Began)
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

// presentOf returns the texts that v would leave now.
func presentOf(ws *workspace.Workspace, v *Plan) *present {
	return &present{ws: ws, view: v, texts: UnsavedTexts(ws).WithPlan(v), applied: v.AppliedParts(), blobs: map[string]plan.Blob{}}
}

// present has the current texts, without looking at the disk.
type present struct {
	ws      *workspace.Workspace
	view    *Plan
	texts   TriedTexts           // what a trial would run on now
	applied map[string]string    // what of the plan is applied, see [Plan.AppliedParts]
	blobs   map[string]plan.Blob // names of the texts that were looked at
}

// are reports whether the current texts are those of a check. A file that has been
// saved since is compared by its text.
func (n *present) are(t plan.Basis) bool {
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
	return !changedSince(n.ws, t)
}

// appliedIn reports whether a check had all that is applied of the plan now, and nothing that was
// undone since. Files on the disk do not tell, since they are no longer part of what differs from
// it. had has the paths of its texts.
func (n *present) appliedIn(t plan.Basis, had map[string]bool) bool {
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
