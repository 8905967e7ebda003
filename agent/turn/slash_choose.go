package turn

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/plan"
)

// agent changes the primary agent of a conversation if the command names one, and answers which
// it is. Only the user's own typing counts, since a repository can contain a chat file.
func (cs *Commands) agent(ctx context.Context, t *conversation.Turn, s chat.Slash) (string, error) {
	if len(s.Args) > 0 {
		if err := typedNow(t, s); err != nil {
			return "", err
		}
		a, err := cs.Choose(s.Args[0])
		if err != nil {
			return "", err
		}
		cs.Conversations.ChooseAgent(t.Conversation, a)
	}
	chosen, err := cs.Conversations.Choices(ctx, t.Conversation)
	if err != nil {
		return "", err
	}
	cs.Session.First(chosen.Told(t.Conversation))
	switch {
	case chosen.Agent.Name == "" && len(s.Args) > 0:
		return "This conversation has no agent, from the next message on.", nil
	case chosen.Agent.Name == "":
		return "This conversation has no agent.\n\n" + cs.Agents.ListPrimary(), nil
	case len(s.Args) == 0:
		return fmt.Sprintf("This conversation has the agent %s; /agent none goes back.\n\n%s", chosen.Agent.Name, cs.Agents.ListPrimary()), nil
	}
	answer := fmt.Sprintf("This conversation has the agent %s, from the next message on; /agent none goes back.", chosen.Agent.Name)
	if a, err := cs.Agents.Primary(chosen.Agent.Name); err == nil {
		if not := Denied(a); not != nil {
			answer += fmt.Sprintf(" It may not %s.", strings.Join(not, " or "))
		}
	}
	if chosen.Agent.Repository {
		answer += " The repository describes it, so it chooses no model and has no tools that your settings have to allow."
	}
	return answer, nil
}

// mode changes the mode of a conversation's messages if the command names one, and answers which
// it is.
func (cs *Commands) mode(ctx context.Context, t *conversation.Turn, s chat.Slash) (string, error) {
	when := ""
	if len(s.Args) > 0 {
		if err := typedNow(t, s); err != nil {
			return "", err
		}
		mode := s.Args[0]
		if mode == "auto" {
			mode = ""
		}
		cs.Conversations.ChooseMode(t.Conversation, mode)
		when = ", from the next message on"
	}
	chosen, err := cs.Conversations.Choices(ctx, t.Conversation)
	if err != nil {
		return "", err
	}
	cs.Session.First(chosen.Told(t.Conversation))
	if chosen.Mode == "" {
		return fmt.Sprintf("This conversation has the mode auto%s: each message goes the way that its words ask for.", when), nil
	}
	return fmt.Sprintf("This conversation has the mode %s%s; /mode auto goes back.", chosen.Mode, when), nil
}

// typedNow refuses a command that changes what later messages may do, unless the user has just
// typed it.
func typedNow(t *conversation.Turn, s chat.Slash) error {
	if t.Request.Decides {
		return nil
	}
	return plan.Refuse(plan.NotAllowed, "%q was in the chat file before it was opened: type the command again.", "/"+s.Name)
}
