// Package tried has the texts that trials run on: those that differ from the files on disk
// because they are unsaved, staged in a draft or proposed by a plan. It tells whether a result
// is still about the current texts.

package view

import (
	"io/fs"
	"maps"
	"slices"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/workspace"
)

// TriedTexts are files that differ from those on disk, by workspace path.
type TriedTexts map[string]TriedText

// TriedText is a file.
type TriedText struct {
	Gone bool        // the file does not exist
	Text string      // without a byte order mark
	BOM  bool        // it has a byte order mark before the text
	Mode fs.FileMode // permissions of a file that is not on disk; 0: the default ones
}

// Bytes returns the content that the file would have on disk.
func (t TriedText) Bytes() []byte {
	if t.BOM {
		return []byte("\uFEFF" + t.Text)
	}
	return []byte(t.Text)
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
	parts := v.AppliedParts()
	t.Applied = slices.Sorted(maps.Keys(parts))
	notes := map[string]bool{}
	for _, path := range parts {
		notes[path] = true
	}
	for _, was := range t.Texts {
		notes[was.Path] = false
	}
	for _, f := range v.Files {
		if notes[f.Path] && f.Unreadable == "" {
			t.Texts = append(t.Texts, plan.TriedText{Path: f.Path, Text: TriedText{Gone: !f.Exists, Text: f.Live.Text()}.blob(), OnDisk: true})
		}
	}
}

// Names converts the texts to the form that a trial stores.
func (t TriedTexts) Names() []plan.TriedText {
	var names []plan.TriedText
	for _, path := range slices.Sorted(maps.Keys(t)) {
		names = append(names, plan.TriedText{Path: path, Text: t[path].blob()})
	}
	return names
}
