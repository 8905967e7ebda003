package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	openai "github.com/sashabaranov/go-openai"
)

// client asks an endpoint that speaks the OpenAI chat wire.
type client struct {
	info    Info
	host    string
	keyless bool
	giveUp  time.Duration
	silence time.Duration
	broken  *Error // why nothing can be asked at all; nil if it can
	scrub   scrubber
	echo    echo                  // as every reply begins with
	open    func() *openai.Client // at the first request: the process starts faster
}

func newClient(c Config) *client {
	key := strings.TrimSpace(c.APIKey)
	base, ok := parseBase(cmp.Or(c.BaseURL, DefaultBaseURL))
	p := &client{
		info:    Info{Provider: "openai", Name: cmp.Or(c.Name, DefaultName)},
		keyless: key == "",
		giveUp:  cmp.Or(c.GiveUp, DefaultGiveUp),
		silence: cmp.Or(c.Silence, DefaultSilence),
	}
	if !ok {
		p.broken = &Error{Kind: KindMisconfigured}
		return p
	}
	p.host = base.Host
	p.scrub = newScrubber(key, base)
	p.echo = newEcho(key)
	shown := *base
	shown.User, shown.RawQuery, shown.Fragment = nil, "", ""
	p.info.BaseURL = shown.String()
	p.open = sync.OnceValue(func() *openai.Client { return p.connect(key, base, c.Transport) })
	return p
}

// connect builds the go-openai client. Nothing is sent yet.
func (p *client) connect(key string, base *url.URL, via http.RoundTripper) *openai.Client {
	if via == nil {
		via = newHTTP(p.giveUp)
	}
	query := base.RawQuery
	base.RawQuery, base.Fragment = "", ""
	config := openai.DefaultConfig(key)
	config.BaseURL = base.String()
	config.HTTPClient = &http.Client{
		Transport: &transport{base: via, query: query, scrub: p.scrub, failed: p.failed},
		// A redirect would turn the request into another one.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return openai.NewClientWithConfig(config)
}

// failed returns a new error about this provider.
func (p *client) failed(kind Kind) *Error {
	return &Error{Kind: kind, Host: p.host, Model: p.info.Name, noKey: p.keyless}
}

func (p *client) Info() Info { return p.info }

func (p *client) Complete(ctx context.Context, req Request, onEvent func(Event)) (Reply, error) {
	if p.broken != nil {
		return Reply{}, p.broken
	}
	if onEvent == nil {
		onEvent = func(Event) {}
	}
	giveUpAt := time.Now().Add(p.giveUp)
	ask := p.wireRequest(req)
	reply, err := backoff.Retry(ctx, func() (Reply, error) {
		parts := &assembler{emit: onEvent, idBase: countCalls(req.Messages), echo: p.echo}
		err := p.try(ctx, ask, parts, giveUpAt)
		return parts.reply(), retryable(err, parts.started)
	}, backoff.WithBackOff(backoff.NewExponentialBackOff()), backoff.WithMaxElapsedTime(p.giveUp))
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
	failure.Model = ask.Model
	return reply, failure
}

// retryable marks err for backoff: what may be tried again, and how long to
// wait before when the provider says so.
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

// try sends the request once and hands what comes to parts.
func (p *client) try(ctx context.Context, ask openai.ChatCompletionRequest, parts *assembler, giveUpAt time.Time) error {
	ctx, exchange, end := newExchange(ctx, giveUpAt, p.silence)
	defer end()
	stream, err := p.open().CreateChatCompletionStream(ctx, ask)
	if err != nil {
		return p.notSent(ctx, err)
	}
	defer stream.Close()
	defer parts.end()
	for {
		chunk, err := stream.Recv()
		if err != nil {
			if parts.finish != "" { // how the rest of the stream ends is no matter
				parts.release(true)
				return nil
			}
			return p.cut(ctx, err)
		}
		parts.add(chunk)
		if parts.finish != "" {
			exchange.complete()
		}
	}
}

// notSent judges a request that no stream came from.
func (p *client) notSent(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	if ctx.Err() != nil {
		return p.ended(ctx)
	}
	e := p.failed(KindRejected) // by go-openai itself, which knows what some models do not take
	e.Detail = p.scrub.line(err.Error())
	return e
}

// cut judges a stream that ended before the model had finished.
func (p *client) cut(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	if ctx.Err() != nil {
		return p.ended(ctx)
	}
	e := p.failed(KindBroken)
	e.temporary = true
	return e
}

// ended is why an exchange's context is over.
func (p *client) ended(ctx context.Context) error {
	switch cause := context.Cause(ctx); cause {
	case errSilent:
		return p.timedOut(cause, p.silence)
	case errIdle:
		return p.timedOut(cause, exchangeOf(ctx).idling)
	}
	return ctx.Err()
}

func (p *client) timedOut(cause error, limit time.Duration) error {
	e := p.failed(KindTimeout)
	e.Detail = fmt.Sprintf("%v for %g s", cause, limit.Seconds())
	return e
}
