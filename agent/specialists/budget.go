package specialists

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"redline/agent/model"
)

// Budget limits the requests and tokens of a turn, for all specialists together. It is safe
// for concurrent use.
type Budget struct {
	requests, tokens int // limits; tokens is 0 for none

	mu   sync.Mutex
	made int
	used model.Usage
}

// LimitError says which limit a request would exceed. The text is for the user.
type LimitError struct{ Reason string }

func (e *LimitError) Error() string { return e.Reason }

// NewBudget returns a budget. 0 requests means 50; 0 tokens means no limit.
func NewBudget(requests, tokens int) *Budget {
	return &Budget{requests: cmp.Or(requests, 50), tokens: tokens}
}

// Used returns the tokens used so far.
func (b *Budget) Used() model.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// take counts a request, or returns a [*LimitError] if it would exceed a limit.
func (b *Budget) take() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	used := b.used.Prompt + b.used.Completion
	switch {
	case b.made >= b.requests:
		return &LimitError{fmt.Sprintf("The turn was ended after %d requests to the model, the limit for one turn; what was staged until then is kept.", b.made)}
	case b.tokens > 0 && used >= b.tokens:
		return &LimitError{fmt.Sprintf("The turn was ended after %d tokens, over the limit of %d for one turn; what was staged until then is kept.", used, b.tokens)}
	}
	b.made++
	return nil
}

// Provider returns p limited by the budget, with the model and the temperature of s, which
// may be nil. It calls calls, which may be nil, for each call in a reply. A request over the
// limit fails with a [*LimitError].
func (b *Budget) Provider(p model.Provider, s *Specialist, calls func(model.Call)) model.Provider {
	return &budgeted{Provider: p, budget: b, specialist: s, calls: calls}
}

type budgeted struct {
	model.Provider
	budget     *Budget
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
