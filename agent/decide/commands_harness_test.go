package decide_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/agent/conversation"
	"redline/agent/decide/decidetest"
	"redline/agent/state"
	"redline/agent/view"
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

// commandsOf returns the statuses of the commands of a plan, such as "o2:failed:1" with an exit
// code.
func commandsOf(p state.Plan) string {
	var out []string
	for _, c := range p.Commands {
		s := c.ID + ":" + c.Status
		if c.ExitCode != nil {
			s += fmt.Sprintf(":%d", *c.ExitCode)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func (s *commandsSession) wantCommands(n int, state, want string) {
	s.t.Helper()
	if p := s.PlanNow(n); p.State != state || commandsOf(p) != want {
		s.t.Errorf("plan %d is %s with %s, want %s with %s", n, p.State, commandsOf(p), state, want)
	}
}

// allow approves a plan with its commands and waits until they have ended.
func (s *commandsSession) allow(d view.Request) state.Turn {
	s.t.Helper()
	d.AllowCommands = d.Operation == ""
	r := s.MustApprove(d)
	if r.Turn == "" {
		s.t.Fatalf("no turn runs the commands: %+v", r)
	}
	return s.wait(r.Turn)
}

// wait waits until a turn has ended.
func (s *commandsSession) wait(id string) state.Turn {
	s.t.Helper()
	turn, err := s.Conversations.Wait(s.Context(), id)
	s.Must(err)
	return turn
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

// notices returns the texts of the notices in the events.
func (s *commandsSession) notices() (all []string) {
	for _, e := range s.Editor.Events(state.Noticed) {
		all = append(all, e.Text+e.Error)
	}
	return all
}
