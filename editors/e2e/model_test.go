package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// scripted is a model on loopback that knows two requests: one renames greet to salute in a file,
// the other is never answered, until the client gives up.
type scripted struct {
	begun chan struct{} // one token for each request that gets no answer
	left  chan struct{} // one token for each of them that the client cancelled
}

// The requests that the scripted model knows.
const (
	renameIn = "Rename greet to salute in " // followed by the names of files, with " and " between them
	think    = "Think about greetings"
)

// withScripted makes the world's editors use a scripted model.
func (w *world) withScripted() {
	m := &scripted{make(chan struct{}, 10), make(chan struct{}, 10)}
	server := httptest.NewServer(http.HandlerFunc(m.answer))
	w.t.Cleanup(func() {
		server.CloseClientConnections() // a server that has not ended yet may still wait
		server.Close()
	})
	w.env = append(w.env, "OPENAI_BASE_URL="+server.URL+"/v1", "REDLINE_MODEL=scripted")
	w.model = m
}

func (m *scripted) answer(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || len(request.Messages) == 0 {
		http.Error(w, "no request", http.StatusBadRequest)
		return
	}
	last := request.Messages[len(request.Messages)-1]
	content := fmt.Sprint(last.Content)
	w.Header().Set("Content-Type", "text/event-stream")
	switch _, file, renames := strings.Cut(content, renameIn); {
	case last.Role == "tool":
		say(w, map[string]any{"content": "Everybody is saluted."}, "stop")
	case renames:
		var calls []any
		words := strings.Fields(file)
		for i := 0; i < len(words) && (i == 0 || words[i-1] == "and"); i += 2 {
			name := strings.TrimRight(words[i], ".,")
			arguments, _ := json.Marshal(map[string]any{"path": name, "old_string": "greet", "new_string": "salute", "replace_all": true}) // a map of strings
			calls = append(calls, map[string]any{
				"index": i / 2, "id": fmt.Sprintf("call%d", 1+i/2), "type": "function", "function": map[string]any{"name": "edit_file", "arguments": string(arguments)},
			})
		}
		say(w, map[string]any{"tool_calls": calls}, "tool_calls")
	case strings.Contains(content, think):
		m.begun <- struct{}{}
		for n := 1; ; n++ {
			say(w, map[string]any{"content": fmt.Sprintf("thought %d\n", n)}, "")
			select {
			case <-r.Context().Done():
				m.left <- struct{}{}
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	default:
		say(w, map[string]any{"content": "I know nothing about that."}, "stop")
	}
}

// say sends a piece of a reply; finish is the reply's finish reason, "" if the reply continues.
func say(w http.ResponseWriter, delta map[string]any, finish string) {
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": nil}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	chunk, _ := json.Marshal(map[string]any{"id": "r", "object": "chat.completion.chunk", "model": "scripted", "choices": []any{choice}}) // maps and strings
	fmt.Fprintf(w, "data: %s\n\n", chunk)
	if finish != "" {
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
	w.(http.Flusher).Flush()
}

// happens waits for a token.
func happens(t *testing.T, what string, token <-chan struct{}, screen func() string) {
	t.Helper()
	select {
	case <-token:
	case <-time.After(patience):
		t.Fatalf("waited in vain until %s; the screen:\n%s", what, screen())
	}
}
