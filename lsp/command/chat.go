package command

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/wire"
	"redline/lsp/backend"
	"redline/lsp/position"
	"redline/lsp/textsync"
)

// ChatArgs is the argument of redline.chat: an object, or the message alone.
type ChatArgs struct {
	Message      string                 `json:"message,omitempty"`      // your words, or a slash command; needed unless `comment` is there
	Conversation string                 `json:"conversation,omitempty"` // the conversation that it belongs to; this client's current one when absent
	TextDocument *position.TextDocument `json:"textDocument,omitempty"` // the document that it is about: `{uri}`
	Range        *protocol.Range        `json:"range,omitempty"`        // the selection in it, as LSP has ranges
	Mode         string                 `json:"mode,omitempty"`         // `"auto"`; `"plan"`, which starts a new plan; `"ask"`, which answers without one; `"text"`, a plan in words ([plans in words](../asking.md#which-way-a-message-goes)); `"heap"`, several [specialists](../specialists.md); the conversation's mode (`/mode`) when absent
	Agent        string                 `json:"agent,omitempty"`        // the [agent](../specialists.md#an-agent-of-your-own) of the conversation from now on, by its name; `"none"` for none
	With         string                 `json:"with,omitempty"`         // the [outside agent](../outside-agents.md) of the conversation from now on, by its name; `"model"` for Redline's own model
	Decide       string                 `json:"decide,omitempty"`       // `"plan"` or `"ask"`, from now on in this conversation, see [deciding](../plans.md#decide-on-each-edit)
	Quoted       bool                   `json:"quoted,omitempty"`       // the message is not your own words, as the text of a problem is: it names no file that may hold secrets, and mentions nothing
	Comment      bool                   `json:"comment,omitempty"`      // the comment at the range is the message, and goes when its plan is applied
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *ChatArgs) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &c.Message) == nil {
		return nil
	}
	type plain ChatArgs // without this method
	return json.Unmarshal(raw, (*plain)(c))
}

// Sent is the result of redline.chat and redline.rework.
type Sent struct {
	Turn         string `json:"turn"`
	Conversation string `json:"conversation"`
}

// chat sends a message to the agent and answers at once.
func (r *Runner) chat(args ChatArgs) (wire.Run, error) {
	m, err := r.message(args)
	if err != nil {
		return nil, err
	}
	return r.Send(m), nil
}

// Send sends a message to the agent, after the messages before it.
func (r *Runner) Send(m conversation.Message) wire.Run {
	m.Client = r.ClientName
	return r.Backend.RunInOrder(func(_ context.Context, a *agent.Agent) (any, error) {
		turn, conversation, err := a.Turns.Send(m)
		return Sent{turn, conversation}, err
	})
}

// message makes a message from the argument, with the text that is selected now.
func (r *Runner) message(args ChatArgs) (conversation.Message, error) {
	m := conversation.Message{Text: args.Message, Conversation: args.Conversation, Mode: args.Mode, Agent: args.Agent, With: args.With, Decide: args.Decide, Quoted: args.Quoted, Shown: r.Shown.Now()}
	switch {
	case args.Comment && (args.TextDocument == nil || args.Range == nil):
		return m, backend.InvalidParams(Chat + `: a comment needs "textDocument" and "range".`)
	case args.Message == "" && !args.Comment:
		return m, backend.InvalidParams(Chat + `: "message" must say what you want.`)
	case args.TextDocument == nil:
		return m, nil
	}
	var at protocol.Range
	if args.Range != nil {
		at = *args.Range
	}
	p := r.Locations.Find(args.TextDocument.URI, at)
	switch {
	case p.Own != "":
		m.Path = r.Workspace.Own().Path(p.Own)
		return m, nil
	case p.Path == "" && args.Range == nil:
		return m, nil // the request may not be about the file
	case p.Path == "":
		return m, &plan.Refusal{Kind: plan.Invalid,
			Reason: textsync.ShortName(p.URI) + " is not a file in this workspace: save it in one of the workspace's folders first."}
	}
	m.Path = p.Path
	if p.Buffer == nil || args.Range == nil {
		return m, nil
	}
	lines := p.Buffer.Lines
	span := p.Span(lines, at)
	if args.Comment {
		request, ok := chat.FindRequest(lines, lines.LineOf(span.Start))
		if !ok {
			return m, &plan.Refusal{Kind: plan.Invalid, Reason: "There is no comment that starts with “redline:” here."}
		}
		m.Text, m.Comment = request.Text, &request
		m.Lines = &[2]int{request.First, request.Last}
		return m, nil
	}
	whole := p.WholeLines(lines)
	m.Lines = &[2]int{lines.LineOf(whole.Start), lines.LineOf(whole.End)}
	m.Selection = strings.Clone(lines.Text()[span.Start:span.End])
	return m, nil
}

type CancelArgs struct {
	Turn string `json:"turn,omitempty"` // only this turn; all of them when absent, also those that wait with a question
}

// cancelled is the result of redline.cancel.
type cancelled struct {
	Cancelled []string `json:"cancelled"`
}

// cancel cancels a turn, or all of them. It does not wait for the messages before it, which
// may be what takes too long.
func (r *Runner) cancel(args CancelArgs) (wire.Run, error) {
	return func(context.Context) (any, error) {
		if r.Backend.Agent() == nil {
			return cancelled{[]string{}}, nil
		}
		return cancelled{r.Backend.Agent().Cancel(args.Turn)}, nil
	}, nil
}

// conversationsArgs is the argument of redline.conversations.
type conversationsArgs struct {
	Conversation string `json:"conversation,omitempty"` // only this one, with what was said in it
}

// spoken is the result of redline.conversations.
type spoken struct {
	Conversations []state.Conversation `json:"conversations"`
}

// conversations lists the conversations of the workspace, or returns one with its exchanges. It
// changes nothing: a client continues one by naming it in redline.chat.
func (r *Runner) conversations(args conversationsArgs) (wire.Run, error) {
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		earlier := conversation.NewEarlier(a.Conversations)
		if args.Conversation == "" {
			list, err := earlier.List(ctx)
			return spoken{list}, err
		}
		one, err := earlier.Open(ctx, args.Conversation)
		return spoken{[]state.Conversation{one}}, err
	}), nil
}

// completeArgs is the argument of redline.complete.
type completeArgs struct {
	Text string `json:"text"` // the message up to the cursor
}

// MessageCompletions is the result of redline.complete. An item replaces the end of the text
// that Replaces has: a text, since a position would need an encoding.
type MessageCompletions struct {
	Replaces string              `json:"replaces"`
	Items    []messageCompletion `json:"items"`
}

type messageCompletion struct {
	Label  string `json:"label"`
	Insert string `json:"insert"`
	Detail string `json:"detail,omitempty"`
}

// completeMessage completes a message as the chat file would, for a client that has a field of
// its own for messages.
func (r *Runner) completeMessage(args completeArgs) (wire.Run, error) {
	snapshot := r.Backend.Snapshot()
	return func(ctx context.Context) (any, error) {
		result := MessageCompletions{Items: []messageCompletion{}}
		c, ok := chat.CompletingMessage(args.Text)
		if !ok || c.What == chat.SendLine || r.Backend.Agent() == nil {
			return result, nil // while somebody types, nothing is refused
		}
		result.Replaces = args.Text[c.Span.Start:c.Span.End]
		for _, item := range r.Completer.Complete(ctx, c, protocol.Range{}, snapshot) {
			detail, _ := item.Detail.Get()
			insert, _ := item.FilterText.Get()
			result.Items = append(result.Items, messageCompletion{Label: item.Label, Insert: insert, Detail: detail})
		}
		return result, nil
	}, nil
}
