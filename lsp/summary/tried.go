package summary

import (
	"fmt"
	"strings"

	"redline/agent/state"
)

// maxVerdicts is how many trials a title names.
const maxVerdicts = 3

// Tried returns the results of a plan's trials for a title: "`go test ./...` passed". It
// says so if no trial ran on the current texts. It returns "" for a plan without trials.
func Tried(trials []state.Trial) string {
	var verdicts []string
	current := state.Current(trials)
	if len(current) == 0 && len(trials) > 0 {
		return "tried on an earlier text"
	}
	for _, t := range current[:min(len(current), maxVerdicts)] {
		verdicts = append(verdicts, Verdict(t))
	}
	if more := len(current) - maxVerdicts; more > 0 {
		verdicts = append(verdicts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(verdicts, "; ")
}

// Verdict returns the result of a trial: "`go test ./...` fails now".
func Verdict(t *state.Trial) string { return CommandName(t.Command, t.Cwd) + " " + t.Result }
