package model

import (
	"context"
	"errors"
	"time"
)

// errSilent is why an exchange was ended that nothing more came from.
var errSilent = errors.New("nothing came for too long")

// exchange is one try at one request, as the transport below go-openai needs to
// know it. It travels in the request's context.
type exchange struct {
	giveUpAt time.Time     // when there are no more tries
	patience time.Duration // the longest silence
	silence  *time.Timer   // ends the exchange
}

// tail is how long the end of a stream is waited for once the reply is complete.
const tail = 2 * time.Second

type exchangeKey struct{}

// newExchange returns a context that ends, with the cause errSilent, when
// nothing is heard for the time of patience.
func newExchange(ctx context.Context, giveUpAt time.Time, patience time.Duration) (context.Context, *exchange, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	x := &exchange{giveUpAt: giveUpAt, patience: patience}
	x.silence = time.AfterFunc(patience, func() { cancel(errSilent) })
	return context.WithValue(ctx, exchangeKey{}, x), x, func() {
		x.silence.Stop()
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

// complete notes that nothing more is needed: the rest has the time of tail,
// however alive the provider is.
func (x *exchange) complete() {
	if x.patience > 0 {
		x.patience = 0
		x.silence.Reset(tail)
	}
}
