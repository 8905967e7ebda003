package board

import "sync"

// planLocks has a lock for each plan, by its number; the plan need not be of the session.
type planLocks struct{ byNumber sync.Map } // number → *sync.Mutex

func (l *planLocks) of(number int) *sync.Mutex {
	lock, _ := l.byNumber.LoadOrStore(number, new(sync.Mutex))
	return lock.(*sync.Mutex)
}

// Lock waits until nobody else has locked the plan and locks it. A nil plan, one that is not
// created yet, has no lock.
func (b *Board) Lock(h *Held) *Tx {
	if h == nil {
		return &Tx{b: b, unlock: func() {}}
	}
	tx := b.lockNumber(h.Number())
	tx.Held = h
	return tx
}

// lockNumber is Lock for a plan that the session may not hold yet.
func (b *Board) lockNumber(number int) *Tx {
	lock := b.planLocks.of(number)
	lock.Lock()
	return &Tx{b: b, unlock: lock.Unlock}
}

// tryLock is lockNumber that does not wait: ok is false if somebody else has locked the plan.
func (b *Board) tryLock(number int) (tx *Tx, ok bool) {
	lock := b.planLocks.of(number)
	return &Tx{b: b, unlock: lock.Unlock}, lock.TryLock()
}
