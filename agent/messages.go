package agent

import (
	"context"

	"redline/agent/conversation"
	"redline/agent/state"
	"redline/agent/trace"
)

// Send is [turn.Turns.Send].
func (a *Agent) Send(m conversation.Message) (turnID, conversationID string, err error) {
	return a.turns.Send(m)
}

// Rework is [turn.Turns.Rework].
func (a *Agent) Rework(ctx context.Context, n int, feedback, client string) (turnID, conversationID string, err error) {
	return a.turns.Rework(ctx, n, feedback, client)
}

// Mend asks the model to fix a failure of a plan, see [turn.Turns.Mend].
func (a *Agent) Mend(ctx context.Context, n int, trial, words, client string) (turnID, conversationID string, err error) {
	return a.turns.Mend(ctx, n, trial, words, client)
}

// PrepareChat is [conversation.ChatFile.Prepare].
func (a *Agent) PrepareChat(text string) (path string, err error) { return a.chat.Prepare(text) }

// ChatSaved is [conversation.ChatFile.Saved].
func (a *Agent) ChatSaved() error { return a.chat.Saved() }

// Cancel stops a queued or running turn, or gives up the question with which it waits. If id is
// "", it stops all of them. It returns the turns that it stopped.
func (a *Agent) Cancel(id string) []string {
	return a.conversations.Cancel(func(t *conversation.Turn) bool { return id == "" || t.ID == id })
}

// Wait is [conversation.Conversations.Wait].
func (a *Agent) Wait(ctx context.Context, id string) (state.Turn, error) {
	return a.conversations.Wait(ctx, id)
}

// Failure is [conversation.Conversations.Failure].
func (a *Agent) Failure(id string) error { return a.conversations.Failure(id) }

// PlanOf is [conversation.Conversations.PlanOf].
func (a *Agent) PlanOf(id string) int { return a.conversations.PlanOf(id) }

// Remind is [conversation.Conversations.Remind].
func (a *Agent) Remind() { a.conversations.Remind() }

// TemplateNames is [turn.Turns.TemplateNames].
func (a *Agent) TemplateNames() []string { return a.turns.TemplateNames() }

// AgentNames is [turn.Turns.AgentNames].
func (a *Agent) AgentNames() []string { return a.turns.AgentNames() }

// Reflect is [turn.Turns.Reflect].
func (a *Agent) Reflect(ctx context.Context, turn string) (string, error) {
	return a.turns.Reflect(ctx, turn)
}

// ModelState returns the model in use.
func (a *Agent) ModelState() state.Model {
	info := a.turns.Model.Info()
	return state.Model{Provider: info.Provider, Name: info.Name}
}

// Traces is [conversation.Traces.List].
func (a *Agent) Traces(ctx context.Context, which string) ([]trace.Trace, error) {
	return a.traces.List(ctx, which)
}

// OpenTrace is [conversation.Traces.Open].
func (a *Agent) OpenTrace(ctx context.Context, which string) (path string, err error) {
	return a.traces.Open(ctx, which)
}
