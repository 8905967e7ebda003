package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
	"redline/agent/state"
	"redline/lsp/lsptest"
)

// A server is killed at random moments while it asks the user a question, or while it continues
// with the answer. In the next server a question that was shown is pending again, or its plan
// exists, with what was staged before and after the question: never neither of the two, and never a
// part. A turn that was cut off earlier is reported.
func TestCrashWhileAsking(t *testing.T) {
	wanted, seed := crashShare(t, 14)
	ctx, cancel := context.WithTimeout(t.Context(), crashTime())
	defer cancel()
	w := &crashWorld{
		t: t, ctx: ctx, dir: t.TempDir(), state: t.TempDir(), rng: rand.New(rand.NewPCG(uint64(seed), 1)),
		ledger: newLedger(), usual: map[string]*usual{}, kills: map[string]int{},
	}
	w.env = []string{
		"REDLINE_STATE_DIR=" + w.state, "REDLINE_CONFIG=", "XDG_CONFIG_HOME=" + filepath.Join(w.state, "none"), "REDLINE_LOG=",
		"OPENAI_BASE_URL=" + newModelOf(t, askingReply), "OPENAI_API_KEY=" + scriptKey, "REDLINE_MODEL=asking",
	}
	w.server = w.startServer()
	var err error
	if w.editor, err = lsptest.Start(ctx, w.server, lsptest.HelixLike(), w.dir, lsptest.WithEvents(), lsptest.OutlivesServer()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.server.cmd.Process.Kill(); w.editor.Kill(); w.server.cmd.Wait() })
	for round := 1; w.killed() < wanted; round++ {
		w.askingRound(round)
	}
	t.Logf("%d kills: %v", w.killed(), w.kills)
}

// askingRound completes one request with its question and its plan, with as many servers as that
// takes.
func (w *crashWorld) askingRound(round int) {
	w.t.Helper()
	name := fmt.Sprintf("r%d.txt", round)
	const original, figures = "one\ntwo\n", "1\n2\n"
	w.check("a file", os.WriteFile(filepath.Join(w.dir, name), []byte(original), 0o600))
	answered := false
	for {
		before := len(w.editor.Events())
		waiting, p := w.asked(w.ctx, round)
		answering := waiting
		switch {
		case p != nil:
			w.check("the plan", w.wholeAndApplied(p, name, figures))
			return
		case waiting && w.rng.IntN(2) == 0:
			w.under("waiting for the answer", func(context.Context) error { return nil })
		case waiting:
			answered = true
			w.under("answering", func(ctx context.Context) error {
				return w.chatUntil(ctx, fmt.Sprintf("yes, two of round %d", round), round, func(waiting bool, p *state.Plan) bool { return p != nil })
			})
		default:
			w.under("asking", func(ctx context.Context) error {
				return w.chatUntil(ctx, fmt.Sprintf("/new round %d", round), round, func(waiting bool, p *state.Plan) bool { return waiting })
			})
		}
		began, ended, shown := false, false, false
		for _, raw := range w.editor.Events()[before:] {
			began = began || bytes.Contains(raw, []byte(`"kind":"route"`))
			ended = ended || bytes.Contains(raw, []byte(`"kind":"turn.finished"`))
			shown = shown || bytes.Contains(raw, []byte(`"kind":"question"`)) && bytes.Contains(raw, []byte(questionOf(round)))
		}
		cut := fmt.Sprintf("cut off when Redline ended: \"round %d\"", round)
		told := w.told(cut)
		w.server = w.startServer()
		w.check("connecting again", w.editor.Reconnect(w.ctx, w.server))
		if text, err := os.ReadFile(filepath.Join(w.dir, name)); err != nil || string(text) != original {
			w.check("the file", fmt.Errorf("%s is %q before any approval (%v)", name, text, err))
		}
		if waiting, p := w.asked(w.ctx, round); (shown || answered) && !waiting && p == nil {
			w.check("the question", fmt.Errorf("it was shown, and now there is neither it nor its plan"))
		} else if !answering && began && !ended && !waiting && p == nil {
			w.check("a turn that was cut off", w.editor.Await(w.ctx, lsptest.Expect("that is told", func(*lsptest.Editor) bool { return w.told(cut) > told })))
		} else if (answering || ended) && w.told(cut) > told {
			w.check("a turn that was not cut off", fmt.Errorf("it is told that it was"))
		}
	}
}

// told counts the messages with a text.
func (w *crashWorld) told(text string) (n int) {
	for _, m := range w.editor.Messages() {
		if strings.Contains(m.Text, text) {
			n++
		}
	}
	return n
}

// asked reports the state of a round: its question is pending, or its plan exists.
func (w *crashWorld) asked(ctx context.Context, round int) (waiting bool, p *state.Plan) {
	raw, err := w.editor.Execute(ctx, "redline.state", map[string]any{"all": true})
	if err != nil {
		return false, nil // the server was killed
	}
	var state state.State
	if err := json.Unmarshal(raw, &state); err != nil {
		w.check("redline.state", err)
	}
	for i := range state.Plans {
		if state.Plans[i].Goal == fmt.Sprintf("round %d", round) {
			p = &state.Plans[i]
		}
	}
	for _, turn := range state.Turns {
		waiting = waiting || turn.State == "waiting" && turn.Question != nil && *turn.Question == questionOf(round)
	}
	return waiting, p
}

func questionOf(round int) string { return fmt.Sprintf("And two of round %d?", round) }

// chatUntil sends a message and waits until its turn has ended with the wanted result.
func (w *crashWorld) chatUntil(ctx context.Context, message string, round int, there func(bool, *state.Plan) bool) error {
	ended := func() (n int) {
		for _, raw := range w.editor.Events() {
			if bytes.Contains(raw, []byte(`"kind":"turn.finished"`)) {
				n++
			}
		}
		return n
	}
	before := ended()
	if _, err := w.editor.Execute(ctx, "redline.chat", message); err != nil {
		return err
	}
	if err := w.editor.Await(ctx, lsptest.Expect("the turn has ended", func(*lsptest.Editor) bool { return ended() > before })); err != nil {
		return err
	}
	if waiting, p := w.asked(ctx, round); !there(waiting, p) && ctx.Err() == nil && !w.server.killed.Load() {
		return fmt.Errorf("after %q: waiting %t, plan %v", message, waiting, p)
	}
	return nil
}

// wholeAndApplied checks that the plan has what was staged before the question and
// after it, and applies it.
func (w *crashWorld) wholeAndApplied(p *state.Plan, name, want string) error {
	if len(p.Operations) != 2 {
		return fmt.Errorf("plan %d has %d operations", p.Plan, len(p.Operations))
	}
	if _, err := w.editor.Execute(w.ctx, "redline.approve", map[string]any{"plan": p.Plan, "hash": p.Hash}); err != nil {
		return err
	}
	return w.editor.Await(w.ctx, lsptest.Expect(name+" is "+want, func(e *lsptest.Editor) bool { return e.Text(name) == want }))
}

var roundAsked = regexp.MustCompile(`round (\d+)`)

// askingReply is the reply of a model that edits one line, asks about the other, and edits that one
// when it has the answer.
func askingReply(request []byte) modeltest.Reply {
	var ask struct {
		Messages []struct {
			Role, Content string
			ToolCalls     []json.RawMessage `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(request, &ask); err != nil {
		return modeltest.Fail(http.StatusUnprocessableEntity, err.Error())
	}
	round, answered, edited := "", false, false
	for _, m := range ask.Messages {
		if found := roundAsked.FindStringSubmatch(m.Content); m.Role == "user" && found != nil {
			round = found[1]
			answered = answered || strings.Contains(m.Content, "yes, two of round "+round)
		}
		for _, call := range m.ToolCalls {
			edited = edited || bytes.Contains(call, []byte(`\"old_string\":\"two\"`))
		}
	}
	edit := func(old, new string) modeltest.Part {
		return modeltest.Call("edit_file", fmt.Sprintf(`{"path":"r%s.txt","old_string":%q,"new_string":%q}`, round, old, new))
	}
	switch {
	case edited:
		return modeltest.Stream(modeltest.Text("Done."))
	case answered:
		return modeltest.Stream(edit("two", "2"))
	}
	return modeltest.Stream(edit("one", "1"), modeltest.Call("ask_user", fmt.Sprintf(`{"question":"And two of round %s?"}`, round)))
}
