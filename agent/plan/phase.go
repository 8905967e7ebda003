package plan

// Phase is a plan's state in the six coarser words of Chartsmith's plan records: pending,
// planning, review, applying, applied and ignored. It is for tools that know those;
// Redline itself uses [State].
type Phase string

// The phases.
const (
	PhasePending  Phase = "pending"  // asked for, nothing made yet
	PhasePlanning Phase = "planning" // the model is at work on it
	PhaseReview   Phase = "review"   // it waits for the user
	PhaseApplying Phase = "applying" // it is being carried out
	PhaseApplied  Phase = "applied"  // it was carried out
	PhaseIgnored  Phase = "ignored"  // it was turned down, nothing of it is applied
)

// Phase returns the phase of a state. Awaiting approval and reviewing are both review. So
// is failed: Chartsmith returns a plan to review if nothing could be applied. An unknown
// state has the phase "".
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
