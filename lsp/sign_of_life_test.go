package lsp

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/model/modeltest"
	"redline/agent/state"
	"redline/agent/store"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// begun expects a turn to be shown as progress.
var begun = lsptest.Expect("the turn is shown", func(e *lsptest.Editor) bool { return len(e.Progress()) > 0 })

// doing waits until the progress says so. A busy machine may skip a second: expect only the text
// before the seconds.
func doing(text string) lsptest.Expectation {
	return lsptest.Expect("the progress says "+text, func(e *lsptest.Editor) bool {
		return len(e.Progress()) > 0 && strings.Contains(e.Progress()[0].Message, text)
	})
}

// askAt sends a request to the model at an address and returns when its progress has begun, and
// how long that took.
func askAt(t *testing.T, address string) (c *connected, took time.Duration) {
	t.Helper()
	st := store.New(t.TempDir())
	t.Cleanup(func() { st.Close() })
	dir := t.TempDir()
	write(t, dir+"/a.txt", "apple\n")
	c = connectTo(t, lsptest.HelixLike(), dir, Options{NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
		return agent.New(agent.Options{Workspace: w, Store: st, Model: model.New(model.Config{BaseURL: address, GiveUp: time.Minute})}), nil
	}})
	start := time.Now()
	_, err := c.Execute(c.ctx, command.Chat, "rename Total to Sum")
	c.must(err)
	c.await(begun)
	return c, time.Since(start)
}

// A turn is shown from its beginning, however the model behaves, and the progress says what it
// waits for.
func TestSignOfLife(t *testing.T) {
	held := make(chan struct{})
	release := sync.OnceFunc(func() { close(held) })
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-held:
		case <-r.Context().Done():
		}
		http.Error(w, "no", http.StatusUnauthorized)
	}))
	defer slow.Close()
	defer release()
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "20")
		http.Error(w, "later", http.StatusServiceUnavailable)
	}))
	defer busy.Close()
	deaf, err := net.Listen("tcp", "127.0.0.1:0") // it accepts connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for _, at := range []struct{ name, address, says string }{
		{"slow", slow.URL, "waiting for the model ("},
		{"deaf", "http://" + deaf.Addr().String(), "waiting for the model ("},
		{"refused", "http://" + gone.Addr().String(), "the server cannot be reached"},
		{"busy", busy.URL, "asking the model again in 20 s (retry 1): the server is busy"},
	} {
		t.Run(at.name, func(t *testing.T) {
			c, took := askAt(t, at.address)
			t.Logf("the progress began after %v", took)
			if p := c.Progress()[0]; p.Title != "Redline" || !p.Cancellable || p.Message == "" {
				t.Errorf("it began as %+v", p)
			}
			c.await(doing(at.says))
			if at.name == "slow" {
				release()
				c.await(lsptest.ProgressDone())
				return
			}
			_, err := c.Execute(c.ctx, command.Cancel, map[string]any{})
			c.must(err)
			c.await(lsptest.ProgressDone())
			if strings.Contains(c.Transcript(), "percentage") {
				t.Error("it has a percentage, and VS Code would drop messages without one")
			}
		})
	}
}

// The progress shows what the model is doing. The model continues only after that was seen, since a
// message may be dropped for the next one.
func TestProgressSaysWhatIsDone(t *testing.T) {
	server := modeltest.New(
		modeltest.Stream(modeltest.Call("read_file", `{"path":"a.txt"}`), modeltest.Wait("reading")),
		modeltest.Stream(modeltest.Call("search", `{"pattern":"apple"}`), modeltest.Wait("searching")),
		modeltest.Stream(modeltest.Call("edit_file", `{"path":"a.txt","old_string":"apple","new_string":"pear"}`), modeltest.Wait("editing")),
		modeltest.Stream(modeltest.Text("Done.")))
	st := store.New(t.TempDir())
	t.Cleanup(func() { st.Close() })
	dir := t.TempDir()
	write(t, dir+"/a.txt", "apple\n")
	c := connectTo(t, lsptest.HelixLike(), dir, Options{NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
		return agent.New(agent.Options{Workspace: w, Store: st, Model: model.New(model.Config{BaseURL: modeltest.BaseURL, Transport: server})}), nil
	}})
	_, err := c.Execute(c.ctx, command.Chat, "sell pears")
	c.must(err)
	for _, step := range []struct{ says, wait string }{
		{"reading a.txt", "reading"}, {"searching for apple", "searching"}, {"editing a.txt", "editing"},
	} {
		c.await(doing(step.says))
		server.Release(step.wait)
	}
	c.await(lsptest.MessageContains("plan 1 is ready"))
}
