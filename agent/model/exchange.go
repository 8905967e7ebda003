package model

import (
	"context"
	"errors"
	"time"
)

// Why a silent exchange was ended.
var (
	errSilent = errors.New("nothing came")
	errIdle   = errors.New("only keep-alives came")
)

// exchange is one attempt at a request. The request's context carries it to the transport below
// go-openai.
type exchange struct {
	giveUpAt time.Time     // when retrying ends
	patience time.Duration // the longest time without a byte
	idling   time.Duration // the longest time with only signs of life
	silence  *time.Timer   // the timer of patience; ends the exchange
	idle     *time.Timer   // the timer of long; ends the exchange

	whole  bool   // the reply is requested whole, not as a stream
	back   []back // what is sent back with the replies that have calls, in order
	beyond beyond // what go-openai does not read; only for the goroutine that reads the reply
}

const (
	// tail is how long to wait for the end of a stream once the reply is complete.
	tail = 2 * time.Second
	// maxIdle is how long a provider may only keep the connection alive. The limit is at least
	// twice the time that it may be silent.
	maxIdle = 5 * time.Minute
)

type exchangeKey struct{}

// newExchange returns a context that ends with the cause errSilent if no byte arrives within
// patience, and with errIdle if no part of the reply arrives within long. If whole is true, the
// provider sends nothing until the reply is complete, so it may be silent as long as it may be
// idle.
func newExchange(ctx context.Context, giveUpAt time.Time, patience time.Duration, whole bool) (context.Context, *exchange, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	x := &exchange{giveUpAt: giveUpAt, patience: patience, idling: max(maxIdle, 2*patience), whole: whole}
	if whole {
		x.patience = x.idling
	}
	x.silence = time.AfterFunc(x.patience, func() { cancel(errSilent) })
	x.idle = time.AfterFunc(x.idling, func() { cancel(errIdle) })
	return context.WithValue(ctx, exchangeKey{}, x), x, func() {
		x.silence.Stop()
		x.idle.Stop()
		cancel(nil)
	}
}

// exchangeOf returns the exchange that ctx belongs to, or nil.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// heard notes that the provider is alive.
func (x *exchange) heard() {
	if x.patience > 0 {
		x.silence.Reset(x.patience)
	}
}

// received notes that a part of the reply has arrived.
func (x *exchange) received() { x.idle.Reset(x.idling) }

// complete notes that the reply is complete: the exchange ends after tail, even if the provider
// still sends.
func (x *exchange) complete() {
	if x.patience > 0 {
		x.patience = 0
		x.silence.Reset(tail)
	}
}
