package codeaction

import (
	"fmt"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/lsp/command"
	"redline/lsp/summary"
)

// maxCommandActions is how many commands of a plan are offered one by one.
const maxCommandActions = 5

// addCommands offers to run all commands of a plan together with the rest of its edits. If no
// edit is left it also offers each command by itself.
func (m *menu) addCommands(p *view.Plan, e summary.Extent) {
	n := p.Plan.Number
	ids := p.Plan.Runnable(p.Revision)
	if len(ids) == 0 {
		return
	}
	if e.Stale == 0 {
		argument := command.DecisionOn(p)
		argument.AllowCommands = new(true)
		vouched := m.vouch(&argument.Saved, summary.UndecidedFiles(p)...)
		m.add(Refactor, fmt.Sprintf("approve plan %d and run its %s%s", n, phrase.Count(len(ids), "command"), vouched), command.Approve, argument)
	}
	if e.Files > 0 {
		return
	}
	for _, id := range ids[:min(len(ids), maxCommandActions)] {
		o, _ := p.Revision.Operation(id)
		argument := command.DecisionOn(p)
		argument.Operation = &id
		if !p.Plan.MayRun(p.Revision, o) { // it is approved with what decides that
			m.add(Refactor, fmt.Sprintf("reject command %s of plan %d", id, n), command.Reject, argument)
			continue
		}
		title := fmt.Sprintf("run command %s of plan %d: %s", id, n, summary.CommandTitle(o))
		if p.Plan.Progress.Command(id).Status == plan.CommandWaitingForSave {
			title = fmt.Sprintf("run command %s of plan %d now, without waiting for a save: %s", id, n, summary.CommandTitle(o))
		}
		m.add(Refactor, title, command.Approve, argument)
		m.add(Refactor, fmt.Sprintf("reject command %s of plan %d", id, n), command.Reject, argument)
	}
	m.add(Refactor, fmt.Sprintf("reject plan %d (%s)", n, phrase.Count(len(ids), "command")), command.Reject, command.DecisionOn(p))
}
