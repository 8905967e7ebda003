package plan

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"redline/edits"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// CommandArgs are the arguments of a command: how to run it, and whether the plan continues if
// it fails.
type CommandArgs struct {
	Cwd       string        // the folder to run in, as the model wrote it; "" for the first folder
	Timeout   time.Duration // the timeout in seconds; 0 for the user's own limit
	Continues bool          // the plan continues even if it fails
}

// ReadCommandArgs reads the arguments of a command. Invalid ones keep their zero value.
// The names of arguments are case-sensitive, as wherever they are shown. It fails if raw
// is not a JSON object.
func ReadCommandArgs(raw json.RawMessage) (CommandArgs, error) {
	var c CommandArgs
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return c, err
	}
	var onFailure string
	var timeout json.Number // or a number as a string
	_ = json.Unmarshal(given["cwd"], &c.Cwd)
	c.Continues = json.Unmarshal(given["on_failure"], &onFailure) == nil && onFailure == "continue"
	if json.Unmarshal(given["timeout_seconds"], &timeout) == nil {
		if seconds, err := timeout.Float64(); err == nil && seconds > 0 && seconds < 1e6 {
			c.Timeout = time.Duration(seconds * float64(time.Second))
		}
	}
	return c, nil
}

// CommandArgs returns the arguments of a command, none if they cannot be read.
func (o *Operation) CommandArgs() CommandArgs {
	c, _ := ReadCommandArgs(o.Args)
	return c
}

// Folder returns the folder that a command runs in, as a workspace path; "" is the
// workspace's root, of several folders the first. Operations that run nothing in a shell
// have none. The folder is only for display: the workspace checks whether the command may
// run there.
func (o *Operation) Folder() string {
	if !o.IsCommand() || o.CallsServer() {
		return ""
	}
	if clean := path.Clean(strings.ReplaceAll(o.CommandArgs().Cwd, `\`, "/")); clean != "." {
		return clean
	}
	return ""
}

// plainFolder matches a folder name that nobody can mistake for the rest of a sentence: "tools/gen",
// not "tools, then rm".
var plainFolder = lazyregexp.New(`^[\pL\pN_./@+-]+$`)

// InFolder returns the folder of a command, to follow the command's name: " in tools", "" at
// the root. It quotes a name that could be mistaken for more, or that is invisible.
func InFolder(folder string) string {
	switch {
	case folder == "":
		return ""
	case plainFolder().MatchString(folder):
		return " in " + folder
	}
	return " in " + strconv.Quote(folder)
}

// CommandIn returns a command line to show, with its folder in front, where a long line
// cannot hide it: "in tools: make".
func CommandIn(line, folder string) string {
	if in := InFolder(folder); in != "" {
		return in[1:] + ": " + line
	}
	return line
}

// ServerPrefix begins the name of each tool of a tool server: mcp__SERVER__TOOL.
const ServerPrefix = "mcp__"

// CallsServer reports whether the operation calls a tool of a tool server. The user sees it and
// decides on it as on a command, but it never runs as one: its command line is only for display.
func (o *Operation) CallsServer() bool { return strings.HasPrefix(o.Tool, ServerPrefix) }

// CommandLines returns the operations that run a command line, in order.
func (r *Revision) CommandLines() (all []*Operation) {
	for i := range r.Operations {
		if o := &r.Operations[i]; o.IsCommand() && !o.CallsServer() {
			all = append(all, o)
		}
	}
	return all
}

// NoteArg is the argument of a buffered call that says why it is made. It is recorded with the
// other arguments, so the approval hash covers it.
const NoteArg = "note"

// maxNote is how many bytes of a note are shown.
const maxNote = 200

// Note returns the model's reason for the operation in one line, "" if it gave none.
func (o *Operation) Note() string {
	if o.CallsServer() {
		return "" // the arguments belong to the server's tool
	}
	var args struct {
		Note string `json:"note"`
	}
	if json.Unmarshal(o.Args, &args) != nil {
		return ""
	}
	return phrase.FirstLine(edits.Visible(args.Note), maxNote)
}

// Trial is a command that was run, isolated, on the texts that a revision would leave. Nothing
// that it did has stayed. It decides nothing.
type Trial struct {
	ID       string      `json:"id"` // "t1"; unique in the plan
	Command  string      `json:"command"`
	Cwd      string      `json:"cwd,omitempty"` // workspace path of its folder, "" for the root
	Revision int         `json:"revision"`      // the revision whose texts it ran on
	Texts    []TriedText `json:"texts,omitempty"`
	Applied  []string    `json:"applied,omitempty"`  // the plan's hunks, by id, and moves, by path, that were applied when it began
	ExitCode *int        `json:"exitCode,omitempty"` // nil if it did not exit by itself
	Problem  string      `json:"problem,omitempty"`  // why it did not exit by itself, and what helps
	Millis   int64       `json:"millis"`             // its duration
	Baseline *Baseline   `json:"baseline,omitempty"` // the result without the plan's edits; nil if that was not run
	Class    Class       `json:"class,omitempty"`    // what follows from the result; "" in a trial of an earlier version
	Why      string      `json:"why,omitempty"`      // for [CouldNotRun]: what was missing, "no network"
	Output   string      `json:"output,omitempty"`   // an excerpt
	World    string      `json:"world"`              // how it was isolated
	At       time.Time   `json:"at"`                 // when it ended, UTC
}

// TriedText is a file in a trial: one that differed from the disk, or that the plan had changed on
// the disk before.
type TriedText struct {
	Path   string `json:"path"`             // workspace path
	Text   Blob   `json:"text,omitempty"`   // "" if there was no file
	OnDisk bool   `json:"onDisk,omitempty"` // the disk had this text
}

// Baseline is the result of the same command without the plan's edits.
type Baseline struct {
	ExitCode *int  `json:"exitCode,omitempty"`
	Millis   int64 `json:"millis"`
}

// Untried says why no command was tried on a revision although the user allows it and there was
// one to try.
type Untried struct {
	Revision int    `json:"revision,omitempty"` // the revision; 0: there is nothing to say
	Why      string `json:"why,omitempty"`      // a sentence without its capital and its full stop
}

// WhyUntried returns why nothing was tried on the current revision, "" if something was or there is
// nothing to say.
func (p *Plan) WhyUntried() string {
	tried := func(t Trial) bool { return t.Revision == p.Current }
	if p.Untried.Revision != p.Current || slices.ContainsFunc(p.Trials, tried) {
		return ""
	}
	return p.Untried.Why
}

// maxTrials is how many trials of a plan are kept.
const maxTrials = 20

// AddTrial adds a trial, and sets its id. It drops the oldest ones if there are too many.
func (p *Plan) AddTrial(t Trial) Trial {
	p.NextTrial++
	t.ID = fmt.Sprintf("t%d", p.NextTrial)
	p.Trials = append(slices.Clip(p.Trials), t)
	if over := len(p.Trials) - maxTrials; over > 0 {
		p.Trials = slices.Clone(p.Trials[over:])
	}
	return t
}

// TrialIDs returns the ids of the plan's trials.
func (p *Plan) TrialIDs() (ids []string) {
	for i := range p.Trials {
		ids = append(ids, p.Trials[i].ID)
	}
	return ids
}

// Passed reports whether the command has ended with exit code 0.
func (t *Trial) Passed() bool { return t.ExitCode != nil && *t.ExitCode == 0 }

// A Class is what follows from the result of a trial, as clients and scripts read it.
type Class string

// The classes.
const (
	TrialPassed   Class = "passed"          // exit code 0
	FailsNow      Class = "fails_now"       // it passes without the plan's edits, or names a failing test that passes without them
	StillFails    Class = "still_fails"     // it fails without them too, in what the user asked about or the plan changes
	FailsAsBefore Class = "fails_as_before" // it fails without them too
	CouldNotRun   Class = "could_not_run"   // something was missing here; see Trial.Why
	TrialFailed   Class = "failed"          // it is not known whether it fails without them too
)

// words has the classes as users read them, after the command. The words of [CouldNotRun] go
// on with what was missing.
var words = map[Class]string{
	TrialPassed: "passed", FailsNow: "fails now", StillFails: "still fails",
	FailsAsBefore: "failed, as it did before", CouldNotRun: "could not be run", TrialFailed: "failed",
}

// Verdict returns the class of the trial.
func (t *Trial) Verdict() Class {
	notFound := t.ExitCode != nil && (*t.ExitCode == 126 || *t.ExitCode == 127)
	switch b := t.Baseline; {
	case t.Class != "":
		return t.Class
	case t.Passed():
		return TrialPassed
	case b != nil && b.ExitCode != nil && *b.ExitCode == 0:
		return FailsNow
	case t.ExitCode == nil, notFound:
		return CouldNotRun
	case b != nil && b.ExitCode != nil:
		return FailsAsBefore
	}
	return TrialFailed
}

// Words returns the verdict in the words that follow the command: "failed, as it did before",
// "could not be run: no network".
func (t *Trial) Words() string {
	text := words[t.Verdict()]
	if t.Verdict() == CouldNotRun && t.Why != "" {
		text += ": " + t.Why
	}
	return text
}

// Ran reports whether the command told something about the texts.
func (t *Trial) Ran() bool { return t.Verdict() != CouldNotRun }
