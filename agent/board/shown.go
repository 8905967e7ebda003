package board

import (
	"context"
	"sync"

	"go.uber.org/zap"

	"redline/agent/session"
)

// showing is what of the plans this session has shown, for the audit log.
type showing struct {
	mu      sync.Mutex
	seen    map[sight]bool
	news    int  // counts what was seen
	storing bool // somebody stores it
	closed  bool
}

// sight is one revision of a plan in one client.
type sight struct {
	workspace      string
	plan, revision int
	hash, client   string
}

// Shown records that a client was shown a revision of a plan, once in a
// session. It never waits. The record comes before those of what is decided
// later; it is stored soon, with what else was shown, or with that decision.
func (b *Board) Shown(n, revision int, hash, client string) {
	what := sight{b.workspaceKey(), n, revision, hash, client}
	s := &b.showing
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[what] {
		return
	}
	if s.seen == nil {
		s.seen = map[sight]bool{}
	}
	s.seen[what] = true
	s.news++
	b.store.Shown(what.workspace, n, revision, hash, client, b.now().UTC())
	if !s.storing && !s.closed { // afterwards the end of the store stores it
		s.storing = true
		b.spawn(b.storeShown)
	}
}

// storeShown stores what was shown until there is nothing new.
func (b *Board) storeShown() {
	s := &b.showing
	for {
		s.mu.Lock()
		news := s.news
		s.mu.Unlock()
		err := session.Contain(func() error { return b.store.Flush(context.WithoutCancel(b.root)) })
		if err != nil {
			b.log.Warn("what was shown could not be recorded", zap.Error(err))
		}
		s.mu.Lock()
		s.storing = err == nil && s.news != news // what failed is tried again with the next record
		more := s.storing
		s.mu.Unlock()
		if !more {
			return
		}
	}
}

// Close ends the storing in the background: the end of the store stores what is shown from
// then on.
func (b *Board) Close() {
	b.showing.mu.Lock()
	defer b.showing.mu.Unlock()
	b.showing.closed = true
}
