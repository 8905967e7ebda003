package plan

import (
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

// Refused is a call, or an edit of a file, that was refused and not made good later.
type Refused struct {
	Path   string `json:"path"`           // the file; its name in the call if that is no path of the workspace; empty if the call is about no file, or names none
	Reason string `json:"reason"`         // why, in one line
	Tool   string `json:"tool,omitempty"` // the tool that was called; `answer` for an edit that was written into the answer
}

// None reports whether nothing was left undone.
func (u Unfinished) None() bool { return u.Stopped == "" && len(u.Refused) == 0 && u.NotTaken == "" }

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
	var written []Refused
	calls := 0
	for _, r := range u.Refused {
		switch {
		case r.Tool == InAnswer:
			written = append(written, r)
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
	if len(written) > 0 {
		all = append(all, notTaken(written))
	}
	if u.NotTaken != "" {
		all = append(all, u.NotTaken)
	}
	return all
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
	if file := r.file(); file != "" {
		what = file
	}
	return fmt.Sprintf("Left out: %s, since %s was refused: %s", what, why, phrase.FullStop(r.Reason))
}

// Clone returns a copy that shares nothing with u.
func (u Unfinished) Clone() Unfinished {
	u.Refused = slices.Clone(u.Refused)
	return u
}
