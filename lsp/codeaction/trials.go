package codeaction

import (
	"fmt"
	"slices"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/lsp/command"
	"redline/lsp/summary"
)

// addTrials offers to fix what failed in a trial, and to try the plan's commands and the
// command tried last. Where the user has not allowed trials yet, it offers to allow them.
func (m *menu) addTrials(p *view.Plan, trials []state.Trial) {
	for _, t := range state.Current(trials) {
		if t.Verdict != string(plan.TrialPassed) && t.Verdict != string(plan.CouldNotRun) {
			m.add(Refactor, fmt.Sprintf("fix plan %d: %s", p.Plan.Number, summary.Verdict(t)), command.Rework,
				command.ReworkArgs{Plan: p.Plan.Number, Trial: t.ID})
		}
	}
	if m.trials == nil {
		return
	}
	commands, standing := tryable(p), m.trials()
	switch {
	case standing == trial.Usable:
		for _, c := range commands {
			m.add(Refactor, fmt.Sprintf("try plan %d: %s", p.Plan.Number, summary.CommandName(c.Command, c.Cwd)), command.Try,
				command.TryArgs{Plan: p.Plan.Number, Command: &c.Command, Cwd: c.Cwd})
		}
	case standing == trial.Askable && (len(commands) > 0 || m.checks()):
		m.add(Refactor, "allow trials in this workspace", command.AllowTrials, command.AllowTrialsArgs{})
	}
}

// tryable returns the commands of a plan to offer for a trial, and the command tried
// last.
func tryable(p *view.Plan) (commands []state.CommandLine) {
	add := func(c state.CommandLine) {
		if !slices.Contains(commands, c) {
			commands = append(commands, c)
		}
	}
	for _, o := range p.Revision.CommandLines() {
		if len(commands) < maxCommandActions {
			add(state.CommandLine{Command: o.Command, Cwd: o.Folder()})
		}
	}
	if last := len(p.Plan.Trials) - 1; last >= 0 {
		add(state.CommandLine{Command: p.Plan.Trials[last].Command, Cwd: p.Plan.Trials[last].Cwd})
	}
	return commands
}
