package turn

import (
	"context"
	"strings"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/state"
	"redline/agent/trace"
)

// trace opens the page of a trace: of the turn that is named, or of the last one of the
// conversation. The answer says which turn it is and where the page is, for an editor that opens
// nothing.
func (cs *Commands) trace(ctx context.Context, t *conversation.Turn, s chat.Slash) (string, error) {
	found, err := cs.traceMeant(ctx, t.Conversation.ID, strings.Join(s.Args, ""))
	if err != nil {
		return "", err
	}
	path, err := cs.Traces.Write(&found)
	if err != nil {
		return "", err
	}
	t.Notify(state.Event{Kind: state.ViewAsked, View: "trace", Path: path})
	return found.Heading() + ": what the agent did is in " + path + ".", nil
}

func (cs *Commands) traceMeant(ctx context.Context, conversation, which string) (trace.Trace, error) {
	if which == "" {
		return cs.Traces.Last(ctx, conversation)
	}
	list, err := cs.Traces.List(ctx, which)
	if err != nil {
		return trace.Trace{}, err
	}
	return list[len(list)-1], nil
}
