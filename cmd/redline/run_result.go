package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/edits"
)

// callResult is the result of one call of a tool.
type callResult struct {
	Tool     string `json:"tool"`               // its name
	Result   string `json:"result"`             // its result in one line: `read a.go`, `edit a.go +2 −1`, or why it failed
	ExitCode *int   `json:"exitCode,omitempty"` // of a command that you approved: its exit code; absent unless it ended by itself
	Output   string `json:"output,omitempty"`   // of a command that you approved: its output, as in the plan
}

// count completes the result of a run from its plan: the results of the approved commands, and
// how many steps were carried out.
func (r *runResult) count() {
	if r.Plan == nil {
		r.StepsExecuted = len(r.Results)
		return
	}
	r.addCommands()
	r.StepsExecuted = 0
	for i := range r.Plan.Steps {
		if carriedOut(r.Plan, &r.Plan.Steps[i]) {
			r.StepsExecuted++
		}
	}
}

// carriedOut reports whether a step, or a part of it, was carried out.
func carriedOut(p *state.Plan, s *state.Step) bool {
	return s.Status == string(plan.StepCompleted) || slices.ContainsFunc(p.Operations, func(o state.Operation) bool {
		return o.Step == s.ID && (o.Status == string(plan.FileApplied) || o.Status == string(plan.CommandSucceeded))
	})
}

// addCommands puts the results of the commands that were run where the model's calls for them are.
// A command without such a call, as of a plan that is repeated without the model, goes to the end.
func (r *runResult) addCommands() {
	taken := map[int]bool{}
	for i := range r.Plan.Commands {
		c := &r.Plan.Commands[i]
		if c.Status != string(plan.CommandSucceeded) && c.Status != string(plan.CommandFailed) {
			continue
		}
		call := tool.CommandSummary(c.Command, c.Cwd)
		result := callResult{
			Tool: toolOf(r.Plan, c.ID), Result: call + ": " + commandWord(c) + because(c.Reason), ExitCode: c.ExitCode, Output: c.Output,
		}
		at := -1
		for j := range r.Results {
			if at < 0 && !taken[j] && r.Results[j].Tool == result.Tool && r.Results[j].Result == call {
				at = j
			}
		}
		if at < 0 {
			r.Results = append(r.Results, result)
			at = len(r.Results) - 1
		}
		r.Results[at] = result
		taken[at] = true
	}
}

// toolOf returns the tool of an operation.
func toolOf(p *state.Plan, operation string) string {
	if i := slices.IndexFunc(p.Operations, func(o state.Operation) bool { return o.ID == operation }); i >= 0 {
		return p.Operations[i].Tool
	}
	return "run_command"
}

// reflect asks the model to analyse the turn of a run, whatever its result. It reports a
// failure, which does not change the result of the run.
func reflect(ctx context.Context, a *agent.Agent, con *console, result *runResult) {
	text, err := a.Turns.Reflect(ctx, result.turn)
	if err != nil {
		fmt.Fprintf(con.err, "redline: the turn could not be analysed: %s\n", edits.Visible(err.Error()))
		return
	}
	result.Reflection = &text
	if !con.json {
		fmt.Fprintf(con.out, "\nReflection: %s\n", edits.Visible(text))
	}
}

// unfinished prints to stderr what a turn has left undone, and returns an exit status.
// That is nil if nothing is undone, exitWaiting if there is a plan, which is then not
// applied without asking, else exitRefused.
func (c *console) unfinished(r *runResult, approve bool, exit int) error {
	if len(r.Unfinished) == 0 {
		return nil
	}
	said := oneLine(strings.Join(r.Unfinished, " "))
	switch {
	case exit != exitWaiting:
		said += " No plan waits: ask again, perhaps for less at once."
	case approve:
		said = fmt.Sprintf("Plan %d is not applied, because it is incomplete. %s Look at it, then: redline plans approve %d, or redline plans rework %d TEXT.", r.Plan.Plan, said, r.Plan.Plan, r.Plan.Plan)
	default:
		said = fmt.Sprintf("Plan %d is incomplete. %s", r.Plan.Plan, said)
	}
	fmt.Fprintln(c.err, "redline:", said)
	return status(exit)
}
