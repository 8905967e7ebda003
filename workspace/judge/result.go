package judge

import (
	"fmt"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/landed"
	"redline/internal/phrase"
	"redline/workspace"
)

// What the user reads when the editor has not answered.
const (
	NotAnswered = "The editor has not answered yet: its text will show whether it made the change."
	Exited      = "The editor has exited: the text of the file will show whether the change was made."
)

// maxReason is the longest client's reason to show, in characters.
const maxReason = 200

// Reason says in one sentence that the editor did not make a change, and why: says is its
// own reason, "" for none.
func Reason(says string) string {
	says = strings.ReplaceAll(phrase.FirstLine(says, maxReason), "\t", " ")
	if says == "" {
		return "The editor did not make the change and gave no reason."
	}
	return phrase.OneSentence("The editor did not make the change: " + says)
}

// RefusedBy says in one sentence that the editor answered with an error.
func RefusedBy(message string) string {
	return phrase.OneSentence("The editor refused the edit: " + message)
}

// FinishLanded records the text of file, in which at least part of the change landed.
func (t *Attempt) FinishLanded(file workspace.File) {
	r := edits.Applied{Status: edits.Done, Text: file.Text}
	if t.Change.Kind != edits.Delete {
		r.Landings = landed.WithMade(t.Landings(file.Text), t.Already)
	}
	if t.Landing(file) != edits.Landed {
		r.Status = edits.Half
		r.Reason = t.differs()
	}
	t.Finish(r)
}

// FinishHalf records that part of the change is in the text, but no hunk is where it
// belongs.
func (t *Attempt) FinishHalf(reason string) {
	t.Finish(edits.Applied{Status: edits.Half, Reason: reason,
		Landings: slices.Repeat([]edits.Landing{edits.Absent}, len(t.Change.Edits))})
}

// FinishMisplaced records that the editor put the change into the wrong lines
// and that it is still there.
func (t *Attempt) FinishMisplaced(besides string) {
	t.FinishHalf("The editor put the change into the wrong lines of " + t.Change.Path +
		", because the text was changed while it was on its way, " + besides + ": undo it in the editor.")
}

// FinishElsewhere records that the editor put the change into lines that cannot be named.
func (t *Attempt) FinishElsewhere() {
	t.FinishHalf("The editor says that it changed " + t.Change.Path + ", but the new lines are not where they belong, and may be elsewhere: look at the file, and undo the edit in the editor.")
}

// FinishAccepted records the result of a change that the client accepted, from its text.
// revert reverts what was made of the change, if that is safe; see [Attempt.FinishFailed].
func (t *Attempt) FinishAccepted(f Files, revert func()) {
	file := f.Changed(t)
	switch landed := t.Landing(file); {
	case landed == edits.Unclear && t.MadeInPart(file.Text):
		t.FinishFailed(f, fmt.Sprintf("The editor says that it changed %s, but it made only a part of that: %d of %s.", t.Path(), len(t.Made(file.Text)), phrase.Count(len(t.Edits), "edit")), revert)
	case landed != edits.Absent:
		t.FinishLanded(file)
	case file.Buffer == nil && t.Change.Kind != edits.Delete && (t.Change.Kind != edits.Rename || f.Partial(t) == ""):
		// A client may hold the text where nobody sees it (a hidden buffer that no
		// server is attached to, in Neovim).
		t.Finish(edits.Applied{Status: edits.Unverified, Text: file.Text,
			Reason: t.Unseen()})
	default:
		t.FinishFailed(f, t.Unmade(), revert)
	}
}

// FinishFailed records a change that was not made as a whole. Many clients make the
// steps of a change one by one and stop at the first that fails: FinishFailed has the
// steps already made reverted, and reports them if that fails.
func (t *Attempt) FinishFailed(f Files, reason string, revert func()) {
	partial := f.Partial(t)
	if partial != "" {
		revert()
		partial = f.Partial(t)
	}
	if partial == "" {
		if t.Change.Kind == edits.Rename && f.Workspace.SameFile(t.Change.Path, t.Change.NewPath) {
			// Some clients think that the file is in its own way.
			reason += " Close " + t.Change.Path + " and approve again: then Redline renames it on the disk."
		}
		t.Finish(edits.Applied{Status: edits.Refused, Reason: reason})
		return
	}
	file := f.Changed(t)
	t.Finish(edits.Applied{Status: edits.Half, Reason: reason + " " + partial, Text: file.Text})
}

// Revert returns the change that reverts the part of an attempt that was made. ok is false
// unless that is clearly safe: edits in a text that nobody has typed into since.
func (t *Attempt) Revert(f Files) (c edits.Change, ok bool) {
	if t.Change.Kind == edits.Create {
		return c, false // the client was not asked to create the file, so it is not ours
	}
	if t.Path() != t.Change.Path && f.Named(t.Path(), t.Change.Path) {
		return c, false
	}
	now := f.Text(t.Change.Path)
	if !t.MadeInPart(now) {
		return c, false
	}
	return edits.Change{Path: t.Change.Path, Base: now, Edits: edits.Invert(t.Before, t.Made(now))}, true
}

// RefuseEarly prepares all changes before anything is sent. If one cannot be made, it
// refuses that one and those before it; otherwise it returns nil. It skips a change at
// a path that an earlier one touches, which is prepared when its turn comes.
func RefuseEarly(changes []edits.Change, prepare func(edits.Change) *Attempt) []edits.Applied {
	touched := map[string]bool{}
	for i, c := range changes {
		if len(changes) > 1 && !touched[c.Path] && !touched[c.NewPath] {
			if t := prepare(c); t.Finished && t.Result.Status == edits.Refused {
				results := make([]edits.Applied, i+1)
				for k, before := range changes[:i] {
					results[k] = edits.Applied{Path: before.Path, Status: edits.Refused,
						Reason: "It was not begun, because " + c.Path + " cannot be changed: " + t.Result.Reason}
				}
				results[i] = t.Result
				return results
			}
		}
		touched[c.Path] = true
		if c.NewPath != "" {
			touched[c.NewPath] = true
		}
	}
	return nil
}
