package command

import (
	"context"

	"go.lsp.dev/protocol"

	"redline/agent/chat"
	"redline/lsp/wire"
)

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
