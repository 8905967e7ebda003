package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/orchestrator"
	"redline/agent/plan"
	"redline/agent/tool"
)

// A conversation's primary agent (see [orchestrator.Registry.Primary]) changes a turn in three ways. Its
// text is appended to the system prompt, which stays whole. Its model and temperature are used
// for the turn's own requests, but not for small requests beside them, such as classifying a
// message. The turn loses every tool that the agent may not use, in each route and mode.

// agentNamed returns the primary agent with a name, for a conversation. The names none and
// default return no agent. An unknown name is an error.
func (ts *Turns) agentNamed(name string) (conversation.Agent, error) {
	if slices.Contains(orchestrator.Reserved, name) {
		return conversation.Agent{}, nil
	}
	a, err := ts.agentFiles.Primary(name)
	if err != nil {
		return conversation.Agent{}, err
	}
	return conversation.Agent{Name: a.ID, Repository: a.Origin == orchestrator.Repository}, nil
}

// recollect reads the memory of a turn's conversation, and what the user has chosen for it.
func (w *work) recollect(ctx context.Context) error {
	conv := w.turn.Conversation
	conv.Memory.Recollect(ctx)
	choices, err := w.Conversations.Choices(ctx, conv)
	if err != nil && w.turn.request.Mode != "ask" { // a question changes nothing
		return err
	}
	w.choices = choices
	w.turn.Update(func(r *conversation.Result) { r.Choices = choices })
	if w.Session.First(choices.Told(conv)) && w.turn.request.Chosen == nil && choices != (conversation.Choices{}) {
		w.turn.Notice(fmt.Sprintf("This conversation has %s, as you have chosen earlier (/agent, /mode).", choices))
	}
	return nil
}

// mode returns the mode of a turn: the one that its message names, else the conversation's.
// Comments and feedback on a plan ignore the conversation's mode, because they say what they
// want.
func (w *work) mode() string {
	m := &w.turn.request
	if m.Mode != "" || m.Comment != nil || m.Revise != 0 && w.turn.continued == nil {
		return m.Mode
	}
	return w.choices.Mode
}

// takeAgent reads the agent file of the conversation's agent. It returns an error if the file is
// gone, because without it the turn would have more tools than the user has allowed. An agent of
// the repository never replaces a user's agent of the same name.
func (w *work) takeAgent() error {
	chosen := w.choices.Agent
	if chosen.Name == "" {
		return nil
	}
	r, notices := w.agentFiles.Registry(Tools(tool.All()))
	a := r.FindPrimary(chosen.Name)
	switch {
	case a == nil:
		return plan.Refuse(plan.Invalid, "The agent %s of this conversation is not there any more: choose another with /agent NAME, or none with /agent none.", chosen.Name)
	case a.Origin == orchestrator.Repository && !chosen.Repository:
		return plan.Refuse(plan.Invalid, "The agent %s of this conversation was your own, and now only the repository describes one of that name: choose it anew with /agent %s, or none with /agent none.", chosen.Name, chosen.Name)
	}
	w.agent = a
	for _, n := range notices {
		if strings.Contains(n, " "+a.File+" ") && w.Session.First(n) {
			w.turn.Warn(n)
		}
	}
	return nil
}

// asAgent returns what the turn's agent adds to a system prompt, "" if there is no agent. Text
// from the repository is quoted.
func (w *work) asAgent() string {
	if w.agent == nil || w.agent.Prompt == "" {
		return ""
	}
	text := w.agent.Prompt
	if w.agent.Origin == orchestrator.Repository {
		text = w.prompt("quoted") + "\n> " + strings.ReplaceAll(text, "\n", "\n> ")
	}
	return "\n" + w.prompt("agent") + "\n" + text + "\n"
}

// permitted returns those of a turn's tools that its agent may use.
func (w *work) permitted(tools []tool.Tool) []tool.Tool {
	if w.agent == nil {
		return tools
	}
	known := slices.Clone(tools)
	for _, t := range tool.All() { // an agent file may name any tool
		if _, has := tool.Find(known, t.Name); !has {
			known = append(known, t)
		}
	}
	r, _ := w.agentFiles.Registry(Tools(known))
	a := r.FindPrimary(w.agent.ID)
	if a != nil && a.Origin != w.agent.Origin { // the user's file is gone since the turn began
		a = nil
	}
	may := Permitted(tools, a)
	w.env.Forbidden = func(name string) string {
		if t, has := tool.Find(tools, name); has {
			return fmt.Sprintf("the user does not let the agent %s use %s", w.agent.ID, t.Name)
		}
		return ""
	}
	return may
}

// provider returns the provider of the turn's work for a purpose, with the agent's model and
// temperature.
func (w *work) provider(purpose model.Purpose) model.Provider {
	p := model.For(w.Model, purpose)
	if w.agent == nil {
		return p
	}
	return agentModel{p, w.agent}
}

// agentModel is a provider that sends the agent's model and temperature with each request.
type agentModel struct {
	model.Provider
	agent *orchestrator.Specialist
}

func (p agentModel) Info() model.Info {
	info := p.Provider.Info()
	info.Name = cmp.Or(p.agent.Model, info.Name)
	return info
}

func (p agentModel) Complete(ctx context.Context, req model.Request, onEvent func(model.Event)) (model.Reply, error) {
	req.Model, req.Temperature = cmp.Or(p.agent.Model, req.Model), cmp.Or(p.agent.Temperature, req.Temperature)
	return p.Provider.Complete(ctx, req, onEvent)
}
