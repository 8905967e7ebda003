package commandresult

import (
	"encoding/json"
	"time"
)

// Rule says how a command of a plan is run, and what follows if it fails.
type Rule struct {
	Cwd       string        // workspace path of the folder that it runs in, as the model gave it; "" for the first folder
	Timeout   time.Duration // 0 for the user's own limit
	OnFailure string        // [Stop] or [Continue]
}

// What follows when a command fails.
const (
	Stop     = "stop"     // the plan stops there
	Continue = "continue" // the plan continues
)

// RuleOf reads the rule from the arguments of an operation. If they have no valid rule, the
// plan stops at a failure. The names of arguments are case-sensitive, as wherever they are
// shown.
func RuleOf(args json.RawMessage) Rule {
	r := Rule{OnFailure: Stop}
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) != nil {
		return r
	}
	var onFailure string
	var timeout json.Number // or a number as a string
	_ = json.Unmarshal(given["cwd"], &r.Cwd)
	if json.Unmarshal(given["on_failure"], &onFailure) == nil && onFailure == Continue {
		r.OnFailure = Continue
	}
	if json.Unmarshal(given["timeout_seconds"], &timeout) == nil {
		if seconds, err := timeout.Float64(); err == nil && seconds > 0 && seconds < 1e6 {
			r.Timeout = time.Duration(seconds * float64(time.Second))
		}
	}
	return r
}

// Verdict says what follows from an observation.
type Verdict struct {
	Succeeded bool
	Continue  bool // the plan continues
	EndsStep  bool // without the rest of the command's own step, since another step waits for the failure
}

// Judge decides what follows from the result of a command. A command has succeeded if it
// ended by itself with exit code 0. The plan stops at one that failed, unless its rule says
// otherwise, and always at one that did not end by itself, since nobody knows what it has
// done. awaited reports whether another step waits for this failure: then the plan continues
// with that step. It is called only after a failure.
func Judge(o Observation, r Rule, awaited func() bool) Verdict {
	switch {
	case o.ExitCode == nil:
		return Verdict{}
	case *o.ExitCode == 0:
		return Verdict{Succeeded: true, Continue: true}
	case r.OnFailure == Continue:
		return Verdict{Continue: true}
	case awaited():
		return Verdict{Continue: true, EndsStep: true}
	}
	return Verdict{}
}
