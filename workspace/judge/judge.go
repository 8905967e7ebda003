// Package judge finds out what an editor has really done with a change that it was asked to
// make. It looks only at texts: what the editor answers is a hint. It says the result in
// the words that the user reads, the same for every protocol.
//
// It sends nothing and knows no protocol. Who sends changes fills an [Attempt], reads the
// texts with [Files] and takes the result from the Attempt.
package judge

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/landed"
	"redline/edits/track"
	"redline/internal/phrase"
	"redline/workspace"
)

// Attempt is one change in progress: the text that it was prepared for, and its result
// once known.
type Attempt struct {
	Change edits.Change
	OnDisk bool // the server makes it, not the client

	Open    *workspace.Buffer // nil if the client does not have the file open
	Existed bool              // the file existed
	Before  string            // its text
	BOM     bool              // the file had a byte order mark
	Edits   []edits.Edit      // of that text; for a deletion, those that empty a text that is nowhere else
	Already []int             // indices in Change.Edits of the edits that text already has
	after   *string           // Before with the edits made; set when first needed

	Answered *workspace.Buffer                        // the open text when the client had accepted the change
	Saw      func() (wrong *Misplacement, right bool) // where the texts since it was sent had the edits; nil if they are not followed

	Finished bool
	Result   edits.Applied
}

// Misplacement is the text before and after an editor put edits into the wrong
// lines.
type Misplacement struct{ Before, After string }

// Read sets the text that the attempt is made for.
func (t *Attempt) Read(file workspace.File) {
	t.Open, t.Existed, t.Before, t.BOM = file.Buffer, file.Exists, file.Text, file.BOM
}

// Rebase fits the change's edits to the current text.
func (t *Attempt) Rebase() {
	if !t.Existed {
		t.Refuse(t.Change.Path + " does not exist any more")
		return
	}
	t.Edits, t.Already = t.Change.Edits, nil
	if t.Before == t.Change.Base {
		return
	}
	var conflicts []int
	if t.Edits, t.Already, conflicts = track.Rebase(t.Change.Base, t.Change.Edits, t.Before); len(conflicts) > 0 {
		t.Refuse(fmt.Sprintf("%s was changed in %d of the %d places where the edit belongs: look at the plan again",
			t.Change.Path, len(conflicts), len(t.Change.Edits)))
	}
}

// Refuse finishes the attempt: the change was not made.
func (t *Attempt) Refuse(reason string) {
	t.Finish(edits.Applied{Status: edits.Refused, Reason: phrase.OneSentence(reason)})
}

// Finish records the result.
func (t *Attempt) Finish(r edits.Applied) {
	r.Path = t.Change.Path
	t.Finished, t.Result = true, r
}

// FinishPrepared finishes a change whose edits the text already has.
func (t *Attempt) FinishPrepared() {
	if !t.Finished && len(t.Edits) == 0 {
		t.Finish(edits.Applied{Status: edits.Done, Text: t.Before, Landings: landed.WithMade(nil, t.Already)})
	}
}

// Path returns the file's path after the change.
func (t *Attempt) Path() string {
	if t.Change.Kind == edits.Rename {
		return t.Change.NewPath
	}
	return t.Change.Path
}

// Misplaced returns the misplacement if the editor put the change into the wrong lines,
// else nil.
func (t *Attempt) Misplaced() *Misplacement {
	if t.Saw == nil {
		return nil
	}
	wrong, _ := t.Saw()
	return wrong
}

// Arrived reports whether the change was seen in the right lines, whatever the user has
// done to them since.
func (t *Attempt) Arrived() bool {
	if t.Saw == nil {
		return false
	}
	wrong, right := t.Saw()
	return right && wrong == nil
}

// Landing reports, from the text of file, whether the whole change landed: Landed if
// some of it is there and nothing is missing, Absent if none of it is there.
func (t *Attempt) Landing(file workspace.File) edits.Landing {
	switch t.Change.Kind {
	case edits.Delete:
		if file.Exists {
			return edits.Absent
		}
		return edits.Landed
	case edits.Create, edits.Rename:
		if !file.Exists {
			return edits.Absent
		}
	}
	if len(t.Edits) == 0 || t.Change.Kind == edits.Create && t.Change.Text == "" {
		return edits.Landed
	}
	if t.Misplaced() != nil {
		return edits.Unclear
	}
	landings := t.Landings(file.Text)
	landed, absent := Tally(landings)
	switch {
	case landed > 0 && absent == 0:
		return edits.Landed
	case absent == len(landings):
		return edits.Absent
	case t.Arrived():
		return edits.Landed
	}
	return edits.Unclear
}

// After returns the text with the edits made. It fails if they are not valid for the text.
func (t *Attempt) After() (string, error) {
	if t.after == nil {
		after, err := edits.Apply(t.Before, t.Edits)
		if err != nil {
			return "", err
		}
		t.after = &after
	}
	return *t.after, nil
}

// Landings reports for each edit of the change whether it landed in text. Callers ask
// several times, mostly with exactly the text that was asked for.
func (t *Attempt) Landings(text string) []edits.Landing {
	after, err := t.After()
	if err != nil {
		return make([]edits.Landing, len(t.Edits)) // unclear
	}
	if text != after {
		return landed.Of(t.Before, t.Edits, text)
	}
	return slices.Repeat([]edits.Landing{edits.Landed}, len(t.Edits))
}

// Tally counts the edits that landed and those that did not.
func Tally(landings []edits.Landing) (landed, absent int) {
	for _, l := range landings {
		switch l {
		case edits.Landed:
			landed++
		case edits.Absent:
			absent++
		}
	}
	return landed, absent
}

// Made returns the edits of the change that are in text.
func (t *Attempt) Made(text string) []edits.Edit {
	if text == t.Before {
		return nil
	}
	var made []edits.Edit
	for i, l := range t.Landings(text) {
		if e := t.Edits[i]; l == edits.Landed && t.Before[e.Start:e.End] != e.New {
			made = append(made, e)
		}
	}
	return made
}

// MadeInPart reports whether text differs from before only by some of the change's
// edits: nobody typed into it, and the client left the other edits out.
func (t *Attempt) MadeInPart(text string) bool {
	made := t.Made(text)
	is, err := edits.Apply(t.Before, made)
	return err == nil && is == text && len(made) > 0
}

// Explained reports whether a text without the change shows no sign that the editor
// put part of it elsewhere: no new line occurs more often than before, and if some of
// the edits only remove lines, no lines are gone.
func (t *Attempt) Explained(text string) bool {
	more, removes := map[string]int{}, false
	for _, e := range t.Edits {
		blank := true
		for line := range contents(e.New) {
			more[line], blank = 0, false
		}
		removes = removes || blank
	}
	count := func(text string, by int) {
		for line := range contents(text) {
			if n, put := more[line]; put {
				more[line] = n + by
			}
		}
	}
	count(text, 1)
	count(t.Before, -1)
	for _, n := range more {
		if n > 0 {
			return false
		}
	}
	return !removes || !slices.ContainsFunc(edits.Diff(t.Before, text), func(h edits.Hunk) bool { return h.Removed > h.Added })
}

// contents yields the lines of text that are not blank, without their line ends.
func contents(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			if strings.TrimSpace(line) != "" && !yield(line) {
				return
			}
		}
	}
}

// Skipped reports whether file is newer than the text that the change was sent for and
// has none of the change: Neovim skips such a change and claims to have made it.
func (t *Attempt) Skipped(file workspace.File) bool {
	return t.Change.Kind == edits.Update && t.Open != nil && file.Buffer != nil &&
		file.Text != t.Before && t.Landing(file) == edits.Absent && !t.Arrived()
}

// Seen reports whether the change was verified, or an open text has all of it now. It reads no
// file.
func (t *Attempt) Seen(ws *workspace.Workspace) bool {
	if t.Finished || t.Change.Kind != edits.Update {
		return t.Finished && t.Result.Status == edits.Done
	}
	b, open := ws.Buffer(t.Path())
	return open && t.Landing(workspace.File{Path: t.Path(), Exists: true, Text: b.Lines.Text(), Buffer: b}) == edits.Landed
}
