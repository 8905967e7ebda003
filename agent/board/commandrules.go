package board

import (
	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/workspace"
)

// CommandRules applies the user's own rules to the commands of plans.
type CommandRules struct {
	rules *commands.Rules // nil for none
	ws    *workspace.Workspace
}

// NewCommandRules applies the rules r (nil for none) to commands that run in the workspace.
func NewCommandRules(r *commands.Rules, ws *workspace.Workspace) CommandRules {
	return CommandRules{rules: r, ws: ws}
}

// Judge returns the rules' verdict on a command. Rules match command lines, so the user always
// decides on a call of a tool server.
func (c CommandRules) Judge(o *plan.Operation) commands.Verdict {
	if o.CallsServer() {
		return commands.Verdict{Answer: commands.Ask}
	}
	return c.rules.Judge(o.Command, c.folder(o))
}

// folder returns the folder of a command in the form that rules compare: a workspace path, ""
// for the root, ".." for anything outside the workspace.
func (c CommandRules) folder(o *plan.Operation) string {
	given := o.CommandArgs().Cwd
	if given == "" {
		return ""
	}
	clean, err := c.ws.Clean(given)
	switch {
	case err != nil:
		return ".." // it is refused again when it is about to run
	case clean == ".":
		return ""
	}
	return clean
}

// allowed counts the commands that the rules run when the plan is approved as a whole.
func (c CommandRules) allowed(p *plan.Plan, r *plan.Revision) (n int) {
	for _, id := range p.Runnable(r) {
		o, _ := r.Operation(id)
		if c.Judge(o).Answer != commands.Allow {
			break
		}
		n++
	}
	return n
}

// states returns the commands of a revision in the form that clients see.
func (c CommandRules) states(p *plan.Plan, r *plan.Revision) []state.Command {
	listed := []state.Command{}
	groups := map[string][]string{} // each command to those that run at the same time, itself included
	for _, group := range r.Parallel() {
		for _, id := range group {
			groups[id] = group
		}
	}
	for i := range r.Operations {
		if o := &r.Operations[i]; o.IsCommand() {
			m := p.Progress.Command(o.ID)
			if m.Status == plan.CommandRunning { // the result that it may have is not the last word
				m = plan.CommandMark{Status: m.Status}
			}
			s := state.Command{
				ID: o.ID, Command: o.Command, Cwd: o.Folder(), Status: string(m.Status), ExitCode: m.ExitCode, Output: view.ReportOutput(m), Verdict: string(m.Verdict), Reason: m.Reason,
			}
			for _, id := range groups[o.ID] {
				if id != o.ID {
					s.Alongside = append(s.Alongside, id)
				}
			}
			if v := c.Judge(o); v.Answer == commands.Allow && m.Status == plan.CommandPending {
				s.Rule = v.Rule
			}
			if step, ok := r.Step(o.Step); ok && m.Status == plan.CommandPending && !p.MayRun(r, o) {
				s.Waits = step.When.String()
			}
			listed = append(listed, s)
		}
	}
	return listed
}
