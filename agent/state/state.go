// Package state has what clients see of plans and turns: the values of `redline.state`
// and of the command line's --json.
package state

import (
	"encoding/json"
	"errors"

	"redline/agent/plan"
	"redline/agent/specialists"
	"redline/edits"
)

// State is what `redline.state` and the command line's --json tell. Field
// names and order are part of the contract with clients; what is said of each
// here is the page docs/state.md.
type State struct {
	Plans []Plan `json:"plans"` // the open plans and the last 20, or all if asked; newest last
	Turns []Turn `json:"turns"` // of this session, newest last
	Model Model  `json:"model"` // the model in use
}

// Plan is one plan as clients see it.
type Plan struct {
	Plan         int         `json:"plan"`               // its number, from 1 in each workspace
	Goal         string      `json:"goal"`               // what it is for, in a line
	State        string      `json:"state"`              // see [states and statuses](#states-and-statuses)
	Conversation string      `json:"conversation"`       // the conversation that it was made in
	Revision     int         `json:"revision"`           // the current revision
	Hash         string      `json:"hash"`               // the approval hash of that revision
	Description  string      `json:"description"`        // what the model says of it
	Steps        []Step      `json:"steps"`              // what is to be done and why, in order
	Operations   []Operation `json:"operations"`         // the buffered tool calls, in order
	Files        []File      `json:"files"`              // what it does to each file
	Commands     []Command   `json:"commands"`           // the commands that it would run, in order
	Predicted    []string    `json:"predicted"`          // the files that a plan in words is expected to touch
	Drift        *plan.Drift `json:"drift,omitempty"`    // how its files differ from the predicted ones, if it came of a plan in words
	Revisions    []Revision  `json:"revisions"`          // all its revisions, oldest first
	TextOnly     bool        `json:"textOnly,omitempty"` // it is in words only: an approval has the operations worked out
	Undoable     bool        `json:"undoable,omitempty"` // something of it is applied that an undo takes back now, also if only an earlier revision has it
	Rating       int         `json:"rating,omitempty"`   // the user's own, 1 to 5

	Refused    []plan.Refused `json:"refused,omitempty"`    // the files that a patch was to change and that were refused; nothing of these patches is in the plan
	Unfinished []string       `json:"unfinished,omitempty"` // all that the turn has left undone which made the revision, a sentence each: see [what a turn leaves undone](plans.md#what-a-turn-leaves-undone)

	SuggestedOrder []string `json:"suggestedOrder,omitempty"` // of all operations, where it is another than theirs

	// Earlier names the hunks and moves that are applied of earlier revisions
	// only, each with the path of its file.
	Earlier map[string]string `json:"-"`
}

// Step is one step of a plan and how far it is.
type Step struct {
	ID          string   `json:"id"`          // a short name, `s1`
	Description string   `json:"description"` // what is to be done
	Status      string   `json:"status"`      // how far its operations are
	Rationale   string   `json:"rationale"`   // why
	Risk        string   `json:"risk"`        // what could go wrong
	DependsOn   []string `json:"dependsOn"`   // the steps that come before it

	Tool string          `json:"tool,omitempty"` // the tool that is to do it, as the model has said
	When *plan.Condition `json:"when,omitempty"` // when it is carried out; absent: in any case
}

// Operation is one buffered tool call.
type Operation struct {
	ID     string   `json:"id"`              // a short name, `o1`
	Step   string   `json:"step"`            // the step that it is of
	Tool   string   `json:"tool"`            // the tool that the model has called
	Path   string   `json:"path,omitempty"`  // the file that it concerns
	Paths  []string `json:"paths,omitempty"` // instead of path, of one that concerns several files
	Status string   `json:"status"`          // how far the hunks or the command of it are

	DependsOn []string `json:"dependsOn"` // the operations that it must come right after
}

// File is what a plan does to one file.
type File struct {
	Path    string `json:"path"`              // from the workspace's root; with several folders it begins with the folder's name
	NewPath string `json:"newPath,omitempty"` // where a rename leads
	URI     string `json:"uri"`               // of the file as the editor has it
	Action  string `json:"action"`            // create, update, rename or delete
	Status  string `json:"status"`            // how far it is
	Reason  string `json:"reason,omitempty"`  // why it is stale or has failed, in a sentence
	Added   int    `json:"added"`             // lines
	Removed int    `json:"removed"`           // lines
	Hunks   []Hunk `json:"hunks"`             // by position

	Lines *edits.Lines `json:"-"` // the text of now, which the spans of the hunks are in
}

// Hunk is one hunk. The agent sets Span; Range is set from it where the plan is sent.
type Hunk struct {
	ID      string `json:"id"`               // a short name, `h1`, of its own in the whole plan
	Status  string `json:"status"`           // how far it is
	Range   Range  `json:"range"`            // where it is in the text of now, in the encoding that was negotiated; utf-16 on the command line
	Added   int    `json:"added"`            // lines
	Removed int    `json:"removed"`          // lines
	Match   string `json:"match"`            // how its place was found: `exact`, `line endings`, `indentation` or `look-alikes`; "" where none was looked for. `left-out lines kept`, by itself or after one of these and a comma: the model wrote a placeholder such as `// ... existing code ...`, and the lines that it stands for stay
	Reason  string `json:"reason,omitempty"` // why it is stale, in a sentence

	Span edits.Span `json:"-"` // where it is in its file's Lines: whole lines
}

// Line returns the number of the first line of Hunks[i], from 0.
func (f File) Line(i int) int { return f.Lines.LineOf(f.Hunks[i].Span.Start) }

// Range is a range as JSON spells it. It depends on how the client counts characters, so
// it is made where a plan is sent, by [NewRange]; a Range that was not made so is an error
// when it is encoded.
type Range struct {
	Start Position `json:"start"` // where it begins
	End   Position `json:"end"`   // where it ends; this position is not in it

	made bool
}

// NewRange returns the range between two positions.
func NewRange(start, end Position) Range { return Range{start, end, true} }

// MarshalJSON fails if the range was not made with [NewRange]: a client would take it for
// the start of the file.
func (r Range) MarshalJSON() ([]byte, error) {
	if !r.made {
		return nil, errors.New("a plan was to be sent without the ranges of its hunks")
	}
	type members Range
	return json.Marshal(members(r))
}

// Position is a position as JSON spells it.
type Position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // from 0
}

// Command is one command of a plan.
type Command struct {
	ID       string `json:"id"`                 // of its operation
	Command  string `json:"command"`            // the command line, or the call of a tool server
	Cwd      string `json:"cwd,omitempty"`      // the folder that it runs in, a path as files have it; absent at the workspace's root
	Status   string `json:"status"`             // how far it is
	ExitCode *int   `json:"exitCode,omitempty"` // once it has ended by itself
	Output   string `json:"output,omitempty"`   // what it has printed, as far as that is kept
	Reason   string `json:"reason,omitempty"`   // why it has failed or was skipped, in a sentence
	Waits    string `json:"waits,omitempty"`    // while it is undecided: when it is run, if that is not known yet or cannot be
	Rule     string `json:"rule,omitempty"`     // while it is undecided: the user's own rules that allow it with the plan
}

// Revision is one revision in a plan's list.
type Revision struct {
	Revision int    `json:"revision"` // its number, from 1
	Parent   int    `json:"parent"`   // the revision that it was made from; 0 for none
	Author   string `json:"author"`   // `model` or `user`
	Hash     string `json:"hash"`     // its approval hash
	Created  string `json:"created"`  // when, in UTC (RFC 3339)
	Note     string `json:"note"`     // how the user made it; "" of the model's
}

// Turn is one turn of this session.
type Turn struct {
	Turn         string  `json:"turn"`            // `t1`, `t2` … in each session
	Conversation string  `json:"conversation"`    // the conversation that it is of
	State        string  `json:"state"`           // queued, running, waiting, done, failed or cancelled
	Question     *string `json:"question"`        // that it waits for the answer of
	Answer       *string `json:"answer"`          // in words, once it has ended
	Error        *string `json:"error"`           // one sentence on why it has failed
	Usage        Usage   `json:"usage"`           // the tokens that it took so far
	Message      string  `json:"message"`         // the first line of the message
	Place        int     `json:"place,omitempty"` // while it is queued: how many turns of its conversation end before it begins

	Options []string `json:"options,omitempty"` // of the question

	Unfinished []string `json:"unfinished,omitempty"` // what it has left undone, a sentence each: see [what a turn leaves undone](plans.md#what-a-turn-leaves-undone)

	Specialists *specialists.Summary `json:"planSummary,omitempty"` // what specialists did, if any worked
}

// Model names the model in use.
type Model struct {
	Provider string `json:"provider"` // `builtin`, or what kind of endpoint it is
	Name     string `json:"name"`     // the name of the model
}

// FileResult is what came of one file of a decision.
type FileResult struct {
	Path   string `json:"path"`             // of the file
	Status string `json:"status"`           // what it came to
	Reason string `json:"reason,omitempty"` // why it was not done, in a sentence
}

// Result is the answer to an approval or an undo.
type Result struct {
	Plan     int          `json:"plan"`           // the plan's number
	Revision int          `json:"revision"`       // the revision that was decided on
	State    string       `json:"state"`          // of the plan; `executing` while the editor has not answered
	Files    []FileResult `json:"files"`          // what came of each file
	Commands []Command    `json:"commands"`       // the commands that it is about
	Turn     string       `json:"turn,omitempty"` // the turn that goes on with the commands, or works a plan in words out

	Outcome *Outcome `json:"-"` // what it came to so far; nil for commands alone and for a plan in words
}

// Outcome says what an approval, a review or an undo of edits came to, for the message
// about it.
type Outcome struct {
	Verdict      plan.Verdict
	Ended        bool         // else the editor has not answered for all files
	Changes      int          // that were applied, or taken back
	ChangedFiles int          // that they are in
	Left         int          // changes in these files that are still undecided
	Already      bool         // nothing had to be changed: the text had it all
	Unclear      bool         // it cannot be told of a file
	Paths        []string     // of the files, their new ones too
	Problems     []FileResult // what was not done, and why
}

// Usage counts the tokens of a turn, as the model's provider reported them.
type Usage struct {
	Prompt     int     `json:"prompt"`         // tokens that were sent
	Completion int     `json:"completion"`     // tokens that were received
	Cost       float64 `json:"cost,omitempty"` // what that cost, in the currency of the user's prices; absent when it is not known
}

// InWords tells whether a plan in words was approved: it is worked out now, in the
// result's turn.
func (r Result) InWords() bool { return r.Turn != "" && r.State == string(plan.Drafting) }
