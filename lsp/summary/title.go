package summary

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// A menu cuts off a title that is too long, so a title clips the goal of its plan: to what is
// left of titleLength characters, but to leastGoal at least and mostGoal at most.
const (
	titleLength = 100
	leastGoal   = 24
	mostGoal    = 60
)

// Approve returns the title of the action that approves a plan as a whole and runs its commands
// with these ids: "approve plan 3: fix the sum (2 files, +5 −1; `make` passed) and run `make` and 1
// more". notes are for [Notes].
func Approve(p *view.Plan, commands []string, notes ...string) string {
	title, rest := fmt.Sprintf("approve plan %d", p.Plan.Number), Notes(notes...)
	if len(commands) > 0 {
		first, _ := p.Revision.Operation(commands[0])
		rest += " and run " + CommandName(first.Command, first.Folder())
		if more := len(commands) - 1; more > 0 {
			rest += fmt.Sprintf(" and %d more", more)
		}
	}
	if goal := goalOf(p); goal != "" {
		room := titleLength - utf8.RuneCountInString("Redline: "+title+": "+rest)
		title += ": " + phrase.ClipWords(goal, min(max(room, leastGoal), mostGoal))
	}
	return title + rest
}

// goalOf returns the goal of a plan on one line, without its full stop.
func goalOf(p *view.Plan) string {
	return phrase.TrimStop(edits.Visible(phrase.OneLine(p.Plan.Goal)))
}

// Notes returns the notes of a title in parentheses, after a space: " (2 files, +5 −1; `make`
// passed)". It leaves out empty ones, and returns "" if all are empty.
func Notes(notes ...string) string {
	var said []string
	for _, note := range notes {
		if note != "" {
			said = append(said, note)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return " (" + strings.Join(said, "; ") + ")"
}

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
