package model

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// watch has functions that are called during a request, besides onEvent; any may be nil.
type watch struct {
	begun func(Call)     // a call is being written
	again backoff.Notify // before the wait for another attempt
}

// complete sends a request until the provider answers, until it fails for good, or until the
// time to give up. onEvent may be nil.
func (p *client) complete(ctx context.Context, req Request, onEvent func(Event), w watch) (Reply, error) {
	if p.broken != nil {
		return Reply{}, p.broken
	}
	if onEvent == nil {
		onEvent = func(Event) {}
	}
	via, err := p.ready(ctx)
	if err != nil {
		return Reply{}, err
	}
	giveUpAt := time.Now().Add(p.giveUp)
	name := cmp.Or(req.Model, p.info.Name)
	reply, err := backoff.Retry(ctx, func() (Reply, error) {
		for {
			lacking, req := p.can.of(name), p.can.without(name, req)
			parts := &assembler{
				emit: onEvent, begun: w.begun, idBase: countCalls(req.Messages),
				echo: newEchoes(p.secrets), hidden: newEchoes(p.secrets),
			}
			reported, err := p.try(ctx, req, lacking, parts, via, giveUpAt)
			if p.learns(name, req, lacking, parts, err) {
				continue
			}
			reply := parts.reply()
			reply.ToolsInText = lacking.tools && len(req.Tools) > 0
			reply.Usage.Cost = p.cost(name, reply.Usage, reported)
			return reply, retryable(err, parts.started)
		}
	}, backoff.WithBackOff(backoff.NewExponentialBackOff()), backoff.WithMaxElapsedTime(p.giveUp), backoff.WithNotify(w.again))
	if err == nil {
		return reply, nil
	}
	if ctx.Err() != nil {
		return reply, ctx.Err()
	}
	failure, ok := errors.AsType[*Error](err)
	if !ok {
		failure = p.failed(KindBroken)
		failure.Detail = p.scrub.line(err.Error())
	}
	failure.Model = name
	return reply, failure
}

// retryable wraps err for package backoff: whether to try again, and how long to wait first if
// the provider says so. A reply that has started is never requested again.
func retryable(err error, started bool) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || started || !e.temporary {
		return backoff.Permanent(err)
	}
	if e.RetryAfter > 0 {
		return errors.Join(err, &backoff.RetryAfterError{Duration: e.RetryAfter})
	}
	return err
}
