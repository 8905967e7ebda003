package model

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Limits of one reply's stream, in bytes.
const (
	maxLine = 4 << 20
	maxBody = 64 << 20
)

// events is the body of a reply for go-openai: the server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html) in a form that go-openai can
// read. It leaves out comments, blank lines and fields other than data, since go-openai gives up
// after a few hundred of them in a row. An answer that is no event stream becomes an error, not an
// early end.
type events struct {
	from  io.ReadCloser
	lines *bufio.Reader
	by    *transport
	watch *exchange

	read  int    // bytes of the body so far
	name  string // of the event being read
	line  []byte // the line being read
	ready []byte // cleaned, to be returned
	err   error  // the error after ready
}

func newEvents(body io.ReadCloser, by *transport, watch *exchange) *events {
	return &events{from: body, lines: bufio.NewReaderSize(body, 16<<10), by: by, watch: watch}
}

func (e *events) Close() error { return e.from.Close() }

func (e *events) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.ready, e.err = e.next()
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// next returns the next line worth passing on, with its line ending.
func (e *events) next() ([]byte, error) {
	line, err := e.nextLine()
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte(byteOrderMark)))
	field, payload, _ := bytes.Cut(line, []byte(":"))
	payload = bytes.TrimSpace(payload)
	switch {
	case len(line) == 0:
		e.name = ""
	case string(field) == "event":
		e.name = string(payload)
	case string(field) == "error" && len(payload) > 0: // as older versions of llama.cpp send it
		return nil, e.failure(payload)
	case string(field) == "data":
		return e.data(payload, err)
	case bytes.HasPrefix(line, []byte("<")):
		return nil, e.by.failed(KindWebPage)
	case bytes.HasPrefix(line, []byte("{")), bytes.HasPrefix(line, []byte("[")):
		return e.whole(append([]byte(nil), line...), err)
	}
	return nil, err
}

// byteOrderMark may begin a stream.
const byteOrderMark = "\ufeff"

// data returns the line of an event with this payload.
func (e *events) data(payload []byte, err error) ([]byte, error) {
	if len(payload) == 0 { // shows that the provider is alive
		return nil, err
	}
	if e.name == "error" {
		return nil, e.failure(payload)
	}
	if problem := reported(payload); problem != nil {
		return nil, e.failure(problem)
	}
	e.watch.received()
	return event(e.watch.beyond.common(payload)), err
}

// event returns the line of an event with a payload.
func event(payload []byte) []byte {
	return append(append([]byte("data: "), payload...), "\n\n"...)
}

// whole reads a body that is not a stream, after its first line: a whole reply, or an error.
func (e *events) whole(body []byte, err error) ([]byte, error) {
	for err == nil {
		var line []byte
		line, err = e.nextLine()
		body = append(append(body, '\n'), line...)
	}
	if err != io.EOF {
		return nil, err
	}
	if problem := reported(body); problem != nil {
		return nil, e.failure(problem)
	}
	reply, ok := asEvents(body)
	if !ok {
		return nil, e.failure(body)
	}
	e.watch.received()
	return event(e.watch.beyond.common(reply)), io.EOF
}

// nextLine reads one line, up to a limit.
func (e *events) nextLine() ([]byte, error) {
	e.line = e.line[:0]
	for {
		part, err := e.lines.ReadSlice('\n')
		e.watch.heard()
		e.read += len(part)
		e.line = append(e.line, part...)
		if len(e.line) > maxLine && !e.json() || e.read > maxBody {
			return nil, e.by.failed(KindTooLarge)
		}
		if err != bufio.ErrBufferFull {
			return e.line, err
		}
	}
}

// json reports whether the line being read is a whole reply or an error instead of an event.
func (e *events) json() bool {
	start := bytes.TrimLeft(e.line[:min(len(e.line), 64)], " \t")
	return bytes.HasPrefix(start, []byte("{")) || bytes.HasPrefix(start, []byte("["))
}

// failure returns the error of a body with status 200, or of an event.
func (e *events) failure(body []byte) *Error {
	err := e.by.failure(http.StatusOK, parseFailure(body))
	if err.Kind == KindBroken && err.Detail == "" {
		err.Detail = "it sent something else than a stream of events"
		if e.name == "error" || reported(body) != nil {
			err.Detail = "it reports an error and does not say which"
		}
	}
	return err
}

// asEvents converts a reply that came whole, as a chat completion, to the events of a stream. ok
// is false if body is not a complete reply.
func asEvents(body []byte) (events []byte, ok bool) {
	whole, ok := object(body)
	if !ok {
		return nil, false
	}
	choices, _ := whole["choices"].([]any)
	if len(choices) == 0 {
		return nil, false
	}
	choice, _ := choices[0].(map[string]any)
	message, _ := choice["message"].(map[string]any)
	finish, _ := choice["finish_reason"].(string)
	if message == nil || finish == "" {
		return nil, false
	}
	calls, _ := message["tool_calls"].([]any)
	for i := range calls {
		if c, ok := calls[i].(map[string]any); ok {
			c["index"] = i
		}
	}
	chunk := map[string]any{"choices": []any{map[string]any{"index": 0, "delta": message, "finish_reason": finish}}}
	if whole["usage"] != nil {
		chunk["usage"] = whole["usage"]
	}
	data, err := encoded(chunk)
	return data, err == nil
}

// Why a silent exchange was ended.
var (
	errSilent = errors.New("nothing came")
	errIdle   = errors.New("only keep-alives came")
)

// exchange is one attempt at a request. The request's context carries it to the transport below
// go-openai.
type exchange struct {
	giveUpAt time.Time     // when retrying ends
	patience time.Duration // the longest time without a byte
	idling   time.Duration // the longest time with only signs of life
	silence  *time.Timer   // the timer of patience; ends the exchange
	idle     *time.Timer   // the timer of long; ends the exchange

	whole  bool   // the reply is requested whole, not as a stream
	back   []back // what is sent back with the replies that have calls, in order
	beyond beyond // what go-openai does not read; only for the goroutine that reads the reply
}

const (
	// tail is how long to wait for the end of a stream once the reply is complete.
	tail = 2 * time.Second
	// maxIdle is how long a provider may only keep the connection alive. The limit is at least
	// twice the time that it may be silent.
	maxIdle = 5 * time.Minute
)

type exchangeKey struct{}

// newExchange returns a context that ends with the cause errSilent if no byte arrives within
// patience, and with errIdle if no part of the reply arrives within long. If whole is true, the
// provider sends nothing until the reply is complete, so it may be silent as long as it may be
// idle.
func newExchange(ctx context.Context, giveUpAt time.Time, patience time.Duration, whole bool) (context.Context, *exchange, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	x := &exchange{giveUpAt: giveUpAt, patience: patience, idling: max(maxIdle, 2*patience), whole: whole}
	if whole {
		x.patience = x.idling
	}
	x.silence = time.AfterFunc(x.patience, func() { cancel(errSilent) })
	x.idle = time.AfterFunc(x.idling, func() { cancel(errIdle) })
	return context.WithValue(ctx, exchangeKey{}, x), x, func() {
		x.silence.Stop()
		x.idle.Stop()
		cancel(nil)
	}
}

// exchangeOf returns the exchange that ctx belongs to, or nil.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// heard notes that the provider is alive.
func (x *exchange) heard() {
	if x.patience > 0 {
		x.silence.Reset(x.patience)
	}
}

// received notes that a part of the reply has arrived.
func (x *exchange) received() { x.idle.Reset(x.idling) }

// complete notes that the reply is complete: the exchange ends after tail, even if the provider
// still sends.
func (x *exchange) complete() {
	if x.patience > 0 {
		x.patience = 0
		x.silence.Reset(tail)
	}
}
