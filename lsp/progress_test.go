package lsp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/model/modeltest"
	"redline/agent/state"
	"redline/agent/store"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// The result of a turn is reported after its progress has ended with a text: Helix has one
// line for messages, and clears it when progress ends without one.
func TestWhatATurnCameToIsToldLast(t *testing.T) {
	release := make(chan struct{})
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-release
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write([]byte(`data: {"id":"r","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"It greets."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"))
	}))
	defer endpoint.Close()
	st := store.New(t.TempDir())
	t.Cleanup(func() { st.Close() })
	dir := t.TempDir()
	write(t, dir+"/a.txt", "apple\n")
	c := connectTo(t, lsptest.HelixLike(), dir, Options{NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
		return agent.New(agent.Options{Workspace: w, Store: st, Model: model.New(model.Config{BaseURL: endpoint.URL})}), nil
	}})
	_, err := c.Execute(c.ctx, command.Chat, map[string]any{"message": "What does it do?", "mode": "ask"})
	c.must(err)
	c.await(lsptest.Expect("the turn is shown", func(e *lsptest.Editor) bool { return len(e.Progress()) == 1 }))
	close(release)
	c.await(lsptest.MessageContains("It greets."))
	c.await(lsptest.ProgressDone())
	if p := c.Progress()[0]; p.Message != "done" {
		t.Errorf("the progress ended with %q", p.Message)
	}
	said := c.Transcript()
	if end, told := strings.Index(said, `"kind":"end"`), strings.Index(said, "window/showMessage"); end > told {
		t.Errorf("the progress ends after the message:\n%s", said)
	}
}

// A staged command is reported as a command, without a file. The model continues only after
// that report, since a report may be dropped for the next one.
func TestProgressOfACommand(t *testing.T) {
	server := modeltest.New(
		modeltest.Stream(modeltest.Call("run_command", `{"command":"touch made"}`)),
		modeltest.Stream(modeltest.Wait("it is seen"), modeltest.Text("Done.")))
	st := store.New(t.TempDir())
	t.Cleanup(func() { st.Close() })
	c := connectTo(t, lsptest.Honest(), t.TempDir(), Options{NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
		return agent.New(agent.Options{Workspace: w, Store: st, Model: model.New(model.Config{BaseURL: modeltest.BaseURL, Transport: server})}), nil
	}})
	_, err := c.Execute(c.ctx, command.Chat, map[string]any{"message": "make it"})
	c.must(err)
	c.await(lsptest.Expect("a command is staged", func(e *lsptest.Editor) bool {
		return strings.Contains(e.Transcript(), `"a command is staged"`)
	}))
	server.Release("it is seen")
	c.await(lsptest.MessageContains("plan 1 is ready"))
}

// The progress of a turn says which agent and which mode its conversation has. The model answers
// only after that report.
func TestProgressSaysWhichAgentWorks(t *testing.T) {
	server := modeltest.New(modeltest.Stream(modeltest.Wait("it is seen"), modeltest.Text("It greets.")))
	st := store.New(t.TempDir())
	t.Cleanup(func() { st.Close() })
	dir := t.TempDir()
	for name, text := range agents {
		write(t, dir+"/"+name, text)
	}
	c := connectTo(t, lsptest.Honest(), dir, Options{NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
		return agent.New(agent.Options{Workspace: w, Store: st, Model: model.New(model.Config{BaseURL: modeltest.BaseURL, Transport: server})}), nil
	}})
	_, err := c.Execute(c.ctx, command.Chat, "/mode ask")
	c.must(err)
	c.await(lsptest.MessageContains("This conversation has the mode ask"))
	_, err = c.Execute(c.ctx, command.Chat, map[string]any{"message": "What does it do?", "agent": "reader"})
	c.must(err)
	c.await(lsptest.Expect("the agent is named", func(e *lsptest.Editor) bool {
		return strings.Contains(e.Transcript(), `"thinking, with the agent reader and the mode ask"`)
	}))
	server.Release("it is seen")
	c.await(lsptest.MessageContains("It greets."))
}
