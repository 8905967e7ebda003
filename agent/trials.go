package agent

import (
	"context"

	"redline/agent/trial"
)

// TrialsAllowed is [trial.Trials.Allowed].
func (a *Agent) TrialsAllowed(ctx context.Context) error { return a.trials.Allowed(ctx) }

// AllowTrials is [trial.Trials.Allow].
func (a *Agent) AllowTrials(ctx context.Context) error { return a.trials.Allow(ctx) }

// ForbidTrials is [trial.Trials.Forbid].
func (a *Agent) ForbidTrials(ctx context.Context) error { return a.trials.Forbid(ctx) }

// Try is [trial.Trials.Try].
func (a *Agent) Try(ctx context.Context, r trial.Request) (turn string, err error) {
	return a.trials.Try(ctx, r)
}

// TrialStanding is [trial.Trials.Standing].
func (a *Agent) TrialStanding() trial.Standing { return a.trials.Standing() }

// TrialChecksKnown is [trial.Trials.ChecksKnown].
func (a *Agent) TrialChecksKnown() bool { return a.trials.ChecksKnown() }

// TrialQuestion is [trial.Trials.Question].
func (a *Agent) TrialQuestion(ctx context.Context) (example string, ask bool) {
	return a.trials.Question(ctx)
}
