package commands

import (
	"fmt"
	"strings"

	"redline/internal/phrase"
	"redline/workspace/runner"
)

// Observation is the result of a command.
type Observation struct {
	ExitCode *int   // nil if it has not ended by itself
	Stdout   string // limited in size, see runner.Limits
	Stderr   string
	Output   string // both streams, in the order of printing
	Problem  string // why there is no exit code, one sentence; "" if there is one

	End       runner.End // how it ended; "" if it was not started
	Unreached int        // how often it tried to reach an address that a trial cannot reach
	Refused   string     // what it could not write because of Redline's limits, see [Refused]
}

// Observe returns the result of a command from the runner's outcome. err says why the command
// was not started, nil if it was.
func Observe(o runner.Outcome, err error) Observation {
	if err != nil {
		return Observation{Problem: phrase.Sentence(strings.TrimRight(phrase.OneLine("it was not started: "+err.Error()), "."))}
	}
	seen := Observation{Stdout: o.Stdout, Stderr: o.Stderr, Output: o.Output, End: o.End, Unreached: o.Unreached, Refused: RefusedByWorld(o)}
	switch o.End {
	case runner.Exited:
		code := o.ExitCode
		seen.ExitCode = &code
	case runner.Signalled:
		seen.Problem = fmt.Sprintf("It was ended by a signal (%s).", o.Signal)
	case runner.OutOfMemory:
		seen.Problem = "It was ended: it used more memory than trials.memory_mb allows."
	case runner.TimedOut:
		seen.Problem = fmt.Sprintf("It was ended after %s, its time limit.", o.Took.Round(1e8))
	case runner.Overfull:
		seen.Problem = "It was ended: it wrote more than trials.disk_mb allows."
	case runner.Cancelled:
		seen.Problem = "It was cancelled while it ran."
	default:
		seen.Problem = "The process that watched it is gone, so it is not known how it ended."
	}
	return seen
}

// Reason returns why the command failed, as far as Redline knows: one or a few sentences, "" for
// nothing.
func (o Observation) Reason() string { return strings.TrimSpace(o.Problem + " " + o.Refused) }

// Ending returns in a few words how the command ended: "exit code 2".
func (o Observation) Ending() string {
	if o.ExitCode != nil {
		return fmt.Sprintf("exit code %d", *o.ExitCode)
	}
	return strings.TrimSuffix(o.Problem, ".")
}
