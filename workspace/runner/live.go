package runner

import (
	"context"
	"errors"
	"sync"

	"redline/workspace/world"
)

// errOver is what a change of a world without a running command gets.
var errOver = errors.New("nothing runs in the world any more")

// Live changes files in the world of a command while it runs, see [Command]. It serves one command.
type Live struct {
	asks chan liveChange
	end  func()
	over chan struct{} // closed by end, when the command has ended
}

// liveChange is one call of [Live.Change].
type liveChange struct {
	changes []world.Change
	done    chan error
}

// NewLive returns a Live for a command that has not started yet.
func NewLive() *Live {
	over := make(chan struct{})
	return &Live{make(chan liveChange), sync.OnceFunc(func() { close(over) }), over}
}

// Change makes changes in the world, in order, by the rules of [world.Live]. It waits until they
// are made, so that a command that hears of them afterwards finds them. If one cannot be made, Change makes the
// others and returns an error, a part of a sentence. It must not be called before Run.
func (l *Live) Change(ctx context.Context, changes []world.Change) error {
	c := liveChange{changes, make(chan error, 1)}
	select {
	case l.asks <- c:
	case <-l.over:
		return errOver
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-c.done:
		return err
	case <-l.over:
		return errOver
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// listen returns the channel of what is asked for, nil if nothing can be.
func (l *Live) listen() <-chan liveChange {
	if l == nil {
		return nil
	}
	return l.asks
}

// ended tells all callers that the command has ended.
func (l *Live) ended() {
	if l != nil {
		l.end()
	}
}
