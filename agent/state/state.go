// Package state has what clients see of plans and turns: the JSON of `redline.state` and of
// the command line's --json.
package state

import (
	"encoding/json"
	"errors"

	"redline/agent/plan"
	"redline/agent/specialists"
	"redline/edits"
)

// State is the result of `redline.state`. The names and the order of fields are part of the
// contract with clients; docs/reference/state.md is made from their comments.
type State struct {
	Plans []Plan `json:"plans"` // the open plans and the last 20, or all if asked; newest last
	Turns []Turn `json:"turns"` // of this session, newest last
	Model Model  `json:"model"` // the model in use

	// whether commands may be [tried](../running.md#trials-commands-before-you-approve) here: `allowed`, `ask` if you have not said yet, `none` if you have forbidden it, there are no trials, or that is not known yet
	Trials string `json:"trials"`

	Checks bool `json:"checks,omitempty"` // the project says how it is tested, in its `Makefile`, `go.mod` and the like, as far as that is known
}

// Whether commands may be tried, as clients see it.
const (
	TrialsNone    = "none"
	TrialsAsk     = "ask"
	TrialsAllowed = "allowed"
)

// Plan is one plan as clients see it.
type Plan struct {
	Plan         int         `json:"plan"`                 // its number, from 1 in each workspace; 0 of a plan that a turn has begun and not made yet, which has no revision and no hash
	Turn         string      `json:"turn,omitempty"`       // of such a plan: the turn
	Goal         string      `json:"goal"`                 // the goal, in a line
	State        string      `json:"state"`                // see [states and statuses](#states-and-statuses)
	Conversation string      `json:"conversation"`         // the conversation it was made in
	Revision     int         `json:"revision"`             // the current revision
	Hash         string      `json:"hash"`                 // the approval hash of that revision
	Description  string      `json:"description"`          // the model's description of it
	ActiveStep   int         `json:"activeStepIndex"`      // the step that is under way or next, an index in steps from 0; -1 if none is left
	ProceedAt    string      `json:"proceed_at,omitempty"` // when something of it was last begun to be carried out, in UTC (RFC 3339); absent if nothing was
	Steps        []Step      `json:"steps"`                // what is to be done and why, in order
	Operations   []Operation `json:"operations"`           // the buffered tool calls, in order
	Files        []File      `json:"files"`                // its changes, one entry for each file
	Commands     []Command   `json:"commands"`             // its commands, in order
	Trials       []Trial     `json:"trials"`               // its commands, and others, as they were tried before any approval, newest last
	Untried      string      `json:"untried,omitempty"`    // why nothing was tried on the current revision, in words; absent if something was, you have not allowed it, or there is nothing to try
	Predicted    []string    `json:"predicted"`            // the files that a plan in words is expected to change
	Drift        *plan.Drift `json:"drift,omitempty"`      // how its files differ from the predicted ones, if it was made from a plan in words
	TakenOut     []Operation `json:"takenOut,omitempty"`   // operations that were taken out and can be put back, see [plans](../plans.md#take-operations-out-put-them-back)
	Revisions    []Revision  `json:"revisions"`            // all its revisions, oldest first
	TextOnly     bool        `json:"textOnly,omitempty"`   // a plan in words only: its operations are made after an approval
	Report       bool        `json:"report,omitempty"`     // the model reports what came of its commands, once they have run
	Undoable     bool        `json:"undoable,omitempty"`   // an undo would revert something now, perhaps a change of an earlier revision
	Rating       int         `json:"rating,omitempty"`     // the user's rating, 1 to 5

	Refused    []plan.Refused `json:"refused,omitempty"`    // files whose part of a patch was refused: the plan does not have these changes
	Unfinished []string       `json:"unfinished,omitempty"` // what the turn that made the revision left undone, one sentence each: see [what a turn leaves undone](../plans.md#what-a-turn-leaves-undone)

	SuggestedOrder []string `json:"suggestedOrder,omitempty"` // a better order of the operations: step by step, edits before commands; absent if they have it already

	// Earlier has the hunks and moves of earlier revisions that are applied and not in
	// this one: id → path of the file.
	Earlier map[string]string `json:"-"`
}

// Step is one step of a plan.
type Step struct {
	ID          string   `json:"id"`          // a short name, `s1`
	Description string   `json:"description"` // what is to be done
	Status      string   `json:"status"`      // the status of its operations
	Rationale   string   `json:"rationale"`   // why
	Risk        string   `json:"risk"`        // what could go wrong
	DependsOn   []string `json:"dependsOn"`   // the steps that come before it

	Tool string          `json:"tool,omitempty"` // the tool that the model named for it
	When *plan.Condition `json:"when,omitempty"` // the condition for carrying it out; absent if there is none

	Parallel bool `json:"parallel,omitempty"` // its commands may run at the same time as others, see a command's `alongside`
}

// Operation is one buffered tool call.
type Operation struct {
	ID      string   `json:"id"`                // a short name, `o1`
	Step    string   `json:"step"`              // its step
	Tool    string   `json:"tool"`              // the tool that the model called
	Path    string   `json:"path,omitempty"`    // the file that it changes
	Paths   []string `json:"paths,omitempty"`   // instead of path: the files, if it changes several
	Status  string   `json:"status"`            // the status of its hunks or its command
	Command string   `json:"command,omitempty"` // of one that was taken out: the command line, with its folder first
	Note    string   `json:"note,omitempty"`    // why: what the model said with the call, or else the reason of its step

	DependsOn []string `json:"dependsOn"` // the operations that it depends on directly

	Args map[string]any `json:"args"` // the arguments of the call; of a text longer than 400 bytes the beginning, and an ellipsis
	At   string         `json:"at"`   // when the first revision with this call was made, in UTC (RFC 3339)
}

// File is what a plan does to one file.
type File struct {
	Path    string `json:"path"`              // relative to the workspace's root; with several folders, it begins with the folder's name
	NewPath string `json:"newPath,omitempty"` // the path after a rename
	URI     string `json:"uri"`               // the URI of the file in the editor
	Action  string `json:"action"`            // create, update, rename or delete
	Status  string `json:"status"`            // its status
	Reason  string `json:"reason,omitempty"`  // why it is stale or failed, in a sentence
	Syntax  string `json:"syntax,omitempty"`  // why it does not parse as the plan proposes it: `line 12: …`; absent if it parses, did not before, that is not known, or a part of it is decided
	Added   int    `json:"added"`             // lines added
	Removed int    `json:"removed"`           // lines removed
	Hunks   []Hunk `json:"hunks"`             // its hunks, by position

	Lines *edits.Lines `json:"-"` // the text of the file now, which the spans of the hunks refer to
}

// Hunk is one hunk. The agent sets Span; whoever sends the plan makes Range from it.
type Hunk struct {
	ID      string `json:"id"`               // a short name, `h1`, unique in the plan
	Status  string `json:"status"`           // its status
	Range   Range  `json:"range"`            // where it is in the text now, in the negotiated encoding; utf-16 on the command line
	Added   int    `json:"added"`            // lines added
	Removed int    `json:"removed"`          // lines removed
	Match   string `json:"match"`            // how its place was found: `exact`, `line` (by its number), `line endings`, `indentation`, `look-alikes` or `end of file`; "" for whole files. `left-out lines kept`, alone or after one of these and a comma, means that the lines behind a placeholder such as `// ... existing code ...` were kept
	Reason  string `json:"reason,omitempty"` // why it is stale, in a sentence

	Span edits.Span `json:"-"` // where it is in its file's Lines: whole lines
}

// Line returns the number of the first line of Hunks[i], from 0.
func (f File) Line(i int) int { return f.Lines.LineOf(f.Hunks[i].Span.Start) }

// Range is a range of a text. It depends on how the client counts characters, so the one who
// sends a plan makes it, with [NewRange]. The zero Range cannot be encoded as JSON.
type Range struct {
	Start Position `json:"start"` // where it begins
	End   Position `json:"end"`   // where it ends, exclusive

	made bool
}

// NewRange returns the range between two positions.
func NewRange(start, end Position) Range { return Range{start, end, true} }

// MarshalJSON fails if the range was not made with [NewRange]: a client would take it for the
// start of the file.
func (r Range) MarshalJSON() ([]byte, error) {
	if !r.made {
		return nil, errors.New("a plan was to be sent without the ranges of its hunks")
	}
	type members Range
	return json.Marshal(members(r))
}

// Position is a position in a text.
type Position struct {
	Line      int `json:"line"`      // the line, from 0
	Character int `json:"character"` // the offset in the line, from 0
}

// Command is one command of a plan.
type Command struct {
	ID        string   `json:"id"`                  // the id of its operation
	Command   string   `json:"command"`             // the command line, or the call of a tool server
	Cwd       string   `json:"cwd,omitempty"`       // the folder that it runs in, a path like those of files; absent for the workspace's root
	Status    string   `json:"status"`              // its status
	ExitCode  *int     `json:"exitCode,omitempty"`  // its exit code, if it ended by itself
	Output    string   `json:"output,omitempty"`    // what it printed: the beginning, the end and the lines around failures
	Reason    string   `json:"reason,omitempty"`    // why it failed or was skipped, in a sentence
	Waits     string   `json:"waits,omitempty"`     // the condition of its step, while it is undecided and the condition is not met
	Alongside []string `json:"alongside,omitempty"` // the commands that run at the same time as it, at most `commands.parallel` of them at once

	Rule string `json:"rule,omitempty"` // the user's rules that run it when the plan is approved, while it is undecided
}

// Revision is one entry in a plan's list of revisions.
type Revision struct {
	Revision int    `json:"revision"` // its number, from 1
	Parent   int    `json:"parent"`   // the revision that it was made from; 0 for none
	Author   string `json:"author"`   // `model` or `user`
	Hash     string `json:"hash"`     // its approval hash
	Created  string `json:"created"`  // when it was made, in UTC (RFC 3339)
	Note     string `json:"note"`     // how the user made it; "" if the model did
}

// Turn is one turn of this session.
type Turn struct {
	Turn         string  `json:"turn"`            // `t1`, `t2` … in each session
	Conversation string  `json:"conversation"`    // its conversation
	State        string  `json:"state"`           // queued, running, waiting, done, failed or cancelled
	Question     *string `json:"question"`        // the question that it ended with, while it waits for an answer
	Answer       *string `json:"answer"`          // the answer in words, once it has ended
	Error        *string `json:"error"`           // why it failed, in a sentence
	Usage        Usage   `json:"usage"`           // the tokens that it has used so far
	Message      string  `json:"message"`         // the first line of the message
	Place        int     `json:"place,omitempty"` // how many turns of its conversation must end before it begins, while it is queued
	Plan         int     `json:"plan,omitempty"`  // the plan that it made, changed or showed again, if any

	Options []string `json:"options,omitempty"` // the answers to choose from

	Agent string `json:"agent,omitempty"` // the [agent](../specialists.md#an-agent-of-your-own) of its conversation, if you have chosen one
	Mode  string `json:"mode,omitempty"`  // the mode that you have chosen for its conversation, if you have: `plan`, `text`, `ask` or `heap`

	Report string `json:"report,omitempty"` // of a turn that has run commands: the turn that reports their results

	Unfinished []string `json:"unfinished,omitempty"` // what it left undone, one sentence each: see [what a turn leaves undone](../plans.md#what-a-turn-leaves-undone)

	Specialists *specialists.Summary `json:"planSummary,omitempty"` // what specialists did, if any worked
}

// Model names the model in use.
type Model struct {
	Provider string `json:"provider"` // `builtin`, or the kind of endpoint
	Name     string `json:"name"`     // the name of the model
}

// FileResult is the result of a decision for one file.
type FileResult struct {
	Path   string `json:"path"`             // the file
	Status string `json:"status"`           // its status after the decision
	Reason string `json:"reason,omitempty"` // why it was not done, in a sentence
}

// Result is the answer to an approval or an undo.
type Result struct {
	Plan     int          `json:"plan"`           // the plan's number
	Revision int          `json:"revision"`       // the revision that was decided on
	State    string       `json:"state"`          // the state of the plan; `executing` while the editor has not answered
	Files    []FileResult `json:"files"`          // the result for each file
	Commands []Command    `json:"commands"`       // the commands of the decision
	Turn     string       `json:"turn,omitempty"` // the turn that runs the commands, or makes the operations of a plan in words

	Outcome *Outcome `json:"-"` // the outcome so far; nil for commands alone and for a plan in words
}

// Outcome is the result of an approval, a review or an undo of edits, for the message about
// it.
type Outcome struct {
	Verdict      plan.Verdict
	Ended        bool         // the editor has answered for all files
	Changes      int          // number of changes that were applied or reverted
	ChangedFiles int          // number of files that they are in
	Left         int          // number of changes in these files that are still undecided
	Already      bool         // nothing had to be changed: the text had it all
	Unclear      bool         // for some file the outcome cannot be found out
	Paths        []string     // paths of the files, the new ones too
	Problems     []FileResult // what was not done, and why
}

// Usage counts the tokens of a turn, as the model's provider reported them.
type Usage struct {
	Prompt     int     `json:"prompt"`         // tokens sent
	Completion int     `json:"completion"`     // tokens received
	Cost       float64 `json:"cost,omitempty"` // the cost, in the currency of the user's prices; absent if it is not known
}

// InWords reports whether the decision approved a plan in words, which the result's turn
// works out now.
func (r Result) InWords() bool { return r.Turn != "" && r.State == string(plan.Drafting) }
