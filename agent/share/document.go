// Package share writes a plan to a file that others can read, reads such a file back as a plan, and
// merges two files of one plan. A file is untrusted: share checks all of it, and nothing in it can
// approve anything. docs/reference/plan-format.md describes the format.
package share

import (
	"time"

	"redline/agent/plan"
)

// The format and version that a file names. Files of version 1 have no id, those of version 2 no
// content hashes: a Document has what version 3 has, whichever file it comes from.
const (
	Format  = "redline-plan"
	Version = 3
)

// MaxSize is the largest size of a file, in bytes.
const MaxSize = 64 << 20

// Document is the content of a file. Its lists have one order, see arrange: two documents of the
// same things are the same bytes.
type Document struct {
	Format       string     `json:"format"`
	Version      int        `json:"version"`
	ID           string     `json:"id,omitzero"` // the plan's own everywhere
	Plan         int        `json:"plan"`        // its number where it was exported
	Goal         string     `json:"goal"`
	State        string     `json:"state"`
	Rating       int        `json:"rating,omitzero"`
	Created      time.Time  `json:"created"`
	Updated      time.Time  `json:"updated,omitzero"`
	Current      int        `json:"current"` // number of the revision to decide on
	Revisions    []Revision `json:"revisions"`
	Decisions    []Decision `json:"decisions"` // for reading, like all below but the texts
	Comments     []Comment  `json:"comments,omitempty"`
	Trials       []Trial    `json:"trials,omitempty"`
	Problems     []Report   `json:"problems,omitempty"`
	Conversation []Exchange `json:"conversation,omitempty"`
	Progress     Progress   `json:"progress"`
	Texts        []Text     `json:"texts"` // in the order in which revisions name them
}

// Revision is one version of the plan.
type Revision struct {
	Revision    int              `json:"revision"`
	Parent      int              `json:"parent"`
	Content     string           `json:"content,omitzero"` // its content hash, see contentOf
	Author      string           `json:"author"`
	By          string           `json:"by,omitzero"` // the person who shared it first
	Created     time.Time        `json:"created"`
	Note        string           `json:"note,omitzero"`
	Hash        string           `json:"hash,omitzero"` // only in files of versions 1 and 2
	Description string           `json:"description"`
	TextOnly    bool             `json:"textOnly,omitzero"`
	Predicted   []string         `json:"predicted,omitempty"`
	Steps       []plan.Step      `json:"steps"`
	Operations  []plan.Operation `json:"operations"`
	Changes     []Change         `json:"changes"`
	Unfinished  *plan.Unfinished `json:"unfinished,omitempty"`
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
	Charset    string   `json:"charset,omitzero"`
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

// Decision is a decision made somewhere. Its id is a hash of the rest, without the person and the
// number of the revision.
type Decision struct {
	ID        string    `json:"id,omitzero"`
	Revision  int       `json:"revision"`
	Content   string    `json:"content,omitzero"` // the content hash of the revision
	Hash      string    `json:"hash,omitzero"`    // the approval hash, which only counts where it was made
	Verdict   string    `json:"verdict"`
	Path      string    `json:"path,omitzero"`
	Hunks     []string  `json:"hunks,omitempty"`
	Stale     []string  `json:"stale,omitempty"`
	Operation string    `json:"operation,omitzero"`
	Commands  []string  `json:"commands,omitempty"`
	Reason    string    `json:"reason,omitzero"`
	Who       string    `json:"who"`
	By        string    `json:"by,omitzero"`
	Client    string    `json:"client"`
	Way       string    `json:"way,omitzero"`
	At        time.Time `json:"at"`
}

// Comment is what a reviewer says about a line.
type Comment struct {
	ID       string    `json:"id"`
	Revision int       `json:"revision"`
	Content  string    `json:"content"` // the content hash of the revision
	Path     string    `json:"path"`
	Line     int       `json:"line"`
	Side     string    `json:"side"`
	Text     string    `json:"text"`
	Author   string    `json:"author"`
	Time     time.Time `json:"time"`
	Done     bool      `json:"done"`
}

// Trial is a command that was tried somewhere. Its id is made as that of a decision, also without
// the output.
type Trial struct {
	ID       string    `json:"id"`
	Revision int       `json:"revision"`
	Content  string    `json:"content"` // the content hash of the revision
	Command  string    `json:"command"`
	Cwd      string    `json:"cwd,omitzero"`
	ExitCode *int      `json:"exitCode,omitempty"`
	Before   *int      `json:"before,omitempty"` // the exit code without the plan's edits
	Verdict  string    `json:"verdict,omitzero"`
	Why      string    `json:"why,omitzero"`
	Problem  string    `json:"problem,omitzero"`
	Millis   int64     `json:"millis"`
	World    string    `json:"world"`
	By       string    `json:"by,omitzero"`
	At       time.Time `json:"at"`
	Output   string    `json:"output,omitzero"`
}

// Report is what language servers have reported about a revision somewhere.
type Report struct {
	Revision int            `json:"revision"`
	Content  string         `json:"content"` // the content hash of the revision
	Added    []Problem      `json:"added"`
	More     int            `json:"more,omitzero"`
	Fixed    int            `json:"fixed,omitzero"`
	Checked  []plan.Checked `json:"checked"`
	At       time.Time      `json:"at"`
}

// Problem is one report of a language server.
type Problem struct {
	Path     string `json:"path"`
	Line     int    `json:"line"` // from 1
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Source   string `json:"source,omitzero"`
	Code     string `json:"code,omitzero"`
}

// Exchange is a message of the user and its answer.
type Exchange struct {
	At      time.Time `json:"at"`
	Request string    `json:"request"`
	Answer  string    `json:"answer"`
}

// Progress is the progress of the current revision where the plan was exported last.
type Progress struct {
	Hash     string   `json:"hash,omitzero"` // its approval hash there
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
