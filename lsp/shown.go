package lsp

import (
	"maps"
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

// now returns a function that tells which revision of a plan was shown last at
// this moment; ok is false if none ever was. What is shown later does not count
// for a message that was sent before.
func (s *shown) now() func(plan int) (revision int, hash string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	plans := maps.Clone(s.plans)
	return func(plan int) (int, string, bool) {
		r, ok := plans[plan]
		return r.number, r.hash, ok
	}
}

// bind fills in the revision that the decision means when it names none. It
// returns false if none was ever shown.
func (s *shown) bind(d *agent.Decide) bool {
	if d.Hash != "" || d.Revision != 0 {
		return true
	}
	revision, hash, ok := s.now()(d.Plan)
	d.Revision, d.Hash = revision, hash
	return ok
}
