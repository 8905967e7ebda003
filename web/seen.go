package web

import (
	"maps"
	"net/http"
	"slices"
	"sync"
)

// marks are what the user has seen, while the review lasts.
type marks struct {
	mu       sync.Mutex
	revision int             // the current revision when the page was shown last
	last     int             // the one that the user had seen before that
	files    map[string]bool // ids of its files that are marked as seen
}

// show notes that a revision is shown, and which one the user had seen before it.
func (m *marks) show(revision, before int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.revision != revision {
		m.revision, m.last, m.files = revision, before, map[string]bool{}
	}
}

// before returns the revision that the user had seen before a revision was shown here first. noted
// is the one that was noted last.
func (m *marks) before(revision, noted int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.revision == revision {
		return m.last
	}
	return noted
}

// of lists the seen files of a revision.
func (m *marks) of(revision int) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.revision != revision {
		return []string{}
	}
	return append([]string{}, slices.Sorted(maps.Keys(m.files))...)
}

func (m *marks) set(revision int, id string, seen bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.revision != revision {
		return false
	}
	if seen {
		m.files[id] = true
	} else {
		delete(m.files, id)
	}
	return true
}

// seen marks a file as seen, or not.
func (s *Server) seen(r *http.Request) (any, error) {
	body, err := read[struct {
		Revision int    `json:"revision"`
		Path     string `json:"path"`
		Seen     bool   `json:"seen"`
	}](r)
	if err != nil {
		return nil, err
	}
	if _, _, err := s.fileNamed(r.Context(), body.Path); err != nil {
		return nil, err
	}
	if !s.marks.set(body.Revision, body.Path, body.Seen) {
		return nil, &problem{http.StatusConflict, "The plan has another revision by now."}
	}
	return struct{}{}, nil
}
