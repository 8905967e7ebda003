package plan

import "slices"

// Effect is something to do because a plan has changed its state. The tables below define
// which effects follow; package agent carries them out in one place.
type Effect string

// The effects.
const (
	ClearStaging  Effect = "clear_staging"  // the operations that a turn staged are in the revision or dropped: withdraw questions about them
	WritePreview  Effect = "write_preview"  // write the preview file of the current revision
	OpenPreview   Effect = "open_preview"   // and show it to the user, unless the revision is the user's own
	BeginProgress Effect = "begin_progress" // show that the plan is being carried out
	EndProgress   Effect = "end_progress"   // stop showing that
	TellModel     Effect = "tell_model"     // tell the conversation's model about the plan's progress before its next request
	EndPlan       Effect = "end_plan"       // the conversation may begin another plan
	TakeUpPlan    Effect = "take_up_plan"   // the conversation works on this plan again
)

// Effects lists all effects.
var Effects = []Effect{ClearStaging, WritePreview, OpenPreview, BeginProgress, EndProgress, TellModel, EndPlan, TakeUpPlan}

// onExit has the effects of leaving a state for another.
var onExit = map[State][]Effect{
	Executing: {EndProgress, TellModel},
	Completed: {TakeUpPlan},
	Cancelled: {TakeUpPlan},
}

// onEvent has the effects of an event, wherever it leads.
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

// onEntry has the effects of reaching a state from another.
var onEntry = map[State][]Effect{
	Executing: {BeginProgress},
	Completed: {ClearStaging, EndPlan},
	Cancelled: {ClearStaging, EndPlan},
}

// Within returns the effects of a decision on a part of a plan that does not change the
// state.
func Within() []Effect { return []Effect{TellModel} }

// Effects returns the effects of an event in state s, each once and in the order to carry
// them out, or nil if the event is refused.
func (s State) Effects(e Event) []Effect {
	next, err := s.Next(e)
	if err != nil {
		return nil
	}
	return following(s, next, onEvent[e])
}

// EffectsOf returns the effects of several events, one after another, and the last state.
// For a revision made in one go (request_revision, finish_drafting), these are the
// effects of both. It stops at the first event that the table refuses.
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

// EffectsBetween returns the effects of moving from one state to another by unknown
// events, as when another process moved the plan.
func EffectsBetween(from, to State) []Effect { return following(from, to, nil) }

func following(from, to State, on []Effect) []Effect {
	if from == to {
		return with(nil, on)
	}
	return with(with(with(nil, onExit[from]), on), onEntry[to])
}

// with appends the effects that are missing.
func with(effects, more []Effect) []Effect {
	for _, e := range more {
		if !slices.Contains(effects, e) {
			effects = append(effects, e)
		}
	}
	return effects
}
