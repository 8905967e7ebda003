package decide_test

import (
	"strings"
	"testing"

	"redline/agent/conversation"
	"redline/agent/decide/decidetest"
	"redline/agent/state"
)

// session is a session that runs the commands of its plans.
type commandsSession struct {
	*decidetest.Session
	t *testing.T
}

func commandsNewSession(t *testing.T, files map[string]string) *commandsSession {
	t.Helper()
	return &commandsSession{decidetest.New(t, files), t}
}

func commandsEdit(path, old, new string) decidetest.Call { return decidetest.Edit(path, old, new) }

func command(line string, more ...any) decidetest.Call {
	args := map[string]any{"command": line}
	for i := 0; i+1 < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return decidetest.NewCall("run_command", args)
}

// cancel cancels a turn.
func (s *commandsSession) cancel(id string) {
	s.Conversations.Cancel(func(t *conversation.Turn) bool { return t.ID == id })
}

// printed returns the output of a command in the events.
func (s *commandsSession) printed(id, stream string) string {
	var b strings.Builder
	for _, e := range s.Editor.Events(state.CommandPrinted) {
		if e.ID == id && e.Stream == stream {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}
