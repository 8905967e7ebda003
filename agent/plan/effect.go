package plan

import "slices"

// Effect is something that has to be done because a plan has changed its
// state. The table below says which follow from what; package agent carries
// them out in one place.
type Effect string

// The effects.
const (
	ClearStaging  Effect = "clear_staging"  // what a turn had staged is in the revision or dropped, and nobody is asked about it any more
	WritePreview  Effect = "write_preview"  // the current revision's preview file is written
	OpenPreview   Effect = "open_preview"   // and put before the user, unless the revision is the user's own
	BeginProgress Effect = "begin_progress" // that the plan is being carried out is shown
	EndProgress   Effect = "end_progress"   // and not any more
	TellModel     Effect = "tell_model"     // before its next request the conversation's model is told how the plan stands
	EndPlan       Effect = "end_plan"       // the conversation may begin another plan
	TakeUpPlan    Effect = "take_up_plan"   // the conversation is about this plan again
)

// Effects lists all effects.
var Effects = []Effect{ClearStaging, WritePreview, OpenPreview, BeginProgress, EndProgress, TellModel, EndPlan, TakeUpPlan}

// onExit is what follows when a state is left for another.
var onExit = map[State][]Effect{
	Executing: {EndProgress, TellModel},
	Completed: {TakeUpPlan},
	Cancelled: {TakeUpPlan},
}

// onEvent is what follows from an event, wherever it leads.
var onEvent = map[Event][]Effect{
	PlanCreated:     {ClearStaging, WritePreview, OpenPreview},
	FinishDrafting:  {ClearStaging, WritePreview, OpenPreview, TellModel},
	OperationStaged: {WritePreview, OpenPreview, TellModel},
	RequestRevision: {ClearStaging},
	ExecuteText:     {ClearStaging},
	UserReviewing:   {TellModel},
	Reject:          {TellModel},
	RejectRest:      {TellModel},
	Cancel:          {TellModel},
	Undo:            {TellModel},
}

// onEntry is what follows when a state is reached from another.
var onEntry = map[State][]Effect{
	Executing: {BeginProgress},
	Completed: {ClearStaging, EndPlan},
	Cancelled: {ClearStaging, EndPlan},
}

// Within is what follows from a decision on a part of a plan that leaves the
// state as it is.
func Within() []Effect { return []Effect{TellModel} }

// Effects returns what follows from an event in state s, each effect once and
// in the order in which they are to be carried out; nil if the event is
// refused.
func (s State) Effects(e Event) []Effect {
	next, err := s.Next(e)
	if err != nil {
		return nil
	}
	return following(s, next, onEvent[e])
}

// EffectsOf returns what follows from a way through several events, and where
// it leads. Of a revision that is made in one go (request_revision,
// finish_drafting) that is what both call for. A way that the table does not
// have ends where it is refused.
func EffectsOf(s State, events ...Event) (effects []Effect, to State) {
	for _, e := range events {
		next, err := s.Next(e)
		if err != nil {
			break
		}
		effects = with(effects, s.Effects(e))
		s = next
	}
	return effects, s
}

// EffectsBetween returns what follows when a plan has come from one state to
// another and nobody knows by which events, as when another process moved it.
func EffectsBetween(from, to State) []Effect { return following(from, to, nil) }

func following(from, to State, on []Effect) []Effect {
	if from == to {
		return with(nil, on)
	}
	return with(with(with(nil, onExit[from]), on), onEntry[to])
}

// with appends the effects that are not there yet.
func with(effects, more []Effect) []Effect {
	for _, e := range more {
		if !slices.Contains(effects, e) {
			effects = append(effects, e)
		}
	}
	return effects
}
