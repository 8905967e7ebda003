package agent

import "sync"

// Each plan has a lock, which is held while it is given a new value: from reading it to
// having stored it. So decisions on different plans do not wait for each other. It is
// taken before Board.mu, and nobody who holds one waits for that of an older plan.

// lockOf returns the lock of the plan with a number, which need not be of the session.
func (b *Board) lockOf(number int) *sync.Mutex {
	lock, _ := b.planLocks.LoadOrStore(number, new(sync.Mutex))
	return lock.(*sync.Mutex)
}

// lock locks a plan and returns what unlocks it; nil stands for a plan that is not there
// yet, and is nobody's.
func (b *Board) lock(h *heldPlan) (unlock func()) {
	if h == nil {
		return func() {}
	}
	return b.lockNumber(h.number)
}

// lockNumber is lock for the plan with a number.
func (b *Board) lockNumber(number int) (unlock func()) {
	lock := b.lockOf(number)
	lock.Lock()
	return lock.Unlock
}

// adding keeps a plan that is being stored for the first time from being found in the store
// before it is held, until the function that it returns is called. It may be called with a
// plan locked: who finds plans in the store waits for no plan.
func (b *Board) adding() (done func()) {
	b.catching.Lock()
	return b.catching.Unlock
}

// tryLock locks the plan with a number unless it is being changed; ok tells.
func (b *Board) tryLock(number int) (unlock func(), ok bool) {
	lock := b.lockOf(number)
	return lock.Unlock, lock.TryLock()
}
