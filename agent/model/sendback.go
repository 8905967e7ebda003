package model

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
)

// back is what is sent back with one reply that has calls.
type back struct {
	reply map[string]json.RawMessage // members of the message
	calls []json.RawMessage          // extra_content of each call, nil for none
}

// sentBack collects what is sent back with the replies of a conversation that have calls, in
// order. Ids cannot name the calls, since some providers use the same in each reply.
func sentBack(messages []Message) []back {
	var all []back
	some := false
	for _, m := range messages {
		if len(m.Calls) == 0 {
			continue
		}
		b := back{calls: make([]json.RawMessage, len(m.Calls))}
		if m.Extra != "" && json.Unmarshal([]byte(m.Extra), &b.reply) != nil {
			b.reply = nil
		}
		some = some || len(b.reply) > 0
		for i, c := range m.Calls {
			if c.Extra != "" && json.Valid([]byte(c.Extra)) {
				b.calls[i], some = json.RawMessage(c.Extra), true
			}
		}
		all = append(all, b)
	}
	if !some {
		return nil
	}
	return all
}

// rewrite adds to a request's body what go-openai does not write: that no stream is wanted, and
// what is sent back with the model's replies. It returns a new request.
func rewrite(req *http.Request, x *exchange) (*http.Request, error) {
	if !x.whole && len(x.back) == 0 {
		return req, nil
	}
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, err
	}
	if x.whole {
		body["stream"] = json.RawMessage("false")
		delete(body, "stream_options")
	}
	if len(x.back) > 0 {
		if body["messages"], err = withBack(body["messages"], x.back); err != nil {
			return nil, err
		}
	}
	if data, err = json.Marshal(body); err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(data))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	req.ContentLength = int64(len(data))
	return req, nil
}

// withBack adds to the messages of a request what is sent back with those that have calls. A
// model without tools gets no calls, so nothing is sent back to it.
func withBack(messages json.RawMessage, all []back) (json.RawMessage, error) {
	var out []map[string]json.RawMessage
	if err := json.Unmarshal(messages, &out); err != nil {
		return nil, err
	}
	for _, m := range out {
		if m["tool_calls"] == nil || len(all) == 0 {
			continue
		}
		b := all[0]
		all = all[1:]
		maps.Copy(m, b.reply)
		var calls []map[string]json.RawMessage
		if err := json.Unmarshal(m["tool_calls"], &calls); err != nil {
			return nil, err
		}
		for i, c := range calls {
			if i < len(b.calls) && b.calls[i] != nil {
				c["extra_content"] = b.calls[i]
			}
		}
		doc, err := json.Marshal(calls)
		if err != nil {
			return nil, err
		}
		m["tool_calls"] = doc
	}
	return json.Marshal(out)
}
