package plan

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"redline/edits"
	"redline/internal/phrase"
)

// Unfinished is what the turn that made a revision left undone. Approving the revision
// does none of it, so it is not part of the [ApprovalHash]; the description, which is,
// says it in words. The zero value means nothing was left undone.
type Unfinished struct {
	Stopped  string    `json:"stopped,omitempty"`  // the limit that ended the turn, in one sentence
	Refused  []Refused `json:"refused,omitempty"`  // calls and edits that were refused and not made good
	NotTaken string    `json:"notTaken,omitempty"` // only in plans of earlier versions: the edits in the answer that were not staged, in one sentence
}

// InAnswer is the tool of an edit that the model has written into its answer.
const InAnswer = "answer"

// InCopy is the tool of a change that a command has made in a copy of the workspace and that the plan
// of its changes cannot have.
const InCopy = "copy"

// Refused is a call, or an edit of a file, that was refused and not made good later.
type Refused struct {
	Path   string `json:"path"`           // the file; its name in the call if that is no path of the workspace; empty if the call is about no file, or names none
	Reason string `json:"reason"`         // why, in one line
	Tool   string `json:"tool,omitempty"` // the tool that was called; `answer` for an edit that was written into the answer, `copy` for a change that a command has made in a copy
}

// None reports whether nothing was left undone.
func (u Unfinished) None() bool { return u.Stopped == "" && len(u.Refused) == 0 && u.NotTaken == "" }

// NotCarried returns the changes that a program has made in its copy and that the plan cannot have.
func (u Unfinished) NotCarried() (all []Refused) {
	for _, r := range u.Refused {
		if r.Tool == InCopy {
			all = append(all, r)
		}
	}
	return all
}

// Limits of what is named in words.
const (
	maxRefused = 20  // refused calls
	maxNamed   = 3   // files of edits in an answer
	maxPath    = 200 // bytes of a path
)

// Sentences returns what was left undone, one line for each.
func (u Unfinished) Sentences() []string {
	var all []string
	if u.Stopped != "" {
		all = append(all, u.Stopped)
	}
	var written, inCopy []Refused
	calls := 0
	for _, r := range u.Refused {
		switch {
		case r.Tool == InAnswer:
			written = append(written, r)
		case r.Tool == InCopy:
			inCopy = append(inCopy, r)
		case calls < maxRefused:
			all = append(all, r.String())
			calls++
		default:
			calls++
		}
	}
	if more := calls - maxRefused; more > 0 {
		all = append(all, fmt.Sprintf("Left out too: %s, since they were refused.", phrase.Count(more, "more change")))
	}
	if len(inCopy) > 0 {
		all = append(all, NotCarried(inCopy, maxRefused))
	}
	if len(written) > 0 {
		all = append(all, notTaken(written))
	}
	if u.NotTaken != "" {
		all = append(all, u.NotTaken)
	}
	return all
}

// FirstNotCarried returns the first of many changes that are not carried, and how many there are more.
func FirstNotCarried(all []Refused) []Refused {
	const most = 1000
	if more := len(all) - most; more > 0 {
		all = append(all[:most:most], Refused{Reason: fmt.Sprintf(moreChanges, more), Tool: InCopy})
	}
	return all
}

const moreChanges = "%d more changes"

// NotCarried names the changes that a program has made in its copy and no plan can have, at most so many
// of them, and says what to do: "Not carried: logo.png (it is no UTF-8 text). Make this change yourself."
func NotCarried(all []Refused, most int) string {
	var names []string
	for _, r := range all[:min(len(all), most)] {
		names = append(names, fmt.Sprintf("%s (%s)", cmp.Or(r.file(), "more"), phrase.TrimStop(edits.VisibleLine(phrase.OneLine(r.Reason)))))
	}
	if more := len(all) - most; more > 0 {
		var uncounted int
		if _, err := fmt.Sscanf(all[len(all)-1].Reason, moreChanges, &uncounted); err == nil && all[len(all)-1].Path == "" {
			more += uncounted - 1
		}
		names = append(names, fmt.Sprintf("%d more", more))
	}
	what := "these changes"
	if len(all) == 1 {
		what = "this change"
	}
	return fmt.Sprintf("Not carried: %s. Make %s yourself.", phrase.And(names), what)
}

// notTaken returns the sentence on edits in an answer.
func notTaken(written []Refused) string {
	var names []string
	for _, r := range written {
		name := r.file()
		if name == "" {
			name = "a file"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("The answer holds edits that were not taken, of %s: %s", strings.Join(names, ", "), edits.Visible(written[0].Reason))
}

// file returns the path for a sentence, "" for none.
func (r Refused) file() string {
	return edits.VisibleLine(phrase.StartBytes(phrase.OneLine(r.Path), maxPath))
}

// String returns the sentence on one call.
func (r Refused) String() string {
	what, why := "a change", "it"
	switch r.Tool {
	case InCopy:
		return NotCarried([]Refused{r}, 1)
	case "", "apply_patch":
		what, why = "a file", "its patch"
	case "edit_file", "text_editor":
		what, why = "a file", "its edit"
	case "write_file":
		what, why = "a file", "its text"
	case "delete_file":
		what, why = "a file", "its deletion"
	case "rename_file":
		what, why = "a file", "its move"
	case "rename_symbol":
		what, why = "the new name of a symbol", "it"
	case "run_command":
		what = "a command"
	case "submit_plan":
		return "Left out: the steps of the plan, since they were refused: " + phrase.FullStop(r.Reason)
	case "unstage":
		what = "taking out what is staged"
	case "revert":
		what, why = "taking back what was applied", "that"
	default:
		what = "a call of " + phrase.StartBytes(phrase.OneLine(r.Tool), maxPath)
	}
	if file := r.file(); file != "" && r.Tool == "rename_symbol" {
		what += " in " + file
	} else if file != "" {
		what = file
	}
	return fmt.Sprintf("Left out: %s, since %s was refused: %s", what, why, phrase.FullStop(r.Reason))
}

// Clone returns a copy that shares nothing with u.
func (u Unfinished) Clone() Unfinished {
	u.Refused = slices.Clone(u.Refused)
	return u
}

// Fuller returns the revisions that r was made from by taking operations out, or by ordering them,
// newest first: each has all the operations and hunks of r, unchanged.
func (p *Plan) Fuller(r *Revision) []*Revision {
	var list []*Revision
	for at := r; ; {
		before, ok := p.Revision(at.Parent)
		if !ok || before.Number >= at.Number || !before.hasAllOf(r) {
			return list
		}
		list = append(list, before)
		at = before
	}
}

// TakenOut returns the removed operations of a plan that can be put back into r, in their
// earlier order. If several revisions have removed some, those of the newest come first.
func (p *Plan) TakenOut(r *Revision) []Operation {
	var list []Operation
	known := map[string]bool{}
	for _, o := range r.Operations {
		known[o.ID] = true
	}
	for _, before := range p.Fuller(r) {
		for _, o := range before.Operations {
			if !known[o.ID] {
				known[o.ID] = true
				list = append(list, o)
			}
		}
	}
	return list
}

// hasAllOf reports whether r has the operations and hunks of other.
func (r *Revision) hasAllOf(other *Revision) bool {
	for i := range other.Operations {
		o := &other.Operations[i]
		mine, ok := r.Operation(o.ID)
		if !ok || mine.Tool != o.Tool || mine.Path != o.Path || mine.Command != o.Command || !bytes.Equal(mine.Args, o.Args) {
			return false
		}
	}
	for i := range other.Changes {
		c := &other.Changes[i]
		at := slices.IndexFunc(r.Changes, func(mine Change) bool { return mine.Path == c.Path && mine.NewPath == c.NewPath })
		if at < 0 {
			return false
		}
		for j := range c.Hunks {
			if !slices.ContainsFunc(r.Changes[at].Hunks, func(h Hunk) bool { return h.ID == c.Hunks[j].ID }) {
				return false
			}
		}
	}
	return true
}

// Drift is the difference between the files that a revision changes and those expected from its
// plan in words.
type Drift struct {
	Unexpected []string `json:"unexpected"` // changed files that were not expected
	Untouched  []string `json:"untouched"`  // expected files that are not changed
}

// Drift returns the drift of revision r. ok is false if there is nothing to compare: the
// revision is only in words, or was never planned in words.
func (p *Plan) Drift(r *Revision) (d Drift, ok bool) {
	if r.TextOnly || len(r.Predicted) == 0 && !p.inWords(r) {
		return d, false
	}
	d = Drift{Unexpected: []string{}, Untouched: []string{}}
	touched := map[string]bool{}
	for i := range r.Changes {
		c := &r.Changes[i]
		expected := false
		for _, path := range []string{c.Path, c.NewPath} {
			if path != "" {
				touched[path] = true
				expected = expected || slices.Contains(r.Predicted, path)
			}
		}
		if !expected {
			d.Unexpected = append(d.Unexpected, c.Path)
		}
	}
	for _, path := range r.Predicted {
		if !touched[path] {
			d.Untouched = append(d.Untouched, path)
		}
	}
	return d, true
}

// A PredictedStatus says how far a file is that a plan in words is expected to change.
type PredictedStatus string

// The statuses of predicted files.
const (
	PredictedPending  PredictedStatus = "pending"  // nothing is staged for it
	PredictedCreating PredictedStatus = "creating" // the model is writing a call that changes it
	PredictedCreated  PredictedStatus = "created"  // a change of it is staged
)

// PredictedFile is a file that a plan in words is expected to change.
type PredictedFile struct {
	Path   string          `json:"path"`   // its path
	Status PredictedStatus `json:"status"` // `pending`, `creating` or `created`
}

// PredictedFiles returns the predicted files of r in order, with their statuses by its changes.
func (r *Revision) PredictedFiles() (all []PredictedFile) {
	made := map[string]bool{}
	for i := range r.Changes {
		made[r.Changes[i].Path], made[r.Changes[i].NewPath] = true, true
	}
	for _, path := range r.Predicted {
		f := PredictedFile{path, PredictedPending}
		if made[path] {
			f.Status = PredictedCreated
		}
		all = append(all, f)
	}
	return all
}

// inWords reports whether one of the ancestors of r is a revision in words.
func (p *Plan) inWords(r *Revision) bool {
	for r != nil && r.Parent != 0 && r.Parent < r.Number {
		if r, _ = p.Revision(r.Parent); r != nil && r.TextOnly {
			return true
		}
	}
	return false
}

// None reports whether the files are the expected ones.
func (d Drift) None() bool { return len(d.Unexpected)+len(d.Untouched) == 0 }

// maxListed is how many files a sentence names.
const maxListed = 20

func listed(paths []string) string {
	if n := len(paths) - maxListed; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:maxListed], ", "), n)
	}
	return strings.Join(paths, ", ")
}

// String returns the drift in a sentence: "Other than the plan in words said: also b.go;
// not c.go."
func (d Drift) String() string {
	var parts []string
	if len(d.Unexpected) > 0 {
		parts = append(parts, "also "+listed(d.Unexpected))
	}
	if len(d.Untouched) > 0 {
		parts = append(parts, "not "+listed(d.Untouched))
	}
	if len(parts) == 0 {
		return "The files are those that the plan in words named."
	}
	return "Other than the plan in words said: " + strings.Join(parts, "; ") + "."
}
