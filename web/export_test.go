package web

import (
	"net/http"
	"testing"
	"time"
)

// Handler returns what serves the requests.
func (s *Server) Handler() http.Handler { return s.http.Handler }

// Token returns the key.
func (s *Server) Token() string { return string(s.key) }

// HeaderWithin changes how long the header of a request may take, for one test.
func HeaderWithin(t *testing.T, d time.Duration) {
	was := headerWithin
	headerWithin = d
	t.Cleanup(func() { headerWithin = was })
}
