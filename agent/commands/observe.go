package commands

import (
	"fmt"
	"slices"
	"strings"

	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/runner"
	"redline/workspace/toolfolders"
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

// Conclusion says what follows from an observation.
type Conclusion struct {
	Succeeded bool
	Continue  bool // the plan continues
}

// Conclude decides what follows from the result of a command. A command has succeeded if it ended
// by itself with exit code 0. The plan stops at one that failed, unless continues is set, and
// always at one that did not end by itself, since its effects are unknown. awaited reports
// whether another step waits for this failure: then the plan continues with that step. It is
// called only after a failure.
func Conclude(o Observation, continues bool, awaited func() bool) Conclusion {
	switch {
	case o.ExitCode == nil:
		return Conclusion{}
	case *o.ExitCode == 0:
		return Conclusion{Succeeded: true, Continue: true}
	}
	return Conclusion{Continue: continues || awaited()}
}

// RefusedByWorld says which files a failed command could not write because Redline keeps them from it, and
// which setting opens them: one or two sentences, "" if there are none.
func RefusedByWorld(o runner.Outcome) string {
	inTrial := o.World != ""
	switch {
	case len(o.Refused) == 0 && o.RefusedUnnamed && !inTrial:
		return "It met a read-only file system: commands write only the workspace and the caches of tools. Name a further folder in commands.caches."
	case len(o.Refused) == 0:
		return ""
	}
	var files, opening []string
	for _, file := range o.Refused {
		files = append(files, phrase.Clip(edits.VisibleLine(toolfolders.Short(file)), 200))
		if dir := toolfolders.Opening(file); dir != "" && !slices.Contains(opening, dir) {
			opening = append(opening, dir)
		}
	}
	who, setting := "Commands", "commands.caches"
	if inTrial {
		who, setting = "Trials", "trials.read"
	} else {
		opening = append([]string{toolfolders.Usual}, opening...)
	}
	text := fmt.Sprintf("%s can only read %s.", who, phrase.And(files))
	if len(opening) == 0 || !inTrial && len(opening) == 1 {
		return text + " No setting opens that: run it yourself, outside Redline."
	}
	return text + fmt.Sprintf(" In your settings, %s = %s opens that.", setting, listed(opening))
}

// listed returns a list as it is written in a settings file.
func listed(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, phrase.Clip(edits.VisibleLine(fmt.Sprintf("%q", text)), 200))
	}
	return "[" + strings.Join(all, ", ") + "]"
}
