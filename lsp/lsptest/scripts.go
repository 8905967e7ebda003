package lsptest

import "sync/atomic"

// scripts owns the functions by which a test decides in the user's place.
type scripts struct {
	onApply  script[func(WorkspaceEdit) (Answer, bool)]
	onAsk    script[func(Message) string]
	onReview script[func([]Proposal) []bool]
}

// script is a function that a test sets while the editor runs.
type script[F any] struct{ atomic.Pointer[F] }

// now returns the function, nil if none is set.
func (s *script[F]) now() (f F) {
	if set := s.Load(); set != nil {
		f = *set
	}
	return f
}

// OnApply makes f decide on each edit of the server: f may call Apply, wait, refuse or lie. If handled
// is false, the editor does as its profile says. f runs beside the editor's other work.
func (s *scripts) OnApply(f func(edit WorkspaceEdit) (answer Answer, handled bool)) {
	s.onApply.Store(&f)
}

// OnAsk makes f choose the action of each showMessageRequest by its title; "" dismisses it, as the
// editor does without f.
func (s *scripts) OnAsk(f func(Message) string) { s.onAsk.Store(&f) }

// OnReview makes f decide on each review: f returns which proposals are ticked, nil to dismiss all, as
// the editor does without f. f may wait; it runs beside the editor's other work.
func (s *scripts) OnReview(f func([]Proposal) []bool) { s.onReview.Store(&f) }
