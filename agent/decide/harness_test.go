package decide_test

import (
	"strings"
	"testing"

	"redline/agent/conversation"
	"redline/agent/decide/decidetest"
	"redline/agent/state"
)

// session is a session whose plans are decided on.
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

// edited reads an edited preview, which must become a revision.
func (s *session) edited(name, text string) state.Plan {
	s.t.Helper()
	read, err := s.EditPreview(s.Context(), name, text)
	if err != nil || len(read.Problems) > 0 || read.Revision == 0 {
		s.t.Fatalf("%+v %v", read, err)
	}
	p := s.PlanNow(read.Plan)
	if p.Revision != read.Revision {
		s.t.Errorf("revision %d is shown, %d was made", p.Revision, read.Revision)
	}
	return p
}

func command(line string, more ...any) decidetest.Call { return decidetest.Command(line, more...) }

// cancel cancels a turn.
func (s *session) cancel(id string) {
	s.Conversations.Cancel(func(t *conversation.Turn) bool { return t.ID == id })
}

// printed returns the output of a command in the events.
func (s *session) printed(id, stream string) string {
	var b strings.Builder
	for _, e := range s.Editor.Events(state.CommandPrinted) {
		if e.ID == id && e.Stream == stream {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}
