// Package share writes a plan to a file that others can read, and reads such a file back
// as a plan. A file is untrusted: share checks all of it, and nothing in it can approve
// anything. docs/reference/plan-format.md describes the format.
package share

import (
	"encoding/json"
	"time"

	"redline/agent/plan"
)

// The format and version that a file names.
const (
	Format  = "redline-plan"
	Version = 1
)

// MaxSize is the largest size of a file, in bytes.
const MaxSize = 64 << 20

// Document is the content of a file. Its lists are in the order of the plan, so that a
// diff of two files shows how the plans differ.
type Document struct {
	Format    string     `json:"format"`
	Version   int        `json:"version"`
	Plan      int        `json:"plan"` // its number where it was exported
	Goal      string     `json:"goal"`
	State     string     `json:"state"`
	Rating    int        `json:"rating,omitzero"`
	Created   time.Time  `json:"created"`
	Current   int        `json:"current"` // number of the revision that an import takes
	Revisions []Revision `json:"revisions"`
	Decisions []Decision `json:"decisions"` // for reading, like progress
	Progress  Progress   `json:"progress"`
	Texts     []Text     `json:"texts"` // in the order in which revisions name them
}

// Revision is one version of the plan.
type Revision struct {
	Revision    int              `json:"revision"`
	Parent      int              `json:"parent"`
	Author      string           `json:"author"`
	Created     time.Time        `json:"created"`
	Note        string           `json:"note,omitzero"`
	Hash        string           `json:"hash"` // of the plan where it was exported
	Description string           `json:"description"`
	TextOnly    bool             `json:"textOnly,omitzero"`
	Predicted   []string         `json:"predicted,omitempty"`
	Steps       []Step           `json:"steps"`
	Operations  []Operation      `json:"operations"`
	Changes     []Change         `json:"changes"`
	Unfinished  *plan.Unfinished `json:"unfinished,omitempty"`
}

// Step is something to be done, and why.
type Step struct {
	ID          string   `json:"id"`
	Description string   `json:"description"`
	Rationale   string   `json:"rationale,omitzero"`
	Risk        string   `json:"risk,omitzero"`
	DependsOn   []string `json:"dependsOn,omitempty"`
	Tool        string   `json:"tool,omitzero"`
	When        *When    `json:"when,omitempty"`
	Parallel    bool     `json:"parallel,omitzero"`
}

// When is the condition of a step.
type When struct {
	Step          string `json:"step"`
	Outcome       string `json:"outcome"`
	OutputMatches string `json:"outputMatches,omitzero"`
}

// Operation is one buffered tool call.
type Operation struct {
	ID      string          `json:"id"`
	Step    string          `json:"step,omitzero"`
	Tool    string          `json:"tool"`
	Path    string          `json:"path,omitzero"`
	Command string          `json:"command,omitzero"`
	Args    json.RawMessage `json:"args"`
}

// Change is what a revision does to one file.
type Change struct {
	Path       string   `json:"path"`
	NewPath    string   `json:"newPath,omitzero"`
	Action     string   `json:"action"`
	Base       string   `json:"base"`     // name of a text
	Proposed   string   `json:"proposed"` // name of a text
	BaseExists bool     `json:"baseExists"`
	Mode       uint32   `json:"mode"`
	BOM        bool     `json:"bom,omitzero"`
	Operations []string `json:"operations"`
	MovedBy    []string `json:"movedBy,omitempty"`
	Hunks      []Hunk   `json:"hunks"`
}

// Hunk is one contiguous piece of a change: bytes of the two texts.
type Hunk struct {
	ID         string   `json:"id"`
	Old        [2]int   `json:"old"` // start and end in base
	New        [2]int   `json:"new"` // start and end in proposed
	Match      string   `json:"match,omitzero"`
	Operations []string `json:"operations,omitempty"`
}

// Decision is a decision made where the plan was exported.
type Decision struct {
	Revision  int       `json:"revision"`
	Verdict   string    `json:"verdict"`
	Path      string    `json:"path,omitzero"`
	Hunks     []string  `json:"hunks,omitempty"`
	Stale     []string  `json:"stale,omitempty"`
	Operation string    `json:"operation,omitzero"`
	Reason    string    `json:"reason,omitzero"`
	Who       string    `json:"who"`
	Client    string    `json:"client"`
	At        time.Time `json:"at"`
}

// Progress is the progress of the current revision where it was exported.
type Progress struct {
	Files    []Status `json:"files"`
	Hunks    []Status `json:"hunks"`
	Commands []Status `json:"commands"`
}

// Status is the status of one file, hunk or command; the id of a file is its path.
type Status struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Reason string `json:"reason,omitzero"`
}

// Text is a base or proposed text and its name, which is its SHA-256. Its lines keep
// their ends.
type Text struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}
