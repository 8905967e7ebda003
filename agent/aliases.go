package agent

import (
	"redline/agent/editor"
	"redline/agent/event"
	"redline/agent/refusal"
	"redline/agent/state"
)

// What those who call an agent need of the rooms behind it.
type (
	// Editor is the program that holds the user's text.
	Editor       = editor.Editor
	Proposal     = editor.Proposal
	ProposedHunk = editor.ProposedHunk
	Location     = editor.Location
	Question     = editor.Question
	Answer       = editor.Answer

	// Event is something that happened in the session.
	Event     = event.Event
	EventKind = event.Kind

	// Refusal is the answer to what cannot be done.
	Refusal     = refusal.Error
	RefusalKind = refusal.Kind

	// State is what clients see of the session; the others are its parts.
	State          = state.State
	PlanState      = state.Plan
	StepState      = state.Step
	OperationState = state.Operation
	FileState      = state.File
	HunkState      = state.Hunk
	CommandState   = state.Command
	RevisionState  = state.Revision
	TurnState      = state.Turn
	ModelState     = state.Model
	WireRange      = state.Range
	WirePosition   = state.Position
	FileResult     = state.FileResult
	Result         = state.Result
	Outcome        = state.Outcome
	Usage          = state.Usage
)

// The kinds of events.
const (
	TurnQueued     = event.TurnQueued
	TurnStarted    = event.TurnStarted
	Routed         = event.Routed
	TokenArrived   = event.TokenArrived
	ToolCalled     = event.ToolCalled
	HunkStaged     = event.HunkStaged
	PlanChanged    = event.PlanChanged
	Traced         = event.Traced
	Noticed        = event.Noticed
	QuestionAsked  = event.QuestionAsked
	CommandPrinted = event.CommandPrinted
	LocationAsked  = event.LocationAsked
	ViewAsked      = event.ViewAsked
	DiffModeAsked  = event.DiffModeAsked
	TurnFinished   = event.TurnFinished
)

// The kinds of refusals.
const (
	HashMismatch   = refusal.HashMismatch
	Stale          = refusal.Stale
	WrongState     = refusal.WrongState
	NoSuchPlan     = refusal.NoSuchPlan
	ApplyFailed    = refusal.ApplyFailed
	UnsavedPreview = refusal.UnsavedPreview
	NotAllowed     = refusal.NotAllowed
	Busy           = refusal.Busy
	Invalid        = refusal.Invalid
)

func refuse(kind refusal.Kind, format string, args ...any) error {
	return refusal.New(kind, format, args...)
}

// AsRefusal is [refusal.Of].
func AsRefusal(err error) (*Refusal, bool) { return refusal.Of(err) }
