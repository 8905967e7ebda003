package plan

import (
	"fmt"
	"slices"
)

// State is the state of a plan. Idle is a conversation without an open plan.
type State string

// The states.
const (
	Idle             State = "idle"              // a conversation without an open plan
	Drafting         State = "drafting"          // the model works on a revision
	AwaitingApproval State = "awaiting_approval" // it is shown and waits for the user
	Reviewing        State = "reviewing"         // the user has begun to decide, or edits are still coming
	Executing        State = "executing"         // an approval is being carried out
	Failed           State = "failed"            // a file or a command failed; approving again resumes
	Completed        State = "completed"         // everything is decided, something was applied
	Cancelled        State = "cancelled"         // everything was rejected; what was applied before has been taken back
)

// States lists the states in the order of a plan's life.
var States = []State{Idle, Drafting, AwaitingApproval, Reviewing, Executing, Failed, Completed, Cancelled}

// Open reports whether something about the plan is still to be done or decided.
func (s State) Open() bool { return s != Idle && s != Completed && s != Cancelled }

// Decidable reports whether the user can decide on parts of the plan.
func (s State) Decidable() bool { return s == AwaitingApproval || s == Reviewing || s == Failed }

// Predicate says how a plan in the state is, to follow "plan 3": "has failed".
func (s State) Predicate() string {
	if said, ok := predicates[s]; ok {
		return said
	}
	return "is " + string(s)
}

var predicates = map[State]string{
	Idle:             "is not begun",
	Drafting:         "is being drafted",
	AwaitingApproval: "waits for your approval",
	Reviewing:        "waits for your decision",
	Executing:        "is being carried out",
	Failed:           "has failed",
	Completed:        "is completed",
	Cancelled:        "is cancelled",
}

// Known reports whether s is a state of the table.
func (s State) Known() bool { return table[s] != nil }

// Event is something that happens to a plan and may change its state.
type Event string

// The events.
const (
	Start           Event = "start"            // a turn begins to work on a plan
	PlanCreated     Event = "plan_created"     // the first revision is made
	FinishDrafting  Event = "finish_drafting"  // a further revision is made
	PlanUpdated     Event = "plan_updated"     // the draft has grown
	Cancel          Event = "cancel"           // the user drops the plan
	OperationStaged Event = "operation_staged" // the user or the agent added an operation to a plan that was shown
	UserReviewing   Event = "user_reviewing"   // the user decided on a part, or opened the plan
	Execute         Event = "execute"          // an approval is carried out
	ExecuteText     Event = "execute_text"     // a text-only plan is approved: its operations become the next revision
	RequestRevision Event = "request_revision" // the user wants changes
	Reject          Event = "reject"           // the last undecided part was rejected, nothing is applied
	RejectRest      Event = "reject_rest"      // the last undecided part was rejected, or no more results will come; something was applied
	PartExecuted    Event = "part_executed"    // some parts are still undecided
	PlanExecuted    Event = "plan_executed"    // everything is decided, something was applied
	NothingApplied  Event = "nothing_applied"  // the execution changed nothing
	ExecutionFailed Event = "execution_failed" // a file or a command failed
	Undo            Event = "undo"             // an applied part was reverted
)

// Events lists all events.
var Events = []Event{
	Start, PlanCreated, FinishDrafting, PlanUpdated, Cancel, OperationStaged, UserReviewing, Execute, ExecuteText,
	RequestRevision, Reject, RejectRest, PartExecuted, PlanExecuted, NothingApplied, ExecutionFailed, Undo,
}

// table has every transition; all others are refused. If one file of a plan is approved, the plan
// goes awaiting_approval → executing → reviewing, and after the last one → completed.
//
// Undo leads from awaiting_approval to awaiting_approval, so that after one file of a
// plan was reverted, the next can be. A failed part can be rejected too, like any other.
var table = map[State]map[Event]State{
	Idle: {Start: Drafting},
	Drafting: {
		PlanCreated: AwaitingApproval, FinishDrafting: AwaitingApproval,
		PlanUpdated: Drafting, Cancel: Cancelled,
	},
	AwaitingApproval: {
		OperationStaged: Reviewing, UserReviewing: Reviewing, Execute: Executing, ExecuteText: Drafting,
		RequestRevision: Drafting, Reject: Cancelled, RejectRest: Completed, Cancel: Cancelled, Undo: AwaitingApproval,
	},
	Reviewing: {
		OperationStaged: Reviewing, Execute: Executing, ExecuteText: Drafting,
		RequestRevision: Drafting, Reject: Cancelled, RejectRest: Completed, Cancel: Cancelled, Undo: AwaitingApproval,
	},
	Executing: {
		PartExecuted: Reviewing, PlanExecuted: Completed,
		NothingApplied: AwaitingApproval, ExecutionFailed: Failed,
	},
	Failed: {
		Execute: Executing, RequestRevision: Drafting, Reject: Cancelled, RejectRest: Completed,
		Cancel: Cancelled, Undo: AwaitingApproval,
	},
	Completed: {Start: Drafting, Undo: AwaitingApproval},
	Cancelled: {Start: Drafting, Undo: AwaitingApproval},
}

// NoTransition is the refusal of an event in a state. Its text is one sentence
// for the user.
type NoTransition struct {
	State State
	Event Event
}

func (e *NoTransition) Error() string {
	if e.Event == Undo && e.State != Executing && e.State != Drafting {
		return "there is nothing to undo: nothing of the plan is applied"
	}
	return fmt.Sprintf("the plan cannot %s: %s", wants[e.Event], because[e.State])
}

var wants = map[Event]string{
	Start:           "be started",
	PlanCreated:     "get its first revision",
	FinishDrafting:  "get a revision",
	PlanUpdated:     "be drafted further",
	Cancel:          "be cancelled",
	OperationStaged: "get another operation",
	UserReviewing:   "be reviewed",
	Execute:         "be approved",
	ExecuteText:     "be approved",
	RequestRevision: "be revised",
	Reject:          "be rejected",
	RejectRest:      "be rejected",
	PartExecuted:    "have been carried out",
	PlanExecuted:    "have been carried out",
	NothingApplied:  "have been carried out",
	ExecutionFailed: "have failed",
	Undo:            "be undone",
}

var because = map[State]string{
	Idle:             "there is none yet; ask for a change first",
	Drafting:         "it is still being drafted; wait until it is shown, or cancel it",
	AwaitingApproval: "it waits to be approved or rejected",
	Reviewing:        "it is under review; approve or reject the rest of it",
	Executing:        "it is being carried out; wait until that is done",
	Failed:           "it has failed; approve it again to resume, or rework, undo or cancel it",
	Completed:        "it is completed; undo it, or ask for a new plan",
	Cancelled:        "it was cancelled; ask for a new plan",
}

// Next returns the state that the event leads to, or a [*NoTransition].
func (s State) Next(e Event) (State, error) {
	if next, ok := table[s][e]; ok {
		return next, nil
	}
	return s, &NoTransition{State: s, Event: e}
}

// Apply moves the plan to the state that the event leads to. It returns a [*NoTransition],
// and changes nothing, if the table does not have the transition, or for an undo if
// nothing is applied.
func (p *Plan) Apply(e Event) error {
	next, err := p.State.Next(e)
	if err != nil {
		return err
	}
	if e == Undo && !p.Applied() {
		return &NoTransition{State: p.State, Event: Undo}
	}
	p.State = next
	return nil
}

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
// them out, or nil if the event is refused: of plan_executed, end_progress, tell_model,
// clear_staging and end_plan.
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
