package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/model"
)

// fake is the test's own endpoint: its answers to each path, besides chat completions.
type fake struct {
	calls   bool // it calls tools
	refuses bool // it refuses tools, as llama.cpp without --jinja
	whole   bool // it answers with a whole reply
	endless bool // it never ends its reply
	pages   map[string]string

	asked atomic.Int32 // number of replies that were requested
	key   atomic.Value // the Authorization header of the last request
}

func (f *fake) start(t *testing.T) (base string) {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.key.Store(r.Header.Get("Authorization"))
	if r.URL.Path != "/v1/chat/completions" {
		page, ok := f.pages[r.Method+" "+r.URL.Path]
		if !ok {
			http.Error(w, `{"error":{"message":"no such page"}}`, http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, page)
		return
	}
	f.asked.Add(1)
	var body struct {
		Tools    []any
		Messages []struct{ Role string }
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	if f.refuses && len(body.Tools) > 0 {
		http.Error(w, `{"error":{"message":"tools param requires --jinja flag"}}`, http.StatusInternalServerError)
		return
	}
	message := `"content":"It says hello."`
	if f.calls && body.Messages[len(body.Messages)-1].Role == "user" {
		message = `"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"hello.txt\"}"}}]`
	}
	if f.whole {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",%s}}]}`, message)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",%s}}]}\n\n", message)
	for f.endless && r.Context().Err() == nil {
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" And so on.\"}}]}\n\n")
		w.(http.Flusher).Flush()
	}
	fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

func TestCheck(t *testing.T) {
	const (
		running = `{"models":[{"name":"small:latest","model":"small:latest","context_length":%d}]}`
		good    = `{"default_generation_settings":{"n_ctx":32768}}`
	)
	for name, c := range map[string]struct {
		fake *fake
		want model.Report
		warn []string // a part of each warning
	}{
		"all that is needed": {&fake{calls: true, pages: map[string]string{"GET /props": good}}, model.Report{Answer: "It says hello.", Tools: true, Streaming: true, Context: 32768}, nil},
		"no window known":    {&fake{calls: true}, model.Report{Answer: "It says hello.", Tools: true, Streaming: true}, nil},
		"llama.cpp's default": {&fake{calls: true, pages: map[string]string{"GET /props": `{"default_generation_settings":{"n_ctx":4096}}`}},
			model.Report{Answer: "It says hello.", Tools: true, Streaming: true, Context: 4096}, []string{"reads 4,096 tokens at once and Redline needs 16,384 or more: start llama-server with -c 32768"}},
		"Ollama's default": {&fake{calls: true, pages: map[string]string{"GET /api/ps": fmt.Sprintf(running, 4096)}},
			model.Report{Answer: "It says hello.", Tools: true, Streaming: true, Context: 4096}, []string{"OLLAMA_CONTEXT_LENGTH=32768, or make a model of your own with the line PARAMETER num_ctx 32768 in a Modelfile"}},
		"Ollama, as it is to be": {&fake{calls: true, pages: map[string]string{"GET /api/ps": fmt.Sprintf(running, 32768)}}, model.Report{Answer: "It says hello.", Tools: true, Streaming: true, Context: 32768}, nil},
		"an older Ollama with a Modelfile": {&fake{calls: true, pages: map[string]string{"GET /api/ps": fmt.Sprintf(running, 0), "POST /api/show": `{"parameters":"stop \"x\"\nnum_ctx                        65536\n"}`}},
			model.Report{Answer: "It says hello.", Tools: true, Streaming: true, Context: 65536}, nil},
		"an older Ollama": {&fake{calls: true, pages: map[string]string{"GET /api/ps": `{"models":[]}`, "POST /api/show": `{"parameters":"stop \"x\""}`}},
			model.Report{Answer: "It says hello.", Tools: true, Streaming: true}, []string{"Ollama does not say"}},
		"LM Studio": {&fake{calls: true, pages: map[string]string{"GET /api/v0/models": `{"data":[{"id":"small","loaded_context_length":8192}]}`}},
			model.Report{Answer: "It says hello.", Tools: true, Streaming: true, Context: 8192}, []string{"in LM Studio"}},
		"vLLM": {&fake{calls: true, pages: map[string]string{"GET /v1/models": `{"data":[{"id":"small","max_model_len":40960}]}`}},
			model.Report{Answer: "It says hello.", Tools: true, Streaming: true, Context: 40960}, nil},
		"no call":      {&fake{}, model.Report{Answer: "It says hello.", Streaming: true}, []string{"did not call the tool"}},
		"no tools":     {&fake{refuses: true, pages: map[string]string{"GET /props": good}}, model.Report{Streaming: true, Context: 32768}, []string{"takes no tools, so its edits may be worse: choose a model with tools, and start llama-server with --jinja"}},
		"not streamed": {&fake{calls: true, whole: true}, model.Report{Answer: "It says hello.", Tools: true}, []string{"does not stream"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := model.Check(t.Context(), model.Config{BaseURL: c.fake.start(t), Name: "small", APIKey: "sk-1234"})
			if err != nil {
				t.Fatal(err)
			}
			if got.OK() != (c.warn == nil) || len(got.Warnings) != len(c.warn) {
				t.Fatalf("warnings: %q, want %q", got.Warnings, c.warn)
			}
			for i, part := range c.warn {
				if !strings.Contains(got.Warnings[i], part) {
					t.Errorf("warning %q, want %q in it", got.Warnings[i], part)
				}
			}
			if got.Warnings = nil; !cmp.Equal(got, c.want) {
				t.Errorf("-want +got\n%s", cmp.Diff(c.want, got))
			}
			if c.fake.key.Load() != "Bearer sk-1234" {
				t.Errorf("the last request had %q", c.fake.key.Load())
			}
		})
	}
}

func TestCheckOfOneThatDoesNotAnswer(t *testing.T) {
	f := &fake{pages: map[string]string{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "sk-1234", http.StatusUnauthorized) }))
	defer server.Close()
	_, err := model.Check(t.Context(), model.Config{BaseURL: server.URL, Name: "small", APIKey: "sk-1234", KeyFrom: "MINE"})
	if err == nil || !strings.Contains(err.Error(), "refused the key (401): check MINE.") || strings.Contains(err.Error(), "sk-1234") {
		t.Errorf("got %v", err)
	}
	if f.asked.Load() != 0 {
		t.Error("another was asked")
	}
}

// A small model may never finish a reply.
func TestCheckOfOneThatBabbles(t *testing.T) {
	f := &fake{endless: true}
	r, err := model.Check(t.Context(), model.Config{BaseURL: f.start(t), Name: "small"})
	if err != nil || !strings.HasPrefix(r.Answer, "It says hello. And so on.") || len(r.Answer) > 210 || r.Tools {
		t.Errorf("%+v, %v", r, err)
	}
}

// Redline understands what llama.cpp's server reports about itself, whatever its model answers.
func TestCheckOfLlama(t *testing.T) {
	r, err := model.Check(t.Context(), model.Config{BaseURL: llama(t), Name: "default", Transport: inShort{}})
	if err != nil || r.Context != 4096 || !r.Streaming || r.OK() || !strings.Contains(strings.Join(r.Warnings, " "), "start llama-server with -c 32768") {
		t.Errorf("%+v, %v", r, err)
	}
}

// inShort asks for a tenth of what Check asks for: a model that knows no end takes a minute to write all of it.
type inShort struct{}

func (inShort) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		return http.DefaultTransport.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	short := r.Clone(r.Context())
	body = bytes.Replace(body, []byte(`"max_tokens":512`), []byte(`"max_tokens":50`), 1)
	short.Body, short.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	short.GetBody = nil
	return http.DefaultTransport.RoundTrip(short)
}

func TestList(t *testing.T) {
	f := &fake{pages: map[string]string{"GET /v1/models": `{"object":"list","data":[{"id":"b"},{"id":"text-embedding-3-small"},{"id":"a"},{"id":"whisper-1"},{"id":"b"},{"id":""}]}`}}
	names, err := model.List(t.Context(), model.Config{BaseURL: f.start(t), APIKey: "sk-1234"})
	if err != nil || !cmp.Equal(names, []string{"b", "a"}) || f.key.Load() != "Bearer sk-1234" {
		t.Errorf("got %q, %v, asked with %q", names, err, f.key.Load())
	}
	for name, c := range map[string]struct{ page, want string }{
		"none":      {"", "check REDLINE_MODEL and OPENAI_BASE_URL"},
		"not JSON":  {"yes", "not the JSON"},
		"something": {`{"ok":true}`, "no list of models"},
	} {
		f := &fake{pages: map[string]string{"GET /v1/models": c.page}}
		if c.page == "" {
			f.pages = nil
		}
		_, err := model.List(t.Context(), model.Config{BaseURL: f.start(t)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := model.List(t.Context(), model.Config{BaseURL: "nonsense"}); err == nil {
		t.Error("an address that is none was asked")
	}
}

// printing returns a command that prints the content of a file, and adds a line to another file
// each time.
func printing(t *testing.T, text string) (command []string, times func() int) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("this test runs sh: run it on Linux or macOS")
	}
	dir := t.TempDir()
	file, log := filepath.Join(dir, "key"), filepath.Join(dir, "log")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"sh", "-c", `echo . >> "$1"; cat "$0"`, file, log}, func() int {
		data, _ := os.ReadFile(log)
		return strings.Count(string(data), ".")
	}
}

func TestKeyCommandIsRunOnceAtTheFirstRequest(t *testing.T) {
	f := &fake{}
	command, times := printing(t, "\n  sk-1234 \r\nnotes: none\n")
	p := model.New(model.Config{BaseURL: f.start(t), Name: "small", KeyCommand: command})
	if times() != 0 {
		t.Fatal("it was run before the first request")
	}
	for range 2 {
		reply, err := p.Complete(t.Context(), model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}}}, nil)
		if err != nil || reply.Text != "It says hello." {
			t.Fatalf("%+v, %v", reply, err)
		}
		if f.key.Load() != "Bearer sk-1234" {
			t.Errorf("asked with %q", f.key.Load())
		}
	}
	if times() != 1 {
		t.Errorf("it was run %d times", times())
	}
}

func TestKeyCommandThatFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this test runs sh: run it on Linux or macOS")
	}
	for name, c := range map[string]struct {
		command []string
		want    string
	}{
		"there is none": {[]string{"no-such-program-here", "sk-1234"}, "there is no program `no-such-program-here` on the PATH"},
		"it fails":      {[]string{"sh", "-c", "echo sk-1234; echo sk-1234 >&2; exit 3"}, "`sh` failed (exit status 3)"},
		"nothing":       {[]string{"sh", "-c", "true sk-1234"}, "`sh` printed nothing"},
		"too much":      {[]string{"sh", "-c", "yes sk-1234 | head -c 100000"}, "`sh` printed more than a key"},
		"no key":        {[]string{"sh", "-c", "echo no such entry"}, "it has spaces"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			p := model.New(model.Config{BaseURL: f.start(t), Name: "small", KeyCommand: c.command})
			_, err := p.Complete(t.Context(), model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}}}, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "api_key_command in [model]") || strings.Contains(err.Error(), "sk-1234") {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if f.asked.Load() != 0 {
				t.Error("the provider was asked without a key")
			}
			if !model.Failed(err) {
				t.Error("it is no failure of the provider's: the exit status would be wrong")
			}
		})
	}
}

// A command that failed, for example because its keychain was locked, runs again at the next
// request.
func TestKeyCommandIsTriedAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this test runs sh: run it on Linux or macOS")
	}
	f := &fake{}
	file := filepath.Join(t.TempDir(), "key")
	p := model.New(model.Config{BaseURL: f.start(t), Name: "small", KeyCommand: []string{"cat", file}})
	ask := func() error {
		_, err := p.Complete(t.Context(), model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}}}, nil)
		return err
	}
	if err := ask(); err == nil {
		t.Fatal("there is no key yet")
	}
	if err := os.WriteFile(file, []byte("sk-1234"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ask(); err != nil || f.key.Load() != "Bearer sk-1234" {
		t.Errorf("%v, asked with %q", err, f.key.Load())
	}
}
