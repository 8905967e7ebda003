package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"redline/agent/plan"
	"redline/agent/store"
	"redline/edits"
)

// handler answers a request with a value, which becomes JSON, or with an error that is one sentence.
type handler func(r *http.Request) (any, error)

// problem is an error with the status that the page gets.
type problem struct {
	status int
	text   string
}

func (p *problem) Error() string { return p.text }

// malformed is the error of a request that the page never sends.
func malformed(text string) error { return &problem{http.StatusBadRequest, text} }

// answering makes a handler serve JSON.
func answering(handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := handle(r)
		if err != nil {
			fail(w, statusOf(err), err.Error())
			return
		}
		write(w, http.StatusOK, answer)
	}
}

// raw is an answer whose texts are sent as they are, to be edited.
type raw map[string]any

// statusOf returns the status for an error: 409 if the plan is another one than the page shows.
func statusOf(err error) int {
	if p, ok := errors.AsType[*problem](err); ok {
		return p.status
	}
	if refused, ok := errors.AsType[*plan.Refusal](err); ok {
		if refused.Kind == plan.HashMismatch || refused.Kind == plan.Stale {
			return http.StatusConflict
		}
		return http.StatusUnprocessableEntity
	}
	if errors.Is(err, store.ErrChanged) {
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

func fail(w http.ResponseWriter, status int, text string) {
	write(w, status, map[string]any{"error": edits.Visible(text)})
}

// write sends a value as JSON, with the hidden characters of its texts written out.
func write(w http.ResponseWriter, status int, v any) {
	data, err := encode(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"The answer cannot be written."}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// encode returns a value as JSON in which no text holds a hidden character, which could make a line
// look like another one, or a mark of HTML.
func encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if _, ok := v.(raw); ok || err != nil {
		return data, err
	}
	var read any
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil {
		return nil, err
	}
	return json.Marshal(visible(read))
}

// visible writes out the hidden characters in the texts of a value of JSON.
func visible(v any) any {
	switch v := v.(type) {
	case string:
		return edits.Visible(v)
	case []any:
		for i := range v {
			v[i] = visible(v[i])
		}
	case map[string]any:
		for name, value := range v {
			v[name] = visible(value)
			if name == "command" {
				if line, ok := value.(string); ok {
					v[name] = edits.VisibleCommand(line)
				}
			}
		}
	}
	return v
}

// read reads the body of a request: one value of JSON without unknown members.
func read[T any](r *http.Request) (T, error) {
	var v T
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return v, &problem{http.StatusUnsupportedMediaType, "The request is not JSON."}
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&v)
	if err == nil {
		if _, after := decoder.Token(); after != io.EOF {
			err = errors.New("more follows")
		}
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return v, &problem{http.StatusRequestEntityTooLarge, "The request is too large."}
	}
	if err != nil {
		return v, malformed("The request cannot be read.")
	}
	return v, nil
}
