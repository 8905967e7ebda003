package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/agent/model"
)

// llama starts llama.cpp's server with the small model that .ci/install-llama installs, and returns
// its base URL. The model was not trained to follow instructions: its words do not matter here, the
// protocol does.
func llama(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("REDLINE_LLAMA")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Skipf("there is no cache directory to look for llama.cpp's server in: %v", err)
		}
		dir = filepath.Join(cache, "redline-llama")
	}
	program, weights := filepath.Join(dir, "bin", "llama-server"), filepath.Join(dir, "model.gguf")
	for _, file := range []string{program, weights} {
		if _, err := os.Stat(file); err != nil {
			t.Skipf("%s is missing: .ci/install-llama installs it", file)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	var log bytes.Buffer
	server := exec.Command(program, "--model", weights, "--host", "127.0.0.1", "--port", fmt.Sprint(port),
		"--jinja", "--chat-template-file", filepath.Join("testdata", "llama.jinja"), "--ctx-size", "4096", "--parallel", "1", "--threads", "1", "--no-webui")
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatalf("llama.cpp's server is installed and does not start: %v", err)
	}
	done := make(chan struct{})
	go func() { _ = server.Wait(); close(done) }()
	t.Cleanup(func() { _ = server.Process.Kill(); <-done })
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	for deadline := time.Now().Add(3 * time.Minute); ; {
		response, err := http.Get(base + "/health")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return base + "/v1"
			}
		}
		select {
		case <-done:
			t.Fatalf("llama.cpp's server has ended:\n%s", log.String())
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatal("llama.cpp's server does not get ready")
		}
	}
}

// adding adds members to the body of each request: Redline does not send the options that make such
// a small model predictable.
type adding map[string]any

func (a adding) RoundTrip(r *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, err
	}
	for name, value := range a {
		body[name] = value
	}
	if data, err = json.Marshal(body); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	return http.DefaultTransport.RoundTrip(r)
}

// A server that this project did not write.
func TestLlama(t *testing.T) {
	base := llama(t)
	greedy := adding{"temperature": 0, "seed": 1}
	provider := func(c model.Config) model.Provider {
		c.BaseURL, c.Silence = base, 5*time.Minute
		if c.Transport == nil && c.Replay == "" {
			c.Transport = greedy
		}
		return model.New(c)
	}
	capital := func(tokens int) model.Request {
		return model.Request{MaxTokens: tokens, Messages: []model.Message{
			{Role: model.RoleSystem, Content: "You answer shortly."}, {Role: model.RoleUser, Content: "The capital of France is"},
		}}
	}
	recording := t.TempDir()
	var streamed model.Reply
	t.Run("streaming", func(t *testing.T) {
		var events []model.Event
		reply, err := provider(model.Config{Name: "small", Record: recording}).Complete(t.Context(), capital(8), func(e model.Event) { events = append(events, e) })
		if err != nil || reply.Text == "" || reply.Usage.Prompt == 0 || reply.Usage.Completion == 0 || reply.Finish == "" {
			t.Fatalf("got %+v, %v", reply, err)
		}
		if len(events) < 3 {
			t.Errorf("the reply came in %d pieces", len(events))
		}
		checkEvents(t, events, reply)
		streamed = reply
		t.Logf("it says %q, with %+v", reply.Text, reply.Usage)
	})
	t.Run("recorded and replayed", func(t *testing.T) {
		again, err := provider(model.Config{Replay: recording}).Complete(t.Context(), capital(8), nil)
		if diff := cmp.Diff(streamed, again); err != nil || diff != "" {
			t.Errorf("%v, replayed (-recorded +replayed):\n%s", err, diff)
		}
	})
	t.Run("as a whole", func(t *testing.T) {
		reply, err := provider(model.Config{Stream: model.TakesOff}).Complete(t.Context(), capital(8), nil)
		if err != nil || reply.Text != streamed.Text || reply.Finish != streamed.Finish || reply.Usage.Completion != streamed.Usage.Completion {
			t.Errorf("got %+v, %v; streamed it was %+v", reply, err, streamed)
		}
	})
	t.Run("a name that it does not know", func(t *testing.T) { // with one model it accepts any name
		reply, err := provider(model.Config{Name: "no-such-model"}).Complete(t.Context(), capital(1), nil)
		if err != nil || reply.Finish == "" {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
	t.Run("an address that it does not know", func(t *testing.T) {
		p := model.New(model.Config{BaseURL: strings.TrimSuffix(base, "/v1") + "/v2", Name: "small"})
		_, err := p.Complete(t.Context(), capital(1), nil)
		wantKind(t, err, model.KindNotFound)
	})
	t.Run("tool calls", func(t *testing.T) { // with a grammar: without one it makes no call
		tool := model.Tool{Name: "read_file", Description: "Reads a file.", Parameters: json.RawMessage(
			`{"type":"object","properties":{"path":{"type":"string","maxLength":12}},"required":["path"],"additionalProperties":false}`)}
		request := model.Request{Tools: []model.Tool{tool}, MaxTokens: 60, Messages: []model.Message{{Role: model.RoleUser, Content: "Read the file a.txt"}}}
		forced := adding{"temperature": 0, "seed": 1, "tool_choice": "required", "parallel_tool_calls": false}
		reply, err := provider(model.Config{Transport: forced}).Complete(t.Context(), request, nil)
		if err != nil || len(reply.Calls) == 0 {
			t.Fatalf("got %+v, %v", reply, err)
		}
		c := reply.Calls[0]
		var args struct{ Path *string }
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil || args.Path == nil || c.Name != "read_file" || c.ID == "" {
			t.Errorf("it calls %+v, %v", c, err)
		}
		// The server accepts the answer to the call too.
		request.Messages = append(request.Messages, model.Message{Role: model.RoleAssistant, Content: reply.Text, Calls: reply.Calls[:1]},
			model.Message{Role: model.RoleTool, CallID: c.ID, Content: "it is empty"})
		request.MaxTokens = 4
		if reply, err := provider(model.Config{}).Complete(t.Context(), request, nil); err != nil || reply.Finish == "" {
			t.Errorf("after the answer to a call: %+v, %v", reply, err)
		}
	})
	t.Run("cancellation", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var began time.Time
		reply, err := provider(model.Config{}).Complete(ctx, capital(2000), func(model.Event) {
			if began.IsZero() {
				began = time.Now()
				cancel()
			}
		})
		if err != context.Canceled || reply.Finish != "" {
			t.Errorf("got %+v, %v", reply, err)
		}
		if took := time.Since(began); took > 500*time.Millisecond {
			t.Errorf("it took %v to end", took)
		}
		// Its only slot is free again, long before 2,000 tokens are written.
		ctx, cancel = context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		if _, err := provider(model.Config{}).Complete(ctx, capital(1), nil); err != nil {
			t.Errorf("the next request: %v", err)
		}
	})
	t.Run("too long a request", func(t *testing.T) {
		request := capital(1)
		request.Messages[1].Content = strings.Repeat("word ", 6000)
		_, err := provider(model.Config{}).Complete(t.Context(), request, nil)
		e := wantKind(t, err, model.KindTooLong)
		t.Log(e)
	})
}
