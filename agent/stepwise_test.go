package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
)

// asks sends a message whose operations are offered as they are staged.
func (s *session) asks(text string) string {
	s.t.Helper()
	id, _, err := s.agent.Turns.Send(conversation.Message{Text: text, Client: "test", New: true, Decide: config.DecideAsk})
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// until waits until the condition holds, and checks it at each event.
func (s *session) until(what string, so func() bool) {
	s.t.Helper()
	ctx := s.ctx()
	for {
		next := s.ed.next()
		if so() {
			return
		}
		select {
		case <-next:
		case <-ctx.Done():
			s.t.Fatalf("%s: this did not become so", what)
		}
	}
}

// revision waits for a revision of plan 1 and returns the plan.
func (s *session) revision(n int) state.Plan {
	s.t.Helper()
	var p state.Plan
	s.until("a revision", func() bool {
		var err error
		p, err = s.agent.Board.PlanState(s.ctx(), 1)
		return err == nil && p.Revision >= n
	})
	return p
}

func hunkStatuses(p state.Plan) []string {
	var ids []string
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			ids = append(ids, h.ID+" "+h.Status)
		}
	}
	return ids
}

// events returns the events of a kind.
func (s *session) events(kind state.EventKind) []state.Event {
	s.ed.mu.Lock()
	defer s.ed.mu.Unlock()
	var out []state.Event
	for _, e := range s.ed.events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// previews returns the previews on disk.
func (s *session) previews() []string {
	entries, err := os.ReadDir(filepath.Join(s.dir, ".redline", "plans"))
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// toolAnswers returns the answers to tool calls among messages.
func toolAnswers(messages []model.Message) []string {
	var out []string
	for _, m := range messages {
		if m.Role == model.RoleTool {
			out = append(out, m.Content)
		}
	}
	return out
}

// Decisions of the user while the turn runs are respected: the model continues from them, and
// nothing that is staged or decided is lost.
func TestAskGoesOnUponWhatIsDecided(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n\ntwo\n\nthree\n", "b.txt": "b\n"})
	first, second := make(chan struct{}), make(chan struct{})
	s.model.will(
		reply{text: "First.", calls: []model.Call{edit("a.txt", "one", "1"), edit("a.txt", "three", "3")}},
		reply{wait: first, calls: []model.Call{call("read_file", map[string]any{"path": "a.txt"}), edit("b.txt", "b", "B")}},
		reply{wait: second, calls: []model.Call{edit("a.txt", "two", "2")}},
		reply{text: "Done."},
	)
	id := s.asks("figures")
	p := s.revision(1)
	if p.State != "awaiting_approval" || p.Description != "First." || !slices.Equal(hunkStatuses(p), []string{"h1 pending", "h2 pending"}) {
		t.Fatalf("the first revision: %+v", p)
	}
	s.approve(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	s.wantFile("a.txt", "1\n\ntwo\n\nthree\n")
	if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}, Reason: "three stays"}); err != nil {
		t.Fatal(err)
	}
	if p = s.state1(1); p.State != "reviewing" {
		t.Errorf("all that is staged is decided while the turn goes on: the plan is %s, want reviewing", p.State)
	}
	close(first)
	p = s.revision(2)
	if p.State != "reviewing" {
		t.Errorf("the second revision is %s, want reviewing", p.State)
	}
	// An approval applies to exactly what was shown.
	_, err := s.agent.Approve(s.ctx(), view.Request{Plan: 1, Revision: 1, Hunks: []string{"h3"}})
	s.wantRefused(err, plan.HashMismatch)
	close(second)
	s.wait(id)
	answers := toolAnswers(s.lastAsked())
	if len(answers) != 5 || !strings.Contains(answers[2], `approved, and in the files: "a.txt" hunk h1`) ||
		!strings.Contains(answers[2], `rejected, not staged any more, and not to be proposed again: "a.txt" hunk h2, because "three stays"`) {
		t.Errorf("the model was not told what was decided meanwhile: %q", answers)
	} else if !strings.Contains(answers[2], "1") || strings.Contains(answers[2], "3\t3") {
		t.Errorf("the model does not see what was decided: %q", answers[2])
	}

	p = s.state1(1)
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	s.wantFile("a.txt", "1\n\n2\n\nthree\n")
	s.wantFile("b.txt", "B\n")
	if p = s.state1(1); p.State != "completed" {
		t.Errorf("the plan is %s, want completed", p.State)
	}
	if _, err := s.agent.Undo(s.ctx(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantFile("a.txt", "one\n\ntwo\n\nthree\n")
	s.wantFile("b.txt", "b\n")
}

// A turn that stages in several replies writes and opens one preview, and reports each hunk by its
// name.
func TestAskShowsTheLastPreview(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n\ntwo\n\nthree\n"})
	s.model.will(
		reply{calls: []model.Call{edit("a.txt", "one", "1")}},
		reply{calls: []model.Call{edit("a.txt", "two", "2")}},
		reply{calls: []model.Call{edit("a.txt", "three", "3")}},
		reply{text: "Done."},
	)
	s.wait(s.asks("figures"))
	p := s.state1(1)
	if p.Revision != 3 || p.State != "reviewing" || !slices.Equal(hunkStatuses(p), []string{"h1 pending", "h2 pending", "h3 pending"}) {
		t.Errorf("the plan is %s at revision %d with %v", p.State, p.Revision, hunkStatuses(p))
	}
	if got := s.previews(); !slices.Equal(got, []string{"0001-r3.md"}) {
		t.Errorf("the previews are %v, want the last one only", got)
	}
	var opened int
	for _, e := range s.events(state.PlanChanged) {
		for _, effect := range e.Effects {
			if effect == "open_preview" {
				opened++
				if e.Plan.Revision != 3 {
					t.Errorf("the preview of revision %d is opened", e.Plan.Revision)
				}
			}
		}
	}
	if opened != 1 {
		t.Errorf("previews are opened %d times, want once", opened)
	}
	var told []string
	for _, e := range s.events(state.HunkStaged) {
		told = append(told, e.Path+" "+e.Hunk)
	}
	if !slices.Equal(told, []string{"a.txt h1", "a.txt h2", "a.txt h3"}) {
		t.Errorf("told of %v", told)
	}
}

// If all parts of a plan were decided during the turn, the plan is completed when the turn ends.
func TestAskEndsAPlanThatIsDecided(t *testing.T) {
	for _, approve := range []bool{true, false} {
		s := newSession(t, map[string]string{"a.txt": "one\n"})
		hold := make(chan struct{})
		s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{wait: hold, text: "Done."})
		id := s.asks("figures")
		p := s.revision(1)
		want := "cancelled"
		if approve {
			s.approve(view.Request{Plan: 1, Hash: p.Hash})
			want = "completed"
		} else if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1, Hash: p.Hash}); err != nil {
			t.Fatal(err)
		}
		if got := s.state1(1); got.State != "reviewing" {
			t.Errorf("during the turn the plan is %s, want reviewing", got.State)
		}
		close(hold)
		s.wait(id)
		if got := s.state1(1); got.State != want || got.Revision != 1 {
			t.Errorf("after the turn the plan is %s at revision %d, want %s at 1", got.State, got.Revision, want)
		}
		s.restart()
		if got := s.state1(1); got.State != want {
			t.Errorf("after a restart the plan is %s, want %s", got.State, want)
		}
	}
}

// A turn that is cut off, by the user or by a crash, keeps what was staged.
func TestAskKeepsWhatWasStaged(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	begun := make(chan struct{})
	s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{wait: make(chan struct{}), begun: begun})
	id := s.asks("figures")
	p := s.revision(1)
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	<-begun // else the reply would be the next turn's
	s.agent.Cancel(id)
	s.wait(id)
	if got := s.state1(1); got.State != "completed" {
		t.Errorf("after the turn was cancelled the plan is %s, want completed", got.State)
	}

	s.model.will(reply{calls: []model.Call{edit("b.txt", "b", "B")}}, reply{wait: make(chan struct{})})
	s.asks("capitals")
	s.until("plan 2", func() bool { _, err := s.agent.Board.PlanState(s.ctx(), 2); return err == nil })
	s.restart()
	if got := s.state1(2); got.State != "awaiting_approval" || !slices.Equal(hunkStatuses(got), []string{"h1 pending"}) {
		t.Errorf("after a crash plan 2 is %s with %v", got.State, hunkStatuses(got))
	}
	s.approve(view.Request{Plan: 2})
	s.wantFile("b.txt", "B\n")
}

// While a decision is executed, later staging waits for its end.
func TestAskWaitsForAnExecution(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	asked, let := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.ed.apply = func(c edits.Change) (edits.Applied, bool) {
		once.Do(func() { close(asked); <-let })
		return edits.Applied{}, false
	}
	hold, begun := make(chan struct{}), make(chan struct{})
	s.model.will(
		reply{calls: []model.Call{edit("a.txt", "one", "1")}},
		reply{wait: hold, calls: []model.Call{edit("b.txt", "b", "B")}},
		reply{text: "Done.", begun: begun},
	)
	id := s.asks("figures")
	p := s.revision(1)
	done := make(chan error, 1)
	go func() {
		_, err := s.agent.Approve(context.Background(), view.Request{Plan: 1, Hash: p.Hash})
		done <- err
	}()
	<-asked
	close(hold)
	s.until("the second edit was called", func() bool { return len(s.events(state.ToolCalled)) == 2 })
	select {
	case <-begun:
		t.Error("the turn went on while the plan was carried out")
	default:
	}
	close(let)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	s.wait(id)
	if p = s.state1(1); p.Revision != 2 || p.State != "reviewing" || !slices.Equal(hunkStatuses(p), []string{"h1 applied", "h2 pending"}) {
		t.Errorf("the plan is %s at revision %d with %v", p.State, p.Revision, hunkStatuses(p))
	}
}

// A decision of another process on the same plan is respected, and what is staged after it is kept,
// even if the decision ended the plan.
func TestAskFollowsAnotherProcess(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	hold := make(chan struct{})
	s.model.will(
		reply{calls: []model.Call{edit("a.txt", "one", "1")}},
		reply{wait: hold, calls: []model.Call{edit("b.txt", "b", "B")}},
		reply{text: "Done."},
	)
	id := s.asks("figures")
	s.revision(1)
	other := s.another()
	if _, err := other.Reject(s.ctx(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	close(hold)
	s.wait(id)
	p := s.state1(1)
	if p.State != "awaiting_approval" || p.Revision != 2 || !slices.Equal(hunkStatuses(p), []string{"h2 pending"}) {
		t.Errorf("the plan is %s at revision %d with %v", p.State, p.Revision, hunkStatuses(p))
	}
	s.approve(view.Request{Plan: 1})
	s.wantFile("a.txt", "one\n")
	s.wantFile("b.txt", "B\n")
}

// once runs f at the next event of a kind.
func (s *session) once(kind state.EventKind, f func()) {
	var done sync.Once
	s.ed.mu.Lock()
	defer s.ed.mu.Unlock()
	s.ed.hears = func(e state.Event) {
		if e.Kind == kind {
			done.Do(f)
		}
	}
}

// What the user removes while a reply is being staged stays removed: new operations are staged on
// the user's revision, as far as possible.
func TestAskGoesOnUponTheUsersRevision(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	hold := make(chan struct{})
	s.model.will(
		reply{calls: []model.Call{edit("a.txt", "one", "1"), edit("a.txt", "nine", "9")}},
		reply{wait: hold, calls: []model.Call{edit("a.txt", "five", "5"), edit("a.txt", "1\n", "uno\n")}},
		reply{calls: []model.Call{edit("a.txt", "three", "3")}},
		reply{text: "Done."},
	)
	id := s.asks("figures")
	s.revision(1)
	s.once(state.ToolCalled, func() {
		s.once(state.ToolCalled, func() { s.stage(decide.Staging{Remove: []string{"o1"}}) }) // after the second edit
	})
	close(hold)
	s.wait(id)
	p := s.state1(1)
	if got := operationIDs(p); got != "o2 o3 o4" {
		t.Errorf("the operations are %s with %v, want o2 and two new ones", got, hunkStatuses(p))
	}
	want := "edit_file a.txt could not be staged upon revision 2 of plan 1, which was made meanwhile: "
	if answers := toolAnswers(s.lastAsked()); len(answers) != 5 || !strings.HasPrefix(answers[4], "["+want) {
		t.Errorf("the model was answered %q", answers)
	}
	if got := s.events(state.Noticed); len(got) != 1 || !strings.HasPrefix(got[0].Error, want) {
		t.Errorf("the user was told %+v", got)
	}
	s.approve(view.Request{Plan: 1})
	s.wantFile("a.txt", strings.NewReplacer("three", "3", "five", "5", "nine", "9").Replace(nine))
}

// A decision while a reply is being staged is reported to the model with the next call, even if the
// turn had to wait for it.
func TestAskTellsWhatIsDecidedDuringAReply(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	hold := make(chan struct{})
	s.model.will(
		reply{calls: []model.Call{edit("a.txt", "one", "1")}},
		reply{wait: hold, calls: []model.Call{edit("a.txt", "five", "5")}},
		reply{calls: []model.Call{edit("a.txt", "three", "3")}},
		reply{text: "Done."},
	)
	id := s.asks("figures")
	s.revision(1)
	s.once(state.ToolCalled, func() { s.approve(view.Request{Plan: 1, Hunks: []string{"h1"}}) })
	close(hold)
	s.wait(id)
	answers := toolAnswers(s.lastAsked())
	if len(answers) != 3 || !strings.Contains(answers[2], `approved, and in the files: "a.txt" hunk h1`) || strings.Count(strings.Join(answers, ""), "hunk h1") != 1 {
		t.Errorf("the model was answered %q", answers)
	}
}

// A rework asks about each edit too: the plan stays open to decisions.
func TestAskReworks(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n\ntwo\n", "b.txt": "b\n"})
	s.model.stages(edit("a.txt", "one", "1"), edit("a.txt", "two", "2"))
	p := s.plan("figures")
	hold := make(chan struct{})
	s.model.will(reply{wait: hold, calls: []model.Call{edit("b.txt", "b", "B")}}, reply{text: "Done."})
	id, _, err := s.agent.Turns.Send(conversation.Message{Text: "and capitals", Client: "test", Conversation: p.Conversation, Decide: config.DecideAsk})
	if err != nil {
		t.Fatal(err)
	}
	s.approve(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	close(hold)
	s.wait(id)
	p = s.state1(1)
	if p.Revision != 2 || p.State != "reviewing" || !slices.Equal(hunkStatuses(p), []string{"h1 applied", "h2 pending", "h3 pending"}) {
		t.Errorf("the plan is %s at revision %d with %v", p.State, p.Revision, hunkStatuses(p))
	}
}

func TestWaysToDecide(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	if _, _, err := s.agent.Turns.Send(conversation.Message{Text: "x", Decide: "sometimes"}); err == nil {
		t.Error("a way that there is not was taken")
	} else {
		s.wantRefused(err, plan.Invalid)
	}
	for _, c := range []struct{ say, want string }{
		{"/decide", "when a turn has ended"}, {"/decide ask", "about each edit"}, {"/decide", "about each edit"}, {"/decide plan", "when a turn has ended"},
	} {
		turn := s.say(conversation.Message{Text: c.say, Client: "test"})
		if turn.Answer == nil || !strings.Contains(*turn.Answer, c.want) {
			t.Errorf("%s: %+v, want %q", c.say, turn, c.want)
		}
	}
}

// In a draft that was resumed during a turn, line numbers do not choose between equal places of a
// file that the turn has changed.
func TestAskTrustsNoLineNumbersOfBefore(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "head\nx\nmid\nx\n"})
	hold := make(chan struct{})
	patch := "--- a/a.txt\n+++ b/a.txt\n@@ -2,1 +2,1 @@\n-x\n+y\n"
	s.model.will(
		reply{calls: []model.Call{edit("a.txt", "head", "more\nhead")}},
		reply{wait: hold, calls: []model.Call{call("apply_patch", map[string]any{"patch": patch})}},
		reply{text: "Done."},
	)
	id := s.asks("letters")
	p := s.revision(1)
	if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1, Hash: p.Hash}); err != nil {
		t.Fatal(err)
	}
	close(hold)
	s.wait(id)
	if answers := toolAnswers(s.lastAsked()); len(answers) != 2 || !strings.Contains(answers[1], "error:") {
		t.Errorf("the second patch was answered %q, want an error: two places are equal", answers)
	}
}
