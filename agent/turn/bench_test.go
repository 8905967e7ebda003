package turn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"redline/agent"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/model/modeltest"
	"redline/agent/session/sessiontest"
	"redline/agent/store"
	"redline/agent/view"
	"redline/workspace"
)

// turns is an agent that uses a scripted provider, for turns one after another.
func turns(b *testing.B, server *modeltest.Server) *agent.Agent {
	b.Helper()
	dir, state := b.TempDir(), b.TempDir()
	for name, text := range map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "four\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: state})
	kept := store.New(state)
	a := agent.New(agent.Options{Workspace: ws, Store: kept, Model: model.New(model.Config{BaseURL: modeltest.BaseURL, Name: "m", Transport: server})})
	a.Session.Attach(&sessiontest.Editor{Disk: workspace.NewDisk(ws)})
	b.Cleanup(func() { a.Close(); kept.Close() })
	return a
}

// runTurn sends a request and waits for its result.
func runTurn(b *testing.B, a *agent.Agent) {
	b.Helper()
	id, _, err := a.Turns.Send(conversation.Message{Text: "change it", Client: "test", New: true})
	if err != nil {
		b.Fatal(err)
	}
	t, err := a.Conversations.Wait(b.Context(), id)
	if err != nil || t.State != "done" {
		b.Fatalf("the turn is %s, %v, %v", t.State, t.Error, err)
	}
	if n := a.Conversations.PlanOf(id); n != 0 { // so that every turn starts from the same state
		if _, err := a.Reject(b.Context(), view.Request{Plan: n, Client: "test"}); err != nil {
			b.Fatal(err)
		}
	}
}

// Measures a turn of one edit without the model, with the plan stored and then rejected. The limit
// is 30 ms.
func BenchmarkOneEditTurn(b *testing.B) {
	server := modeltest.New()
	a := turns(b, server)
	b.ReportAllocs()
	for b.Loop() {
		server.Add(
			modeltest.Stream(modeltest.Call("read_file", `{"path":"a.txt"}`)),
			modeltest.Stream(modeltest.Call("edit_file", `{"path":"a.txt","old_string":"two","new_string":"2"}`)),
			modeltest.Stream(modeltest.Text("Done.")),
		)
		runTurn(b, a)
	}
}

// Measures what a tool call adds to a turn, from turns of 100 calls and of none. The limit is 1 ms
// for each.
func BenchmarkToolCalls100(b *testing.B) {
	for name, call := range map[string]func(int) modeltest.Part{
		"none": nil,
		"read": func(i int) modeltest.Part {
			return modeltest.Call("read_file", fmt.Sprintf(`{"path":"a.txt","start_line":1,"end_line":%d}`, i+1))
		},
		"search": func(i int) modeltest.Part { return modeltest.Call("search", fmt.Sprintf(`{"pattern":"t%d"}`, i)) },
		"write": func(i int) modeltest.Part {
			return modeltest.Call("write_file", fmt.Sprintf(`{"path":"new%d.txt","content":"x\n"}`, i))
		},
	} {
		b.Run(name, func(b *testing.B) {
			server := modeltest.New()
			a := turns(b, server)
			var parts []modeltest.Part
			for i := 0; i < 100 && call != nil; i++ {
				parts = append(parts, call(i))
			}
			b.ReportAllocs()
			for b.Loop() {
				if call != nil {
					server.Add(modeltest.Stream(parts...))
				}
				server.Add(modeltest.Stream(modeltest.Text("Done.")))
				runTurn(b, a)
			}
		})
	}
}

// Measures a turn whose answer comes in a thousand fragments. It may take 20 ms more than one whose
// answer comes in three.
func BenchmarkThousandFragmentTurn(b *testing.B) {
	server := modeltest.New()
	a := turns(b, server)
	parts := make([]modeltest.Part, 1000)
	for i := range parts {
		parts[i] = modeltest.Text("x")
	}
	b.ReportAllocs()
	for b.Loop() {
		server.Add(modeltest.Stream(parts...))
		runTurn(b, a)
	}
}

// Measures a turn's own time for each of fifty requests, which each repeat everything that was read
// before, in a conversation with a plan. The limit is 10 ms.
func BenchmarkFiftyRequestTurn(b *testing.B) {
	const requests = 50
	server := modeltest.New()
	a := turns(b, server)
	server.Add(modeltest.Stream(modeltest.Call("edit_file", `{"path":"b.txt","old_string":"four","new_string":"4"}`)), modeltest.Stream(modeltest.Text("Done.")))
	id, conv, err := a.Turns.Send(conversation.Message{Text: "change it", Client: "test"})
	if err != nil {
		b.Fatal(err)
	}
	if t, err := a.Conversations.Wait(b.Context(), id); err != nil || t.State != "done" {
		b.Fatalf("the turn is %s, %v, %v", t.State, t.Error, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for i := range requests - 1 {
			call := modeltest.Call("read_file", fmt.Sprintf(`{"path":"a.txt","start_line":1,"end_line":%d}`, i+1))
			if i%2 == 1 {
				call = modeltest.Call("search", fmt.Sprintf(`{"pattern":"t","context":%d}`, i))
			}
			server.Add(modeltest.Stream(call))
		}
		server.Add(modeltest.Stream(modeltest.Text("Nothing to do.")))
		id, _, err := a.Turns.Send(conversation.Message{Text: "look again", Client: "test", Conversation: conv, Mode: "ask"})
		if err != nil {
			b.Fatal(err)
		}
		if t, err := a.Conversations.Wait(b.Context(), id); err != nil || t.State != "done" {
			b.Fatalf("the turn is %s, %v, %v", t.State, t.Error, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N)/requests, "ms/request")
}

// Measures a question in a conversation with 50 plans that are partly applied, without the model.
// The limit is 10 ms.
func BenchmarkQuestionAfter50Plans(b *testing.B) {
	server := modeltest.New()
	a := turns(b, server)
	say := func(m conversation.Message) string {
		id, _, err := a.Turns.Send(m)
		if err != nil {
			b.Fatal(err)
		}
		if t, err := a.Conversations.Wait(b.Context(), id); err != nil || t.State != "done" {
			b.Fatalf("the turn is %s, %v, %v", t.State, t.Error, err)
		}
		return id
	}
	for i := range 50 {
		server.Add(modeltest.Stream(modeltest.Call("write_file", fmt.Sprintf(`{"path":"new%d.txt","content":"x\n"}`, i))), modeltest.Stream(modeltest.Text("Done.")))
		id := say(conversation.Message{Text: "add one", Client: "test", Mode: "plan"})
		if _, err := a.Approve(b.Context(), view.Request{Plan: a.Conversations.PlanOf(id), Client: "test"}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		server.Add(modeltest.Stream(modeltest.Text("Much.")))
		say(conversation.Message{Text: "what have you changed?", Client: "test", Mode: "ask"})
	}
}
