package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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
	broken  *Error // the error of every request; nil if requests can be sent
	config  Config
	base    *url.URL

	// Complete once ready has returned nil. Before, only base and the client are missing, and a
	// key that a command prints.
	opening sync.Mutex
	opened  *openai.Client // made at the first request, so that the process starts faster
	scrub   scrubber
	secrets []string // secrets that no reply may contain

	can    capabilities
	models Models
	prices map[string]Price
}

func newClient(c Config) *client {
	key := strings.TrimSpace(c.APIKey)
	base, ok := parseBase(cmp.Or(c.BaseURL, DefaultBaseURL))
	p := &client{
		info:    Info{Provider: "openai", Name: cmp.Or(c.Name, DefaultName)},
		keyless: key == "" && len(c.KeyCommand) == 0,
		config:  c,
		giveUp:  cmp.Or(c.GiveUp, DefaultGiveUp),
		silence: cmp.Or(c.Silence, DefaultSilence),
		can:     capabilities{tools: c.Tools, stream: c.Stream, system: c.System},
		models:  c.Models,
		prices:  c.Prices,
	}
	if !ok {
		p.broken = p.failed(KindMisconfigured)
		return p
	}
	p.host = base.Host
	if c.Refused != "" {
		p.broken = &Error{Kind: KindForbidden, Host: p.host, Detail: c.Refused}
	}
	p.base = base
	p.knowKey(key)
	shown := *base
	shown.User, shown.RawQuery, shown.Fragment = nil, "", ""
	p.info.BaseURL = shown.String()
	return p
}

// knowKey has the key removed from replies and errors.
func (p *client) knowKey(key string) {
	p.secrets = p.config.secrets(key)
	p.scrub = newScrubber(p.secrets, p.base)
}

// ready returns the client of go-openai. The first call opens it and runs the command that
// prints the key. A call after a failure tries again.
func (p *client) ready(ctx context.Context) (*openai.Client, error) {
	p.opening.Lock()
	defer p.opening.Unlock()
	if p.opened != nil {
		return p.opened, nil
	}
	key, err := p.key(ctx)
	if err != nil {
		return nil, err
	}
	p.opened = p.connect(key, p.base, p.config)
	return p.opened, nil
}

// key returns the key, from the command if there is one. A recording needs no key.
func (p *client) key(ctx context.Context) (string, error) {
	key := strings.TrimSpace(p.config.APIKey)
	if key != "" || len(p.config.KeyCommand) == 0 || p.config.Replay != "" {
		return key, nil
	}
	key, err := runKeyCommand(ctx, p.config.KeyCommand, keyPatience)
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		e := p.failed(KindKey)
		e.Detail = err.Error()
		return "", e
	}
	p.knowKey(key)
	return key, nil
}

// connect builds the go-openai client. It sends nothing.
func (p *client) connect(key string, base *url.URL, c Config) *openai.Client {
	via := c.Transport
	redact := newRedactor(append(slices.Clone(p.secrets), p.scrub.inURL...))
	switch {
	case c.Replay != "":
		via = newReplayer(c.Replay, redact, p.failed)
	case via == nil:
		via = newHTTP(p.giveUp)
	}
	if c.Record != "" && c.Replay == "" {
		via = &recorder{base: via, dir: c.Record, endpoint: cmp.Or(p.info.BaseURL, builtinURL), redact: redact, failed: p.failed}
	}
	query := base.Query()
	if c.APIVersion != "" {
		query.Set("api-version", c.APIVersion)
	}
	base.RawQuery, base.Fragment = "", ""
	config := openai.DefaultConfig(key)
	config.BaseURL = base.String()
	config.HTTPClient = &http.Client{
		Transport: &transport{base: via, query: query.Encode(), headers: c.headers(key), scrub: p.scrub, failed: p.failed},
		// A redirect would turn the request into another one.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return openai.NewClientWithConfig(config)
}

// failed returns a new error about this provider.
func (p *client) failed(kind Kind) *Error {
	return &Error{Kind: kind, Host: p.host, Model: p.info.Name, noKey: p.keyless, keyFrom: p.config.KeyFrom, baseFrom: p.config.BaseFrom}
}

func (p *client) Info() Info { return p.info }

// learns reports whether a refusal shows how to make the request instead, and remembers it.
func (p *client) learns(name string, req Request, lacking lacks, parts *assembler, err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || parts.started {
		return false
	}
	notice, learned := p.can.learnTools(name, req, lacking, e)
	if !learned {
		notice, learned = p.can.learn(name, req, lacking, e)
	}
	if notice != "" {
		parts.emit(Event{Notice: notice})
	}
	return learned
}

// try sends the request once, in a form for a model with the given lacks, and passes what
// arrives to parts. It returns the cost that the provider reports.
func (p *client) try(ctx context.Context, req Request, lacking lacks, parts *assembler, via *openai.Client, giveUpAt time.Time) (cost float64, err error) {
	ctx, exchange, end := newExchange(ctx, giveUpAt, p.silence, lacking.stream)
	defer end()
	exchange.back = sentBack(req.Messages)
	parts.beyond = &exchange.beyond
	defer func() { cost = exchange.beyond.cost }()
	stream, err := via.CreateChatCompletionStream(ctx, p.wireRequest(req, lacking))
	if err != nil {
		return 0, p.notSent(ctx, err)
	}
	defer stream.Close()
	defer parts.rest()
	for {
		chunk, err := stream.Recv()
		if other, ok := exchange.beyond.odd(err); ok {
			chunk, err = other, nil
		}
		if err != nil {
			if parts.finish != "" { // errors in the rest of the stream do not matter
				parts.release(true)
				return 0, nil
			}
			return 0, p.cut(ctx, err)
		}
		parts.add(chunk)
		if parts.fault != "" {
			return 0, p.gaveUp(parts.fault)
		}
		if parts.finish != "" {
			exchange.complete()
		}
	}
}

// notSent returns the error of a request that got no stream.
func (p *client) notSent(ctx context.Context, err error) error {
	e := p.failed(KindRejected) // go-openai itself refuses what it knows some models do not accept
	e.Detail = p.scrub.line(err.Error())
	return p.knownOr(ctx, err, e)
}

// cut returns the error of a stream that ended before the model had finished.
func (p *client) cut(ctx context.Context, err error) error {
	e := p.failed(KindBroken)
	e.temporary = true
	return p.knownOr(ctx, err, e)
}

// knownOr returns err if it is an [Error], that of ctx if it has ended, and else otherwise.
func (p *client) knownOr(ctx context.Context, err error, otherwise *Error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	if ctx.Err() != nil {
		return p.ended(ctx)
	}
	return otherwise
}

// gaveUp returns the error of a reply that ended with a finish reason of failure.
func (p *client) gaveUp(reason string) error {
	e := p.failed(KindBroken)
	if reason == "insufficient_system_resource" {
		e = p.failed(KindOverloaded)
	}
	e.Detail, e.temporary = "its finish reason is "+p.scrub.line(reason), true
	return e
}

// ended returns why the context of an exchange has ended.
func (p *client) ended(ctx context.Context) error {
	x := exchangeOf(ctx)
	switch cause := context.Cause(ctx); {
	case x.whole && (cause == errSilent || cause == errIdle):
		return p.timedOut(errSilent, x.idling)
	case cause == errSilent:
		return p.timedOut(cause, p.silence)
	case cause == errIdle:
		return p.timedOut(cause, x.idling)
	}
	return ctx.Err()
}

func (p *client) timedOut(cause error, limit time.Duration) error {
	e := p.failed(KindTimeout)
	e.Detail = fmt.Sprintf("%v for %g s", cause, limit.Seconds())
	return e
}

// Observer observes the requests that are made under a context. Its functions are called from
// the goroutine that makes the request; any of them may be nil.
type Observer struct {
	Asked    func(name string, r Request)                                  // before a request is sent; name is the model's
	Called   func(Call)                                                    // the model has finished writing a call
	Begun    func(Call)                                                    // a call is being written: its name, and the start of its arguments
	Heard    func(Event)                                                   // a piece of the reply has arrived
	Answered func(name string, reply Reply, took time.Duration, err error) // the result of the request
	Again    func(name string, r Retry)                                    // an attempt has failed; another one will be made
}

// Retry says why a request is sent again, and when.
type Retry struct {
	Why    string        // in a few words
	Number int           // which retry it is, from 1
	Wait   time.Duration // until it is made
	Left   time.Duration // until no other is made
}

type observerKey struct{}

// Observe returns a context under which o observes each request.
func Observe(ctx context.Context, o *Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, o)
}

// WhenBegun returns a context under which begun is called too when a call is being written.
func WhenBegun(ctx context.Context, begun func(Call)) context.Context {
	var o Observer
	if was, ok := ctx.Value(observerKey{}).(*Observer); ok {
		o = *was
	}
	before := o.Begun
	o.Begun = func(c Call) {
		begun(c)
		if before != nil {
			before(c)
		}
	}
	return Observe(ctx, &o)
}

// Complete makes a request, and calls the observer in ctx.
func (p *client) Complete(ctx context.Context, req Request, onEvent func(Event)) (Reply, error) {
	o, ok := ctx.Value(observerKey{}).(*Observer)
	if !ok {
		return p.complete(ctx, req, onEvent, watch{})
	}
	name := cmp.Or(req.Model, p.info.Name)
	watched := watch{begun: o.Begun}
	if o.Again != nil {
		watched.again = func(err error, r Retry) { r.Why = inShort(err); o.Again(name, r) }
	}
	if o.Asked != nil {
		o.Asked(name, req)
	}
	began := time.Now()
	reply, err := p.complete(ctx, req, func(e Event) {
		if e.Call != nil && o.Called != nil {
			o.Called(*e.Call)
		}
		if o.Heard != nil {
			o.Heard(e)
		}
		if onEvent != nil {
			onEvent(e)
		}
	}, watched)
	if o.Answered != nil {
		o.Answered(name, reply, time.Since(began), err)
	}
	return reply, err
}

// Price is the price of a million tokens of a model, in any currency.
type Price struct {
	Prompt     float64
	Completion float64
	Cached     float64 // of the prompt's tokens that the provider had cached
}

// cost returns the cost of a request: by the model's price, or as the provider reported it if no
// price is set.
func (p *client) cost(model string, u Usage, reported float64) float64 {
	price, ok := p.prices[model]
	if !ok {
		return reported
	}
	fresh := max(0, u.Prompt-u.Cached)
	return (float64(fresh)*price.Prompt + float64(u.Cached)*price.Cached + float64(u.Completion)*price.Completion) / 1e6
}

// watch has functions that are called during a request, besides onEvent; any may be nil.
type watch struct {
	begun func(Call)         // a call is being written
	again func(error, Retry) // before the wait for another attempt
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
	tries := &attempts{ExponentialBackOff: backoff.NewExponentialBackOff(), began: time.Now(), giveUp: p.giveUp}
	name := cmp.Or(req.Model, p.info.Name)
	reply, err := backoff.Retry(ctx, func() (Reply, error) {
		for {
			lacking, req := p.can.of(name), p.can.without(name, req)
			parts := &assembler{
				emit: onEvent, begun: w.begun, idBase: countCalls(req.Messages),
				echo: newEchoes(p.secrets), hidden: newEchoes(p.secrets),
			}
			reported, err := p.try(ctx, req, lacking, parts, via, tries.end())
			if p.learns(name, req, lacking, parts, err) {
				continue
			}
			reply := parts.reply()
			reply.ToolsInText = lacking.tools && len(req.Tools) > 0
			reply.Usage.Cost = p.cost(name, reply.Usage, reported)
			return reply, tries.retryable(err, parts.started)
		}
	}, backoff.WithBackOff(tries), backoff.WithMaxElapsedTime(0), backoff.WithNotify(tries.telling(w.again)))
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

// attempts counts the time of the attempts at one request, and says how long to wait between two.
type attempts struct {
	*backoff.ExponentialBackOff
	began  time.Time
	giveUp time.Duration
	asked  time.Duration // how long the provider has asked to wait so far
	failed int           // how many attempts have failed
}

// maxAsked is how long a request waits in all because the provider says when to ask again, unless the
// time to give up is longer.
const maxAsked = time.Minute

// end returns when the attempts end: the time that the provider asks for does not count.
func (a *attempts) end() time.Time { return a.began.Add(a.giveUp + a.asked) }

// telling returns what package backoff calls before each wait, nil if again is nil.
func (a *attempts) telling(again func(error, Retry)) backoff.Notify {
	if again == nil {
		return nil
	}
	return func(err error, wait time.Duration) {
		a.failed++
		again(err, Retry{Number: a.failed, Wait: wait, Left: time.Until(a.end())})
	}
}

// retryable wraps err for package backoff: whether to try again, and how long to wait first if
// the provider says so. A reply that has started is never requested again.
func (a *attempts) retryable(err error, started bool) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok || started || !e.temporary:
		return backoff.Permanent(err)
	case e.RetryAfter > 0:
		if a.asked+e.RetryAfter > max(maxAsked, a.giveUp) {
			return backoff.Permanent(err)
		}
		a.asked += e.RetryAfter
		return errors.Join(err, &backoff.RetryAfterError{Duration: e.RetryAfter})
	}
	return err
}

// NextBackOff implements [backoff.BackOff]. A wait that ends after the attempts does not begin.
func (a *attempts) NextBackOff() time.Duration {
	next := a.ExponentialBackOff.NextBackOff()
	if time.Now().Add(next).After(a.end()) {
		return backoff.Stop
	}
	return next
}
