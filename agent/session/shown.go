package session

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"
)

// showing records, for the audit log, which plans the session has shown.
type showing struct {
	mu      sync.Mutex // guards the rest
	seen    map[sight]bool
	news    int  // counts calls of StoreSoon
	storing bool // a goroutine is storing
}

// soon is how long records that nobody waits for may wait for a transaction to go with: that of a
// decision which follows at once, as with redline run --approve.
const soon = 100 * time.Millisecond

// sight is one revision of a plan in one client.
type sight struct {
	workspace      string
	plan, revision int
	hash, client   string
}

// Shown records that a client was shown a revision of a plan, once in a session. It does not
// wait: the record is stored soon, and before those of later decisions. What is shown after Stop
// is stored when the store is closed.
func (s *Session) Shown(plan, revision int, hash, client string) {
	what := sight{s.Key(), plan, revision, hash, client}
	s.showing.mu.Lock()
	defer s.showing.mu.Unlock()
	if s.showing.seen[what] {
		return
	}
	if s.showing.seen == nil {
		s.showing.seen = map[sight]bool{}
	}
	s.showing.seen[what] = true
	s.Store.Shown(what.workspace, plan, revision, hash, client, s.Now().UTC())
	s.storeSoon()
}

// StoreSoon has the store write what waits for its next transaction, if none comes soon. What is
// noted after Stop is stored when the store is closed.
func (s *Session) StoreSoon() {
	s.showing.mu.Lock()
	defer s.showing.mu.Unlock()
	s.storeSoon()
}

// storeSoon is StoreSoon for a caller that holds the lock.
func (s *Session) storeSoon() {
	s.showing.news++
	if !s.showing.storing && !s.Over() {
		s.showing.storing = true
		s.Spawn(s.storeWaiting)
	}
}

// storeWaiting stores what waits until there is nothing new.
func (s *Session) storeWaiting() {
	for {
		timer := time.NewTimer(soon)
		select {
		case <-timer.C:
		case <-s.root.Done(): // no decision comes any more
		}
		timer.Stop()
		s.showing.mu.Lock()
		news := s.showing.news
		s.showing.mu.Unlock()
		err := Contain(func() error { return s.Store.Flush(context.WithoutCancel(s.root)) })
		if err != nil {
			s.Log.Warn("what was shown could not be recorded", zap.Error(err))
		}
		s.showing.mu.Lock()
		more := err == nil && s.showing.news != news // the next call stores again what failed
		s.showing.storing = more
		s.showing.mu.Unlock()
		if !more {
			return
		}
	}
}
