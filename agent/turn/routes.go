package turn

import (
	"redline/agent/conversation"
	"redline/agent/intent"
	"redline/agent/refusal"
)

// The routes of a turn, as events name them.
const (
	routeTools       = string(intent.Tools)    // the model may stage edits
	routeAsk         = "ask"                   // reading tools only
	routeProceed     = string(intent.Proceed)  // the plan that waits is approved, or the user is asked which
	routeOffTopic    = string(intent.OffTopic) // declined without asking the model
	routeText        = string(intent.Text)     // a plan in words
	routeWorkOut     = "work_out"              // a plan in words was approved: the model works it out
	routeSpecialists = "heap"                  // several specialists
	routeRender      = string(intent.Render)   // the plan is shown again
)

// What chose the route of a message.
const (
	byModel    = "model"    // a model classified it
	byRules    = "rules"    // keyword rules did
	byMode     = "mode"     // the user named a mode
	bySlash    = "slash"    // with a slash command
	byComment  = "comment"  // it is a comment request
	byRework   = "rework"   // it is feedback on a plan
	byApproval = "approval" // a plan in words was approved
	byAnswer   = "answer"   // it answers a question and continues the turn that asked
)

// modes are the routes that a user can name.
var modes = map[string]string{"plan": routeTools, "ask": routeAsk, "text": routeText, "heap": routeSpecialists}

// checkMode refuses an unknown mode.
func checkMode(m conversation.Request) error {
	switch m.Mode {
	case "", "auto":
		return nil
	}
	if modes[m.Mode] == "" {
		return refusal.New(refusal.Invalid, "There is no mode %q: use auto, plan, text, heap or ask.", m.Mode)
	}
	return nil
}
