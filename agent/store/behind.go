package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// behind holds writes that nobody waits for, such as that of a turn's trace: they go with the next
// transaction, which costs no more for it, or are stored by [Store.Flush]. A killed process loses
// them, so nothing may be among them that a user has seen and cannot get again.
type behind struct {
	mu     sync.Mutex
	writes []func(*sql.Tx) error
	warn   func(string)
}

// maxBehind is how many writes wait at most. While the disk is full, the oldest are lost first.
const maxBehind = 20

// writeBehind stores something with the next transaction that writes, or at once if many wait.
func (d *database) writeBehind(f func(*sql.Tx) error) {
	if d.behind.full() {
		d.settle(context.Background())
	}
	d.behind.add(false, f)
}

func (b *behind) add(first bool, writes ...func(*sql.Tx) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if first {
		writes = append(writes, b.writes...)
	} else {
		writes = append(b.writes, writes...)
	}
	b.writes = writes[max(0, len(writes)-maxBehind):]
}

func (b *behind) take() []func(*sql.Tx) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	writes := b.writes
	b.writes = nil
	return writes
}

func (b *behind) empty() bool { return b.waiting() == 0 }

func (b *behind) full() bool { return b.waiting() >= maxBehind }

func (b *behind) waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.writes)
}

// write runs f in one transaction that may write, and rolls it back if f fails. What was written
// behind comes first in it. If that fails, f has a transaction of its own.
func (d *database) write(ctx context.Context, f func(*sql.Tx) error) error {
	writes := d.behind.take()
	if len(writes) == 0 {
		return d.transaction(ctx, nil, f)
	}
	var failed error
	err := d.transaction(ctx, nil, func(tx *sql.Tx) error {
		for _, w := range writes {
			if failed = w(tx); failed != nil {
				return failed
			}
		}
		return f(tx)
	})
	switch {
	case err == nil:
		return nil
	case failed == nil || errors.Is(err, ErrFull) || errors.Is(err, ErrLocked) || errors.Is(err, ErrUnwritable):
		d.behind.add(true, writes...) // the next transaction tries again
	default:
		d.behind.warn("a record of a turn could not be kept: " + err.Error())
	}
	if failed != nil {
		return d.transaction(ctx, nil, f)
	}
	return err
}

// settle stores what was written behind, for a call that reads it. If that fails, the call does
// without.
func (d *database) settle(ctx context.Context) {
	if !d.behind.empty() {
		_ = d.write(ctx, func(*sql.Tx) error { return nil })
	}
}
