package lsp

import (
	"sync"

	"redline/agent"
)

// shown remembers which revision of each plan this client was shown last: an
// approval that names none means that one.
type shown struct {
	mu    sync.Mutex
	plans map[int]shownRevision
}

type shownRevision struct {
	number int
	hash   string
}

// note records that a revision was shown.
func (s *shown) note(plan, revision int, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plans == nil {
		s.plans = map[int]shownRevision{}
	}
	s.plans[plan] = shownRevision{revision, hash}
}

// bind fills in the revision that the decision means when it names none. It
// returns false if none was ever shown.
func (s *shown) bind(d *agent.Decide) bool {
	if d.Hash != "" || d.Revision != 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last, ok := s.plans[d.Plan]
	d.Revision, d.Hash = last.number, last.hash
	return ok
}
