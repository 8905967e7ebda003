package plan

// Phase is a plan's state in the coarser words of Chartsmith's plan records,
// which name six: pending, planning, review, applying, applied and ignored.
// It is for tools that know those; Redline itself goes by [State].
type Phase string

// The phases.
const (
	PhasePending  Phase = "pending"  // asked for, nothing is there yet
	PhasePlanning Phase = "planning" // the model is at work on it
	PhaseReview   Phase = "review"   // it waits for the user
	PhaseApplying Phase = "applying" // it is being carried out
	PhaseApplied  Phase = "applied"  // it was carried out
	PhaseIgnored  Phase = "ignored"  // it was turned down, nothing of it is applied
)

// Phase returns the phase that a state is. Awaiting approval and reviewing are
// both a review. So is failed: there, a plan of which nothing could be applied
// goes back to its review. A state that does not exist is no phase, "".
func (s State) Phase() Phase {
	switch s {
	case Idle:
		return PhasePending
	case Drafting:
		return PhasePlanning
	case AwaitingApproval, Reviewing, Failed:
		return PhaseReview
	case Executing:
		return PhaseApplying
	case Completed:
		return PhaseApplied
	case Cancelled:
		return PhaseIgnored
	}
	return ""
}
