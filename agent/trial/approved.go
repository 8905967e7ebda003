package trial

import (
	"context"

	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/view"
)

// WithoutPlan runs an approved command, which has failed, in a world on the files before its
// plan's edits, and returns what that tells of the failure; "" if it tells nothing, because
// commands must not be tried here, or the two failures differ. now are the files that the plan
// has changed, as they are. asked is what the user wrote.
func (t *Trials) WithoutPlan(ctx context.Context, c Command, failed commands.Observation, before, now view.TriedTexts, asked string) plan.Class {
	if t.check(ctx, &c) != nil {
		return ""
	}
	seen, err := t.observe(ctx, c, before, nil)
	if err != nil || ctx.Err() != nil {
		return ""
	}
	return judgeApproved(failed, seen, len(t.missed(ctx, seen)) > 0, about{asked, now})
}

// judgeApproved compares a failed command with its run in a world without the plan's edits. hidden
// says that the run in the world names a file that is hidden there. What the command has left on
// the disk is there in the second run, and what only the user's own folders have is not, so that may
// fail for another reason, in the same test too: only equal failures were there before.
func judgeApproved(failed commands.Observation, before observed, hidden bool, of about) plan.Class {
	if before.ExitCode == nil || failed.ExitCode == nil {
		return ""
	}
	r := Result{failures: commands.Failures(failed.Output), before: commands.Failures(before.Output)}
	added, _, _ := r.compare()
	switch code := *before.ExitCode; {
	case code == 0:
		return plan.FailsNow
	case code == 126, code == 127, hidden, before.Refused != "", (&Result{failures: r.before}).unreached(before):
		return "" // it could not be run there
	case len(added) > 0:
		return plan.FailsNow
	case code != *failed.ExitCode, (len(r.failures) == 0) != (len(r.before) == 0):
		return ""
	case !commands.SameFailures(failed.Output, before.Output, len(r.failures) > 0):
		return ""
	case of.failsIn(r.failures, failed.Output):
		return plan.StillFails
	}
	return plan.FailsAsBefore
}
