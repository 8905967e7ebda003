package acpwire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	acp "github.com/coder/acp-go-sdk"
	jsonx "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Codes of JSON-RPC 2.0.
const (
	parseError     = -32700
	invalidRequest = -32600
	methodNotFound = -32601
	internalError  = -32603
)

const (
	cancelRequest = "$/cancel_request"

	maxID     = 128 // bytes of an id that is sent back
	maxQuoted = 80  // bytes of a method's name in a message
	prefix    = 1 << 10

	maxDepth  = 200     // levels of a message
	maxValues = 500_000 // values and names in a message: each can take 100 bytes once it is decoded
)

// message is a JSON-RPC message.
type message struct {
	ID     jsontext.Value
	Method string
	Params jsontext.Value
	Result jsontext.Value
	Error  *acp.RequestError
}

// line returns the message as a line. An answer without an id has the id null.
func (m message) line() []byte {
	id, isAnswer := m.ID, m.Method == ""
	if isAnswer && id == nil {
		id = jsontext.Value("null")
	}
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0"`)
	add := func(name string, value []byte) {
		b.WriteString(`,"` + name + `":`)
		b.Write(value)
	}
	if id != nil {
		add("id", id)
	}
	switch {
	case !isAnswer:
		method, _ := json.Marshal(m.Method)
		add("method", method)
		if m.Params != nil {
			add("params", m.Params)
		}
	case m.Error != nil:
		text, err := json.Marshal(m.Error)
		if err != nil { // its data has no JSON form
			text, _ = json.Marshal(acp.RequestError{Code: m.Error.Code, Message: m.Error.Message})
		}
		add("error", text)
	default:
		add("result", m.Result)
	}
	b.WriteString("}\n")
	if !utf8.Valid(b.Bytes()) { // an id may have any bytes
		return bytes.ToValidUTF8(b.Bytes(), []byte("\uFFFD"))
	}
	return b.Bytes()
}

// refused is the answer to a line that is no message.
type refused struct {
	acp.RequestError
	id jsontext.Value
}

// fromPeer reads what a peer writes: the case of names counts, bytes that are not UTF-8 do not.
var fromPeer = jsonx.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

func unmarshal(raw []byte, into any) error { return jsonx.Unmarshal(raw, into, fromPeer) }

// parse reads a message. If the line is none, it returns nil, and what to answer: nothing, if the line
// does not even begin like one.
func parse(line []byte) (*message, *refused) {
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte("[")) {
		return nil, &refused{acp.RequestError{Code: invalidRequest, Message: "Lists of messages are not part of the protocol: send each by itself."}, nil}
	}
	if !bytes.HasPrefix(line, []byte("{")) {
		return nil, nil
	}
	var m struct {
		JSONRPC jsontext.Value `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Method  jsontext.Value `json:"method"`
		Params  jsontext.Value `json:"params"`
		Result  jsontext.Value `json:"result"`
		Error   jsontext.Value `json:"error"`
	}
	if unmarshal(line, &m) != nil {
		return nil, &refused{acp.RequestError{Code: parseError, Message: "The line is not JSON."}, nil}
	}
	out := &message{ID: usableID(m.ID), Params: m.Params, Result: m.Result}
	invalid := &refused{acp.RequestError{
		Code:    invalidRequest,
		Message: `A message needs "jsonrpc":"2.0", a "method" and, for a request, an "id" that is a short text or a number.`,
	}, out.ID}
	if string(m.JSONRPC) != `"2.0"` || m.Params != nil && m.Params.Kind() != '{' && m.Params.Kind() != '[' && m.Params.Kind() != 'n' {
		return nil, invalid
	}
	if m.Method != nil {
		if unmarshal(m.Method, &out.Method) != nil || out.Method == "" || m.ID != nil && out.ID == nil || m.Result != nil || m.Error != nil {
			return nil, invalid
		}
		return out, nil
	}
	failed := m.Error != nil && m.Error.Kind() != 'n'
	switch {
	case out.ID == nil:
		return nil, nil // it answers nothing that was asked: an answer to that would be one, too
	case failed:
		var e struct {
			Code    int64          `json:"code"`
			Message string         `json:"message"`
			Data    jsontext.Value `json:"data"`
		}
		if unmarshal(m.Error, &e) != nil {
			e.Code, e.Message, e.Data = internalError, "an error that cannot be read", nil
		}
		out.Error = &acp.RequestError{Code: int(e.Code), Message: e.Message}
		if e.Data != nil {
			out.Error.Data = json.RawMessage(e.Data)
		}
	case m.Result == nil:
		out.Error = &acp.RequestError{Code: internalError, Message: "an answer without a result"}
	}
	return out, nil
}

// usableID returns an id that can be sent back: a short text or a number; else nil.
func usableID(id jsontext.Value) jsontext.Value {
	if len(id) == 0 || len(id) > maxID || !strings.ContainsRune(`"-0123456789`, rune(id[0])) {
		return nil
	}
	return id
}

// idIn returns the id in the first bytes of a request that was not read, if it comes before the
// params; else nil.
func idIn(start []byte) jsontext.Value {
	dec := jsontext.NewDecoder(bytes.NewReader(start), fromPeer)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	for {
		name, err := dec.ReadToken()
		if err != nil || name.Kind() != '"' {
			return nil
		}
		is := name.String()
		if is == "params" || is == "result" {
			return nil
		}
		value, err := dec.ReadValue()
		if err != nil {
			return nil
		}
		if is == "id" {
			return usableID(value.Clone())
		}
	}
}

// measure fails if a message has so many levels or values that to decode it could take much time or
// memory. The line is valid JSON.
func measure(line []byte) error {
	depth, values, text := 0, 0, false
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case text && b == '\\':
			i++
		case b == '"':
			text = !text
		case text:
		case b == '{' || b == '[':
			depth++
			values++
		case b == '}' || b == ']':
			depth--
		case b == ',' || b == ':':
			values++
		}
		if depth > maxDepth || values > maxValues {
			return ErrTooComplex
		}
	}
	return nil
}

// lines reads a stream by lines of bounded length.
type lines struct {
	src  *bufio.Reader
	max  int
	skip bool // the rest of the line is to be skipped
}

func newLines(r io.Reader, max int) *lines {
	return &lines{src: bufio.NewReaderSize(r, 64<<10), max: max}
}

// next returns the next line without its end, which may be missing at the end of the stream: then it
// comes with the error. Of a line that is too long it returns the first bytes with [ErrTooLong], as
// soon as it is too long.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.src.ReadSlice('\n')
		more := err == bufio.ErrBufferFull
		switch {
		case l.skip:
			l.skip = more
			if err != nil && !more {
				return nil, err
			}
			continue
		case len(line)+len(part) > l.max+1:
			l.skip = more
			return append(line, part...)[:min(prefix, l.max)], ErrTooLong
		case line == nil && !more:
			return bytes.TrimSuffix(bytes.Clone(part), []byte("\n")), err
		}
		line = append(line, part...)
		if !more {
			return bytes.TrimSuffix(line, []byte("\n")), err
		}
	}
}
