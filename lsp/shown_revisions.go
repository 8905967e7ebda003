package lsp

import (
	"maps"
	"sync"

	"redline/agent"
)

// shown keeps the revision of each plan that this client was shown last: an approval
// that names none is bound to that one.
type shown struct {
	// record notes in the audit log that a revision was shown. It never waits.
	record func(plan, revision int, hash string)

	mu    sync.Mutex
	plans map[int]shownRevision
}

type shownRevision struct {
	number int
	hash   string
}

func newShown(record func(plan, revision int, hash string)) *shown {
	return &shown{record: record, plans: map[int]shownRevision{}}
}

// noteView notes that the client shows this revision of the plan.
func (s *shown) noteView(p *agent.PlanView) {
	s.note(p.Plan.Number, p.Revision.Number, p.Revision.Hash)
}

// note notes that a revision was shown. The audit log comes first, so that it has no
// decision on what it does not say was shown. It never waits.
func (s *shown) note(plan, revision int, hash string) {
	s.record(plan, revision, hash)
	s.remember(plan, revision, hash)
}

// remember is note without the audit log.
func (s *shown) remember(plan, revision int, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans[plan] = shownRevision{revision, hash}
}

// now returns a function that returns the revision of a plan that was shown last at this
// moment; ok is false if none ever was. What is shown later does not count for a message
// that was sent before.
func (s *shown) now() func(plan int) (revision int, hash string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	plans := maps.Clone(s.plans)
	return func(plan int) (int, string, bool) {
		r, ok := plans[plan]
		return r.number, r.hash, ok
	}
}

// bind sets the revision of a decision that names none. It returns false if none was
// ever shown.
func (s *shown) bind(d *agent.Decide) bool {
	if d.Hash != "" || d.Revision != 0 {
		return true
	}
	revision, hash, ok := s.now()(d.Plan)
	d.Revision, d.Hash = revision, hash
	return ok
}
