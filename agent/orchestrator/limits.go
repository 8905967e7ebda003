package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"redline/agent/model"
)

// budget limits the requests and tokens of a turn, for all specialists together. It is safe
// for concurrent use.
type budget struct {
	requests, tokens int // limits; tokens is 0 for none

	mu   sync.Mutex
	made int
	used model.Usage
}

// limitError says which limit a request would exceed, in words for the user.
type limitError struct{ Reason string }

func (e *limitError) Error() string { return e.Reason }

// newBudget returns a budget. 0 requests means 50; 0 tokens means no limit.
func newBudget(requests, tokens int) *budget {
	return &budget{requests: cmp.Or(requests, 50), tokens: tokens}
}

// spent returns the tokens used so far.
func (b *budget) spent() model.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// take counts a request, or returns a [*limitError] if it would exceed a limit.
func (b *budget) take() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	used := b.used.Prompt + b.used.Completion
	switch {
	case b.made >= b.requests:
		return &limitError{fmt.Sprintf("The turn was ended after %d requests to the model, the limit for one turn; what was staged until then is kept.", b.made)}
	case b.tokens > 0 && used >= b.tokens:
		return &limitError{fmt.Sprintf("The turn was ended after %d tokens, over the limit of %d for one turn; what was staged until then is kept.", used, b.tokens)}
	}
	b.made++
	return nil
}

// provider returns p limited by the budget, with the model and the temperature of s, which
// may be nil. It calls calls, which may be nil, for each call in a reply. A request over the
// limit fails with a [*limitError].
func (b *budget) provider(p model.Provider, s *Specialist, calls func(model.Call)) model.Provider {
	return &budgeted{Provider: p, budget: b, specialist: s, calls: calls}
}

type budgeted struct {
	model.Provider
	budget     *budget
	specialist *Specialist
	calls      func(model.Call)
}

// Complete completes a request within the budget.
func (p *budgeted) Complete(ctx context.Context, req model.Request, onEvent func(model.Event)) (model.Reply, error) {
	if err := p.budget.take(); err != nil {
		return model.Reply{}, err
	}
	if s := p.specialist; s != nil {
		req.Model, req.Temperature = cmp.Or(s.Model, req.Model), cmp.Or(s.Temperature, req.Temperature)
	}
	reply, err := p.Provider.Complete(ctx, req, onEvent)
	p.budget.mu.Lock()
	p.budget.used = p.budget.used.Plus(reply.Usage)
	p.budget.mu.Unlock()
	if p.calls != nil {
		for _, c := range reply.Calls {
			p.calls(c)
		}
	}
	return reply, err
}

// errTooLong is the cause of a context whose turn took too long.
var errTooLong = fmt.Errorf("the turn took too long: %w", context.DeadlineExceeded)

// clock returns a context that ends at the time limit of the turn.
func (o *orchestration) clock(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.Limits.Wall <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.Limits.Wall, errTooLong)
}

// limited returns a [*limitError] if the time limit caused err, else err.
func (o *orchestration) limited(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errTooLong) {
		return &limitError{Reason: fmt.Sprintf("The turn was ended after %s, the limit for one turn; what was staged until then is kept.", o.Limits.Wall)}
	}
	return err
}
