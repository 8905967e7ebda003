package lsptest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"redline/edits"
)

func TestActionsAndCommands(t *testing.T) {
	e, _ := session(t, Honest(), edits.UTF8, map[string]string{"a": "one\n"})
	ctx := t.Context()
	must(t, e.Open("a"))
	a, err := e.ActionTitled(ctx, "a", 0, "approve")
	must(t, err)
	if a.Kind != "quickfix" || !a.IsPreferred || a.Command.Command != "echo" {
		t.Errorf("got %+v", a)
	}
	got, err := e.RunAction(ctx, a)
	must(t, err)
	if string(got) != `[{"plan":7}]` {
		t.Errorf("the command got %s", got)
	}
	bare, err := e.ActionTitled(ctx, "a", 0, "Bare")
	must(t, err)
	_, err = e.RunAction(ctx, bare)
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Code != -32803 || refusal.Kind != "hash_mismatch" || refusal.Message != "Plan 7 has changed." {
		t.Errorf("got %v", err)
	}
	if _, err := e.ActionTitled(ctx, "a", 0, "reject"); err == nil || !strings.Contains(err.Error(), "Bare command") {
		t.Errorf("the error %v does not say what there is", err)
	}
	if got, err := e.Execute(ctx, "echo", "text"); err != nil || string(got) != `["text"]` {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := e.Execute(ctx, "echo", nil); err != nil || string(got) != `[]` {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := e.Hover(ctx, "a", Position{}); err != nil || got != "```diff\n-a\n+b\n```" {
		t.Errorf("hover is %q, %v", got, err)
	}
}

// TestActionEdit: an action's own edit is made before its command runs.
func TestActionEdit(t *testing.T) {
	e, s := session(t, Honest(), edits.UTF16, map[string]string{"a": "one"})
	raw, err := json.Marshal(documentChanges(edit(e, "a", nil, replace(0, 0, 3, "1"))))
	must(t, err)
	_, err = e.RunAction(t.Context(), Action{Title: "edit", Edit: raw, Command: &Command{Command: "echo"}})
	must(t, err)
	if got, _ := s.sees(e, "a"); got != "1" {
		t.Errorf("the server sees %q", got)
	}
}

// TestActionContext sends the diagnostics that overlap the range, and only those.
func TestActionContext(t *testing.T) {
	e, s := session(t, Honest(), edits.UTF16, map[string]string{"a": "1\n2\n3\n"})
	at := func(line int) map[string]any {
		return map[string]any{"range": Range{Position{line, 0}, Position{line, 1}}, "message": "m", "code": "1.h" + string(rune('0'+line))}
	}
	must(t, s.conn.Notify(t.Context(), "textDocument/publishDiagnostics", map[string]any{"uri": e.URI("a"), "diagnostics": []any{at(0), at(2)}}))
	must(t, e.Await(t.Context(), DiagnosticCode("a", "1.h2")))
	a, err := e.ActionTitled(t.Context(), "a", 2, "Context")
	must(t, err)
	if !strings.Contains(a.Kind, "1.h2") || strings.Contains(a.Kind, "1.h0") {
		t.Errorf("the context was %s", a.Kind)
	}
}

// TestAwait sends what a server sends and waits for each.
func TestAwait(t *testing.T) {
	e, s := session(t, Honest(), edits.UTF16, map[string]string{"a": "one", ".redline/plans/0001-r1.md": "# Plan"}, WithEvents())
	ctx := t.Context()
	if !strings.Contains(e.Transcript(), `"events":true`) {
		t.Error("events were not announced")
	}
	go func() {
		send := func(method string, params any) { _ = s.conn.Notify(ctx, method, params) }
		send("redline/event", event("turn.started"))
		send("$/progress", map[string]any{"token": "t1", "value": map[string]any{"kind": "begin", "title": "Redline", "cancellable": true}})
		send("textDocument/publishDiagnostics", map[string]any{"uri": e.URI("a"), "diagnostics": []any{map[string]any{"range": Range{}, "code": 7, "message": "m"}}})
		send("window/showMessage", map[string]any{"type": 3, "message": "Plan 1 waits."})
		_ = s.conn.Call(ctx, "window/showDocument", map[string]any{"uri": e.URI(".redline/plans/0001-r1.md")}, nil)
		send("$/progress", map[string]any{"token": "t1", "value": map[string]any{"kind": "end", "message": "done"}})
		_, _ = s.apply(ctx, documentChanges(edit(e, "a", nil, replace(0, 0, 3, "1"))))
	}()
	for _, x := range []Expectation{
		EventKind("turn.started"),
		And(DiagnosticCount("a", 1), DiagnosticCode("a", "7")),
		MessageContains("waits"),
		ShownDocument("0001-r1.md"),
		ProgressDone(),
		Applied(1),
		TextEquals("a", "1"),
		TextContains("a", "1"),
		Or(Not(TextEquals("a", "1")), DiagnosticCount("a", 1)),
	} {
		must(t, e.Await(ctx, x))
	}
	if p := e.Progress()[0]; p.Title != "Redline" || p.Message != "done" || !p.Cancellable {
		t.Errorf("progress is %+v", p)
	}
	if _, open := s.sees(e, ".redline/plans/0001-r1.md"); !open {
		t.Error("the document that was shown is not open")
	}

	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	err := e.Await(short, And(MessageContains("never"), Not(Applied(1))))
	if err == nil || !strings.Contains(err.Error(), `a message says "never" and not: 1 edits were applied`) || !strings.Contains(err.Error(), "Plan 1 waits.") {
		t.Errorf("the error does not say what was awaited and what came: %v", err)
	}
	e.Kill()
	if err := e.Await(ctx, MessageContains("never")); err == nil || !strings.Contains(err.Error(), "the connection ended") {
		t.Errorf("got %v", err)
	}
}

// TestServerRequests checks how the profiles answer the server's requests.
func TestServerRequests(t *testing.T) {
	const notFound, silence = "no such method", "no answer"
	configuration := map[string]any{"items": []any{map[string]any{"section": "redline"}, map[string]any{"section": "other"}}}
	ask := map[string]any{"type": 3, "message": "Approve?", "actions": []any{map[string]any{"title": "Approve"}}}
	tests := []struct {
		profile Profile
		method  string
		params  any
		want    string
	}{
		{Honest(), "workspace/configuration", configuration, `[{"model":"x"},null]`},
		{Honest(), "client/registerCapability", map[string]any{}, `null`},
		{Honest(), "window/workDoneProgress/create", map[string]any{"token": 1}, `null`},
		{Honest(), "window/showMessageRequest", ask, `null`},
		{Honest(), "window/showDocument", map[string]any{"uri": "file:///not/there"}, `{"success":false}`},
		{Honest(), "window/showDocument", map[string]any{"uri": "https://example.org"}, `{"success":false}`},
		{Honest(), "foo/bar", nil, notFound},
		{NeovimLike(), "window/showDocument", map[string]any{"uri": "file:///x"}, notFound},
		{HelixLike(), "window/showMessageRequest", ask, notFound},
		{KateLike(), "window/showDocument", map[string]any{"uri": "file:///x"}, silence},
		{KateLike(), "window/showMessageRequest", ask, `{}`},
		{SilentLike(), "workspace/configuration", configuration, silence},
		{SilentLike(), "window/showMessageRequest", ask, silence},
	}
	for _, tt := range tests {
		t.Run(tt.profile.Name+" "+tt.method, func(t *testing.T) {
			e, s := session(t, tt.profile, edits.UTF16, nil, WithConfiguration(map[string]any{"redline": map[string]any{"model": "x"}}))
			wait := 20 * time.Second
			if tt.want == silence {
				wait = 30 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			var result json.RawMessage
			err := s.conn.Call(ctx, tt.method, tt.params, &result)
			got := string(result)
			var coded *jsonrpc2.Error
			switch {
			case errors.As(err, &coded) && coded.Code == jsonrpc2.MethodNotFound:
				got = notFound
			case errors.Is(err, context.DeadlineExceeded):
				got = silence
			case err != nil:
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if _, err := e.Execute(t.Context(), "echo", nil); err != nil {
				t.Errorf("the editor does not go on: %v", err)
			}
		})
	}
}

// TestOnAsk picks an action of a showMessageRequest.
func TestOnAsk(t *testing.T) {
	e, s := session(t, Honest(), edits.UTF16, nil)
	e.OnAsk(func(m Message) string { return m.Actions[1] })
	var got json.RawMessage
	must(t, s.conn.Call(t.Context(), "window/showMessageRequest", map[string]any{"type": 3, "message": "Approve?", "actions": []any{map[string]any{"title": "Approve"}, map[string]any{"title": "Reject"}}}, &got))
	if string(got) != `{"title":"Reject"}` {
		t.Errorf("got %s", got)
	}
	must(t, e.Await(t.Context(), MessageContains("Approve?")))
}

// TestExactDiagnostics: Helix drops diagnostics for another version.
func TestExactDiagnostics(t *testing.T) {
	e, s := session(t, HelixLike(), edits.UTF8, map[string]string{"a": "one"})
	must(t, e.Open("a"))
	publish := func(version any, n int) {
		p := map[string]any{"uri": e.URI("a"), "diagnostics": make([]Diagnostic, n)}
		if version != nil {
			p["version"] = version
		}
		must(t, s.conn.Notify(t.Context(), "textDocument/publishDiagnostics", p))
	}
	publish(7, 3)
	publish(1, 1)
	must(t, e.Await(t.Context(), DiagnosticCount("a", 1)))
	publish(nil, 2)
	must(t, e.Await(t.Context(), DiagnosticCount("a", 2)))
}

// TestQuit ends a session in order, with a request of the server still unanswered.
func TestQuit(t *testing.T) {
	e, s := session(t, SilentLike(), edits.UTF16, nil)
	s.conn.Go("ask", func(ctx context.Context) { _ = s.conn.Call(ctx, "window/showDocument", map[string]any{}, nil) })
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	must(t, e.Quit(ctx))
	<-s.conn.Done()
	if err := s.conn.Err(); err != nil {
		t.Error(err)
	}
}

// TestFolders opens several folders.
func TestFolders(t *testing.T) {
	e, _ := session(t, Honest(), edits.UTF16, map[string]string{"x/a": "", "y/b": ""}, WithFolders("x", "y"), WithInitialization(map[string]any{"k": 1}))
	for _, want := range []string{`"name":"x"`, `"name":"y"`, `"rootUri":"` + e.URI("x") + `"`, `"initializationOptions":{"k":1}`} {
		if !strings.Contains(e.Transcript(), want) {
			t.Errorf("%s is not in the transcript", want)
		}
	}
}

// TestStartFails: Start says why when the server goes away.
func TestStartFails(t *testing.T) {
	near, far := Pipe()
	must(t, near.Close())
	if _, err := Start(t.Context(), far, Honest(), t.TempDir()); err == nil {
		t.Error("a session with nobody began")
	}
}

func TestMarkup(t *testing.T) {
	for raw, want := range map[string]string{
		`"plain"`:                                "plain",
		`{"kind":"markdown","value":"**b**"}`:    "**b**",
		`{"language":"go","value":"x := 1"}`:     "```go\nx := 1\n```",
		`["a",{"language":"diff","value":"-a"}]`: "a\n\n```diff\n-a\n```",
		`7`:                                      "",
	} {
		if got := markup(json.RawMessage(raw)); got != want {
			t.Errorf("%s is %q, want %q", raw, got, want)
		}
	}
}

// TestPipe: writing never blocks, and what was written is read before the end.
func TestPipe(t *testing.T) {
	a, b := Pipe()
	data := strings.Repeat("x", 1<<20)
	if _, err := io.WriteString(a, data); err != nil {
		t.Fatal(err)
	}
	must(t, a.Close())
	got, err := io.ReadAll(b)
	if err != nil || string(got) != data {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	if _, err := io.WriteString(b, "x"); err == nil {
		t.Error("writing to a closed end went well")
	}
}
