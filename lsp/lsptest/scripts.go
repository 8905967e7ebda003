package lsptest

import "sync"

// scripts owns what the test has decide in the user's place.
type scripts struct {
	mu       sync.Mutex
	onApply  func(WorkspaceEdit) (Answer, bool)
	onAsk    func(Message) string
	onReview func([]Proposal) []bool
}

// now returns the scripts as they are; nil for those that are not set.
func (s *scripts) now() (apply func(WorkspaceEdit) (Answer, bool), ask func(Message) string, review func([]Proposal) []bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.onApply, s.onAsk, s.onReview
}

// OnApply has f decide on each edit of the server: it may call Apply, wait, refuse or lie. With
// handled false the editor does as its profile says. f runs beside the editor's other work.
func (s *scripts) OnApply(f func(edit WorkspaceEdit) (answer Answer, handled bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onApply = f
}

// OnAsk has f choose the action of each showMessageRequest by its title; "" dismisses it, as the
// editor does without f.
func (s *scripts) OnAsk(f func(Message) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onAsk = f
}

// OnReview has f decide on each review: it returns which of the proposals are ticked, nil to dismiss
// all, as the editor does without f. f may wait; it runs beside the editor's other work.
func (s *scripts) OnReview(f func([]Proposal) []bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onReview = f
}
