package state_test

import (
	"strings"
	"testing"

	"redline/agent/plan"
	"redline/agent/state"
)

// A plan is shown with the newest current trial of each of its commands, or the newest. Without a
// current one of these, the last trial of any command stands for it.
func TestShownTrials(t *testing.T) {
	for _, tt := range []struct{ name, trials, own, want string }{
		{"none", "", "a", ""},
		{"the newest current", "a+ a+ a-", "a", "2"},
		{"none is current", "a- a-", "a", "2"},
		{"each command", "b+ a- a+", "a b", "1 3"},
		{"one is current", "b- a+ c+", "a b", "1 2"},
		{"the last of another", "a- c+ d+", "a", "1 3"},
		{"no commands", "a+ c+", "", "2"},
		{"no commands, and what was tried last is out of date", "a+ c-", "", "1"},
		{"the last could not be run", "a+ b!", "", "1"},
		{"the last could not be run, the others are out of date", "a- b!", "", "2"},
		{"another folder", "a/x+ a+", "a/x", "1"},
	} {
		var trials []state.Trial
		for i, text := range strings.Fields(tt.trials) {
			command, cwd, _ := strings.Cut(text[:len(text)-1], "/")
			one := state.Trial{ID: string(rune('1' + i)), Command: command, Cwd: cwd, Current: text[len(text)-1] != '-'}
			if text[len(text)-1] == '!' {
				one.Verdict = string(plan.CouldNotRun)
			}
			trials = append(trials, one)
		}
		var own []state.CommandLine
		for _, text := range strings.Fields(tt.own) {
			command, cwd, _ := strings.Cut(text, "/")
			own = append(own, state.CommandLine{Command: command, Cwd: cwd})
		}
		state.MarkShown(trials, own)
		var got []string
		for _, one := range trials {
			if one.Shown {
				got = append(got, one.ID)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: shown are %q, want %q", tt.name, got, tt.want)
		}
	}
}
