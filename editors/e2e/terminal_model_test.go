package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// paced is a model on loopback that continues only when the test lets it: step by step it reads a
// file, says what it has found, renames greet to salute in two files, and answers.
type paced struct {
	on    chan struct{}
	asked chan string // the last message of each new turn
}

// withPaced makes the world use a paced model.
func (w *world) withPaced() *paced {
	m := &paced{make(chan struct{}), make(chan string, 100)}
	server := httptest.NewServer(http.HandlerFunc(m.answer))
	w.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	w.env = append(w.env, "OPENAI_BASE_URL="+server.URL+"/v1", "REDLINE_MODEL=paced")
	return m
}

// next lets the model take its next step; then the model waits again.
func (m *paced) next(t *testing.T) {
	t.Helper()
	happens(t, "the model goes on", m.on, func() string { return "" })
}

func (m *paced) answer(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, "no request", http.StatusBadRequest)
		return
	}
	results := 0
	for _, message := range request.Messages {
		if message.Role == "tool" {
			results++
		}
	}
	wait := func() {
		select {
		case m.on <- struct{}{}:
		case <-r.Context().Done():
		}
	}
	calls := 0
	call := func(name string, arguments map[string]any) {
		text, _ := json.Marshal(arguments) // strings and a bool
		say(w, map[string]any{"tool_calls": []any{map[string]any{
			"index": calls, "id": fmt.Sprintf("call%d_%d", results, calls), "type": "function", "function": map[string]any{"name": name, "arguments": string(text)},
		}}}, "")
		calls++
	}
	rename := func(path string) {
		call("edit_file", map[string]any{"path": path, "old_string": "greet(", "new_string": "salute(", "replace_all": true})
	}
	w.Header().Set("Content-Type", "text/event-stream")
	wait()
	switch results {
	case 0:
		m.asked <- fmt.Sprint(request.Messages[len(request.Messages)-1].Content)
		say(w, map[string]any{"content": "I look who greets first."}, "")
		wait()
		call("read_file", map[string]any{"path": "greet.go"})
		call("read_file", map[string]any{"path": "call.go"})
		wait()
		say(w, map[string]any{}, "tool_calls")
	case 2:
		say(w, map[string]any{"content": "Two files do."}, "")
		rename("greet.go")
		rename("call.go")
		say(w, map[string]any{}, "tool_calls")
	default:
		say(w, map[string]any{"content": "Everybody is "}, "")
		wait()
		say(w, map[string]any{"content": "saluted now."}, "stop")
	}
}

// greeters are the files that the paced model changes: two hunks that are far from each other, and
// two that are close together.
var greeters = map[string]string{
	"greet.go": `package greet

func greet(name string) string {
	return "Hello, " + name
}

// The rest of the file is about
// those who are greeted, one by one:
// the world, and everybody
// who reads it.

func world() string {
	return greet("world")
}
`,
	"call.go": `package greet

func both() string {
	one := greet("one")
	and := " and "
	two := greet("two")
	return one + and + two
}
`,
}
