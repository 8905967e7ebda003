package toolset

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// newest is the version of the protocol to ask for: every server knows it, or answers with an older
// one. The SDK knows a newer one, whose requests over HTTP have other headers.
const newest = "2025-11-25"

// transport carries messages to a server.
type transport interface {
	// send sends a message: request is nil if it is an answer. If the server answers on the same
	// connection, send passes what it says to from and returns after it.
	send(ctx context.Context, request *jsonrpc.Request, body []byte, from *client) error
	// agreed tells the transport which version of the protocol the server has chosen.
	agreed(version string)
	// end tells the server that the session is over, or ends its program.
	end()
	// lastError returns the last line of the program's standard error, "" if there is none.
	lastError() string
}

var (
	errClosed    = errors.New("the connection has ended")
	errGone      = errors.New("the program has ended")
	errNoReply   = errors.New("it did not answer")
	errNoMessage = errors.New("it sent no JSON-RPC")
	errNested    = errors.New("it sent a list of messages within a list")
	errTooLarge  = errors.New("it sent too much")
)

// client calls the methods of one server through the SDK, and is the SDK's connection to it. It hands
// over only the answers to calls, in a form that the SDK reads. The SDK's own connection ends at the
// first line that is no message, refuses a list of tools for one schema, and queues what a server asks
// without bound.
type client struct {
	to      transport
	session *sdk.ClientSession
	ctx     context.Context // until Close, or until the server has ended
	stop    context.CancelCauseFunc
	answers chan *jsonrpc.Response
	waiting sync.Map // of jsonrpc.ID: the methods of the calls without an answer
}

func newClient(to transport) *client {
	c := &client{to: to, answers: make(chan *jsonrpc.Response)}
	c.ctx, c.stop = context.WithCancelCause(context.Background())
	return c
}

// initialize agrees with the server on a version of the protocol.
func (c *client) initialize(ctx context.Context) error {
	release := context.AfterFunc(ctx, func() { _ = c.Close() }) // the SDK would wait until all is sent
	session, err := sdk.NewClient(&sdk.Implementation{Name: "redline", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}).
		Connect(ctx, c, &sdk.ClientSessionOptions{ProtocolVersion: newest})
	switch c.session = session; {
	case !release():
		return ctx.Err()
	case err != nil:
		return reason(err)
	case session.InitializeResult().ProtocolVersion > newest:
		return fmt.Errorf("it speaks version %q of the protocol", session.InitializeResult().ProtocolVersion)
	}
	return nil
}

// callTool calls a tool. The error is a [*jsonrpc.Error] if the server says so.
func (c *client) callTool(ctx context.Context, name string, arguments stdjson.RawMessage) (ServerResult, error) {
	got, err := c.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return ServerResult{}, reason(err)
	}
	text, _ := got.Content[0].(*sdk.TextContent) // see called.plain
	return ServerResult{Text: text.Text, IsError: got.IsError}, nil
}

// reason returns the error in what the SDK says, such as: calling "tools/call": it did not answer.
func reason(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// over reports whether the connection has ended.
func (c *client) over() bool { return c.ctx.Err() != nil }

// Connect implements [sdk.Transport].
func (c *client) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID implements [sdk.Connection].
func (c *client) SessionID() string { return "" }

// Close implements [sdk.Connection]: calls fail from then on. It does not wait for the server, since
// the SDK holds a lock.
func (c *client) Close() error {
	c.stop(errClosed)
	return nil
}

// Read implements [sdk.Connection].
func (c *client) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.answers:
		return m, nil
	case <-c.ctx.Done():
		return nil, context.Cause(c.ctx)
	}
}

// Write implements [sdk.Connection]. The error of a call is its answer, since the SDK would end the
// connection for it. A server that refuses a notification is still of use.
func (c *client) Write(ctx context.Context, m jsonrpc.Message) error {
	request, ok := m.(*jsonrpc.Request)
	if !ok {
		return nil // the SDK is asked nothing
	}
	body, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if !request.IsCall() {
		c.forget(request)
		_ = c.send(ctx, request, body)
		return nil
	}
	c.waiting.Store(request.ID, request.Method)
	if err := c.send(ctx, request, body); err != nil {
		if _, waits := c.waiting.LoadAndDelete(request.ID); waits {
			_ = c.hand(&jsonrpc.Response{ID: request.ID, Error: err})
		}
	}
	return nil
}

// forget drops the call that a notification says is cancelled: the server need not answer it.
func (c *client) forget(notification *jsonrpc.Request) {
	var params struct {
		RequestID any `json:"requestId"`
	}
	if notification.Method != "notifications/cancelled" || json.Unmarshal(notification.Params, &params) != nil {
		return
	}
	if id, err := jsonrpc.MakeID(params.RequestID); err == nil {
		c.waiting.Delete(id)
	}
}

// hand hands an answer over to the SDK.
func (c *client) hand(answer *jsonrpc.Response) error {
	select {
	case c.answers <- answer:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

// send sends a message, until ctx or the connection ends.
func (c *client) send(ctx context.Context, request *jsonrpc.Request, body []byte) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(c.ctx, func() { stop(context.Cause(c.ctx)) })()
	return c.to.send(ctx, request, body, c)
}

// message is what a server sends, or an answer to that.
type message struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id,omitzero"`
	Method  string         `json:"method,omitzero"`
	Result  jsontext.Value `json:"result,omitzero"`
	Error   *jsonrpc.Error `json:"error,omitzero"`
}

// fromServer reads what a server writes: the case of names counts, bytes that are not UTF-8 do not.
var fromServer = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// receive takes what the server has sent: a message, or a list of them. A list within a list is
// refused: reading it again at each level would take a time that grows with its square.
func (c *client) receive(raw []byte) error {
	if raw = bytes.TrimSpace(raw); !bytes.HasPrefix(raw, []byte("[")) {
		return c.receiveOne(raw)
	}
	var list []jsontext.Value
	if err := json.Unmarshal(raw, &list, fromServer); err != nil {
		return errNoMessage
	}
	if slices.ContainsFunc(list, func(v jsontext.Value) bool { return v.Kind() == '[' }) {
		return errNested
	}
	for _, one := range list {
		if err := c.receiveOne(one); err != nil {
			return err
		}
	}
	return nil
}

// receiveOne takes one message.
func (c *client) receiveOne(raw []byte) error {
	var m message
	if err := json.Unmarshal(raw, &m, fromServer); err != nil || m.Version != "2.0" {
		return errNoMessage
	}
	switch {
	case c.over():
		return context.Cause(c.ctx)
	case m.Method != "" && m.ID != nil:
		return c.answer(&m)
	case m.Method != "":
		return nil
	}
	number, _ := strconv.ParseInt(string(m.ID), 10, 64) // the SDK counts from 1
	id, _ := jsonrpc.MakeID(float64(number))
	method, waits := c.waiting.LoadAndDelete(id)
	if !waits {
		return nil
	}
	if m.Error != nil {
		return c.hand(&jsonrpc.Response{ID: id, Error: m.Error})
	}
	result, err := c.read(method, m.Result)
	if err != nil {
		err = fmt.Errorf("it answered with something else: %w", err)
	}
	return c.hand(&jsonrpc.Response{ID: id, Result: result, Error: err})
}

// read returns a method's result in the form that the SDK reads. It looks at the members of that method
// only: a server may add others, of any kind.
func (c *client) read(method any, raw jsontext.Value) (result []byte, err error) {
	switch method {
	case "initialize":
		var read initialized
		if err := json.Unmarshal(raw, &read, fromServer); err != nil {
			return nil, err
		}
		c.to.agreed(read.ProtocolVersion)
		return json.Marshal(read)
	case "tools/list":
		var read listed
		if err := json.Unmarshal(raw, &read, fromServer); err != nil {
			return nil, err
		}
		read.complete()
		return json.Marshal(read)
	}
	var read called
	if err := json.Unmarshal(raw, &read, fromServer); err != nil {
		return nil, err
	}
	return json.Marshal(read.plain())
}

// answer answers a call of the server. Redline offers nothing but ping.
func (c *client) answer(m *message) error {
	reply := &message{Version: m.Version, ID: m.ID, Result: jsontext.Value("{}")}
	if m.Method != "ping" {
		reply.Result, reply.Error = nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Redline does not have " + oneLine(m.Method, maxName)}
	}
	body, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.ctx, 10*time.Second)
	defer cancel()
	return c.send(ctx, nil, body)
}
