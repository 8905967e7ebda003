package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/chat"
	"redline/agent/config"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// The routes of a turn, as events name them.
const (
	routeTools       = string(chat.Tools)    // the model may stage edits
	routeAsk         = "ask"                 // tools that only read
	routeProceed     = string(chat.Proceed)  // the waiting plan is approved, or the user is asked which
	routeOffTopic    = string(chat.OffTopic) // declined without asking the model
	routeText        = string(chat.Text)     // a plan in words
	routeWorkOut     = "work_out"            // a plan in words was approved: the model writes its edits
	routeSpecialists = "heap"                // several specialists work
	routeReport      = "report"              // the commands of a plan have run: the model reports their results
	routeRender      = string(chat.Render)   // the plan is shown again
)

// The reasons for the route of a message.
const (
	byModel    = "model"    // a model classified it
	byRules    = "rules"    // keyword rules did
	byMode     = "mode"     // the user named a mode
	bySlash    = "slash"    // the user typed a slash command
	byComment  = "comment"  // it is a comment request
	byRework   = "rework"   // it is feedback on a plan
	byApproval = "approval" // a plan in words was approved, or a plan's commands have run
	byAnswer   = "answer"   // it answers a question and continues the turn that asked
)

// modes maps the modes that a user can name to routes.
var modes = map[string]string{"plan": routeTools, "ask": routeAsk, "text": routeText, "heap": routeSpecialists}

// routing is the route of a message, and the reason for it.
type routing struct {
	route  string
	by     string
	reason string        // in a few words
	flags  *state.Intent // nil when the message was not classified
	down   error         // why no model can be asked; nil if one can, or none was asked
}

// chooseRoute chooses the route of a turn. A mode, a slash command, a comment or feedback on a
// plan decides it. Any other message is classified, and chat.ChooseRoute maps the flags to a route.
// A model that classifies can only choose among harmless routes: handleProceed, which may
// approve, checks for itself the user's own words, the waiting plans, and what this client was
// shown.
func (w *work) chooseRoute(ctx context.Context) (routing, error) {
	m := &w.turn.request
	in, err := w.situation(ctx)
	if err != nil && m.Mode != "ask" { // a question does not need the plans
		return routing{}, err
	}
	w.begins = err == nil && in.First
	switch named := modes[m.Mode]; {
	case m.Report != 0:
		return routing{route: routeReport, by: byApproval, reason: fmt.Sprintf("the commands of plan %d have run", m.Report)}, nil
	case named != "" && m.Slash != "":
		return routing{route: named, by: bySlash, reason: "/" + m.Slash}, nil
	case named != "":
		return routing{route: named, by: byMode, reason: "the mode " + m.Mode}, nil
	case m.Comment != nil:
		return routing{route: routeTools, by: byComment, reason: "a comment asks for it"}, nil
	case m.Revise != 0 && w.revisions.inWords(w.turn): // until it is approved
		return routing{route: routeText, by: byRework, reason: "it is feedback on a plan in words"}, nil
	case m.Revise != 0:
		return routing{route: routeTools, by: byRework, reason: "it is feedback on a plan"}, nil
	}
	if mode := w.mode(); modes[mode] != "" { // a later version may have stored a mode that this one does not know
		if flags, _ := chat.RulesIn(m.Text, in); !flags.Proceed || !in.Waiting { // the user may approve in words in any mode
			return routing{route: modes[mode], by: byMode, reason: "the mode " + mode + " of this conversation"}, nil
		}
	}
	chosen := w.classify(ctx, in)
	if w.builtin() { // it answers every message itself
		chosen.flags.Plan, chosen.flags.OffTopic = false, false
	}
	route, why := chat.ChooseRoute(*chosen.flags, in)
	chosen.route, chosen.reason = string(route), chosen.reason+"; "+why
	if w.settings.Specialists && w.mayTake(chosen.route) {
		chosen.route = routeSpecialists
	}
	if chosen.down != nil && (route == chat.Tools || route == chat.Text) {
		return chosen, chosen.down // do not make the user wait for it again
	}
	return chosen, ctx.Err()
}

// situation returns the facts about a conversation that the route of a message depends on.
func (w *work) situation(ctx context.Context) (chat.Situation, error) {
	var s chat.Situation
	conv := w.turn.Conversation
	memory := conv.Memory.Value()
	s.First = memory.Empty()
	if n := len(memory.Exchanges); n > 0 {
		s.Asked = chat.AsksForMore(memory.Exchanges[n-1].Answer)
	}
	made, err := w.report(ctx, conv.ID) // the request to the model has it too
	if err != nil {
		return s, err
	}
	here, all := w.plans()
	s.Revisions = len(here)+len(made.plans) > 0
	s.Waiting = len(board.Waiting(here)) > 0 || s.First && len(board.Waiting(all)) > 0
	s.First = s.First && !s.Revisions
	return s, nil
}

// plans returns the plans that the session holds, by number: those of the turn's conversation, and
// all.
func (w *work) plans() (here, all []*board.Held) {
	all = w.Board.Plans("")
	return slices.DeleteFunc(slices.Clone(all), func(h *board.Held) bool { return h.Plan().Conversation != w.turn.Conversation.ID }), all
}

// classifyWithin is how long a model may take to classify a message, for which the user waits.
// It is longer than all retries of a provider that cannot be reached, so a turn waits for such a
// provider once.
const classifyWithin = 12 * time.Second

// maxClassification limits a model's classification, in tokens. A model that thinks first needs
// most of them.
const maxClassification = 1000

// classify finds out what a message wants. A phrase that approves needs no model, and no model's
// reply counts as one. If the model fails, keyword rules decide. They also decide for the
// built-in model, which cannot classify.
func (w *work) classify(ctx context.Context, in chat.Situation) routing {
	text := w.turn.request.Text
	flags, why := chat.RulesIn(text, in)
	byTheRules := routing{by: byRules, reason: why, flags: &flags}
	if flags.Proceed || w.settings.Classify != config.ClassifyByModel || w.builtin() {
		return byTheRules
	}
	ctx, cancel := context.WithTimeout(ctx, w.classifyWithin)
	defer cancel()
	reply, err := w.structured(ctx, model.For(w.Model, model.Classifying), "classify", chat.IntentMessage(text, in),
		maxClassification, &model.Schema{Name: "classification", JSON: chat.IntentSchema})
	if err == nil {
		var said state.Intent
		if said, why, err = chat.ParseIntent(reply); err == nil {
			if why == "" {
				why = "the model says " + said.String()
			}
			return routing{by: byModel, reason: why, flags: &said}
		}
	}
	if failed, ok := errors.AsType[*model.Error](err); ok && outOfReach(failed.Kind) {
		byTheRules.down = failed
	}
	w.log.Info("the message was classified by rules, because the model could not", zap.String("turn", w.turn.ID), zap.Error(err))
	w.Record(trace.Step{Kind: trace.Fallback, Name: trace.ByRules, Summary: "rules classified the message", Error: phrase.SentenceOf(err)})
	byTheRules.reason += " (the model could not classify it)"
	return byTheRules
}

// outOfReach reports whether a failure would repeat for every request to the provider.
func outOfReach(k model.Kind) bool {
	return k == model.KindUnreachable || k == model.KindMisconfigured || k == model.KindUnauthorized
}
