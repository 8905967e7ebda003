//go:build unix

package toolset

import (
	"testing"

	"redline/agent/toolset/mcptest"
	"redline/internal/leash/leashtest"
)

// A server ends with the session, and so do the processes that it has started.
func TestServersEndWithTheSession(t *testing.T) {
	nap := leashtest.NewNap()
	s := start(t, func(s *Server) {
		s.Args = []string{"-c", `sleep ` + string(nap) + ` & exec "$1" serve-tools`, s.Env[mcptest.RecordVariable], s.Command}
		s.Command = "sh"
	})
	s.tools()
	nap.Await(t, 1)
	s.Close()
	nap.Gone(t)
	if _, err := s.look("look", `{}`); err == nil {
		t.Error("a call after the end is answered")
	}
}
