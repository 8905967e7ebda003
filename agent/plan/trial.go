package plan

import (
	"fmt"
	"slices"
	"time"
)

// Trial is a command that was run, isolated, on the texts that a revision would leave. Nothing
// that it did has stayed. It decides nothing.
type Trial struct {
	ID       string      `json:"id"` // "t1"; unique in the plan
	Command  string      `json:"command"`
	Cwd      string      `json:"cwd,omitempty"` // workspace path of its folder, "" for the root
	Revision int         `json:"revision"`      // the revision whose texts it ran on
	Texts    []TriedText `json:"texts,omitempty"`
	ExitCode *int        `json:"exitCode,omitempty"` // nil if it did not exit by itself
	Problem  string      `json:"problem,omitempty"`  // why it did not exit by itself, a sentence
	Millis   int64       `json:"millis"`             // its duration
	Baseline *Baseline   `json:"baseline,omitempty"` // the result without the plan's edits; nil if that was not run
	Output   string      `json:"output,omitempty"`   // an excerpt
	World    string      `json:"world"`              // how it was isolated
	At       time.Time   `json:"at"`                 // when it ended, UTC
}

// TriedText is a file that differed from the disk in a trial.
type TriedText struct {
	Path string `json:"path"`           // workspace path
	Text Blob   `json:"text,omitempty"` // "" if there was no file
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

// Passed reports whether the command has ended with exit code 0.
func (t *Trial) Passed() bool { return t.ExitCode != nil && *t.ExitCode == 0 }

// FailedBefore reports whether the command is known to fail without the plan's edits too.
func (t *Trial) FailedBefore() bool {
	return t.Baseline != nil && t.Baseline.ExitCode != nil && *t.Baseline.ExitCode != 0
}

// Ran reports whether the command was found: a shell exits with code 126 or 127 if there is no
// such program. If the command passed without the plan's edits, it returns true.
func (t *Trial) Ran() bool {
	missing := t.ExitCode != nil && (*t.ExitCode == 126 || *t.ExitCode == 127)
	return !missing || t.Baseline != nil && t.Baseline.ExitCode != nil && *t.Baseline.ExitCode == 0
}

// The verdicts on a command that ended with exit code 0, and on one that was not found.
const (
	TrialPassed = "passed"
	TrialNotRun = "could not be run"
)

// Verdict returns the result of the trial, in the words that follow the command: "passed",
// "failed, as it did before", "fails now", "failed", "did not end" or "could not be run".
func (t *Trial) Verdict() string {
	switch {
	case t.Passed():
		return TrialPassed
	case t.ExitCode == nil:
		return "did not end"
	case !t.Ran():
		return TrialNotRun
	case t.FailedBefore():
		return "failed, as it did before"
	case t.Baseline != nil && t.Baseline.ExitCode != nil:
		return "fails now"
	}
	return "failed"
}
