// Package acp is Redline as an agent in the panel of another editor: it speaks the Agent Client
// Protocol, version 1, as the agent ([Serve]). It is a front like package lsp: it decides nothing, and
// calls the owners that the language server and the command line call, so that a plan made here can be
// decided on in any other place.
//
// A session is a conversation in the store. A file for each subject: session.go opens sessions, prompt.go
// runs the turn of a prompt, updates.go shows its events, permission.go asks the user to decide, and
// editor.go is the client as the agent's editor.
package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"
	"go.uber.org/zap"

	"redline/acp/apply"
	"redline/agent"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/acpwire"
	"redline/internal/phrase"
	"redline/workspace"
)

// Options configure a server.
type Options struct {
	Log     *zap.Logger // nil logs nothing
	Version string      // of the program

	// NewAgent makes the agent of a folder, with the workspace whose editor is made by editor. It must not
	// open anything that takes time.
	NewAgent func(dir string, editor func(*workspace.Workspace) state.Editor) (*agent.Agent, error)

	Servers   []string       // the names of the tool servers in the user's settings
	Context   int            // the most tokens of a request to the model; 0 if that is not known
	Forbidden view.Forbidden // the ways in which nothing can be approved

	Backlog int           // how many bytes may wait for a client that does not read (16 MiB when 0)
	Stall   time.Duration // how long that many may wait before the connection ends (30 s when 0)

	Files  apply.Timeouts // how long to wait for the client when it reads and writes files
	Watch  time.Duration  // how often to check for plans that another process has changed (1 s when 0)
	Retain time.Duration  // how often to check for old plans to remove (5 min when 0)
}

// ErrBroken is the error of [Serve] when the connection has ended in another way than by its input.
var ErrBroken = errors.New("the connection to the editor has broken")

// server is one connection.
type server struct {
	o    Options
	log  *zap.Logger
	conn *acpwire.Conn

	mu       sync.Mutex
	client   client
	places   map[string]*place       // by their folders
	sessions map[string]*chatSession // by their ids
}

// Serve serves a client on rw until its input ends or ctx is done.
func Serve(ctx context.Context, rw io.ReadWriteCloser, o Options) error {
	o.Watch, o.Retain = cmp.Or(o.Watch, time.Second), cmp.Or(o.Retain, 5*time.Minute)
	s := &server{o: o, log: o.Log, places: map[string]*place{}, sessions: map[string]*chatSession{}}
	if s.log == nil {
		s.log = zap.NewNop()
	}
	s.conn = acpwire.New(rw, acpwire.Options{
		Requests: map[string]acpwire.Request{
			acp.AgentMethodAuthenticate:           s.handled(s.authenticate),
			acp.AgentMethodLogout:                 s.handled(s.logout),
			acp.AgentMethodSessionNew:             s.handled(s.newSession),
			acp.AgentMethodSessionLoad:            s.handled(s.loadSession),
			acp.AgentMethodSessionResume:          s.handled(s.resumeSession),
			acp.AgentMethodSessionList:            s.handled(s.listSessions),
			acp.AgentMethodSessionClose:           s.handled(s.closeSession),
			acp.AgentMethodSessionSetMode:         s.handled(s.setMode),
			acp.AgentMethodSessionSetConfigOption: s.handled(s.setConfigOption),
		},
		Prepared: map[string]acpwire.Prepared{
			acp.AgentMethodInitialize:    s.prepared(s.begun),
			acp.AgentMethodSessionPrompt: s.prepared(s.prompt),
		},
		Notifications: map[string]func(json.RawMessage){acp.AgentMethodSessionCancel: s.cancel},
		MaxBacklog:    s.o.Backlog, Stall: s.o.Stall,
		Odd: func(err error, line []byte) {
			s.log.Warn("a line of the client is no message", zap.Error(err), zap.ByteString("line", line[:min(len(line), 200)]))
		},
	})
	s.conn.Start()
	select {
	case <-s.conn.Context().Done():
	case <-ctx.Done():
	}
	s.close()
	s.conn.Close()
	if err := context.Cause(s.conn.Context()); ctx.Err() == nil && !errors.Is(err, acpwire.ErrEnded) {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return ctx.Err()
}

// close ends the turns of all sessions.
func (s *server) close() {
	s.mu.Lock()
	places := s.places
	s.places = nil // none is opened any more
	s.mu.Unlock()
	var ending sync.WaitGroup
	for _, p := range places {
		ending.Go(p.close)
	}
	ending.Wait()
}

// handled makes a request's handler outlive its own faults, and answer refusals as the protocol has
// errors.
func (s *server) handled(h acpwire.Request) acpwire.Request {
	return func(ctx context.Context, params json.RawMessage) (result any, err error) {
		failed := session.Contain(func() error {
			result, err = h(ctx, params)
			return nil
		})
		if failed != nil {
			s.log.Error("a request panicked", zap.Error(failed), zap.ByteString("params", params[:min(len(params), 200)]))
			err = failed
		}
		if err == nil {
			return result, nil
		}
		if _, ok := errors.AsType[*acp.RequestError](err); ok {
			return nil, err
		}
		if refused, ok := plan.RefusalOf(err); ok {
			return nil, &acp.RequestError{Code: invalidParams, Message: refused.Reason}
		}
		return nil, &acp.RequestError{Code: internalError, Message: phrase.SentenceOf(err)}
	}
}

// prepared is handled for a request whose beginning runs on the goroutine that reads.
func (s *server) prepared(begin acpwire.Prepared) acpwire.Prepared {
	return func(params json.RawMessage) acpwire.Request {
		var rest acpwire.Request
		if err := session.Contain(func() error { rest = begin(params); return nil }); err != nil {
			rest = func(context.Context, json.RawMessage) (any, error) { return nil, err }
		}
		return s.handled(rest)
	}
}

// Codes of errors.
const (
	invalidRequest = -32600
	invalidParams  = -32602
	internalError  = -32603
	notFound       = -32002
)

// invalid is the error for params that cannot be used, in one sentence.
func invalid(form string, args ...any) error {
	return &acp.RequestError{Code: invalidParams, Message: fmt.Sprintf(form, args...)}
}

// read reads the params of a request.
func read[T any](params json.RawMessage, members ...string) (T, error) {
	p, err := acpwire.Decode[T](params, members...)
	if err != nil {
		return p, invalid("The params cannot be used: %s.", phrase.TrimStop(phrase.ClipBytes(err.Error(), 300)))
	}
	return p, nil
}

// tell sends a session/update. While too much waits for a client that does not read, it waits until ctx is
// done or the connection ends, and then sends nothing.
func (s *server) tell(ctx context.Context, id string, u acp.SessionUpdate) {
	for s.conn.Room(ctx) == nil {
		err := s.conn.Notify(acp.ClientMethodSessionUpdate, acp.SessionNotification{SessionId: acp.SessionId(id), Update: u})
		if ctx.Err() != nil || !errors.Is(err, acpwire.ErrStalled) { // another message may have taken the room
			return
		}
	}
}
