package feedback

import (
	"encoding/json"
	"time"
)

// Rule is what a plan says about one of its commands, besides what it runs.
type Rule struct {
	Cwd       string        // workspace path of the folder that it runs in, as the model gave it; "" for the first folder
	Timeout   time.Duration // 0 for the user's own limit
	OnFailure string        // [Stop] or [Continue]
}

// What follows when a command fails.
const (
	Stop     = "stop"     // the plan stops there
	Continue = "continue" // it goes on
)

// RuleOf reads the rule out of the arguments of an operation. What is no rule is
// the default: to stop. Names of arguments are compared to the letter, as everything
// does that shows them.
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

// Verdict is what follows from an observation.
type Verdict struct {
	Succeeded bool
	Continue  bool // the plan goes on
	EndsStep  bool // and the rest of the command's own step is left out, since the failure is what another step waits for
}

// Judge is the judge: a command has succeeded if it ended by itself with exit
// code 0. The plan stops at one that has not, unless its rule says otherwise; one
// that did not end by itself always stops it, since nobody knows what it has done.
// awaited tells whether another step is to be carried out because of this failure:
// then the plan goes on with that. It is asked only if the command has failed.
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
