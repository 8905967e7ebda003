// Package state has what a session and its client exchange: how the client sees plans and turns, the
// JSON of `redline.state` and of the command line's --json ([State]); what it hears ([Event]); and
// what the session needs of it ([Editor]).
package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"redline/agent/plan"
	"redline/edits"
)

// State is the result of `redline.state`. Clients rely on the names and the order of the
// fields; docs/reference/state.md is generated from their comments.
type State struct {
	Plans []Plan `json:"plans"` // the open plans and the last 20, or with `all` every plan; newest last
	Turns []Turn `json:"turns"` // the turns of this session, newest last
	Model Model  `json:"model"` // the model in use

	// whether [trials](../running.md#trials-commands-before-you-approve) are allowed here: `allowed`; `ask` if the user has not decided yet; `none` if they are forbidden, are not possible on this system, or this is not known yet
	Trials string `json:"trials"`

	Outside []Outside `json:"outside,omitempty"` // the [outside agents](../outside-agents.md) that are configured or installed

	Checks bool `json:"checks,omitempty"` // Redline knows how the project is tested, from its `Makefile`, `go.mod` or similar files
}

// Outside is an outside agent that is installed here.
type Outside struct {
	Name    string `json:"name"`              // as `with` has it
	Program string `json:"program"`           // the file of its program
	Allowed bool   `json:"allowed"`           // the user has allowed it in this workspace
	Default bool   `json:"default,omitempty"` // it does the work of messages that name none
}

// The values of [State.Trials].
const (
	TrialsNone    = "none"
	TrialsAsk     = "ask"
	TrialsAllowed = "allowed"
)

// Plan describes one plan to clients.
type Plan struct {
	Plan         int         `json:"plan"`                // its number, from 1 in each workspace; 0 while a turn is still making the plan, which then has no revision and no hash
	ID           string      `json:"id,omitempty"`        // its own everywhere, 32 hexadecimal digits; absent while it has no number
	Turn         string      `json:"turn,omitempty"`      // the turn that is making the plan; absent once the plan has a number
	Goal         string      `json:"goal"`                // the goal, in one line
	State        string      `json:"state"`               // see [states and statuses](#states-and-statuses)
	Conversation string      `json:"conversation"`        // the conversation that made it
	Revision     int         `json:"revision"`            // the current revision
	Hash         string      `json:"hash"`                // the approval hash of that revision
	By           string      `json:"by"`                  // its author: `model`, a program that worked in a copy, such as `gofmt`, or `user` if nobody else did
	Description  string      `json:"description"`         // the model's description of the plan
	ActiveStep   int         `json:"activeStepIndex"`     // the current or next step, as an index into steps, from 0; -1 if none is left
	ProceedAt    string      `json:"proceedAt,omitempty"` // when the last execution started, in UTC (RFC 3339); absent if there was none
	Steps        []Step      `json:"steps"`               // what to do and why, in order
	Operations   []Operation `json:"operations"`          // the buffered tool calls, in order
	Files        []File      `json:"files"`               // its changes, by file
	Commands     []Command   `json:"commands"`            // its commands, in order
	Trials       []Trial     `json:"trials"`              // the trials of its commands and of others, newest last
	Problems     *Problems   `json:"problems"`            // what language servers report about the files as the plan would leave them now; null while that is not known
	Untried      string      `json:"untried,omitempty"`   // why the current revision has no trial, in one sentence; absent if it has one, trials are not allowed, or there is nothing to try
	Predicted    []string    `json:"predicted"`           // the files that a plan in words is expected to change
	Revises      int         `json:"revises,omitempty"`   // of a plan without a number, which a turn is still making: the number of the plan that it becomes a revision of
	Drift        *plan.Drift `json:"drift,omitempty"`     // how its files differ from the predicted ones, if it began as a plan in words
	TakenOut     []Operation `json:"takenOut,omitempty"`  // operations that the user took out and can put back, see [plans](../plans.md#take-operations-out-put-them-back)
	Revisions    []Revision  `json:"revisions"`           // all revisions, oldest first
	TextOnly     bool        `json:"textOnly,omitempty"`  // it is a plan in words: the model makes its operations after the approval
	Report       bool        `json:"report,omitempty"`    // the model reports on the results of its commands after they have run
	Undoable     bool        `json:"undoable,omitempty"`  // an undo would now revert something, perhaps a change from an earlier revision
	Rating       int         `json:"rating,omitempty"`    // the user's rating, 1 to 5

	Refused    []plan.Refused `json:"refused,omitempty"`    // calls and edits that were refused and not made good: the plan lacks these changes
	Unfinished []string       `json:"unfinished,omitempty"` // what the turn that made the revision left undone, one sentence for each item; see [what a turn leaves undone](../plans.md#what-a-turn-leaves-undone)

	PredictedFiles []plan.PredictedFile `json:"predictedFiles,omitempty"` // the predicted files with their statuses, which follow what is staged while the plan is worked out

	NotCarried []plan.Refused `json:"notCarried,omitempty"` // of refused: what a program has changed in its copy and no plan can have

	Comments []plan.Comment `json:"comments,omitempty"` // what reviewers say about its lines, oldest first

	Shared *plan.Shared `json:"shared,omitempty"` // what came from elsewhere, which does not count here; absent if nothing did

	SuggestedOrder []string `json:"suggestedOrder,omitempty"` // a better order for the operations, by step and with edits before commands; absent if they are in it already

	// Earlier lists the applied hunks and moves of earlier revisions that this revision
	// does not have: id → path of the file.
	Earlier map[string]string `json:"-"`
}

// Step is one step of a plan.
type Step struct {
	ID          string   `json:"id"`          // a short name, `s1`
	Description string   `json:"description"` // what to do
	Status      string   `json:"status"`      // the status of its operations
	Rationale   string   `json:"rationale"`   // why
	Risk        string   `json:"risk"`        // what could go wrong
	DependsOn   []string `json:"dependsOn"`   // the steps that must come before it

	Tool string          `json:"tool,omitempty"` // the tool that the model named for it
	When *plan.Condition `json:"when,omitempty"` // the condition under which the step runs; absent if there is none

	Parallel bool `json:"parallel,omitempty"` // its commands may run at the same time as others, see `alongside` of a command
}

// Operation is one buffered tool call.
type Operation struct {
	ID      string   `json:"id"`                // a short name, `o1`
	Step    string   `json:"step"`              // its step
	Tool    string   `json:"tool"`              // the tool that the model called
	Path    string   `json:"path,omitempty"`    // the file that it changes
	Paths   []string `json:"paths,omitempty"`   // instead of path: the files, if it changes several
	Status  string   `json:"status"`            // the status of its hunks or its command
	Command string   `json:"command,omitempty"` // of an operation that was taken out: the command line, after its folder
	Note    string   `json:"note,omitempty"`    // why: the model's reason for the call, or else the rationale of its step

	DependsOn []string `json:"dependsOn"` // the operations that it depends on directly

	Args map[string]any `json:"args"` // the arguments of the call; a text of more than 400 bytes is cut off and ends with an ellipsis
	At   string         `json:"at"`   // when the first revision with this operation was made, in UTC (RFC 3339)
}

// File is what a plan does with one file.
type File struct {
	Path       string `json:"path"`                 // relative to the workspace's root; with several folders, it begins with the folder's name
	NewPath    string `json:"newPath,omitempty"`    // the path after a rename
	URI        string `json:"uri"`                  // the URI of the file in the editor
	Action     string `json:"action"`               // create, update, rename or delete
	Mode       string `json:"mode,omitempty"`       // the permissions of the file after the change, in octal: `0755` if it is executable; absent if they are the usual `0644`, or not known. A new file has one of these two, less what your umask takes away
	Status     string `json:"status"`               // its status
	Reason     string `json:"reason,omitempty"`     // why it is stale or failed, in one sentence
	Syntax     string `json:"syntax,omitempty"`     // the syntax error that the plan would introduce: `line 12: …`; absent if the file would parse, did not parse before, cannot be checked, or one of its hunks is decided
	OtherNames int    `json:"otherNames,omitempty"` // how many other names (hard links) the file has, which keep its text; absent if it has none, is created or deleted, or is decided
	Added      int    `json:"added"`                // lines added
	Removed    int    `json:"removed"`              // lines removed
	Hunks      []Hunk `json:"hunks"`                // its hunks, in the order of the text

	Lines *edits.Lines `json:"-"` // the current text of the file, to which the spans of the hunks refer
}

// Hunk is one hunk. The agent sets Span; the sender of the plan sets Range from it.
type Hunk struct {
	ID      string `json:"id"`               // a short name, `h1`, unique in the plan
	Status  string `json:"status"`           // its status
	Range   Range  `json:"range"`            // where it is in the current text, in the negotiated position encoding; UTF-16 on the command line
	Added   int    `json:"added"`            // lines added
	Removed int    `json:"removed"`          // lines removed
	Match   string `json:"match"`            // how its place was found: `exact`, `line` (by its number), `line endings`, `indentation`, `look-alikes`, `spaces`, `line numbers` or `end of file`; "" for whole files. `left-out lines kept`, alone or after one of these and a comma, means that a placeholder such as `// ... existing code ...` kept the lines that it stands for
	Reason  string `json:"reason,omitempty"` // why it is stale, in one sentence

	NewText *string `json:"newText,omitempty"` // its new lines, only while its plan is being made: `redline.hunks` has those of a plan
	Rows    []Row   `json:"rows,omitempty"`    // likewise: its lines, as they are drawn

	Span edits.Span `json:"-"` // where it is in its file's Lines: whole lines
}

// Row is a line of a hunk, or an old and a new line that are one with other words. Each line of
// both texts is in one row, in the order of both. Whoever sends a hunk makes its rows, since they
// depend on the client's position encoding.
type Row struct {
	Kind    string   `json:"k"`                 // `same`, `edited`, `removed` or `added`
	Old     *int     `json:"old,omitempty"`     // the line of the old text, from 0; absent if it is added
	New     *int     `json:"new,omitempty"`     // the line of the new text, from 0; absent if it is removed
	Changes [][4]int `json:"changes,omitempty"` // of an edited line: each part that differs, as its start and end in the old line, then in the new one, in the negotiated position encoding; absent if only the line ends differ
}

// Line returns the number of the first line of Hunks[i], from 0.
func (f File) Line(i int) int { return f.Lines.LineOf(f.Hunks[i].Span.Start) }

// Range is a range of a text. It depends on the client's position encoding, so the sender of
// a plan makes it with [NewRange]. The zero Range cannot be encoded as JSON.
type Range struct {
	Start Position `json:"start"` // where it starts
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
	Command   string   `json:"command"`             // the command line, or the call to a tool server
	Cwd       string   `json:"cwd,omitempty"`       // the folder that it runs in, a path like those of files; absent for the workspace's root
	Status    string   `json:"status"`              // its status
	ExitCode  *int     `json:"exitCode,omitempty"`  // its exit code; absent unless it ended by itself
	Output    string   `json:"output,omitempty"`    // its output: the beginning, the end and the lines around failures
	Verdict   string   `json:"verdict,omitempty"`   // of a failed one, where trials are allowed: `fails_as_before` (the plan has not failed by it), `still_fails` or `fails_now`, see [verdicts](../running.md#what-a-trial-says)
	Reason    string   `json:"reason,omitempty"`    // why it failed or was skipped, in one sentence
	Waits     string   `json:"waits,omitempty"`     // the condition of its step, while the command is undecided and the condition is not met
	Alongside []string `json:"alongside,omitempty"` // the commands that may run at the same time as this one, at most `commands.parallel` at once

	Rule string `json:"rule,omitempty"` // the user's rules that let it run once the plan is approved, while it is undecided
}

// Revision is one entry in a plan's list of revisions.
type Revision struct {
	Revision int    `json:"revision"`          // its number, from 1
	Parent   int    `json:"parent"`            // the revision that it is based on; 0 for none
	Author   string `json:"author"`            // `model`, `user`, or `gofmt in a copy` for what that program has changed in a copy of the workspace
	Hash     string `json:"hash"`              // its approval hash
	Content  string `json:"content,omitempty"` // its content hash, the same everywhere; absent until it was exported, pushed or pulled
	Created  string `json:"created"`           // when it was made, in UTC (RFC 3339)
	Note     string `json:"note"`              // how the user made it; "" if the model did
}

// Turn is one turn of this session.
type Turn struct {
	Turn         string  `json:"turn"`            // its id, `t1`, `t2` … in each session
	Conversation string  `json:"conversation"`    // its conversation
	State        string  `json:"state"`           // `queued`, `running`, `waiting`, `done`, `failed` or `cancelled`
	Question     *string `json:"question"`        // the question that it waits for an answer to
	Answer       *string `json:"answer"`          // the model's answer, once the turn has ended
	Error        *string `json:"error"`           // why it failed, in one sentence
	Usage        Usage   `json:"usage"`           // the tokens that it has used so far
	Message      string  `json:"message"`         // the first line of the user's message
	Place        int     `json:"place,omitempty"` // while it is queued: how many turns of its conversation must end before it starts
	Plan         int     `json:"plan,omitempty"`  // the plan that it made, changed or showed again, if any

	Options []string `json:"options,omitempty"` // suggested answers to the question

	Agent string `json:"agent,omitempty"` // the [agent](../specialists.md#an-agent-of-your-own) that the user chose for its conversation, if any
	With  string `json:"with,omitempty"`  // the [outside agent](../outside-agents.md) that does its work, if one does
	Mode  string `json:"mode,omitempty"`  // the mode that the user chose for its conversation, if any: `plan`, `text`, `ask` or `heap`

	Report string `json:"report,omitempty"` // of a turn that ran commands: the turn that reports on their results

	Refused    []plan.Refused `json:"refused,omitempty"`    // its calls and edits that were refused and not made good
	Unfinished []string       `json:"unfinished,omitempty"` // what it left undone, one sentence for each item; see [what a turn leaves undone](../plans.md#what-a-turn-leaves-undone)

	Specialists *PlanSummary `json:"planSummary,omitempty"` // what specialists did, if any worked
}

// Conversation is what was said in a conversation. A list leaves out the exchanges.
type Conversation struct {
	Conversation string     `json:"conversation"`        // its id
	Updated      time.Time  `json:"updated"`             // when something was said last, in UTC (RFC 3339)
	Request      string     `json:"request"`             // the first message that is kept, in one line
	Count        int        `json:"count"`               // how many exchanges are kept
	Summary      string     `json:"summary,omitempty"`   // what was said before them
	Exchanges    []Exchange `json:"exchanges,omitempty"` // oldest first
}

// Exchange is a message and its answer, without anything that looks like a secret.
type Exchange struct {
	At      time.Time `json:"at"`              // when the answer came, in UTC (RFC 3339)
	Request string    `json:"request"`         // the message
	Answer  string    `json:"answer"`          // the answer
	Plan    int       `json:"plan,omitempty"`  // the plan that the turn made or changed
	Trace   string    `json:"trace,omitempty"` // the id of its trace
}

// Model names the model in use.
type Model struct {
	Provider string `json:"provider"` // `builtin`, or the kind of the endpoint
	Name     string `json:"name"`     // the name of the model
}

// FileResult is the result of a decision for one file.
type FileResult struct {
	Path   string `json:"path"`             // the file
	Status string `json:"status"`           // its status after the decision
	Reason string `json:"reason,omitempty"` // why the decision was not carried out on it, in one sentence
}

// Result is the answer to an approval or an undo.
type Result struct {
	Plan     int          `json:"plan"`           // the plan's number
	Revision int          `json:"revision"`       // the revision that the decision was about
	State    string       `json:"state"`          // the state of the plan; `executing` until the editor has answered
	Files    []FileResult `json:"files"`          // the result for each file
	Commands []Command    `json:"commands"`       // the commands of the decision
	Turn     string       `json:"turn,omitempty"` // the turn that runs the commands, or that works out a plan in words

	Outcome *Outcome `json:"-"` // the outcome so far; nil for commands alone and for a plan in words
}

// Outcome is the result of an approval, a review or an undo of edits. The message to the user
// is made from it.
type Outcome struct {
	Verdict      plan.Verdict
	Ended        bool         // the editor has answered for all files
	Changes      int          // number of changes that were applied or reverted
	ChangedFiles int          // number of files with these changes
	Left         int          // number of changes in these files that are still undecided
	Already      bool         // no file had to change: each already had the wanted text
	Unclear      bool         // the outcome for at least one file cannot be determined
	Paths        []string     // paths of the files, the new ones too
	Problems     []FileResult // the files in which something was not done, and why
}

// Usage counts the tokens of a turn, as the model's provider reported them.
type Usage struct {
	Prompt     int     `json:"prompt"`         // tokens sent
	Completion int     `json:"completion"`     // tokens received
	Cost       float64 `json:"cost,omitempty"` // the cost, in the currency of the prices in the settings; absent if unknown
}

// InWords reports whether the decision approved a plan in words, which r.Turn now works out.
func (r Result) InWords() bool { return r.Turn != "" && r.State == string(plan.Drafting) }

// Line describes the result to the user in one line. verb is what was done with the plan,
// such as "approved" or "undone".
func (r Result) Line(verb string) string {
	if r.InWords() {
		return fmt.Sprintf("Plan %d is approved in words and is being worked out (%s): you will see the edits before anything changes.", r.Plan, r.Turn)
	}
	now := strings.TrimPrefix(plan.State(r.State).Predicate(), "is ")
	if len(r.Files) == 0 {
		return fmt.Sprintf("Plan %d %s (%s).", r.Plan, verb, now)
	}
	files := make([]string, len(r.Files))
	for i, f := range r.Files {
		files[i] = fmt.Sprintf("%s is %s", f.Path, f.Status)
	}
	return fmt.Sprintf("Plan %d %s (%s): %s.", r.Plan, verb, now, strings.Join(files, ", "))
}

// PlanSummary describes the work of the specialists of a turn.
type PlanSummary struct {
	Route       string         `json:"route"`               // the order of the specialists: "code, then tests and docs at the same time"
	By          string         `json:"by"`                  // what chose them: `model` or `rules`
	RefinedTask string         `json:"refinedTask"`         // the task, in the planner's words
	Specialists []Contribution `json:"specialists"`         // the specialists, in the order of the plan; then those who worked once more on a check that failed
	Conflicts   []string       `json:"conflicts,omitempty"` // edits that were left out, one sentence for each
	Notes       []string       `json:"notes,omitempty"`     // notes on the planner's answer, such as parts that were ignored
}

// Contribution is the part of one specialist in a [PlanSummary].
type Contribution struct {
	ID      string `json:"id"`                // its id
	Step    string `json:"step"`              // the step of the plan that it works on
	State   string `json:"state"`             // `done`, `stopped`, `failed`, `waiting` or `skipped`
	Summary string `json:"summary,omitempty"` // what it did, in its own words
	Reason  string `json:"reason,omitempty"`  // why it is not `done`, in one sentence
}

// Trial is a command that ran, isolated, on the files as the plan would leave them. It left
// nothing behind.
type Trial struct {
	ID         string    `json:"id"`                // a short name, `t1`, unique in the plan; "" while the turn is still making the plan
	Command    string    `json:"command"`           // the command line
	Cwd        string    `json:"cwd,omitempty"`     // the folder that it ran in, a path like those of files; absent for the workspace's root
	Revision   int       `json:"revision"`          // the revision whose texts it ran on
	ExitCode   *int      `json:"exitCode"`          // its exit code; null if it did not end by itself
	DurationMS int64     `json:"durationMs"`        // how long it ran, in milliseconds
	Baseline   *Baseline `json:"baseline"`          // the result of the same command without the plan's edits; null if it was not run
	Current    bool      `json:"current"`           // the files that the plan would leave are still those that it ran on
	Output     string    `json:"output"`            // its output: the beginning, the end and the lines around failures
	World      string    `json:"world"`             // how it was isolated: `overlay` or `bwrap`
	Verdict    string    `json:"verdict"`           // its result: `passed`, `fails_now`, `still_fails`, `fails_as_before`, `could_not_run` or `failed`, see [verdicts](../running.md#what-a-trial-says)
	Result     string    `json:"result"`            // the verdict in words, which follow the command: `fails now`
	Why        string    `json:"why,omitempty"`     // for `could_not_run`: what was missing, `no network`
	Problem    string    `json:"problem,omitempty"` // why it did not end by itself, and what helps
	Shown      bool      `json:"shown,omitempty"`   // one to show with the plan, see [trials](../running.md#trials-commands-before-you-approve); titles show it while it is current
}

// Baseline is the result of a command without the plan's edits.
type Baseline struct {
	ExitCode   *int  `json:"exitCode"`   // its exit code; null if it did not end by itself
	DurationMS int64 `json:"durationMs"` // how long it ran, in milliseconds
}

// NewTrial describes a trial to clients.
func NewTrial(t *plan.Trial, current bool) *Trial {
	s := &Trial{
		ID: t.ID, Command: t.Command, Cwd: t.Cwd, Revision: t.Revision, ExitCode: t.ExitCode, DurationMS: t.Millis,
		Current: current, Output: t.Output, World: t.World, Verdict: string(t.Verdict()), Result: t.Words(), Why: t.Why, Problem: t.Problem,
	}
	if b := t.Baseline; b != nil {
		s.Baseline = &Baseline{ExitCode: b.ExitCode, DurationMS: b.Millis}
	}
	return s
}

// CommandLine is a command of a plan, as a trial names it.
type CommandLine struct{ Command, Cwd string }

// MarkShown marks the trials that are shown with a plan whose commands are own: for each command
// its newest current trial, or else its newest. If none of these is current, MarkShown also marks
// the newest trial of any command.
func MarkShown(trials []Trial, own []CommandLine) {
	current := false
	for _, c := range own {
		if t := best(trials, func(t *Trial) bool { return t.Command == c.Command && t.Cwd == c.Cwd }); t != nil {
			t.Shown = true
			current = current || t.Current
		}
	}
	last := best(trials, func(t *Trial) bool { return t.Verdict != string(plan.CouldNotRun) })
	if last == nil || !last.Current {
		last = best(trials, func(*Trial) bool { return true })
	}
	if last != nil && !current {
		last.Shown = true
	}
}

// best returns the newest current trial that is wanted, or else the newest wanted one, nil for none.
func best(trials []Trial, wanted func(*Trial) bool) (newest *Trial) {
	for i := len(trials) - 1; i >= 0; i-- {
		if t := &trials[i]; wanted(t) {
			if t.Current {
				return t
			}
			if newest == nil {
				newest = t
			}
		}
	}
	return newest
}

// Current returns the trials to show in the title of a plan: the shown ones that are current.
func Current(trials []Trial) (titled []*Trial) {
	for i := range trials {
		if t := &trials[i]; t.Shown && t.Current {
			titled = append(titled, t)
		}
	}
	return titled
}

// Intent is what a message wants, by its words: a model or the rules of package chat set its flags.
// Several can be set; none approves anything.
type Intent struct {
	OffTopic       bool `json:"offTopic"`       // it has nothing to do with the workspace or with programming
	Plan           bool `json:"plan"`           // it asks for a plan in words before any work
	Conversational bool `json:"conversational"` // it is a question or a remark
	Proceed        bool `json:"proceed"`        // it says to proceed with the waiting plan
	Render         bool `json:"render"`         // it asks to see the plan again
	Develop        bool `json:"develop"`        // it asks for a change to files
	Operate        bool `json:"operate"`        // it asks to run something
}

// Names returns the flags that are set, in the order of the type.
func (f Intent) Names() []string {
	names := []string{}
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"off_topic", f.OffTopic}, {"plan", f.Plan}, {"conversational", f.Conversational}, {"proceed", f.Proceed},
		{"render", f.Render}, {"develop", f.Develop}, {"operate", f.Operate},
	} {
		if flag.set {
			names = append(names, flag.name)
		}
	}
	return names
}

// String lists the flags that are set: "plan, develop".
func (f Intent) String() string {
	if names := f.Names(); len(names) > 0 {
		return strings.Join(names, ", ")
	}
	return "nothing in particular"
}
