package commands

import (
	"fmt"
	"time"

	"redline/agent/commandresult"
	"redline/agent/plan"
	"redline/workspace/runner"
)

// room is how long a command may run so that the commands of its executor stay within
// [Options.Wall].
type room struct {
	limited bool
	left    time.Duration // 0 or less if nothing is left
}

// room returns what is left at a time at which commands run since began; the time in which none
// runs, such as while one waits for a save, does not count.
func (e *executor) room(began time.Time) room {
	limit := e.ex.options.Wall
	return room{limited: limit > 0, left: limit - e.spent - e.ex.now().Sub(began)}
}

// shortens reports whether the room is less than what a command may take by itself.
func (r room) shortens(args plan.CommandArgs, each time.Duration) bool {
	return r.limited && (args.Timeout == 0 || r.left < args.Timeout) && (each == 0 || r.left < each)
}

// notRun returns the result of a command for which there is no room.
func (e *executor) notRun() commandresult.Observation {
	return commandresult.Observation{Problem: fmt.Sprintf("It was not run: %s.", e.limitInWords())}
}

// endedBy returns the result of a command that was ended because there was no more room.
func (e *executor) endedBy(o runner.Outcome, seen commandresult.Observation) commandresult.Observation {
	seen.Problem = fmt.Sprintf("It was ended after %s: %s.", o.Took.Round(100*time.Millisecond), e.limitInWords())
	return seen
}

func (e *executor) limitInWords() string {
	return fmt.Sprintf("the commands of one approval may take %s together (commands.wall_seconds)", e.ex.options.Wall)
}
