package agent

import (
	"context"
	"sync/atomic"

	"redline/agent/board"
	"redline/agent/store"
)

// CountRefreshes counts from now on how often the plans are brought up to date from the store, which
// begins with what could not be stored before.
func (a *Agent) CountRefreshes() func() int64 {
	var n atomic.Int64
	a.backlog.Add(board.Unstored{Store: func(context.Context) error {
		n.Add(1)
		return store.ErrFull
	}}, "A test counts.", store.ErrFull)
	return n.Load
}
