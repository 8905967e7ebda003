//go:build linux && (amd64 || arm64)

package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/outside"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/agent/turn"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace/runner"
)

// working is an editor in whose workspace an outside agent works, see [outsidetest.Main]. The agent is
// called mender and speaks ACP.
type working struct {
	*connected
	gate net.Listener // the only address that the agent reaches
	temp string       // where plain copies are
}

// connectWorking connects an editor with an agent, which works in a plain copy if isolation is "copy".
func connectWorking(t *testing.T, isolation string, opts ...lsptest.Option) *working {
	t.Helper()
	if err := runner.Worlds(); err != nil && isolation == "" {
		t.Skip("there are no worlds here: " + err.Error())
	}
	gate, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gate.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home, temp := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("TMPDIR", temp)
	write(t, home+"/.acp-agent/note.txt", "it is there")
	mender := outside.Agent{
		Name: "mender", ACP: []string{self, "acp-agent"}, Network: []string{gate.Addr().String()},
		State: []string{home + "/.acp-agent"}, Keep: []string{home + "/.acp-agent/sessions/"},
		Memory: outside.UsualMemory, Processes: outside.UsualProcesses, Timeout: outside.UsualTimeout,
	}
	if isolation != "" {
		mender.Plain, mender.Network = true, []string{outside.HostNetwork}
	}
	dir := t.TempDir()
	write(t, dir+"/a.txt", "one\n")
	w := &working{gate: gate, temp: temp}
	w.connected = connectTo(t, lsptest.Honest(), dir, Options{NewAgent: builtinAgent(t, func(o *agent.Options) {
		o.Trials = trial.Options{Mode: trial.On, Home: home, Isolation: isolation}
		o.Turns.OutsideOptions = turn.OutsideOptions{OutsideAgents: []outside.Agent{mender}, OutsideAgent: func(name string) (outside.Agent, error) {
			if name != mender.Name {
				return outside.Agent{}, errors.New("it is not known")
			}
			return mender, nil
		}}
	})}, append(opts, lsptest.WithEvents())...)
	w.OnAsk(always("Allow"))
	w.must(w.Open("a.txt"))
	return w
}

// chat sends a message and returns its turn.
func (w *working) chat(message string, more ...any) state.Turn {
	w.t.Helper()
	args := map[string]any{"message": strings.ReplaceAll(message, "GATE", w.gate.Addr().String())}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	raw, err := w.Execute(w.ctx, command.Chat, args)
	w.must(err)
	var sent state.Turn
	w.must(json.Unmarshal(raw, &sent))
	return sent
}

// atGate waits until the agent, or a process that it has started, is at the gate.
func (w *working) atGate() net.Conn {
	w.t.Helper()
	until, _ := w.ctx.Deadline()
	w.must(w.gate.(*net.TCPListener).SetDeadline(until))
	at, err := w.gate.Accept()
	w.must(err)
	w.must(at.SetDeadline(until))
	w.t.Cleanup(func() { at.Close() })
	return at
}

// pass lets the agent pass its gate once the editor has what is expected.
func (w *working) pass(x ...lsptest.Expectation) {
	w.t.Helper()
	at := w.atGate()
	for _, one := range x {
		w.await(one)
	}
	fmt.Fprintln(at, "pass")
}

// progress expects that the progress of the turn that runs says this now.
func progress(says string) lsptest.Expectation {
	return lsptest.Expect("progress that says "+says, func(e *lsptest.Editor) bool {
		all := e.Progress()
		return len(all) > 0 && !all[len(all)-1].Done && strings.Contains(all[len(all)-1].Message, says)
	})
}

// event expects a redline/event of a kind with this text.
func event(kind, text string) lsptest.Expectation {
	return lsptest.Expect("an event "+kind+" with "+text, func(e *lsptest.Editor) bool {
		return slices.ContainsFunc(e.Events(), func(raw json.RawMessage) bool {
			return strings.Contains(string(raw), `"kind":"`+kind+`"`) && strings.Contains(string(raw), text)
		})
	})
}

// state returns the state of the session.
func (w *working) state() (s state.State) {
	w.t.Helper()
	raw, err := w.Execute(w.ctx, command.State, nil)
	w.must(err)
	w.must(json.Unmarshal(raw, &s))
	return s
}

// ended waits for the end of a turn and returns it.
func (w *working) ended(id string) (t state.Turn) {
	w.t.Helper()
	w.await(event("turn.finished", `"turn":"`+id+`"`))
	for _, one := range w.state().Turns {
		if one.Turn == id {
			t = one
		}
	}
	return t
}

// said returns what the events of a turn show of its answer. It ends where the copy is done with: what
// comes later would stand below that.
func (w *working) said(turn string) (text string) {
	w.t.Helper()
	for _, raw := range w.Events() {
		var e state.Event
		w.must(json.Unmarshal(raw, &e))
		switch {
		case e.Turn != turn:
		case e.Kind == state.TokenArrived:
			text += e.Text
		case e.Step != nil && strings.HasPrefix(e.Step.Summary, "It reached"):
			return text
		}
	}
	return text
}

// nothingLeft waits until no process of the agent and no copy is left. marks are words of command lines.
func (w *working) nothingLeft(marks ...string) {
	w.t.Helper()
	w.await(lsptest.Expect("nothing is left", func(*lsptest.Editor) bool {
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, name := range lines {
			line, _ := os.ReadFile(name) // the process may have ended
			for _, mark := range append(marks, "\x00acp-agent") {
				if strings.Contains(string(line), mark) {
					return false
				}
			}
		}
		left, err := os.ReadDir(w.temp)
		return err == nil && len(left) == 0
	}))
}

// An outside agent that speaks ACP does a turn in an editor: the user allows it, sees what it does while
// it does it, is asked what leads out of the copy, and decides on its plan. A rework is the same session.
func TestAnAgentWorksByACP(t *testing.T) {
	w := connectWorking(t, "")
	w.OnAsk(func(m lsptest.Message) string {
		if strings.Contains(m.Text, "mender asks to use a tool of the kind \"fetch\": \"https://a.example\".") {
			return "Allow once"
		}
		return "Allow"
	})
	sent := w.chat("wait GATE; plan; wait GATE; during GATE execute go test ./...; say Half of it. ; wait GATE; "+
		"ask fetch https://a.example; write a.txt two; run printf '\\000' > logo.png; run false; say It is mended.", "with", "mender")
	w.pass(progress("mender works in a copy"))
	w.pass(progress("step 2 of 2: act"), event("outside", `"detail":"[x] look\n[-] act\n"`))
	w.pass(progress("go test ./..."))
	w.pass(event("token", `Half of it. `))
	done := w.ended(sent.Turn)
	w.await(lsptest.MessageContains("plan 1 is ready"))
	if done.State != "done" || done.With != "mender" || done.Usage.Prompt != 120 || done.Usage.Completion != 30 {
		t.Errorf("the turn is %+v with the usage %+v", done, done.Usage)
	}
	for _, x := range []lsptest.Expectation{
		event("tool", `"name":"edit","summary":"Edit a.txt"`), event("tool", `"name":"execute","summary":"false (failed)"`),
		event("trace", `"name":"execute","summary":"go test ./..."`), event("trace", `"summary":"allowed: fetch https://a.example"`),
	} {
		w.await(x)
	}
	if got, want := w.said(sent.Turn), "Half of it. It may fetch: selected yes.It is mended."; strings.ReplaceAll(got, "\n", "") != want {
		t.Errorf("it said %q, want %q", got, want)
	}
	p := w.state().Plans[0]
	if p.By != "mender" || len(p.NotCarried) != 1 || p.NotCarried[0].Path != "logo.png" || !strings.HasPrefix(p.Description, "Made by mender in a copy of the workspace.") {
		t.Errorf("the plan is by %q, without %+v: %s", p.By, p.NotCarried, p.Description)
	}
	for _, part := range []string{"It is mended.", "It ran `go test ./...`, `printf '\\000' > logo.png` and `false` (failed)."} {
		if !strings.Contains(p.Description, part) {
			t.Errorf("%q is not in the description: %s", part, p.Description)
		}
	}
	w.wantFile("a.txt", "one\n")

	w.must(w.Insert("a.txt", 0, 0, "typed\n"))
	raw, err := w.Execute(w.ctx, command.Rework, map[string]any{"plan": 1, "feedback": "tell; write a.txt three"})
	w.must(err)
	w.must(json.Unmarshal(raw, &sent))
	w.ended(sent.Turn)
	p = w.state().Plans[0]
	if p.Revision != 2 || p.By != "mender" || !strings.Contains(p.Description, "Session s1 was asked before: ") || !strings.Contains(p.Description, "You work in a new copy") || !strings.Contains(p.Description, "+typed") {
		t.Errorf("revision %d by %q: %s", p.Revision, p.By, p.Description)
	}
	_, err = w.approve()
	w.must(err)
	w.wantFile("a.txt", "typed\none\ntwo\nthree\n")
	w.nothingLeft()
}

// However a turn is cancelled, the agent hears so and ends with all that it has started, nothing of its
// copy stays, there is no plan, and the next message works.
func TestAnAgentIsCancelled(t *testing.T) {
	for name, c := range map[string]struct {
		isolation, request string
		deaf               bool
		cancel             func(w *working, turn string)
	}{
		"by the command": {"", "hang GATE", false, func(w *working, turn string) {
			w.execute(command.Cancel, map[string]any{"turn": turn})
		}},
		"all turns": {"", "hang GATE", false, func(w *working, _ string) {
			w.execute(command.Cancel, map[string]any{})
		}},
		"by its progress": {"", "hang GATE", false, func(w *working, turn string) {
			w.await(progress("mender"))
			w.must(w.Notify("window/workDoneProgress/cancel", map[string]string{"token": turn}))
		}},
		"while the agent is deaf": {"", "deaf GATE", true, func(w *working, turn string) {
			w.execute(command.Cancel, map[string]any{"turn": turn})
		}},
		"in a plain copy": {trial.IsolationCopy, "hang GATE", false, func(w *working, turn string) {
			w.execute(command.Cancel, map[string]any{"turn": turn})
		}},
		"in a plain copy while the agent is deaf": {trial.IsolationCopy, "deaf GATE", true, func(w *working, turn string) {
			w.execute(command.Cancel, map[string]any{"turn": turn})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := connectWorking(t, c.isolation)
			sent := w.chat("write a.txt half; spawn exec sleep 98765; "+c.request, "with", "mender")
			at := w.atGate()
			line := bufio.NewScanner(at)
			if !line.Scan() || line.Text() != "hanging" {
				t.Fatalf("it says %q, %v", line.Text(), line.Err())
			}
			c.cancel(w, sent.Turn)
			if !line.Scan() || line.Text() != "cancelled" {
				t.Fatalf("it says %q after the cancel, %v", line.Text(), line.Err())
			}
			if line.Scan() || line.Err() != nil {
				t.Errorf("it does not end: %q, %v", line.Text(), line.Err())
			}
			w.isCancelled(sent.Turn)
			sent = w.chat("tell; write a.txt two", "conversation", sent.Conversation)
			w.ended(sent.Turn)
			w.await(lsptest.MessageContains("plan 1 is ready"))
			if p := w.state().Plans[0]; !strings.Contains(p.Description, "What you changed in your last turn was thrown away: the turn was cancelled") {
				t.Errorf("the next turn does not know: %s", p.Description)
			}
			_, err := w.approve()
			w.must(err)
			w.wantFile("a.txt", "one\ntwo\n")
		})
	}
}

// execute runs a command of the server.
func (w *working) execute(command string, args any) {
	w.t.Helper()
	_, err := w.Execute(w.ctx, command, args)
	w.must(err)
}

// isCancelled waits for the end of a turn that was cancelled, and checks that it has left nothing.
func (w *working) isCancelled(turn string) {
	w.t.Helper()
	if done := w.ended(turn); done.State != "cancelled" {
		w.t.Errorf("the turn is %+v", done)
	}
	w.await(lsptest.MessageContains("the turn was cancelled"))
	w.await(lsptest.ProgressDone())
	w.nothingLeft("98765")
	if plans := w.state().Plans; len(plans) > 0 {
		w.t.Errorf("there is a plan: %+v", plans)
	}
	w.wantFile("a.txt", "one\n")
}

// A turn can be cancelled while the agent waits for the user's answer: its question is taken back.
func TestAnAgentIsCancelledWhileItAsks(t *testing.T) {
	w := connectWorking(t, "")
	asked, release := make(chan struct{}), make(chan struct{})
	w.OnAsk(func(m lsptest.Message) string {
		if !strings.Contains(m.Text, "asks to use a tool") {
			return "Allow"
		}
		close(asked)
		<-release
		return "Allow once"
	})
	defer close(release)
	sent := w.chat("write a.txt half; spawn exec sleep 98765; ask fetch https://a.example", "with", "mender")
	<-asked
	w.execute(command.Cancel, map[string]any{"turn": sent.Turn})
	w.isCancelled(sent.Turn)
	w.await(lsptest.Expect("the question is taken back", func(e *lsptest.Editor) bool {
		return strings.Contains(e.Transcript(), `"$/cancelRequest"`)
	}))
}

// What an agent thinks is shown up to its last word and up to a limit, and no character of it, or of what
// the agent says, is cut in two.
func TestAnAgentThinks(t *testing.T) {
	w := connectWorking(t, "")
	sent := w.chat("think Voilà\u00a0: 世界\u3000こんにちは; say C'est\u00a0fini\u3000!; think "+strings.Repeat(" hm", state.MaxThought/5*2)+"; say Yes.", "with", "mender")
	w.ended(sent.Turn)
	var thought string
	for _, raw := range w.Events() {
		var e state.Event
		if w.must(json.Unmarshal(raw, &e)); e.Turn == sent.Turn && e.Kind == state.ModelThinks {
			thought += e.Text
		}
	}
	if !strings.HasPrefix(thought, "Voilà\u00a0: 世界\u3000こんにちは hm") || len(thought) > state.MaxThought+len("…") {
		t.Errorf("%d bytes of thoughts, from %.60q on", len(thought), thought)
	}
	if got := w.said(sent.Turn); !strings.HasPrefix(got, "C'est\u00a0fini\u3000!Yes.") {
		t.Errorf("it says %q", got)
	}
}

// An agent that dies, or does not end, ends its own turn and nothing else: the server answers meanwhile,
// and the next message works.
func TestAHostileAgent(t *testing.T) {
	for name, c := range map[string]struct{ request, message string }{
		"dies":            {"die", "mender failed: it ended before it answered session/prompt, exit code 3. Its last line: no luck today. It changed nothing."},
		"is killed":       {"kill", "mender failed: It was ended by a signal (killed)"},
		"floods":          {"flood", "mender failed: it wrote more than 16 MiB of text in one turn"},
		"floods by tools": {"flood tools", "mender failed: it called more than 20000 tools in one turn"},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "floods by tools" {
				t.Skip("20,000 calls of tools take long with the race detector; the flood of text is there")
			}
			w := connectWorking(t, "")
			sent := w.chat("spawn exec sleep 98765; wait GATE; "+c.request, "with", "mender")
			w.pass(progress("mender works in a copy"))
			w.must(w.Insert("a.txt", 0, 0, "typed\n"))
			w.state() // is answered, whatever the agent sends
			done := w.ended(sent.Turn)
			w.await(lsptest.MessageContains(c.message))
			if done.State != "failed" {
				t.Errorf("the turn is %+v", done)
			}
			w.nothingLeft("98765")
			sent = w.chat("write a.txt two", "conversation", sent.Conversation)
			w.ended(sent.Turn)
			w.await(lsptest.MessageContains("plan 1 is ready"))
			w.wantFile("a.txt", "typed\none\n")
		})
	}
}

// What an agent has changed before it dies is a plan that says so, which the user can approve.
func TestAnAgentDiesInTheMiddle(t *testing.T) {
	w := connectWorking(t, "")
	sent := w.chat("write a.txt half; die", "with", "mender")
	w.ended(sent.Turn)
	const why = "mender failed: it ended before it answered session/prompt, exit code 3. Its last line: no luck today."
	w.await(lsptest.MessageContains("plan 1 is ready"))
	if p := w.state().Plans[0]; len(p.Unfinished) != 1 || p.Unfinished[0] != why || !strings.Contains(p.Description, why) {
		t.Errorf("unfinished %q: %s", p.Unfinished, p.Description)
	}
	_, err := w.approve()
	w.must(err)
	w.wantFile("a.txt", "one\nhalf\n")
}
