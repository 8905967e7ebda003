package decide

import (
	"fmt"
	"time"

	"redline/agent/commands"
	"redline/agent/plan"
	"redline/workspace/runner"
)

// room is how long a command may run so that all commands of its executor stay within
// [Options.Wall].
type room struct {
	limited bool
	left    time.Duration // 0 or less if no time is left
}

// room returns the time that is left while commands run that began at began. Time in which no
// command runs, for instance while one waits for a save, does not count.
func (e *executor) room(began time.Time) room {
	limit := e.ex.options.Wall
	return room{limited: limit > 0, left: limit - e.spent - e.ex.now().Sub(began)}
}

// shortens reports whether the time left is shorter than the command's own timeout.
func (r room) shortens(args plan.CommandArgs, each time.Duration) bool {
	return r.limited && (args.Timeout == 0 || r.left < args.Timeout) && (each == 0 || r.left < each)
}

// notRun returns the result of a command for which no time is left.
func (e *executor) notRun() commands.Observation {
	return commands.Observation{Problem: fmt.Sprintf("It was not run: %s.", e.limitInWords())}
}

// endedBy returns the result of a command that was stopped because the time ran out.
func (e *executor) endedBy(o runner.Outcome, seen commands.Observation) commands.Observation {
	seen.Problem = fmt.Sprintf("It was ended after %s: %s.", o.Took.Round(100*time.Millisecond), e.limitInWords())
	return seen
}

func (e *executor) limitInWords() string {
	return fmt.Sprintf("the commands of one approval may take %s together (commands.wall_seconds)", e.ex.options.Wall)
}
