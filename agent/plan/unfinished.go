package plan

import (
	"fmt"
	"slices"

	"redline/internal/phrase"
)

// Unfinished is what the turn that made a revision left undone. Approving the revision
// does none of it, so it is not part of the [ApprovalHash]; the description, which is,
// says it in words. The zero value means nothing was left undone.
type Unfinished struct {
	Stopped  string    `json:"stopped,omitempty"`  // the limit that ended the turn, in one sentence
	Refused  []Refused `json:"refused,omitempty"`  // files of patches that were refused and not staged later
	NotTaken string    `json:"notTaken,omitempty"` // the edits in the answer that were not staged, in one sentence
}

// Refused is a file that a patch was to change, and was refused.
type Refused struct {
	Path   string `json:"path"`   // the file; its name in the patch if that is no path of the workspace
	Reason string `json:"reason"` // why, in one line
}

// None reports whether nothing was left undone.
func (u Unfinished) None() bool { return u.Stopped == "" && len(u.Refused) == 0 && u.NotTaken == "" }

// maxRefused is how many refused files are named in words.
const maxRefused = 20

// Sentences returns what was left undone, one line for each.
func (u Unfinished) Sentences() []string {
	var all []string
	if u.Stopped != "" {
		all = append(all, u.Stopped)
	}
	for i, r := range u.Refused {
		if i == maxRefused {
			all = append(all, fmt.Sprintf("Left out too: %d more files, since their patches were refused.", len(u.Refused)-i))
			break
		}
		all = append(all, r.String())
	}
	if u.NotTaken != "" {
		all = append(all, u.NotTaken)
	}
	return all
}

// maxPath is how many bytes of a path a sentence has.
const maxPath = 200

// String returns the sentence on one file.
func (r Refused) String() string {
	path := phrase.StartBytes(phrase.OneLine(r.Path), maxPath)
	return fmt.Sprintf("Left out: %s, since its patch was refused: %s", path, r.Reason)
}

// Clone returns a copy that shares nothing with u.
func (u Unfinished) Clone() Unfinished {
	u.Refused = slices.Clone(u.Refused)
	return u
}
