// Package plan defines what a user decides on: a [Plan], its [Revision]s with their [Operation]s and
// [Change]s, the table of its [State]s and their [Effect]s, the [ApprovalHash], and the [Progress] of
// what was decided. [Revision.Dependencies] says in which order operations may happen,
// [Compare] how two revisions differ, a [Refusal] why a decision cannot be. All of it is
// plain values; the package does no I/O.
package plan

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"redline/edits"
	"redline/edits/charset"
	"redline/internal/phrase"
)

// Plan is what the user decides on: a goal, its revisions and a state. Do not change a
// plan that others can see; change a [Plan.Clone].
type Plan struct {
	Number       int    // 1, 2, 3 … in its workspace; 0 until it is stored
	ID           string // its own everywhere, see [NewID]; "" until it is stored
	Conversation string // the conversation it belongs to
	Goal         string // one line: what the user wants
	State        State
	Revisions    []Revision // oldest first; a revision never changes once it is in a plan
	Current      int        // number of the revision to decide on: the newest that was not made beside it; 0 if there is none
	Created      time.Time  // UTC
	Updated      time.Time  // UTC; the caller sets it with each change that it stores

	NextHunk      int // the last hunk id given out was h followed by this number
	NextOperation int // the last operation id given out was o followed by this number
	Progress      Progress
	Rating        int // the user's rating, 1 to 5; 0 for none

	Trials    []Trial // oldest first
	NextTrial int     // the last trial id given out was t followed by this number
	Untried   Untried
	Shared    *Shared   // what came from elsewhere, nil if nothing did; never changed
	Problems  *Problems // what language servers have reported about it last, nil if nothing is known; never changed

	// Unreadable is the reason, in a few words, why a part of the stored plan cannot be
	// read, "" if all can. The readable parts are here; the plan can only be rejected.
	Unreadable string

	// Version counts how often the plan was stored. The store sets it, and refuses a plan
	// that another process has stored since this one was read.
	Version int
}

// Revision is an immutable version of a plan. [Progress] holds the decisions on it,
// beside the revisions.
type Revision struct {
	Number      int    // 1, 2, 3 … in its plan
	Parent      int    // number of the revision it was made from; 0 for none
	Author      string // [AuthorModel], [AuthorUser], [AuthorInCopy] or [AuthorInPlainCopy]
	Created     time.Time
	Note        string      // how the user made it, in a few words: "back to revision 1"; "" for the model's
	Tokens      Tokens      // the cost of the turn that made it
	Description string      // what is to be done, in plain words, as Markdown
	TextOnly    bool        // nothing is staged yet: approval lets the model work out the operations
	Predicted   []string    // text-only: the paths that the plan is expected to change
	Steps       []Step      // in order
	Operations  []Operation // in the order in which they happen
	Changes     []Change    // at most one for a path
	Report      bool        // the model reports the results of its commands; the approval hash leaves it out
	Unfinished  Unfinished  // what its turn left undone, or the turn of the revision from which the user made it
	Hash        string      // its [ApprovalHash]
	Content     string      // its content hash, the same everywhere, once it was shared or came from elsewhere; see package share
}

// Tokens are the counts of a model's provider, and their cost.
type Tokens struct {
	Prompt, Completion int
	Cost               float64 // in the currency of the user's prices; 0 if unknown
}

// The authors of revisions.
const (
	AuthorModel = "model"
	AuthorUser  = "user"
)

// AuthorInCopy returns the author of a revision with what a program has changed in a copy of the
// workspace: "gofmt in a copy".
func AuthorInCopy(program string) string { return program + inCopy }

// AuthorInPlainCopy is AuthorInCopy for a plain copy: "gofmt in a plain copy".
func AuthorInPlainCopy(program string) string { return program + inPlainCopy }

const (
	inCopy      = " in a copy"
	inPlainCopy = " in a plain copy"
)

// By returns the author of the newest revision that is not the user's own edit: [AuthorModel] or a program
// that worked in a copy. It returns [AuthorUser] if the user made them all.
func (p *Plan) By() string {
	for _, r := range slices.Backward(p.Revisions) {
		if r.Author != AuthorUser {
			return strings.TrimSuffix(strings.TrimSuffix(r.Author, inPlainCopy), inCopy)
		}
	}
	return AuthorUser
}

// Step is something to be done, and why. Its status follows its operations.
type Step struct {
	ID          string   `json:"id"`
	Description string   `json:"description"`
	Rationale   string   `json:"rationale,omitempty"`
	Risk        string   `json:"risk,omitempty"`
	DependsOn   []string `json:"dependsOn,omitempty"` // ids of steps

	Tool string     `json:"tool,omitempty"` // the tool to do it, as the model named it
	When *Condition `json:"when,omitempty"` // nil: always carried out

	Parallel bool `json:"parallel,omitzero"` // its commands do not need each other, nor those of adjacent parallel steps, see [Revision.Parallel]
}

// Operation is one buffered tool call: exactly what will happen.
type Operation struct {
	ID      string          `json:"id"`             // "o1"; unique in the plan
	Step    string          `json:"step,omitempty"` // id of its step
	Tool    string          `json:"tool"`
	Path    string          `json:"path,omitempty"`    // workspace path of the file it concerns, "" for a command and for several files
	Command string          `json:"command,omitempty"` // the command line of a command, "" for all other tools
	Args    json.RawMessage `json:"args"`              // the call's arguments, a JSON object
}

// IsCommand reports whether the operation runs a command.
func (o *Operation) IsCommand() bool { return o.Command != "" }

// Named names the operation in a sentence: by its id or, if it has none yet, by what it does.
func (o *Operation) Named() string {
	what := o.Path
	switch {
	case o.ID != "":
		return o.ID
	case o.IsCommand():
		what = CommandIn(o.Command, o.Folder())
	}
	return strings.TrimSpace(o.Tool + " " + phrase.OneLine(phrase.StartBytes(what, 80)))
}

// Action is what a change does to its file.
type Action string

// The actions.
const (
	Create Action = "create"
	Update Action = "update"
	Rename Action = "rename" // possibly with edits too
	Delete Action = "delete"
)

// Change is what a revision does to one file.
type Change struct {
	Path       string          `json:"path"`              // workspace path, before the change
	NewPath    string          `json:"newPath,omitempty"` // rename: workspace path after it
	Action     Action          `json:"action"`
	Base       Blob            `json:"base"`              // the text that it was made from; the empty text if there is no file
	Proposed   Blob            `json:"proposed"`          // the text that it leads to; the empty text if the file is deleted
	BaseExists bool            `json:"baseExists"`        // whether there was a file
	Mode       uint32          `json:"mode"`              // permission bits of the file
	BOM        bool            `json:"bom,omitempty"`     // the created or deleted file has a byte order mark before its text
	Charset    charset.Charset `json:"charset,omitempty"` // the one that the file is written in, unless it is deleted; see edits.Change
	Hunks      []Hunk          `json:"hunks"`             // by position; exactly one for create and delete, possibly none for rename
	Operations []string        `json:"operations"`        // ids of the operations that made it
	MovedBy    []string        `json:"movedBy,omitempty"` // rename: those of Operations that moved the file; none means all
}

// Hunk is one contiguous piece of a change, in whole lines: the finest thing
// to decide on. A create or delete is one hunk with the file's whole content.
// The texts are base[Old.Start:Old.End] and proposed[New.Start:New.End]: to replace the second line
// of "a\nb\n" with two, Old is {2, 4} and New {2, 6}.
type Hunk struct {
	ID      string     `json:"id"`  // "h1"; unique in the plan
	Old     edits.Span `json:"old"` // bytes of the base text
	New     edits.Span `json:"new"` // bytes of the proposed text
	Added   int        `json:"added"`
	Removed int        `json:"removed"`         // lines
	Match   string     `json:"match,omitempty"` // the matching step that found its place, "" for whole files

	// Operations are those of the change's operations that made the hunk, by id; none means all
	// of them.
	Operations []string `json:"operations,omitempty"`
}

// Loosely returns the matching step that found the hunk's place, or "" if its old text
// was there byte for byte.
func (h *Hunk) Loosely() string {
	switch h.Match {
	case "exact", "line": // "line": the place was given by its number
		return ""
	}
	return h.Match
}

// Blob names a text by its content: "sha256:" and the hexadecimal SHA-256 of its bytes. The empty
// text is "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855". The texts
// themselves are in the store.
type Blob string

// BlobOf returns the name of a text.
func BlobOf(text string) Blob {
	sum := sha256.Sum256([]byte(text))
	return Blob("sha256:" + hex.EncodeToString(sum[:]))
}

// Revision returns the revision with the given number.
func (p *Plan) Revision(n int) (*Revision, bool) {
	for i := range p.Revisions {
		if p.Revisions[i].Number == n {
			return &p.Revisions[i], true
		}
	}
	return nil, false
}

// Latest returns the newest revision, or nil if there is none.
func (p *Plan) Latest() *Revision {
	if len(p.Revisions) == 0 {
		return nil
	}
	return &p.Revisions[len(p.Revisions)-1]
}

// Change returns the change of the file with the given path; for a renamed
// file the old and the new path both name it.
func (r *Revision) Change(path string) (*Change, bool) {
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Path == path || c.NewPath != "" && c.NewPath == path {
			return c, true
		}
	}
	return nil, false
}

// Hunk returns the hunk with the given id and the change that it is part of.
func (r *Revision) Hunk(id string) (*Change, *Hunk, bool) {
	for i := range r.Changes {
		for j := range r.Changes[i].Hunks {
			if h := &r.Changes[i].Hunks[j]; h.ID == id {
				return &r.Changes[i], h, true
			}
		}
	}
	return nil, nil, false
}

// MakersOf returns the ids of the operations that made a hunk of the change.
func (c *Change) MakersOf(h *Hunk) []string {
	if len(h.Operations) == 0 {
		return c.Operations
	}
	return h.Operations
}

// Movers returns the ids of the operations that moved the file, none if the change is not
// a rename.
func (c *Change) Movers() []string {
	if c.Action != Rename {
		return nil
	}
	if len(c.MovedBy) == 0 {
		return c.Operations
	}
	return c.MovedBy
}

// Concerns returns the changes that an operation made, in order. For an operation on
// several files, which has no path, they show the files.
func (r *Revision) Concerns(o *Operation) []*Change {
	var changes []*Change
	for i := range r.Changes {
		if c := &r.Changes[i]; slices.Contains(c.Operations, o.ID) {
			changes = append(changes, c)
		}
	}
	return changes
}

// PathsOf returns the paths of an operation on several files, nil for any other.
func (r *Revision) PathsOf(o *Operation) (paths []string) {
	if o.Path != "" || o.IsCommand() {
		return nil
	}
	for _, c := range r.Concerns(o) {
		paths = append(paths, c.Path)
	}
	return paths
}

// Operation returns the operation with the given id.
func (r *Revision) Operation(id string) (*Operation, bool) {
	for i := range r.Operations {
		if r.Operations[i].ID == id {
			return &r.Operations[i], true
		}
	}
	return nil, false
}

// Add makes r the newest and current revision: it sets its number, its parent (unless
// set, the revision that was current), a step for each operation, the ids of its hunks
// and its hash. A hunk that already has an id is the parent's hunk of that id. text
// returns the text of a blob of r or of its parent. The returned revision is the one in
// the plan.
func (p *Plan) Add(r Revision, text func(Blob) string) *Revision {
	if r.Parent == 0 {
		r.Parent = p.Current
	}
	complete(p, &r, text)
	p.carryMarks(&r)
	p.SkipUnmet(&r)
	p.Revisions = append(p.Revisions, r)
	p.Current = r.Number
	return p.Latest()
}

// AddBeside does what [Plan.Add] does, for a revision that does not become the current one: somebody else has
// made it from an earlier one.
func AddBeside(p *Plan, r Revision, text func(Blob) string) *Revision {
	complete(p, &r, text)
	p.Revisions = append(p.Revisions, r)
	return p.Latest()
}

// complete sets the number of a new revision, its steps, the ids of its hunks and its hash. It has no content
// hash yet: r may be made from another revision.
func complete(p *Plan, r *Revision, text func(Blob) string) {
	r.Number = 1
	if last := p.Latest(); last != nil {
		r.Number = last.Number + 1
	}
	r.Content = ""
	p.placeInSteps(r)
	p.nameHunks(r, text)
	r.Hash = ApprovalHash(p.Number, r)
}

// carryMarks moves the marks of a file to r, if r has the same change of it as the
// revision of the mark, which is the parent or, after going back, a later one. It drops
// failures of files and commands: r waits for a decision of its own.
func (p *Plan) carryMarks(r *Revision) {
	parent, known := p.Revision(r.Parent)
	for i := range r.Operations {
		if !known {
			break
		}
		o := &r.Operations[i]
		was, ok := parent.Operation(o.ID)
		same := ok && was.Command == o.Command && bytes.Equal(was.Args, o.Args)
		switch p.Progress.Command(o.ID).Status {
		case CommandFailed, CommandSkipped, CommandWaitingForSave: // conditions are decided anew
			same = false
		}
		if !same {
			delete(p.Progress.Commands, o.ID)
		}
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		m, ok := p.Progress.Files[c.Path]
		if !ok || m.Revision < r.Parent { // a change that the parent does not have is proposed anew
			continue
		}
		of, ok := p.Revision(m.Revision)
		if !ok {
			continue
		}
		was, ok := of.Change(c.Path)
		if !ok || was.Path != c.Path || was.NewPath != c.NewPath || was.Action != c.Action || was.Base != c.Base {
			continue
		}
		m.Revision = r.Number
		if m.Status == FileFailed {
			m.Status, m.Cause, m.Reason = m.Move, "", ""
		}
		p.Progress.Files[c.Path] = m
	}
}

// SetNumber sets the number of a new plan, and the hashes of its revisions, which depend
// on it.
func (p *Plan) SetNumber(n int) {
	p.Number = n
	for i := range p.Revisions {
		p.Revisions[i].Hash = ApprovalHash(n, &p.Revisions[i])
	}
}

// NewID returns an id for a plan: 128 random bits in hexadecimal. Nobody has to be asked for it.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails (Go 1.24)
	return hex.EncodeToString(b[:])
}

// Clone returns a copy that can be changed without changing p. It shares the contents of
// revisions, which are immutable.
func (p *Plan) Clone() *Plan {
	c := *p
	c.Revisions, c.Trials = slices.Clone(p.Revisions), slices.Clone(p.Trials)
	c.Progress = Progress{
		Hunks:    maps.Clone(p.Progress.Hunks),
		Files:    maps.Clone(p.Progress.Files),
		Commands: maps.Clone(p.Progress.Commands),
		Deleted:  maps.Clone(p.Progress.Deleted),
		Folders:  p.Progress.Folders, // it is replaced, never changed

		ProceedAt: p.Progress.ProceedAt, TakenBack: p.Progress.TakenBack, Comments: slices.Clone(p.Progress.Comments),
	}
	return &c
}
