package turn

import (
	"context"
	"fmt"

	"redline/agent/backlog"
	"redline/agent/board"
)

// keepLater has the backlog store a turn's revision. A plan that it revises stays
// drafting until then.
func (rs *revisions) keepLater(t *turn, revised *board.Held, store func(context.Context, *board.Tx) (*board.Held, error), err error) {
	tx := rs.board.Lock(revised)
	defer tx.Unlock()
	tx.SetUnstored(true)
	number := 0
	if revised != nil {
		number = revised.Number()
	}
	rs.storeLater(number, func(ctx context.Context) error {
		h, err := rs.retryKeep(ctx, revised, store)
		if err != nil {
			return err
		}
		rs.madePlan(t, h)
		rs.board.Announce(h, t.ID)
		return nil
	}, err)
}

// retryKeep stores a revision from the backlog. Unless it fails with an error that may pass,
// the plan that it revises leaves the state drafting.
func (rs *revisions) retryKeep(ctx context.Context, revised *board.Held, store func(context.Context, *board.Tx) (*board.Held, error)) (*board.Held, error) {
	tx := rs.board.Lock(revised)
	defer tx.Unlock()
	h, err := store(ctx, tx)
	if err != nil && backlog.MayPass(err) {
		return nil, err
	}
	if revised != nil {
		tx.SetUnstored(false)
		tx.Undraft()
	}
	return h, err
}

// storeLater has the backlog call pay, which stores what a turn has staged. n is the plan that
// it revises, 0 for none.
func (rs *revisions) storeLater(n int, pay func(context.Context) error, err error) {
	what := "The plan"
	if n != 0 {
		what = fmt.Sprintf("A revision of plan %d", n)
	}
	rs.backlog.Add(backlog.Record{Plan: n, Stored: "The plan is kept now, and waits for you.", Store: pay},
		what+" is ready, but it cannot be kept yet, because the plan database cannot be written.", err)
}
