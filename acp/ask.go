package acp

import (
	"context"

	acp "github.com/coder/acp-go-sdk"

	"redline/agent/state"
	"redline/edits"
	"redline/internal/fence"
)

// questionKinds are the kinds of the options of a question of the agent, which begin with the one that
// lets it do something.
var questionKinds = []acp.PermissionOptionKind{
	acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways,
}

// Ask implements [state.Editor]: a question with a few options becomes a permission request of the prompt
// whose turn asks. A question that the user can also answer in other words ends its turn and is shown as
// text; so nothing is asked here.
func (p *presenter) Ask(ctx context.Context, q state.Question) (state.EditorAnswer, error) {
	if q.Open || len(q.Options) == 0 || len(q.Options) > len(questionKinds) {
		return state.EditorAnswer{}, nil
	}
	in := p.asking(q.Conversation)
	if in == nil {
		return state.EditorAnswer{}, nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(in.ctx, stop)()
	n := in.session
	title, kind, status := edits.VisibleLine(q.Text), acp.ToolKindOther, acp.ToolCallStatusPending
	call := acp.ToolCallUpdate{ToolCallId: n.nextCall("question"), Title: &title, Kind: &kind, Status: &status}
	if q.Detail != "" {
		marks := fence.Around(q.Detail)
		call.Content = []acp.ToolCallContent{acp.ToolContent(acp.TextBlock(marks + "diff\n" + edits.Visible(q.Detail) + "\n" + marks))}
	}
	var options []acp.PermissionOption
	for i, text := range q.Options {
		options = append(options, acp.PermissionOption{OptionId: acp.PermissionOptionId(text), Name: text, Kind: questionKinds[i]})
	}
	chosen, err := n.permission(ctx, call, options)
	if err != nil {
		n.update(call.ToolCallId, acp.ToolCallStatusFailed, "")
		return state.EditorAnswer{}, nil // the user has not answered
	}
	n.update(call.ToolCallId, acp.ToolCallStatusCompleted, edits.VisibleLine(chosen))
	return state.EditorAnswer{Choice: chosen}, nil
}

// asking returns the prompt of the place whose turn is in the conversation, nil for none.
func (p *presenter) asking(conversation string) *prompt {
	p.showing.Lock() // the turn of a prompt may ask before the prompt knows its conversation, see prompt.send
	defer p.showing.Unlock()
	for _, n := range p.place.sessions() {
		n.mu.Lock()
		running := n.running
		n.mu.Unlock()
		if running != nil && n.follows(conversation) {
			return running
		}
	}
	return nil
}
