// Package agenttest begins whole agents for tests: on a workspace and a store in temporary folders,
// with a model that gives the replies of the test and an editor that is the disk. It imports the
// agent, so only tests in packages of their own (package turn_test) can use it below there.
package agenttest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/model"
	"redline/agent/session"
	"redline/agent/session/sessiontest"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/toolset"
	"redline/agent/trial"
	"redline/agent/turn"
	"redline/internal/leaktest"
	"redline/internal/ramtemp"
	"redline/workspace"
	"redline/workspace/runner"
)

// Main runs the tests of a package whose sessions run commands, and fails if a goroutine is left.
func Main(m *testing.M) {
	if runner.IsHelper(os.Args) {
		syscall.Exit(runner.Help()) // without the pause of the race detector at the end of a process
	}
	os.Exit(leaktest.After(ramtemp.Around(m)).Run())
}

// Session is a session of an agent.
type Session struct {
	decidetest.Base
	T     *testing.T
	Agent *agent.Agent
	Model *Script

	// These are used from the next Restart or With on.

	Clock    func() time.Time // nil: time.Now
	Servers  []toolset.Server
	Commands decide.ExecutorOptions
	Trials   trial.Options
	Agents   string // folder of the user's own agent files, "" for none

	vfs string // of the store; "" for SQLite's usual one
}

// New begins a session on a workspace with the given files.
func New(t *testing.T, files map[string]string) *Session {
	t.Helper()
	return on(t, "", files)
}

func on(t *testing.T, vfs string, files map[string]string) *Session {
	s := &Session{T: t, Model: &Script{}, vfs: vfs}
	s.start(t.TempDir(), t.TempDir())
	for name, text := range files {
		s.Write(name, text)
	}
	return s
}

// start begins the session on a workspace folder and a folder of the store.
func (s *Session) start(dir, state string) {
	s.Fixture = sessiontest.On(s.T, s.vfs, dir, state, func(ws *workspace.Workspace, kept *store.Store) *session.Session {
		s.begin(agent.Options{Workspace: ws, Store: kept})
		return s.Agent.Session
	})
	s.Check(s.T)
}

// begin makes an agent with the options o and those of the session.
func (s *Session) begin(o agent.Options, change ...func(*agent.Options)) {
	o.Model, o.Now, o.Commands, o.Trials, o.Servers, o.Turns = s.Model, s.Clock, s.Commands, s.Trials, s.Servers, turn.Options{Agents: s.Agents}
	for _, f := range change {
		f(&o)
	}
	a := agent.New(o)
	s.Agent, s.Decisions, s.Board, s.Previews, s.Conversations = a, a.Decisions, a.Board, a.Previews, a.Conversations
	s.T.Cleanup(a.Close)
}

// With ends the session's agent and begins one with other options on the same store.
func (s *Session) With(change ...func(*agent.Options)) {
	s.T.Helper()
	s.Agent.Close()
	s.begin(agent.Options{Workspace: s.Workspace, Store: s.Store}, change...)
	s.Session = s.Agent.Session
	s.Attach(s.Editor)
	s.Check(s.T)
}

// Restart ends the session and begins another on the same files and store.
func (s *Session) Restart() {
	s.Die()
	s.Start()
	s.Must(s.Agent.Recover(s.Context()))
}

// Start begins another session on the same files and store, after [Session.Die]. Unlike Restart, it
// does not check the plans.
func (s *Session) Start() { s.start(s.Dir, s.State) }

// Die ends the session as kill -9 would: only what it has stored is left.
func (s *Session) Die() {
	s.Agent.Close()
	s.Store.Close()
}

// Beside begins a session of another process on a workspace folder and the same store and model. It
// does not check the plans when it begins, like the command line.
func (s *Session) Beside(dir string) *Session {
	other := &Session{T: s.T, Model: s.Model, Clock: s.Clock}
	other.start(dir, s.State)
	return other
}

// OwnAgents restarts the session with agent files of the user's own: name to text.
func (s *Session) OwnAgents(files map[string]string) {
	s.T.Helper()
	s.Agents = s.T.TempDir()
	for name, text := range files {
		s.Must(os.WriteFile(filepath.Join(s.Agents, name+".md"), []byte(text), 0o600))
	}
	s.Restart()
}

// Say sends a message and waits for the end of its turn.
func (s *Session) Say(m conversation.Message) state.Turn {
	s.T.Helper()
	id, _, err := s.Agent.Turns.Send(m)
	s.Must(err)
	return s.Wait(id)
}

// Tell is [Session.Say] with a message of the only client to its conversation.
func (s *Session) Tell(text string) state.Turn {
	s.T.Helper()
	return s.Say(conversation.Message{Text: text, Client: "test"})
}

// AskSpecialists is [Session.Say] with a message for specialists.
func (s *Session) AskSpecialists(text string) state.Turn {
	s.T.Helper()
	return s.Say(conversation.Message{Text: text, Client: "test", Mode: "heap"})
}

// AskEach sends a message whose operations are offered as they are staged, and returns its turn.
func (s *Session) AskEach(text string) string {
	s.T.Helper()
	id, _, err := s.Agent.Turns.Send(conversation.Message{Text: text, Client: "test", New: true, Decide: config.DecideAsk})
	s.Must(err)
	return id
}

// Plan sends a message, which must lead to a plan, and returns the plan.
func (s *Session) Plan(text string) state.Plan {
	s.T.Helper()
	turn := s.Say(conversation.Message{Text: text, Client: "test", New: true})
	n := s.Conversations.PlanOf(turn.Turn)
	if n == 0 {
		s.T.Fatalf("no plan came of %q: %+v", text, turn)
	}
	return s.PlanNow(n)
}

// PlanRename returns a plan that renames Total in shop.go, which is [decidetest.Shop]: two hunks.
func (s *Session) PlanRename() state.Plan {
	s.T.Helper()
	s.Model.Stages(Edit("shop.go", "func Total(", "func Add("), Edit("shop.go", "return Total(1, 2)", "return Add(1, 2)"))
	return s.Plan("rename Total to Add")
}

// InWords is the plan that [Session.PlanInWords] makes.
const InWords = "Figures instead of words.\n\n1. Change `a.txt`.\n2. Change `b.txt`."

// PlanInWords makes plan 1, in words, which expects a.txt and b.txt, and shows it to the client
// "test".
func (s *Session) PlanInWords() state.Plan {
	s.T.Helper()
	s.Model.Will(Reply{Text: InWords}, Reply{Text: `{"files":["a.txt","b.txt"]}`})
	if turn := s.Say(conversation.Message{Text: "use figures", Client: "test", Mode: "text"}); turn.State != "done" {
		s.T.Fatalf("turn: %+v", turn)
	}
	p := s.PlanNow(1)
	s.Session.Shown(1, p.Revision, p.Hash, "test")
	return p
}

// Rework makes the model stage more calls on plan 1 and returns the plan.
func (s *Session) Rework(calls ...model.Call) state.Plan {
	s.T.Helper()
	s.Model.Stages(calls...)
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "more", "test")
	s.Must(err)
	if turn := s.Wait(id); turn.State != "done" {
		s.T.Fatalf("the turn is %s: %v", turn.State, turn.Error)
	}
	return s.PlanNow(1)
}
