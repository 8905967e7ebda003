package agent_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/state/eventtest"
	"redline/agent/store"
	"redline/agent/toolset"
	"redline/agent/trial"
	"redline/agent/turn"
	"redline/agent/view"
	"redline/edits"
	"redline/workspace"
)

// session is an agent on a temporary workspace, with a model that gives the test's replies and an
// editor that is the disk.
type session struct {
	t     *testing.T
	dir   string
	state string
	ws    *workspace.Workspace
	vfs   string           // of the store; "" for SQLite's usual one
	now   func() time.Time // nil for the clock
	store *store.Store
	model *script
	tools []toolset.Server // tool servers
	ed    *fakeEditor
	agent *agent.Agent

	files *lockCheck // under the workspace

	commands decide.ExecutorOptions
	trials   trial.Options
	agents   string // the user's own agent files, "" for none
}

func newSession(t *testing.T, files map[string]string) *session {
	t.Helper()
	s := &session{t: t, dir: t.TempDir(), state: t.TempDir(), model: &script{}}
	for name, text := range files {
		s.writeFile(name, text)
	}
	s.start()
	return s
}

// start starts a session on the files on disk, as a restart does.
func (s *session) start() {
	s.files = &lockCheck{t: s.t}
	s.ws = workspace.New([]workspace.Folder{{Name: "ws", Dir: s.dir}}, workspace.Options{StateDir: s.state, Access: s.files.access})
	s.store = store.NewOn(s.vfs, s.state)
	s.ed = &fakeEditor{disk: workspace.NewDisk(s.ws), checks: eventtest.Check(s.t)}
	s.agent = agent.New(agent.Options{Workspace: s.ws, Store: s.store, Model: s.model, Now: s.now, Commands: s.commands, Trials: s.trials, Servers: s.tools, Turns: turn.Options{Agents: s.agents}})
	s.agent.Session.Attach(s.ed)
	s.files.agent.Store(s.agent)
	s.t.Cleanup(func() { s.agent.Close(); s.store.Close() })
}

// restart ends the session and starts another on the same files and store.
func (s *session) restart() {
	s.agent.Close()
	s.store.Close()
	s.start()
	if err := s.agent.Recover(s.ctx()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) ctx() context.Context {
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	s.t.Cleanup(cancel)
	return ctx
}

func (s *session) writeFile(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// wantFile checks a file on disk; "" means that it must not exist.
func (s *session) wantFile(name, want string) {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
	if want == "" {
		if err == nil {
			s.t.Errorf("%s is there:\n%s", name, data)
		}
		return
	}
	if err != nil {
		s.t.Errorf("%s: %v", name, err)
	} else if string(data) != want {
		s.t.Errorf("%s is\n%q\nwant\n%q", name, data, want)
	}
}

// open opens a file in an editor's buffer, as the agent sees it.
func (s *session) open(name string) {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	s.ws.Open(s.ws.URI(name), "", 1, string(data))
}

// say sends a message and waits for the end of its turn.
func (s *session) say(m conversation.Message) state.Turn {
	s.t.Helper()
	id, _, err := s.agent.Turns.Send(m)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.wait(id)
}

func (s *session) wait(id string) state.Turn {
	s.t.Helper()
	state, err := s.agent.Conversations.Wait(s.ctx(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return state
}

// plan sends a message, which must lead to a plan, and returns the plan.
func (s *session) plan(text string) state.Plan {
	s.t.Helper()
	turn := s.say(conversation.Message{Text: text, Client: "test", New: true})
	n := s.agent.Conversations.PlanOf(turn.Turn)
	if n == 0 {
		s.t.Fatalf("no plan came of %q: %+v", text, turn)
	}
	return s.state1(n)
}

func (s *session) state1(n int) state.Plan {
	s.t.Helper()
	p, err := s.agent.Board.PlanState(s.ctx(), n)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// approve approves, which must succeed.
func (s *session) approve(d view.Request) state.Result {
	s.t.Helper()
	r, err := s.agent.Approve(s.ctx(), d)
	if err != nil {
		s.t.Fatalf("approve %+v: %v", d, err)
	}
	return r
}

// wantRefused checks that an error is a refusal of the kind.
func (s *session) wantRefused(err error, kind plan.RefusalKind) {
	s.t.Helper()
	refusal, ok := err.(*plan.Refusal)
	if !ok || refusal.Kind != kind {
		s.t.Errorf("got %v, want a refusal %s", err, kind)
	}
}

// script is a model that gives the replies of the test.
type script struct {
	mu      sync.Mutex
	replies []reply
	asked   []model.Request
}

// reply is one reply of the model.
type reply struct {
	text  string
	calls []model.Call
	err   error           // sent after the calls
	wait  <-chan struct{} // closed when the reply may be sent
	begun chan<- struct{} // closed when it was requested
}

// call is one tool call of a reply.
func call(name string, args map[string]any) model.Call {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return model.Call{Name: name, Arguments: string(raw)}
}

func edit(path, old, new string) model.Call {
	return call("edit_file", map[string]any{"path": path, "old_string": old, "new_string": new})
}

// will sets the next replies of the model, in order.
func (s *script) will(replies ...reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// stages makes the model stage the calls and end with a sentence.
func (s *script) stages(calls ...model.Call) {
	s.will(reply{calls: calls}, reply{text: "Done."})
}

func (s *script) Info() model.Info { return model.Info{Provider: "script", Name: "script"} }

func (s *script) Complete(ctx context.Context, r model.Request, on func(model.Event)) (model.Reply, error) {
	s.mu.Lock()
	s.asked = append(s.asked, r)
	if len(s.replies) == 0 {
		s.mu.Unlock()
		return model.Reply{Text: "The script has no more replies.", Finish: "stop"}, nil
	}
	next := s.replies[0]
	s.replies = s.replies[1:]
	s.mu.Unlock()
	if next.begun != nil {
		close(next.begun)
	}
	if next.wait != nil {
		select {
		case <-next.wait:
		case <-ctx.Done():
			return model.Reply{}, ctx.Err()
		}
	}
	out := model.Reply{Text: next.text, Finish: "stop", Usage: model.Usage{Prompt: 10, Completion: 5}}
	if on != nil && next.text != "" {
		on(model.Event{Text: next.text})
	}
	for i, c := range next.calls {
		if c.ID == "" {
			c.ID = string(rune('a' + i))
		}
		out.Calls = append(out.Calls, c)
		if on != nil {
			on(model.Event{Call: &c})
		}
		out.Finish = "tool_calls"
	}
	return out, next.err
}

// fakeEditor is a disk whose answers a test can change.
type fakeEditor struct {
	disk     *workspace.Disk
	terminal bool // it can show no files
	oneWay   bool // it can show differences in one way only

	mu     sync.Mutex
	apply  func(edits.Change) (edits.Applied, bool) // false: the disk applies it
	ask    func(state.Question) state.EditorAnswer  // nil: no answer
	hears  func(state.Event)                        // nil: nothing happens
	checks func(state.Event)                        // nil: no check
	events []state.Event
	news   chan struct{} // closed at the next event
	asked  [][]edits.Change
}

func (e *fakeEditor) Apply(ctx context.Context, changes []edits.Change, landed func(n int)) ([]edits.Applied, error) {
	e.mu.Lock()
	e.asked = append(e.asked, changes)
	script := e.apply
	e.mu.Unlock()
	var out []edits.Applied
	for _, c := range changes {
		if script != nil {
			if o, ok := script(c); ok {
				out = append(out, o)
				if o.Status == edits.Refused || o.Status == edits.Unknown {
					return out, nil
				}
				landed = nil // the script answers as it likes
				continue
			}
		}
		o, err := e.disk.Apply(ctx, []edits.Change{c})
		out = append(out, o...)
		if err != nil || len(o) == 0 || o[0].Status != edits.Done {
			return out, err
		}
		if landed != nil {
			landed(len(out))
		}
	}
	return out, nil
}

// Review lets nothing through.
func (e *fakeEditor) Review(context.Context, int, []state.Proposal) ([]edits.Applied, error) {
	return nil, nil
}

func (e *fakeEditor) Show(context.Context, state.Location) error { return nil }

// CanShow reports whether it is not a terminal.
func (e *fakeEditor) CanShow() bool { return !e.terminal }

// Follows reports true.
func (e *fakeEditor) Follows() bool { return true }

// ShowsDiffs reports whether it is neither a terminal nor an editor with one way to show them.
func (e *fakeEditor) ShowsDiffs() bool { return !e.terminal && !e.oneWay }

func (e *fakeEditor) Ask(_ context.Context, q state.Question) (state.EditorAnswer, error) {
	e.mu.Lock()
	ask := e.ask
	e.mu.Unlock()
	if ask == nil {
		return state.EditorAnswer{}, nil
	}
	return ask(q), nil
}

func (e *fakeEditor) Notify(event state.Event) {
	e.mu.Lock()
	hears := e.hears
	e.mu.Unlock()
	if e.checks != nil {
		e.checks(event)
	}
	if hears != nil {
		hears(event)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.events = append(e.events, event)
	if e.news != nil {
		close(e.news)
		e.news = nil
	}
}

// next returns a channel that is closed at the next event.
func (e *fakeEditor) next() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.news == nil {
		e.news = make(chan struct{})
	}
	return e.news
}

// changed returns how many changes the editor was asked to make.
func (e *fakeEditor) changed() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := 0
	for _, changes := range e.asked {
		n += len(changes)
	}
	return n
}

// aboutIn returns what Redline adds to a request about the message that it is for, "" for nothing.
func aboutIn(messages []model.Message) string {
	for _, m := range messages {
		if about, ok := strings.CutPrefix(m.Content, "[By Redline, about the next message.]\n"); ok {
			return about
		}
	}
	return ""
}
