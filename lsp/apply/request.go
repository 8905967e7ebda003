package apply

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"redline/internal/phrase"
	"redline/lsp/wire"
)

// verdict is what a client's answer means.
type verdict int

const (
	accepted verdict = iota
	refused
	silent // no answer in time
)

type answer struct {
	verdict verdict
	reason  string // one sentence, unless accepted
}

// reply is the outcome of a workspace/applyEdit.
type reply struct {
	raw json.RawMessage
	err error
}

// answerGrace is how long an answer may take after the text shows the change.
const answerGrace = 250 * time.Millisecond

// request sends the batch, written as edit, and waits for the answer, at most for
// patience, or until the texts show that all of it was made: some clients never
// answer. A late answer is handled by answeredLate.
func (a *Applier) request(caller context.Context, batch []*attempt, edit protocol.WorkspaceEdit, patience time.Duration) (answer, error) {
	ctx, cancel := context.WithTimeout(caller, patience)
	defer cancel()
	label := "Redline"
	params := &protocol.ApplyWorkspaceEditParams{Label: &label, Edit: edit}

	var landed atomic.Bool
	watched := make(chan struct{})
	defer func() { cancel(); <-watched }()
	go func() {
		defer close(watched)
		if a.files.awaitAll(ctx, batch) {
			landed.Store(true)
			time.AfterFunc(answerGrace, cancel)
		}
	}()

	asked, drop := context.WithTimeout(caller, patience+a.timeouts.Late)
	replies := make(chan reply, 1)
	a.conn.Go("workspace/applyEdit", func(context.Context) {
		var p reply
		p.err = a.conn.Call(asked, "workspace/applyEdit", params, &p.raw)
		replies <- p
	})
	select {
	case p := <-replies:
		drop()
		return p.read(caller)
	case <-ctx.Done():
	}
	if caller.Err() != nil || landed.Load() {
		drop()
		return reply{err: ctx.Err()}.read(caller)
	}
	<-watched // it uses the batch, which the caller finishes from now on
	late := make([]*attempt, len(batch))
	for i, t := range batch {
		copied := *t
		late[i] = &copied
	}
	a.conn.Go("late answer", func(context.Context) {
		defer drop()
		if answer, err := (<-replies).read(asked); err == nil && answer.verdict != silent {
			a.answeredLate(asked, late, answer)
		}
	})
	return reply{err: ctx.Err()}.read(caller)
}

// read returns what a reply says. The error says that the client is gone, or
// nobody waits for it any more.
func (r reply) read(caller context.Context) (answer, error) {
	var coded *jsonrpc2.Error
	switch {
	case caller.Err() != nil:
		return answer{}, caller.Err()
	case errors.Is(r.err, wire.ErrClosed):
		return answer{}, r.err
	case errors.As(r.err, &coded):
		return answer{refused, phrase.OneSentence("The editor refused the edit: " + coded.Message)}, nil
	case errors.Is(r.err, wire.ErrBacklog):
		return answer{refused, phrase.OneSentence(r.err.Error())}, nil
	case r.err != nil:
		return answer{silent, "The editor has not answered yet: what is in its text will show whether it made the change."}, nil
	}
	return readAnswer(r.raw), nil
}

// maxReason is how much of a client's reason is shown, in characters.
const maxReason = 200

// readAnswer reads an ApplyWorkspaceEditResult, also one that is not quite
// one: applied may be null (eglot), the whole result null or {}. Only a plain
// false, or a reason, is a refusal; the text is looked at either way.
func readAnswer(raw json.RawMessage) answer {
	var r struct {
		Applied       any `json:"applied"`
		FailureReason any `json:"failureReason"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return answer{verdict: accepted}
	}
	reason, _ := r.FailureReason.(string)
	if applied, ok := r.Applied.(bool); applied || !ok && reason == "" {
		return answer{verdict: accepted}
	}
	reason = strings.ReplaceAll(phrase.FirstLine(reason, maxReason), "\t", " ")
	if reason == "" {
		return answer{refused, "The editor did not make the change and gave no reason."}
	}
	return answer{refused, phrase.OneSentence("The editor did not make the change: " + reason)}
}
