package agent

import (
	"redline/agent/heap"
	"redline/agent/plan"
)

// State is what `redline.state` and the command line's --json tell. Field
// names and order are part of the contract with clients.
type State struct {
	Plans []PlanState `json:"plans"`
	Turns []TurnState `json:"turns"`
	Model ModelState  `json:"model"`
}

// PlanState is one plan as clients see it.
type PlanState struct {
	Plan         int              `json:"plan"`
	Goal         string           `json:"goal"`
	State        string           `json:"state"`
	Conversation string           `json:"conversation"`
	Revision     int              `json:"revision"`
	Hash         string           `json:"hash"`
	Description  string           `json:"description"`
	Steps        []StepState      `json:"steps"`
	Operations   []OperationState `json:"operations"`
	Files        []FileState      `json:"files"`
	Commands     []CommandState   `json:"commands"`
	Predicted    []string         `json:"predicted"`
	Drift        *plan.Drift      `json:"drift,omitempty"` // the files against predicted, of what came of a plan in words
	Revisions    []RevisionState  `json:"revisions"`
	TextOnly     bool             `json:"textOnly,omitempty"` // it is in words only: approval has the operations worked out
	Rating       int              `json:"rating,omitempty"`   // the user's own, 1 to 5

	SuggestedOrder []string `json:"suggestedOrder,omitempty"` // of all operations, where it is another than theirs

	// Earlier names the hunks and moves that are applied of earlier revisions
	// only, each with the path of its file.
	Earlier map[string]string `json:"-"`
}

// StepState is one step of a plan and how far it is.
type StepState struct {
	ID          string   `json:"id"`
	Description string   `json:"description"`
	Status      string   `json:"status"`
	Rationale   string   `json:"rationale"`
	Risk        string   `json:"risk"`
	DependsOn   []string `json:"dependsOn"`

	Tool string          `json:"tool,omitempty"` // the tool that is to do it, as the model has said
	When *plan.Condition `json:"when,omitempty"` // when it is carried out; absent: in any case
}

// OperationState is one buffered tool call.
type OperationState struct {
	ID     string   `json:"id"`
	Step   string   `json:"step"`
	Tool   string   `json:"tool"`
	Path   string   `json:"path,omitempty"`
	Paths  []string `json:"paths,omitempty"` // instead of path, of one that concerns several files
	Status string   `json:"status"`

	DependsOn []string `json:"dependsOn"` // the operations that it must come right after
}

// FileState is what a plan does to one file.
type FileState struct {
	Path    string      `json:"path"`
	NewPath string      `json:"newPath,omitempty"`
	URI     string      `json:"uri"`
	Action  string      `json:"action"`
	Status  string      `json:"status"`
	Reason  string      `json:"reason,omitempty"`
	Added   int         `json:"added"`
	Removed int         `json:"removed"`
	Hunks   []HunkState `json:"hunks"`
}

// HunkState is one hunk; Range is in the live text, in the encoding that was
// asked for.
type HunkState struct {
	ID      string    `json:"id"`
	Status  string    `json:"status"`
	Range   WireRange `json:"range"`
	Added   int       `json:"added"`
	Removed int       `json:"removed"`
	Match   string    `json:"match"`
	Reason  string    `json:"reason,omitempty"`
}

// WireRange is a range as JSON spells it.
type WireRange struct {
	Start WirePosition `json:"start"`
	End   WirePosition `json:"end"`
}

// WirePosition is a position as JSON spells it: line and character from 0.
type WirePosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// CommandState is one command of a plan.
type CommandState struct {
	ID       string `json:"id"`
	Command  string `json:"command"`
	Status   string `json:"status"`
	ExitCode *int   `json:"exitCode,omitempty"`
	Output   string `json:"output,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Waits    string `json:"waits,omitempty"` // while it is undecided: when it is run, if that is not known yet or cannot be
	Rule     string `json:"rule,omitempty"`  // while it is undecided: the user's own rules that allow it with the plan
}

// RevisionState is one revision in a plan's list.
type RevisionState struct {
	Revision int    `json:"revision"`
	Parent   int    `json:"parent"`
	Author   string `json:"author"`
	Hash     string `json:"hash"`
	Created  string `json:"created"` // RFC 3339, UTC
	Note     string `json:"note"`    // how the user made it; "" of the model's
}

// TurnState is one turn of this session.
type TurnState struct {
	Turn         string  `json:"turn"`
	Conversation string  `json:"conversation"`
	State        string  `json:"state"` // queued, running, waiting, done, failed, cancelled
	Question     *string `json:"question"`
	Answer       *string `json:"answer"`
	Error        *string `json:"error"`
	Usage        Usage   `json:"usage"`
	Message      string  `json:"message"`         // the first line of the message
	Place        int     `json:"place,omitempty"` // while it is queued: how many turns of its conversation end before it begins

	Options []string `json:"options,omitempty"` // of the question

	Specialists *heap.Summary `json:"planSummary,omitempty"` // what specialists did, if any worked
}

// ModelState names the model in use.
type ModelState struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
}

// FileResult is what came of one file of a decision.
type FileResult struct {
	Path   string `json:"path"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// Result is the answer to an approval or an undo.
type Result struct {
	Plan     int            `json:"plan"`
	Revision int            `json:"revision"`
	State    string         `json:"state"`
	Files    []FileResult   `json:"files"`
	Commands []CommandState `json:"commands"`
	Turn     string         `json:"turn,omitempty"`
}
