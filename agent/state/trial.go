package state

import "redline/agent/plan"

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
