package lsptest

import (
	"testing"

	"redline/edits"
)

// An editor outlives its server: the next server gets the current buffers, including what was typed in
// between, and whoever awaits something keeps waiting.
func TestReconnect(t *testing.T) {
	e, first := session(t, Honest(), edits.UTF8, map[string]string{"a": "one\n", "b": "two\n"}, OutlivesServer())
	must(t, e.Open("a"))
	must(t, e.Insert("a", 0, 0, "typed "))
	must(t, first.conn.Notify(t.Context(), "textDocument/publishDiagnostics", map[string]any{
		"uri": e.URI("a"), "diagnostics": []any{map[string]any{"message": "old"}},
	}))
	must(t, e.Await(t.Context(), DiagnosticCount("a", 1)))
	first.conn.Close()
	<-e.Lost()
	must(t, e.Insert("a", 0, 0, "more "))
	must(t, e.Open("b"))

	waited := make(chan error, 1)
	go func() { waited <- e.Await(t.Context(), MessageContains("hello")) }()
	second := &server{t: t, enc: edits.UTF16, mirror: map[string]*edits.Lines{}}
	must(t, e.Reconnect(t.Context(), second.listen()))
	t.Cleanup(func() { e.Kill(); <-second.conn.Done() })
	if len(e.Diagnostics("a")) != 0 || e.Encoding() != edits.UTF16 {
		t.Errorf("what the server before had said is still there: %v, %v", e.Diagnostics("a"), e.Encoding())
	}
	must(t, second.conn.Notify(t.Context(), "window/showMessage", map[string]any{"type": 3, "message": "hello"}))
	must(t, <-waited)
	must(t, e.Insert("b", 0, 0, "new "))
	if _, err := e.Execute(t.Context(), "echo", nil); err != nil { // all before it has been taken in
		t.Fatal(err)
	}
	second.mu.Lock()
	defer second.mu.Unlock()
	for path, want := range map[string]string{"a": "more typed one\n", "b": "new two\n"} {
		if l := second.mirror[pathOf(e.URI(path))]; l == nil || l.Text() != want || e.Text(path) != want || !e.Dirty(path) {
			t.Errorf("%s: the server has %v, the editor %q; want %q, unsaved", path, l, e.Text(path), want)
		}
	}
}
