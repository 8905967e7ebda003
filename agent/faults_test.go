package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/model/modeltest"
	"redline/agent/session/sessiontest"
	"redline/agent/store"
	"redline/agent/view"
	"redline/internal/leaktest"
	"redline/workspace"
)

// withProvider makes a session use a provider over the wire, in process.
func withProvider(s *agenttest.Session, c model.Config) {
	s.T.Helper()
	c.BaseURL, c.Name = modeltest.BaseURL, "m"
	s.With(func(o *agent.Options) { o.Model = model.New(c) })
}

// chunk is one event of a streamed reply.
func chunk(delta string) string { return `data: {"choices":[{"delta":` + delta + `}]}` + "\n\n" }

// Wherever a reply is cut: its complete calls are staged and nothing else, the turn fails with a
// reason, and the retry continues from there.
func TestAReplyCutAnywhere(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	first, second := `{"path":"a.txt","old_string":"one","new_string":"1"}`, `{"path":"b.txt","old_string":"two","new_string":"2"}`
	call := func(index int, arguments string) string { // in two pieces
		start := fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"edit_file","arguments":%q}}`, index, index, arguments[:20])
		rest := fmt.Sprintf(`{"index":%d,"function":{"arguments":%q}}`, index, arguments[20:])
		return chunk(`{"tool_calls":[`+start+`]}`) + chunk(`{"tool_calls":[`+rest+`]}`)
	}
	whole := chunk(`{"content":"I do."}`) + call(0, first) + call(1, second) + `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`
	finished := len(whole)
	server := modeltest.New()
	withProvider(s, model.Config{Transport: server, GiveUp: time.Nanosecond})
	const step = 3 // both ways of cutting; package model cuts at every byte, so this test only needs to know which events arrive whole
	for at := 0; at < finished; at += step {
		cut := modeltest.Stream(modeltest.Raw(whole[:at]), modeltest.Cut())
		if at%2 == 1 { // the connection just ends
			cut = modeltest.Reply{Parts: cut.Parts[:1], Finish: modeltest.FinishNone}
		}
		server.Add(cut)
		turn := s.Say(conversation.Message{Text: "change both", Client: "test", New: true})
		if turn.State != "failed" || turn.Error == nil || !strings.Contains(*turn.Error, "ended its reply before it was complete") {
			t.Fatalf("cut at %d: the turn is %s, %v", at, turn.State, turn.Error)
		}
		n := s.Agent.Conversations.PlanOf(turn.Turn)
		if n != 0 {
			p := s.PlanNow(n)
			if len(p.Files) != 1 || p.Files[0].Path != "a.txt" || !strings.Contains(p.Description, "Incomplete: ") {
				t.Fatalf("cut at %d: %d files are staged, and the plan says %q", at, len(p.Files), p.Description)
			}
			server.Add(modeltest.Stream(modeltest.Call("edit_file", second)), modeltest.Stream(modeltest.Text("Done.")))
		} else {
			server.Add(modeltest.Stream(modeltest.Call("edit_file", first), modeltest.Call("edit_file", second)), modeltest.Stream(modeltest.Text("Done.")))
		}
		again := s.Say(conversation.Message{Text: "/retry", Client: "test"})
		if again.State != "done" {
			t.Fatalf("cut at %d: the retry is %s, %v", at, again.State, again.Error)
		}
		made := s.Agent.Conversations.PlanOf(again.Turn)
		if n != 0 && made != n {
			t.Fatalf("cut at %d: the retry made plan %d and did not go on with plan %d", at, made, n)
		}
		p := s.PlanNow(made)
		if len(p.Files) != 2 || strings.Contains(p.Description, "Incomplete") {
			t.Fatalf("cut at %d: after the retry there are %d files, and the plan says %q", at, len(p.Files), p.Description)
		}
		if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: made, Client: "test"}); err != nil {
			t.Fatal(err)
		}
	}
	s.WantFile("a.txt", "one\n")
	s.WantFile("b.txt", "two\n")
	if server.Unused() != 0 {
		t.Errorf("%d replies were not asked for", server.Unused())
	}
}

// stuck accepts a request and never answers.
type stuck struct{ asked chan struct{} }

func (s stuck) RoundTrip(r *http.Request) (*http.Response, error) {
	close(s.asked)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// However a provider hangs, a cancelled turn ends within half a second, keeps what was staged, and
// leaves no goroutine when its agent has ended. The time is logged; the bound that fails the test
// is far higher, since times on a busy machine prove nothing.
func TestNothingHangs(t *testing.T) {
	edit := modeltest.Call("edit_file", `{"path":"a.txt","old_string":"one","new_string":"1"}`)
	next := modeltest.Call("edit_file", `{"path":"a.txt","old_string":"two"`)
	later := modeltest.Fail(429, `{"error":"later"}`)
	later.Header = http.Header{"Retry-After": {"3"}}
	for name, script := range map[string][]modeltest.Reply{
		"no answer":             nil,
		"in the text":           {modeltest.Stream(modeltest.Text("I go on"), modeltest.Wait("never"))},
		"in a call":             {modeltest.Stream(edit, next, modeltest.Wait("never"))},
		"after an edit":         {modeltest.Stream(edit), modeltest.Stream(modeltest.Wait("never"))},
		"endless":               {modeltest.Stream(modeltest.Endless("and on"))},
		"waiting for the retry": {later, later, later},
		"always failing":        {modeltest.Fail(500, "oops"), modeltest.Fail(500, "oops"), modeltest.Fail(500, "oops"), modeltest.Fail(500, "oops")},
		"whole":                 {modeltest.Stream(modeltest.Raw(`{"choices":[`), modeltest.Wait("never"))},
		"ten megabytes":         {modeltest.Stream(modeltest.Long(10_000_000, "and on "), modeltest.Wait("never"))},
		"two hundred calls":     {{Parts: many(200), Finish: modeltest.FinishNone}},
	} {
		for _, over := range []string{"in process", "over HTTP"} {
			if over == "over HTTP" && script == nil {
				continue
			}
			t.Run(name+", "+over, func(t *testing.T) {
				leaks := goleak.IgnoreCurrent()
				defer leaktest.Check(t, leaks)
				dir, state := t.TempDir(), t.TempDir()
				ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: state})
				kept := store.New(state)
				defer kept.Close()
				server := modeltest.New(script...)
				config := model.Config{BaseURL: modeltest.BaseURL, Name: "m", Transport: server}
				asked := func(ctx context.Context) error { return server.Await(ctx, len(script)) }
				switch {
				case script == nil:
					s := stuck{make(chan struct{})}
					config.Transport = s
					asked = func(ctx context.Context) error {
						select {
						case <-s.asked:
							return nil
						case <-ctx.Done():
							return ctx.Err()
						}
					}
				case strings.Contains(name, "retry"), strings.Contains(name, "failing"):
					asked = func(ctx context.Context) error { return server.Await(ctx, 1) }
				}
				if over == "over HTTP" {
					base, err := server.Start()
					if err != nil {
						t.Fatal(err)
					}
					defer server.Close()
					via := &http.Transport{}
					defer via.CloseIdleConnections()
					config.BaseURL, config.Transport = base, via
				}
				if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				a := agent.New(agent.Options{Workspace: ws, Store: kept, Model: model.New(config)})
				a.Session.Attach(&sessiontest.Editor{Disk: workspace.NewDisk(ws)})
				defer a.Close()

				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
				defer cancel()
				id, _, err := a.Turns.Send(conversation.Message{Text: "change it", Client: "test"})
				if err != nil {
					t.Fatal(err)
				}
				if err := asked(ctx); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				a.Cancel(id)
				turn, err := a.Conversations.Wait(ctx, id)
				if err != nil {
					t.Fatal(err)
				}
				took := time.Since(began)
				t.Logf("the turn ended %v after it was cancelled", took)
				if took > 10*time.Second {
					t.Errorf("the turn ended %v after it was cancelled", took)
				}
				if turn.State != "cancelled" {
					t.Errorf("the turn is %s: %v", turn.State, turn.Error)
				}
			})
		}
	}
}

// many returns n calls that write a file each, and then nothing more.
func many(n int) (parts []modeltest.Part) {
	for i := range n {
		parts = append(parts, modeltest.Call("write_file", fmt.Sprintf(`{"path":"f%d.txt","content":"x\n"}`, i)))
	}
	return append(parts, modeltest.Wait("never"))
}
