package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// codexConfig makes Codex use the scripted endpoint and ask nobody for permission.
const codexConfig = `model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`

const codexPatch = "*** Begin Patch\n*** Update File: prices.go\n@@\n-" + beforeEdit + "\n+" + afterEdit + "\n*** End Patch\n"

// codexModel answers in the protocol of OpenAI's responses: first the patch, then, once it has the
// patch's result, a final word.
func codexModel(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Path != "/v1/responses" {
		http.NotFound(w, r)
		return
	}
	item := map[string]any{"type": "custom_tool_call", "id": "i1", "call_id": "c1", "name": "apply_patch", "input": codexPatch}
	if bytes.Contains(body, []byte(`"custom_tool_call_output"`)) {
		item = map[string]any{
			"type": "message", "id": "i2", "role": "assistant",
			"content": []any{map[string]string{"type": "output_text", "text": "Renamed."}},
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []map[string]any{
		{"type": "response.created", "response": map[string]any{"id": "r1"}},
		{"type": "response.output_item.done", "item": item},
		{"type": "response.completed", "response": map[string]any{
			"id": "r1", "usage": map[string]any{"input_tokens": 100, "output_tokens": 10, "total_tokens": 110},
		}},
	} {
		text, err := json.Marshal(event)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], text)
	}
}

// Makes the same edit with `codex exec` and `redline run`, alternately. CODEX names Codex's own
// binary; its launcher in Node.js costs extra.
func BenchmarkBesideCodex(b *testing.B) {
	codex := os.Getenv("CODEX")
	if codex == "" {
		var err error
		if codex, err = exec.LookPath("codex"); err != nil {
			b.Skip("there is no Codex here: install it, or name its binary in CODEX")
		}
	}
	server := httptest.NewServer(http.HandlerFunc(codexModel))
	defer server.Close()
	home := b.TempDir()
	if err := os.WriteFile(filepath.Join(home, "config.toml"), fmt.Appendf(nil, codexConfig, server.URL), 0o600); err != nil {
		b.Fatal(err)
	}
	theirs := newAgentRun(b, []string{codex, "exec", "--skip-git-repo-check", request}, []string{"CODEX_HOME=" + home, "SCRIPTED_KEY=none"})
	ours, script := redlineRun(b)
	for b.Loop() {
		theirs.once(b)
		script()
		ours.once(b)
	}
	theirMs, theirMiB := theirs.report(b, "codex-")
	ms, mib := ours.report(b, "redline-")
	b.ReportMetric(ms/theirMs, "time-ratio")
	b.ReportMetric(mib/theirMiB, "memory-ratio")
}
