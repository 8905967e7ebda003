package model

import (
	"context"
	"time"
)

// Observer observes the requests that are made under a context. Its functions are called from
// the goroutine that makes the request; any of them may be nil.
type Observer struct {
	Asked    func(name string, r Request)                                  // before it is sent; name is the model's
	Called   func(Call)                                                    // the model has written a call, as soon as it is complete
	Answered func(name string, reply Reply, took time.Duration, err error) // what came of it
}

type observerKey struct{}

// Observe returns a context under which o observes each request.
func Observe(ctx context.Context, o *Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, o)
}

// Complete makes a request, and calls the observer in ctx.
func (p *client) Complete(ctx context.Context, req Request, onEvent func(Event)) (Reply, error) {
	o, ok := ctx.Value(observerKey{}).(*Observer)
	if !ok {
		return p.complete(ctx, req, onEvent)
	}
	name := req.Model
	if name == "" {
		name = p.info.Name
	}
	if o.Asked != nil {
		o.Asked(name, req)
	}
	began := time.Now()
	reply, err := p.complete(ctx, req, func(e Event) {
		if e.Call != nil && o.Called != nil {
			o.Called(*e.Call)
		}
		if onEvent != nil {
			onEvent(e)
		}
	})
	if o.Answered != nil {
		o.Answered(name, reply, time.Since(began), err)
	}
	return reply, err
}
