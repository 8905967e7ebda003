package outside

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"redline/edits"
	"redline/internal/acpwire"
	"redline/internal/phrase"
)

// bounds limit what an agent can cost.
type bounds struct {
	start  time.Duration // for each answer before its turn begins
	cancel time.Duration // for the end of a turn that is cancelled
	input  int64         // bytes of all that it sends
	text   int           // bytes of its answer and its thoughts
	noise  int           // lines that are no messages
	tools  int           // calls of its tools
	line   int           // bytes of a line
}

var usualBounds = bounds{
	start: 2 * time.Minute, cancel: 5 * time.Second,
	input: 1 << 30, text: 16 << 20, noise: 2000, tools: 20_000, line: 64 << 20,
}

const (
	maxMessage = 256 << 10 // bytes of the last message
	maxTitle   = 200       // characters
	maxSteps   = 500       // of an agent's plan
	maxPaths   = 50        // of a tool call
	maxSaid    = 300       // bytes of an agent's words in an error
	maxSession = 200       // bytes of the id of a session that can continue
	maxAsked   = 20        // questions to the user in a turn
)

// Converse has an agent do one turn, by the Agent Client Protocol over its standard input and output.
// The error is a part of a sentence that says what the agent did. When ctx ends, Converse tells the
// agent, waits a few seconds and returns ctx.Err(); what it returns beside an error is what is known so
// far. The sink is not called after Converse has returned. The caller closes the stream.
func Converse(ctx context.Context, stream io.ReadWriter, a Agent, t Turn, to Sink) (End, error) {
	return converse(ctx, stream, a, t, to, usualBounds)
}

func converse(ctx context.Context, stream io.ReadWriter, a Agent, t Turn, to Sink, most bounds) (End, error) {
	c := &conversation{user: ctx, agent: a, turn: t, to: to, most: most, tools: map[string]Tool{}}
	c.ctx, c.fail = context.WithCancelCause(context.Background())
	defer c.fail(nil)
	c.conn = acpwire.New(&counted{ReadWriter: stream, left: most.input}, acpwire.Options{
		Requests:      map[string]acpwire.Request{acp.ClientMethodSessionRequestPermission: c.permission},
		Notifications: map[string]func(json.RawMessage){acp.ClientMethodSessionUpdate: c.update},
		Odd:           c.odd,
		MaxLine:       most.line,
	})
	c.conn.Start()
	defer c.conn.Close()
	err := c.do(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.end.Message = strings.TrimSpace(c.message.String())
	return c.end, err
}

// conversation is one turn of an agent.
type conversation struct {
	conn  *acpwire.Conn
	agent Agent
	turn  Turn
	to    Sink
	most  bounds

	user context.Context         // done when the turn is cancelled
	ctx  context.Context         // done when the agent has done what ends a turn, with the reason
	fail context.CancelCauseFunc // ends the turn

	mu      sync.Mutex // held while the sink is called
	session acp.SessionId
	working bool // the turn has begun: what came before is history
	over    bool // the sink is not called any more
	end     End
	message strings.Builder
	wrote   string          // the id of the message that the last text belongs to
	fresh   bool            // a tool was called since: the next text begins a new message
	texts   int             // bytes of text so far
	noise   int             // lines that were no messages
	tools   map[string]Tool // by their ids

	asking sync.Mutex // held while the user is asked
	asked  int        // questions so far
}

var (
	errTooLong   = errors.New("it sent a line of more than 64 MiB")
	errTooMuch   = errors.New("it sent more than 1 GiB in one turn")
	errTooNoisy  = errors.New("it keeps writing what is not the Agent Client Protocol to its standard output")
	errTooWordy  = errors.New("it wrote more than 16 MiB of text in one turn")
	errTooActive = fmt.Errorf("it called more than %d tools in one turn", usualBounds.tools)
)

// counted ends a stream when more comes than may.
type counted struct {
	io.ReadWriter
	left int64
}

// Read implements [io.Reader].
func (c *counted) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooMuch
	}
	n, err := c.ReadWriter.Read(p)
	c.left -= int64(n)
	return n, err
}

// odd takes lines that are no messages. A message that was too long may have been the one that is
// waited for.
func (c *conversation) odd(err error, _ []byte) {
	if errors.Is(err, acpwire.ErrTooLong) {
		c.fail(errTooLong)
	}
	if c.noise++; c.noise > c.most.noise {
		c.fail(errTooNoisy)
	}
}

// do initializes the agent, opens its session, old or new, and sends the prompt.
func (c *conversation) do(ctx context.Context) error {
	can, err := c.initialize(ctx)
	if err != nil {
		return err
	}
	text, err := c.open(ctx, can)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.working = true
	keeps := can.AgentCapabilities.LoadSession || can.AgentCapabilities.SessionCapabilities.Resume != nil
	if id := string(c.session); keeps && len(id) <= maxSession && edits.VisibleLine(id) == id {
		c.end.Session = id
	}
	c.mu.Unlock()
	return c.prompt(ctx, text)
}

func (c *conversation) initialize(ctx context.Context) (acp.InitializeResponse, error) {
	raw, err := c.call(ctx, acp.AgentMethodInitialize, acp.InitializeRequest{
		ProtocolVersion: acp.ProtocolVersionNumber,
		ClientInfo:      &acp.Implementation{Name: "redline", Version: "1"},
	})
	if err != nil {
		return acp.InitializeResponse{}, err
	}
	can, err := acpwire.Decode[acp.InitializeResponse](raw, "protocolVersion", "agentCapabilities")
	switch {
	case err != nil:
		return can, nonsense(acp.AgentMethodInitialize, err)
	case can.ProtocolVersion != acp.ProtocolVersionNumber:
		return can, fmt.Errorf("it speaks version %d of the Agent Client Protocol, and Redline version %d", can.ProtocolVersion, acp.ProtocolVersionNumber)
	}
	return can, nil
}

// open continues the conversation's session, if there is one and the agent still has it, or begins a
// new one. It returns what to ask for.
func (c *conversation) open(ctx context.Context, can acp.InitializeResponse) (string, error) {
	var others []string
	if can.AgentCapabilities.SessionCapabilities.AdditionalDirectories != nil {
		others = c.turn.Others
	}
	servers := []acp.McpServer{} // tools outside of the copy would act there
	session := acp.SessionId(c.turn.Session)
	var method string
	var params any
	switch {
	case session == "":
	case can.AgentCapabilities.SessionCapabilities.Resume != nil:
		method = acp.AgentMethodSessionResume
		params = acp.ResumeSessionRequest{Meta: c.agent.Meta, Cwd: c.turn.Dir, AdditionalDirectories: others, McpServers: servers, SessionId: session}
	case can.AgentCapabilities.LoadSession:
		method = acp.AgentMethodSessionLoad
		params = acp.LoadSessionRequest{Meta: c.agent.Meta, Cwd: c.turn.Dir, AdditionalDirectories: others, McpServers: servers, SessionId: session}
	}
	if method != "" {
		_, err := c.call(ctx, method, params)
		var refused *acp.RequestError
		switch {
		case err == nil:
			c.session = session
			return cmp.Or(c.turn.Again, c.turn.Request), nil
		case !errors.As(err, &refused):
			return "", err
		}
	}
	raw, err := c.call(ctx, acp.AgentMethodSessionNew, acp.NewSessionRequest{Meta: c.agent.Meta, Cwd: c.turn.Dir, AdditionalDirectories: others, McpServers: servers})
	if err != nil {
		return "", err
	}
	opened, err := acpwire.Decode[acp.NewSessionResponse](raw, "sessionId")
	if err != nil {
		return "", nonsense(acp.AgentMethodSessionNew, err)
	}
	c.session = opened.SessionId
	return c.turn.Request, nil
}

// call asks for something that the agent answers soon.
func (c *conversation) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	timed, cancel := context.WithTimeout(ctx, c.most.start)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	raw, err := c.conn.Call(timed, method, params)
	switch {
	case err == nil:
		return raw, nil
	case c.ctx.Err() != nil:
		return nil, context.Cause(c.ctx)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timed.Err() != nil:
		return nil, fmt.Errorf("it did not answer %s within %s", method, c.most.start)
	}
	return nil, failed(method, err)
}

// prompt has the agent work until it is done, or ctx ends.
func (c *conversation) prompt(ctx context.Context, text string) error {
	type answer struct {
		raw json.RawMessage
		err error
	}
	answered := make(chan answer, 1)
	patient, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		raw, err := c.conn.Call(patient, acp.AgentMethodSessionPrompt, acp.PromptRequest{
			SessionId: c.session, Prompt: []acp.ContentBlock{acp.TextBlock(text)},
		})
		answered <- answer{raw, err}
	}()
	done := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case <-done:
			done, late = nil, time.After(c.most.cancel)
			_ = c.conn.Notify(acp.AgentMethodSessionCancel, acp.CancelNotification{SessionId: c.session}) // it may have ended
		case <-late:
			return ctx.Err()
		case <-c.ctx.Done():
			return cmp.Or(ctx.Err(), context.Cause(c.ctx))
		case a := <-answered:
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case a.err != nil:
				return failed(acp.AgentMethodSessionPrompt, a.err)
			}
			return c.ended(a.raw)
		}
	}
}

// ended reads the answer at the end of a turn.
func (c *conversation) ended(raw json.RawMessage) error {
	got, err := acpwire.Decode[acp.PromptResponse](raw, "stopReason")
	if err == nil && got.StopReason == "" {
		err = errors.New("stopReason is missing")
	}
	if err != nil {
		return nonsense(acp.AgentMethodSessionPrompt, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if with, err := acpwire.Decode[acp.PromptResponse](raw, "stopReason", "usage"); err == nil && with.Usage != nil {
		u := with.Usage
		c.end.Usage.Input, c.end.Usage.Output, c.end.Usage.Total = int64(u.InputTokens), int64(u.OutputTokens), int64(u.TotalTokens)
		if u.CachedReadTokens != nil {
			c.end.Usage.Cached = int64(*u.CachedReadTokens)
		}
		c.to.Usage(c.end.Usage)
	}
	switch got.StopReason {
	case acp.StopReasonEndTurn:
	case acp.StopReasonMaxTokens:
		c.end.Stopped = "It reached its limit of tokens."
	case acp.StopReasonMaxTurnRequests:
		c.end.Stopped = "It reached its limit of requests to its model."
	case acp.StopReasonRefusal:
		c.end.Stopped = "It refused to continue."
	case acp.StopReasonCancelled:
		c.end.Stopped = "It cancelled the turn by itself."
	default:
		c.end.Stopped = fmt.Sprintf("It stopped for a reason that Redline does not know: %q.", words(string(got.StopReason)))
	}
	return nil
}

// authRequired is the code of ACP's error when a user must sign in first.
const authRequired = -32000

// ErrNotSignedIn is the error for an agent that wants its user to sign in first; [SignIn] says how.
var ErrNotSignedIn = errors.New("it is not signed in")

// Explained reports whether an error of [Converse] has the agent's own words.
func Explained(err error) bool {
	_, ok := errors.AsType[*refusal](err)
	return ok
}

// failed says that a call was not answered, or with an error.
func failed(method string, err error) error {
	var refused *acp.RequestError
	switch {
	case errors.Is(err, acpwire.ErrEnded):
		return fmt.Errorf("it ended before it answered %s", method)
	case errors.Is(err, acpwire.ErrStalled):
		return errors.New("it has stopped reading what it is sent")
	case errors.Is(err, acpwire.ErrTooComplex):
		return nonsense(method, err)
	case !errors.As(err, &refused):
		return err
	case refused.Code == authRequired:
		return ErrNotSignedIn
	}
	text := words(refused.Message)
	if more := details(refused.Data); more != "" && !strings.Contains(text, more) {
		text += ": " + more
	}
	return &refusal{refused, fmt.Sprintf("it answered %s with an error: %s", method, phrase.TrimStop(text))}
}

// refusal is an agent's error in a sentence.
type refusal struct {
	*acp.RequestError
	text string
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.RequestError }

// details returns what the data of an error says beside its message.
func details(data any) string {
	raw, ok := data.(json.RawMessage)
	if !ok {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return words(text)
	}
	var known struct{ Details, Message, Error any }
	if json.Unmarshal(raw, &known) != nil {
		return ""
	}
	for _, value := range []any{known.Details, known.Message, known.Error} {
		if text, ok := value.(string); ok && text != "" {
			return words(text)
		}
	}
	return ""
}

// nonsense says that an answer cannot be understood.
func nonsense(method string, err error) error {
	return fmt.Errorf("its answer to %s cannot be used: %s", method, words(err.Error()))
}

// words returns an agent's words as one visible line.
func words(text string) string {
	return phrase.ClipBytes(edits.VisibleLine(phrase.OneLine(phrase.ClipBytes(text, 4*maxSaid))), maxSaid)
}
