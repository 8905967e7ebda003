package board

import (
	"context"
	"sync"

	"go.uber.org/zap"

	"redline/agent/session"
)

// showing records, for the audit log, which plans this session has shown.
type showing struct {
	b       *Board
	mu      sync.Mutex // guards the rest
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

// Shown records that a client was shown a revision of a plan, once in a session. It does not
// wait: the record is stored soon, and before those of later decisions.
func (b *Board) Shown(n, revision int, hash, client string) {
	b.showing.add(sight{b.session.Key(), n, revision, hash, client})
}

func (s *showing) add(what sight) {
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
	s.b.store.Shown(what.workspace, what.plan, what.revision, what.hash, what.client, s.b.now().UTC())
	if !s.storing && !s.closed { // after Close the end of the store stores it
		s.storing = true
		s.b.session.Spawn(s.store)
	}
}

// store stores what was shown until there is nothing new.
func (s *showing) store() {
	for {
		s.mu.Lock()
		news := s.news
		s.mu.Unlock()
		err := session.Contain(func() error { return s.b.store.Flush(context.WithoutCancel(s.b.root)) })
		if err != nil {
			s.b.log.Warn("what was shown could not be recorded", zap.Error(err))
		}
		s.mu.Lock()
		s.storing = err == nil && s.news != news // the next record tries again to store what failed
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
