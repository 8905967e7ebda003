// Package shown remembers which revision of each plan the client was shown last.

package pages

import (
	"maps"
	"sync"

	"redline/agent/view"
)

// Revisions holds, for each plan, the revision that the client was shown last. An approval that
// names no revision is bound to that one.
type Shown struct {
	// record writes to the audit log that a revision was shown. It never waits.
	record func(plan, revision int, hash string)

	mu    sync.Mutex
	plans map[int]revision
}

type revision struct {
	number int
	hash   string
}

// New returns an empty record. It calls record to write a revision to the audit log; record must
// not wait.
func NewShown(record func(plan, revision int, hash string)) *Shown {
	return &Shown{record: record, plans: map[int]revision{}}
}

// NoteView calls [Revisions.Note] for the current revision of a plan.
func (s *Shown) NoteView(p *view.Plan) {
	s.Note(p.Plan.Number, p.Revision.Number, p.Revision.Hash)
}

// Note records that the client shows a revision. It writes to the audit log first, so that each
// decision in the log follows what was shown. It never waits.
func (s *Shown) Note(plan, revision int, hash string) {
	s.record(plan, revision, hash)
	s.Remember(plan, revision, hash)
}

// Remember does what [Revisions.Note] does, without writing to the audit log.
func (s *Shown) Remember(plan, number int, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans[plan] = revision{number, hash}
}

// Now returns a function that returns the revision of a plan that was shown last before the call
// of Now; ok is false if none was. A message is bound to what was shown when it was sent, not to
// what is shown later.
func (s *Shown) Now() func(plan int) (revision int, hash string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	plans := maps.Clone(s.plans)
	return func(plan int) (int, string, bool) {
		r, ok := plans[plan]
		return r.number, r.hash, ok
	}
}

// Bind sets the revision of a decision that names none. It returns false if no revision of the
// plan was shown.
func (s *Shown) Bind(d *view.Request) bool {
	if d.Hash != "" || d.Revision != 0 {
		return true
	}
	revision, hash, ok := s.Now()(d.Plan)
	d.Revision, d.Hash = revision, hash
	return ok
}
