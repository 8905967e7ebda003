package model

import (
	"bufio"
	"bytes"
	"io"

	"redline/internal/lazyregexp"
)

// Limits of one reply's stream, in bytes.
const (
	maxLine = 4 << 20
	maxBody = 64 << 20
)

// events is the body of a reply for go-openai: the server-sent events (WHATWG HTML section 9.2)
// without the parts that it cannot cope with. events leaves out comments, blank lines and fields
// other than data, since go-openai gives up after a few hundred of them in a row. An answer that
// is no event stream is an error instead of an early end.
type events struct {
	from  io.ReadCloser
	lines *bufio.Reader
	by    *transport
	watch *exchange

	read  int    // bytes of the body so far
	line  []byte // the line that is being read
	ready []byte // cleaned, to be given out
	err   error  // what comes after ready
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

// streamedFailure finds an error that is sent as an event.
var streamedFailure = lazyregexp.New(`^\{\s*"error"\s*:\s*[^\sn]`) // not null

// next returns the next line, ended, if it is worth passing on.
func (e *events) next() ([]byte, error) {
	line, err := e.nextLine()
	line = bytes.TrimSpace(line)
	payload, isData := bytes.CutPrefix(line, []byte("data:"))
	payload = bytes.TrimSpace(payload)
	switch {
	case isData && streamedFailure().Match(payload):
		return nil, e.failure(payload)
	case isData && len(payload) == 0: // a sign of life
		return nil, err
	case isData:
		e.watch.received()
		return event(e.watch.beyond.common(payload)), err
	case bytes.HasPrefix(line, []byte("<")):
		return nil, e.by.failed(KindWebPage)
	case bytes.HasPrefix(line, []byte("{")), bytes.HasPrefix(line, []byte("[")):
		return e.whole(append([]byte(nil), line...), err)
	}
	return nil, err
}

// event returns the line of an event with a payload.
func event(payload []byte) []byte {
	return append(append([]byte("data: "), payload...), "\n\n"...)
}

// whole reads a body that is no stream, after its first line: a whole reply, or an error.
func (e *events) whole(body []byte, err error) ([]byte, error) {
	for err == nil {
		var line []byte
		line, err = e.nextLine()
		body = append(append(body, '\n'), line...)
	}
	if err != io.EOF {
		return nil, err
	}
	reply, ok := asEvents(body)
	if !ok {
		return nil, e.failure(body)
	}
	e.watch.received()
	return event(e.watch.beyond.common(reply)), io.EOF
}

// nextLine reads one line, in bounds.
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

// json reports whether the line that is being read is a whole reply or an error instead of an
// event.
func (e *events) json() bool {
	start := bytes.TrimLeft(e.line[:min(len(e.line), 64)], " \t")
	return bytes.HasPrefix(start, []byte("{")) || bytes.HasPrefix(start, []byte("["))
}

// failure returns the error of a body with status 200.
func (e *events) failure(body []byte) *Error {
	said := parseFailure(body)
	err := e.by.failed(KindBroken)
	switch said.Code {
	case "429", "rate_limit_exceeded", "rate_limit_error":
		err = e.by.failed(KindRateLimited)
		err.temporary = true
	case "500", "502", "503", "504", "529", "server_error", "overloaded_error", "internal_server_error":
		err = e.by.failed(KindOverloaded)
		err.temporary = true
	}
	err.Detail = e.by.scrub.line(said.Message)
	if err.Detail == "" {
		err.Detail = "it sent something else than a stream of events"
	}
	return err.judge()
}
