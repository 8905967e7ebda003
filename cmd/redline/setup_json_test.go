package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/config"
)

// endpoint is the test's own provider, which requires a key.
func endpoint(t *testing.T, key string) (base string) {
	t.Helper()
	authorization := "Bearer " + key
	if key == "" {
		authorization = ""
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != authorization:
			http.Error(w, `{"error":{"message":"bad key"}}`, http.StatusUnauthorized)
		case r.URL.Path == "/v1/models":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"data":[{"id":"a"},{"id":"b"},{"id":"text-embedding-1"}]}`)
		case r.URL.Path == "/props":
			fmt.Fprint(w, `{"default_generation_settings":{"n_ctx":32768}}`)
		case r.URL.Path == "/v1/chat/completions":
			var body struct{ Messages []struct{ Role string } }
			_ = json.NewDecoder(r.Body).Decode(&body)
			delta := `{"content":"It says hello."}`
			if body.Messages[len(body.Messages)-1].Role == "user" {
				delta = `{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":"{}"}}]}`
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", delta)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// setupJSON runs `redline setup` for an editor and returns its only line.
func setupJSON(t *testing.T, args ...string) (line string, exit int) {
	t.Helper()
	var out, said bytes.Buffer
	exit = run(t.Context(), append([]string{"setup", "--json"}, args...), streams{in: strings.NewReader(""), out: &out, err: &said})
	if said.Len() > 0 && exit != exitUsage || strings.Count(out.String(), "\n") != 1 && exit != exitUsage {
		t.Errorf("%q: stdout %q, stderr %q", args, &out, &said)
	}
	return strings.TrimSpace(out.String()), exit
}

func TestSetupForEditors(t *testing.T) {
	awayFromUser(t)
	base := endpoint(t, scriptKey)
	t.Setenv("MINE", scriptKey)
	for _, c := range []struct {
		args []string
		want string
		exit int
	}{
		{[]string{"--models", "--provider", "other", "--base-url", base, "--api-key-env", "MINE"}, `{"models":["a","b"]}`, 0},
		{[]string{"--test", "--provider", "llamacpp", "--base-url", base, "--model", "a", "--api-key-env", "MINE"},
			`{"ok":true,"answer":"It says hello.","tools":true,"streaming":true,"context":32768,"warnings":[]}`, 0},
		{[]string{"--models", "--provider", "builtin"}, `{"models":["builtin"]}`, 0},
		{[]string{"--models", "--provider", "other", "--base-url", base}, `"error":"The model provider at`, 1},
		{[]string{"--models", "--provider", "anthropic"}, `{"error":"Anthropic wants a key, and ANTHROPIC_API_KEY is not set: set it, or name another variable with --api-key-env."}`, 1},
		{[]string{"--models", "--provider", "azure"}, `{"error":"Azure OpenAI has another address for each user: name yours with --base-url."}`, 1},
		{[]string{"--models", "--provider", "nobody"}, `There is no provider`, 1},
		{[]string{"--test", "--provider", "ollama"}, `{"error":"No model is named`, 1},
		{[]string{"--test", "--provider", "other", "--base-url", "nonsense", "--model", "a"}, `is not an http or https address`, 1},
		{[]string{"--models", "--test"}, "", exitUsage},
	} {
		line, exit := setupJSON(t, c.args...)
		if exit != c.exit || !strings.Contains(line, c.want) || strings.Contains(line, scriptKey) {
			t.Errorf("%q: exit status %d and %s, want %d and %s", c.args, exit, line, c.exit, c.want)
		}
		if c.exit != exitUsage && !json.Valid([]byte(line)) {
			t.Errorf("%q: no JSON: %s", c.args, line)
		}
	}
}

func TestSetupFindsProviders(t *testing.T) {
	awayFromUser(t)
	t.Setenv("ANTHROPIC_API_KEY", scriptKey)
	line, exit := setupJSON(t, "--providers")
	var got struct{ Providers []providerJSON }
	if err := json.Unmarshal([]byte(line), &got); err != nil || exit != 0 {
		t.Fatalf("%d, %v: %s", exit, err, line)
	}
	want := providerJSON{config.ProviderInfo{ID: "anthropic", Name: "Anthropic", BaseURL: "https://api.anthropic.com/v1", Variable: "ANTHROPIC_API_KEY", NeedsKey: true}, true}
	var ids []string
	for _, p := range got.Providers {
		ids = append(ids, p.ID)
		if p.ID == "anthropic" && p != want || p.ID == "openai" && p.Found {
			t.Errorf("got %+v", p)
		}
	}
	if !cmp.Equal(ids, []string{"openai", "anthropic", "openrouter", "azure", "ollama", "llamacpp", "lmstudio", "other", "builtin"}) {
		t.Errorf("got %q", ids)
	}
	if strings.Contains(line, scriptKey) {
		t.Error("the key is shown")
	}
}
