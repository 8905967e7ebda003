package agenttest

import (
	"slices"

	"redline/agent"
	"redline/agent/outside"
	"redline/agent/trial"
	"redline/workspace/runner"
	"redline/workspace/world"
)

// OutsideAgent begins the session's agent anew, with an outside agent codex that is installed and allowed
// here, and whose copies are run by trials.
func (s *Session) OutsideAgent(trials trial.Options) {
	s.T.Helper()
	a := outside.Agent{Name: "codex", Command: []string{"/bin/sh"}, Memory: 100, Processes: 10, Timeout: 1e9}
	s.Trials = trials
	s.With(func(o *agent.Options) {
		o.Turns.OutsideAgents = []outside.Agent{a}
		o.Turns.OutsideAgent = func(string) (outside.Agent, error) { return a, nil }
	})
	_, err := s.Agent.Turns.Outsiders.Allow(s.Context(), a.Name)
	s.Must(err)
}

// Leaves returns the outcome of a command that has left these entries in its copy, for [FakeRuns].
func Leaves(c runner.Command, left ...world.Entry) runner.Outcome {
	for i := range left {
		left[i].Size = int64(len(left[i].Text))
	}
	wanted := c.Capture(slices.Clone(left))
	for i := range left {
		if !slices.Contains(wanted, i) {
			left[i].Text = nil
		}
	}
	return runner.Outcome{End: runner.Exited, Left: left}
}
