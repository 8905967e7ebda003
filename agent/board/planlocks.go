package board

import "sync"

// planLocks has a lock for each plan, by its number; the plan need not be of the session.
type planLocks struct{ byNumber sync.Map } // number → *sync.Mutex

func (l *planLocks) of(number int) *sync.Mutex {
	lock, _ := l.byNumber.LoadOrStore(number, new(sync.Mutex))
	return lock.(*sync.Mutex)
}
