package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"redline/internal/lazyregexp"
)

// Limits of one reply's stream, in bytes.
const (
	maxLine = 4 << 20
	maxBody = 64 << 20
)

// events is the body of a reply for go-openai: the server-sent events (WHATWG HTML section 9.2)
// in a form that go-openai can read. It leaves out comments, blank lines and fields other than
// data, since go-openai gives up after a few hundred of them in a row. An answer that is no
// event stream becomes an error, not an early end.
type events struct {
	from  io.ReadCloser
	lines *bufio.Reader
	by    *transport
	watch *exchange

	read  int    // bytes of the body so far
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

// streamedFailure finds an error that is sent as an event.
var streamedFailure = lazyregexp.New(`^\{\s*"error"\s*:\s*[^\sn]`) // not null

// next returns the next line worth passing on, with its line ending.
func (e *events) next() ([]byte, error) {
	line, err := e.nextLine()
	line = bytes.TrimSpace(line)
	payload, isData := bytes.CutPrefix(line, []byte("data:"))
	payload = bytes.TrimSpace(payload)
	switch {
	case isData && streamedFailure().Match(payload):
		return nil, e.failure(payload)
	case isData && len(payload) == 0: // shows that the provider is alive
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

// beyond collects the parts of a reply that go-openai does not read.
type beyond struct {
	cost   float64           // the cost of the request, if the provider reports it; else 0
	extras map[string]string // call, by its id or by its index → its extra_content
}

// uncommon are strings that occur in chunks with such parts.
var uncommon = [][]byte{
	[]byte(`"reasoning"`), []byte(`"extra_content"`), []byte(`"cost"`),
	[]byte(`"content":[`), []byte(`"content": [`), []byte(`"thinking"`),
}

// common converts a chunk to the form that go-openai reads. It takes out what go-openai does not
// read: thoughts in a field named reasoning, text in parts, costs, and what a provider wants
// back with a call. A payload that is not a chunk is returned unchanged.
func (b *beyond) common(payload []byte) []byte {
	looked := false
	for _, mark := range uncommon {
		looked = looked || bytes.Contains(payload, mark)
	}
	if !looked {
		return payload
	}
	var chunk map[string]any
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.UseNumber()
	if dec.Decode(&chunk) != nil {
		return payload
	}
	if usage, ok := chunk["usage"].(map[string]any); ok {
		if cost, ok := usage["cost"].(json.Number); ok {
			if f, err := cost.Float64(); err == nil && f > 0 {
				b.cost = f
			}
		}
	}
	choices, _ := chunk["choices"].([]any)
	for _, choice := range choices {
		if c, ok := choice.(map[string]any); ok {
			if delta, ok := c["delta"].(map[string]any); ok {
				b.delta(delta)
			}
		}
	}
	out, err := json.Marshal(chunk)
	if err != nil { // what was decoded can be encoded
		return payload
	}
	return out
}

// delta converts one choice's part of a chunk.
func (b *beyond) delta(delta map[string]any) {
	thought, _ := delta["reasoning_content"].(string)
	if other, ok := delta["reasoning"].(string); ok && thought == "" {
		thought = other
	}
	if parts, ok := delta["content"].([]any); ok {
		var text strings.Builder
		for _, part := range parts {
			p, _ := part.(map[string]any)
			if p["type"] == "thinking" {
				thought += textOf(p["thinking"])
			} else {
				text.WriteString(textOf(p["text"]))
			}
		}
		delta["content"] = text.String()
	}
	if thought != "" {
		delta["reasoning_content"] = thought
	}
	calls, _ := delta["tool_calls"].([]any)
	for i, call := range calls {
		c, _ := call.(map[string]any)
		extra, ok := c["extra_content"]
		if !ok {
			continue
		}
		doc, err := json.Marshal(extra)
		if err != nil || len(doc) > maxErrorBody {
			continue
		}
		if b.extras == nil {
			b.extras = map[string]string{}
		}
		if id, _ := c["id"].(string); id != "" {
			b.extras[id] = string(doc)
			continue
		}
		index := strconv.Itoa(i)
		if n, ok := c["index"].(json.Number); ok {
			index = n.String()
		}
		b.extras["#"+index] = string(doc)
	}
}

// textOf returns the text of a part, which is a string or an array of parts.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var all strings.Builder
		for _, part := range v {
			if p, ok := part.(map[string]any); ok {
				all.WriteString(textOf(p["text"]))
			}
		}
		return all.String()
	}
	return ""
}

// asEvents converts a reply that came whole, as a chat completion, to the events of a stream. ok
// is false if body is not a complete reply.
func asEvents(body []byte) (events []byte, ok bool) {
	var whole struct {
		Choices []struct {
			Index   int                        `json:"index"`
			Message map[string]json.RawMessage `json:"message"`
			Finish  string                     `json:"finish_reason"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
	}
	if json.Unmarshal(body, &whole) != nil || len(whole.Choices) == 0 {
		return nil, false
	}
	choice := whole.Choices[0]
	if choice.Message == nil || choice.Finish == "" {
		return nil, false
	}
	var calls []map[string]json.RawMessage
	if json.Unmarshal(choice.Message["tool_calls"], &calls) == nil && len(calls) > 0 {
		for i := range calls {
			calls[i]["index"] = json.RawMessage(fmt.Sprint(i))
		}
		choice.Message["tool_calls"], _ = json.Marshal(calls) // it was just decoded
	}
	chunk := map[string]any{"choices": []any{map[string]any{"index": 0, "delta": choice.Message, "finish_reason": choice.Finish}}}
	if len(whole.Usage) > 0 {
		chunk["usage"] = whole.Usage
	}
	data, err := json.Marshal(chunk)
	return data, err == nil
}
