// Package decidetest begins sessions for tests of decisions on plans: with a board and
// decisions, and without turns. Plans are made from tool calls.
package decidetest

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/session/sessiontest"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/agent/toolset"
)

// Session is a session whose plans are made from tool calls. Its only turns run commands.
type Session struct {
	Base

	// Commands is how commands are run from the next Restart or Kill on.
	Commands decide.ExecutorOptions

	// Compare tells what a failed command means, from the next Restart or Kill on.
	Compare decide.Compare

	// Parallel says that the commands of a plan run at the same time, from the next plan on.
	Parallel bool

	presence *board.Presence
}

// New begins a session on a workspace with the given files.
func New(t *testing.T, files map[string]string) *Session {
	t.Helper()
	s := &Session{Base: Base{Fixture: sessiontest.New(t, ""), t: t}}
	for name, text := range files {
		s.Write(name, text)
	}
	s.start()
	return s
}

// start makes the owners of the session.
func (s *Session) start() {
	x := s.Session
	s.presence = board.NewPresence(x)
	later := board.NewBacklog(x)
	var (
		conversations *conversation.Conversations
		executors     *decide.Executors
	)
	s.Board = board.New(x, s.presence, later, board.Hooks{
		Rules:         board.NewCommandRules(s.Commands.Rules, s.Workspace),
		RunsCommands:  func(plan int) bool { return executors.Runs(plan) },
		ClearStaging:  func(*board.Held) {},
		Running:       func() ([]state.Turn, int) { return conversations.Running() },
		ReadQuestions: func(ctx context.Context, first bool) error { return conversations.ReadQuestions(ctx, first) },
	})
	conversations = conversation.New(x, conversation.NewTraces(x), later, s.Board.Threads.Add)
	executors = decide.NewExecutors(x, s.presence, s.Board, conversations, &toolset.Reach{}, s.Commands, decide.Hooks{Compare: s.Compare})
	s.Conversations = conversations
	s.Previews = preview.NewPreviews(x, s.Board)
	s.Decisions = decide.New(x, s.presence, s.Board, executors, s.Previews, decide.Options{})
	s.Comments, s.Sharing = decide.NewComments(x, s.Board), decide.NewSharing(x, s.Board)
	s.Check(s.t)
	fixture, presence := s.Fixture, s.presence
	s.t.Cleanup(func() {
		fixture.End()
		presence.Close()
	})
}

// End ends the session.
func (s *Session) End() {
	s.Fixture.End()
	s.presence.Close()
}

// Restart ends the session and begins another on the same files and store.
func (s *Session) Restart() {
	s.t.Helper()
	s.End()
	s.Store.Close()
	s.Fixture = s.Again()
	s.start()
	s.Must(s.Board.Follower.Recover(s.Context()))
}

// Kill leaves the session as a killed process does, so that nobody holds a lease in the store.
// It begins another, which has not recovered yet, on the same files and a copy of the store.
func (s *Session) Kill() {
	s.t.Helper()
	copied := s.t.TempDir()
	s.Must(os.CopyFS(copied, os.DirFS(s.State)))
	on := *s.Fixture
	on.State = copied
	s.Fixture = on.Again()
	s.start()
}

// Another begins another session on the same files and store, beside this one.
func (s *Session) Another() *Session { return s.AnotherIn(s.Dir) }

// AnotherIn begins another session on the workspace folder dir and the same store.
func (s *Session) AnotherIn(dir string) *Session {
	on := *s.Fixture
	on.Dir = dir
	other := &Session{Base: Base{Fixture: on.Again(), t: s.t}}
	other.start()
	return other
}

// Name sets the name of the editor, which other sessions see.
func (s *Session) Name(client string) { s.presence.Name(client) }

// Call is a tool call.
type Call struct {
	Tool string
	Args json.RawMessage
}

// NewCall returns a call of a tool.
func NewCall(tool string, args map[string]any) Call {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return Call{tool, raw}
}

// Edit returns a call that replaces a text in a file.
func Edit(path, old, new string) Call {
	return NewCall("edit_file", map[string]any{"path": path, "old_string": old, "new_string": new})
}

// Command returns a call that stages a command. more are names and values of further arguments.
func Command(line string, more ...any) Call {
	args := map[string]any{"command": line}
	for i := 0; i+1 < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return NewCall("run_command", args)
}

// Plan makes a plan of tool calls, all of one step, as a turn does.
func (s *Session) Plan(goal string, calls ...Call) state.Plan {
	s.t.Helper()
	sealed := s.sealed(draft.New(s.Workspace), calls)
	now := s.Now().UTC()
	p := &plan.Plan{Conversation: "c1", Goal: goal, State: plan.Drafting, Created: now, Updated: now}
	r := s.revision(p, goal, &sealed)
	s.Must(plan.CheckConditions(&r))
	text := func(b plan.Blob) string { return sealed.Texts[b] }
	board.NameCharsets(s.Board, &r, text)
	p.Add(r, text)
	s.Must(p.Apply(plan.PlanCreated))
	h, err := s.Board.Create(s.Context(), board.NewRevision{Plan: p, Texts: sealed.Texts})
	s.Must(err)
	s.Board.Announce(h, "")
	return s.PlanNow(h.Number())
}

// Rework adds more tool calls to plan 1 in a new revision, as a turn does.
func (s *Session) Rework(calls ...Call) state.Plan {
	s.t.Helper()
	ctx := s.Context()
	tx, err := s.Board.Open(ctx, 1)
	s.Must(err)
	defer tx.Unlock()
	d, err := draft.Resume(s.Workspace, tx.Held.Plan(), s.Store.Texts(ctx))
	s.Must(err)
	sealed := s.sealed(d, calls)
	next := tx.Held.Plan().Clone()
	events := []plan.Event{plan.RequestRevision, plan.FinishDrafting}
	for _, e := range events {
		s.Must(next.Apply(e))
	}
	s.Must(board.AppendRevision(ctx, s.Board, next, s.revision(next, next.Goal, &sealed), sealed.Texts))
	h, err := tx.Revise(ctx, board.NewRevision{Plan: next, Texts: sealed.Texts}, events...)
	s.Must(err)
	s.Board.Announce(h, "")
	return s.Board.StateOf(h)
}

// sealed stages the calls in d and seals it.
func (s *Session) sealed(d *draft.Draft, calls []Call) draft.Sealed {
	s.t.Helper()
	env := &tool.Env{Draft: d, Workspace: s.Workspace, Named: func(string) bool { return true }, Step: "s1", Fixed: true}
	for _, c := range calls {
		found, ok := tool.Find(tool.All(), c.Tool)
		if !ok {
			s.t.Fatalf("there is no tool %s", c.Tool)
		}
		if r := found.Run(s.Context(), env, c.Args); r.IsError {
			s.t.Fatalf("%s %s: %s", c.Tool, c.Args, r.Text)
		}
	}
	d, _ = d.Lean(toolset.Replay(s.Context(), s.Workspace))
	sealed, err := d.Seal(func(path string) (text string, exists bool, mode uint32, err error) {
		file, err := s.Workspace.Read(path)
		if !file.Exists {
			file.Text = "" // the buffer of a missing file may have line ends
		}
		return file.Text, file.Exists, uint32(file.Mode.Perm()), err
	})
	s.Must(err)
	return sealed
}

// revision returns a revision of p with the sealed operations.
func (s *Session) revision(p *plan.Plan, goal string, sealed *draft.Sealed) plan.Revision {
	p.NextOperation = sealed.Name(p.NextOperation)
	return plan.Revision{
		Author: plan.AuthorModel, Created: s.Now().UTC(), Description: "Done.", Steps: []plan.Step{{ID: "s1", Description: goal, Parallel: s.Parallel}},
		Operations: sealed.Operations, Changes: sealed.Changes,
	}
}

// Shop is a Go file, with text outside the BMP.
const Shop = `package shop

func Total(a, b int) int { return a + b }

// text outside the BMP: 🛒𝔘

func Tax(a int) int { return a / 5 }

func Sum() int { return Total(1, 2) }
`

// PlanRename makes a plan that renames Total to Add in shop.go: two hunks.
func (s *Session) PlanRename() state.Plan {
	s.t.Helper()
	return s.Plan("rename Total to Add", Edit("shop.go", "func Total(", "func Add("), Edit("shop.go", "return Total(1, 2)", "return Add(1, 2)"))
}

// Nine is a text of nine lines.
const Nine = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"

// ReplaceIn replaces texts, each of which must occur once.
func ReplaceIn(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			t.Fatalf("%q is %d times in\n%s", pairs[i], strings.Count(text, pairs[i]), text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}
