package commands

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
