package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/store"
	"redline/internal/wire"
	"redline/lsp/command"
	"redline/lsp/position"
	"redline/workspace"
)

// deadline limits how long a test waits for something that must happen.
const deadline = 3 * time.Minute

// builtinAgent returns a constructor of agents with the built-in model.
func builtinAgent(tb testing.TB, set ...func(*agent.Options)) func(*workspace.Workspace, state.Editor) (*agent.Agent, error) {
	st := store.New(tb.TempDir())
	tb.Cleanup(func() { st.Close() })
	return func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
		o := agent.Options{Workspace: w, Store: st, Model: model.New(model.Config{})}
		for _, f := range set {
			f(&o)
		}
		return agent.New(o), nil
	}
}

// fixture is a session whose read loop is the test, with a client that reads and never
// answers.
type fixture struct {
	*session
	testing.TB
	dir string
	ctx context.Context
}

func newFixture(tb testing.TB, c client, files map[string]string, set ...func(*agent.Options)) *fixture {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	f := newFixtureIn(tb, c, []workspace.Folder{{URI: "file://" + dir}}, set...)
	f.dir = dir
	return f
}

// newFixtureIn is newFixture with existing folders.
func newFixtureIn(tb testing.TB, c client, folders []workspace.Folder, set ...func(*agent.Options)) *fixture {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	near, far := net.Pipe()
	go io.Copy(io.Discard, far)
	srv := &server{options: Options{NewAgent: builtinAgent(tb, set...), Timeouts: Timeouts{}.withDefaults()}, log: zap.NewNop()}
	srv.conn = wire.NewConn(ctx, near, wire.NewRouter(), wire.Options{})
	srv.conn.Start()
	if c.name == "" {
		c.name = "test"
	}
	s := newSession(srv, c, folders)
	tb.Cleanup(func() { s.backend.Close(); cancel(); <-srv.conn.Done() })
	return &fixture{s, tb, "", ctx}
}

func (f *fixture) uri(name string) string { return "file://" + f.dir + "/" + name }

func (f *fixture) open(name, text string) {
	p := &didOpenParams{}
	p.TextDocument.URI, p.TextDocument.Text = f.uri(name), text
	if err := f.didOpen(f.ctx, p); err != nil {
		f.Fatal(err)
	}
}

// run runs a command and returns its result.
func (f *fixture) run(command string, argument any) (json.RawMessage, error) {
	f.Helper()
	raw, err := json.Marshal(argument)
	if err != nil {
		f.Fatal(err)
	}
	run, err := f.executeCommand(f.ctx, &executeCommandParams{Command: command, Arguments: []protocol.LSPAny{raw}})
	if err != nil {
		return nil, err
	}
	result, err := run(f.ctx)
	if err != nil {
		return nil, err
	}
	return result.(json.RawMessage), nil
}

// ask sends a message and waits for its turn to end.
func (f *fixture) ask(message string) state.Turn {
	f.Helper()
	raw, err := f.run(command.Chat, message)
	if err != nil {
		f.Fatal(err)
	}
	return f.await(raw)
}

func (f *fixture) await(raw json.RawMessage) state.Turn {
	f.Helper()
	var s command.Sent
	if err := json.Unmarshal(raw, &s); err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(f.ctx, deadline)
	defer cancel()
	turn, err := f.backend.Agent().Conversations.Wait(ctx, s.Turn)
	if err != nil {
		f.Fatal(err)
	}
	return turn
}

// shownOnce waits until a revision of a plan has been presented.
func (f *fixture) shownOnce(plan, revision int) {
	f.Helper()
	f.until(func() bool {
		shown, _, _ := f.shown.Now()(plan)
		return shown == revision
	})
}

// until waits for a condition that other goroutines make true.
func (f *fixture) until(ok func() bool) {
	f.Helper()
	for end := time.Now().Add(deadline); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			f.Fatal("it did not come about")
		}
	}
}

// actions requests the code actions at a place and returns them as sent.
func (f *fixture) actions(name string, at protocol.Range, only ...string) json.RawMessage {
	f.Helper()
	return f.actionsFor(name, at, nil, only...)
}

// actionsFor is actions with the diagnostics that the client sends along.
func (f *fixture) actionsFor(name string, at protocol.Range, problems []jsontext.Value, only ...string) json.RawMessage {
	f.Helper()
	p := &codeActionParams{TextDocument: position.TextDocument{URI: f.uri(name)}, Range: at}
	p.Context.Diagnostics, p.Context.Only = problems, only
	run, err := f.codeAction(f.ctx, p)
	if err != nil {
		f.Fatal(err)
	}
	result, err := run(f.ctx)
	if err != nil {
		f.Fatal(err)
	}
	return result.(json.RawMessage)
}

func cursor(line, character uint32) protocol.Range {
	p := protocol.Position{Line: line, Character: character}
	return protocol.Range{Start: p, End: p}
}

// codeOf returns the code and the data.kind of an error answer.
func codeOf(tb testing.TB, err error) (code jsonrpc2.Code, kind string) {
	tb.Helper()
	answer, ok := errors.AsType[*jsonrpc2.Error](err)
	if !ok {
		tb.Fatalf("%v is no error answer", err)
	}
	var data struct{ Kind string }
	if answer.Data != nil {
		if err := json.Unmarshal(answer.Data, &data); err != nil {
			tb.Fatal(err)
		}
	}
	return answer.Code, data.Kind
}
