package board

import "sync"

// Each plan has a lock. Whoever gives a plan a new value holds it from reading the old value
// until the new one is stored, so decisions on different plans do not wait for each other.
// Take it before Board.mu. Whoever holds one may wait for the lock of a newer plan, never of
// an older one.

// lockOf returns the lock of the plan with a number, which need not be of the session.
func (b *Board) lockOf(number int) *sync.Mutex {
	lock, _ := b.planLocks.LoadOrStore(number, new(sync.Mutex))
	return lock.(*sync.Mutex)
}

// lock locks a plan and returns the function that unlocks it. A nil plan, one that is not
// created yet, has no lock.
func (b *Board) lockPlan(h *Held) (unlock func()) {
	if h == nil {
		return func() {}
	}
	return b.lockNumber(h.Number())
}

// lockNumber is lock for the plan with a number.
func (b *Board) lockNumber(number int) (unlock func()) {
	lock := b.lockOf(number)
	lock.Lock()
	return lock.Unlock
}

// adding keeps catchUp from finding a plan in the store before whoever creates it holds it,
// until done is called. The caller may have locked a plan: catchUp waits for no plan's lock.
func (b *Board) adding() (done func()) {
	b.catching.Lock()
	return b.catching.Unlock
}

// tryLock locks the plan with a number. ok is false if somebody else has locked it.
func (b *Board) tryLock(number int) (unlock func(), ok bool) {
	lock := b.lockOf(number)
	return lock.Unlock, lock.TryLock()
}
