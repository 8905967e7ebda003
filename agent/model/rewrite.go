package model

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// rewrite puts into a request's body what go-openai does not write: that no
// stream is wanted, and what goes back with the calls. It returns a request of
// its own.
func rewrite(req *http.Request, x *exchange) (*http.Request, error) {
	if !x.whole && len(x.extras) == 0 {
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
	if len(x.extras) > 0 {
		if body["messages"], err = withExtras(body["messages"], x.extras); err != nil {
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

// withExtras puts what came with the calls of a conversation back to them.
func withExtras(messages json.RawMessage, extras map[string]string) (json.RawMessage, error) {
	var all []map[string]json.RawMessage
	if err := json.Unmarshal(messages, &all); err != nil {
		return nil, err
	}
	for _, m := range all {
		if m["tool_calls"] == nil {
			continue
		}
		var calls []map[string]json.RawMessage
		if err := json.Unmarshal(m["tool_calls"], &calls); err != nil {
			return nil, err
		}
		for _, c := range calls {
			var id string
			if json.Unmarshal(c["id"], &id) == nil && extras[id] != "" {
				c["extra_content"] = json.RawMessage(extras[id])
			}
		}
		doc, err := json.Marshal(calls)
		if err != nil {
			return nil, err
		}
		m["tool_calls"] = doc
	}
	return json.Marshal(all)
}

// extrasOf collects what goes back with the calls of a conversation.
func extrasOf(messages []Message) map[string]string {
	var extras map[string]string
	for _, m := range messages {
		for _, c := range m.Calls {
			if c.Extra == "" || !json.Valid([]byte(c.Extra)) {
				continue
			}
			if extras == nil {
				extras = map[string]string{}
			}
			extras[c.ID] = c.Extra
		}
	}
	return extras
}
