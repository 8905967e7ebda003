package board_test

import (
	"strings"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
)

// session is a session whose plans are reconciled with the texts of their files.
type session struct {
	*decidetest.Session
	t *testing.T
}

func newSession(t *testing.T, files map[string]string) *session {
	t.Helper()
	return &session{decidetest.New(t, files), t}
}

const (
	shop = decidetest.Shop
	nine = decidetest.Nine
)

func edit(path, old, new string) decidetest.Call { return decidetest.Edit(path, old, new) }

func call(tool string, args map[string]any) decidetest.Call { return decidetest.NewCall(tool, args) }

func replaceAll(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

// awaitSaved waits until the store knows that a file of plan 1 was saved.
func (s *session) awaitSaved(path string) {
	s.t.Helper()
	for ctx := s.Context(); ctx.Err() == nil; {
		if !s.stored().Progress.File(1, path).Unsaved {
			return
		}
	}
	s.t.Fatal("the store does not know that the file was saved")
}

// stored returns plan 1 as it is stored.
func (s *session) stored() *plan.Plan {
	s.t.Helper()
	p, err := s.Store.Plan(s.Context(), s.Key(), 1)
	s.Must(err)
	return p
}
