package turn_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
)

func hunkStatuses(p state.Plan) []string {
	var ids []string
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			ids = append(ids, h.ID+" "+h.Status)
		}
	}
	return ids
}

// previews returns the previews on disk.
func previews(s *agenttest.Session) []string {
	entries, err := os.ReadDir(filepath.Join(s.Dir, ".redline", "plans"))
	if err != nil {
		s.T.Fatal(err)
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
	s := agenttest.New(t, map[string]string{"a.txt": "one\n\ntwo\n\nthree\n", "b.txt": "b\n"})
	first, second := make(chan struct{}), make(chan struct{})
	s.Model.Will(
		agenttest.Reply{Text: "First.", Calls: []model.Call{agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "three", "3")}},
		agenttest.Reply{Wait: first, Calls: []model.Call{agenttest.Call("read_file", map[string]any{"path": "a.txt"}), agenttest.Edit("b.txt", "b", "B")}},
		agenttest.Reply{Wait: second, Calls: []model.Call{agenttest.Edit("a.txt", "two", "2")}},
		agenttest.Reply{Text: "Done."},
	)
	id := s.AskEach("figures")
	p := s.AwaitRevision(1)
	if p.State != "awaiting_approval" || p.Description != "First." || !slices.Equal(hunkStatuses(p), []string{"h1 pending", "h2 pending"}) {
		t.Fatalf("the first revision: %+v", p)
	}
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	s.WantFile("a.txt", "1\n\ntwo\n\nthree\n")
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}, Reason: "three stays"}); err != nil {
		t.Fatal(err)
	}
	if p = s.PlanNow(1); p.State != "reviewing" {
		t.Errorf("all that is staged is decided while the turn goes on: the plan is %s, want reviewing", p.State)
	}
	close(first)
	p = s.AwaitRevision(2)
	if p.State != "reviewing" {
		t.Errorf("the second revision is %s, want reviewing", p.State)
	}
	// An approval applies to exactly what was shown.
	_, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, Revision: 1, Hunks: []string{"h3"}})
	s.WantRefused(err, plan.HashMismatch)
	close(second)
	s.Wait(id)
	answers := toolAnswers(s.LastAsked())
	if len(answers) != 5 || !strings.Contains(answers[2], `approved, and in the files: "a.txt" hunk h1`) ||
		!strings.Contains(answers[2], `rejected, not staged any more, and not to be proposed again: "a.txt" hunk h2, because "three stays"`) {
		t.Errorf("the model was not told what was decided meanwhile: %q", answers)
	} else if !strings.Contains(answers[2], "1") || strings.Contains(answers[2], "3\t3") {
		t.Errorf("the model does not see what was decided: %q", answers[2])
	}

	p = s.PlanNow(1)
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("a.txt", "1\n\n2\n\nthree\n")
	s.WantFile("b.txt", "B\n")
	if p = s.PlanNow(1); p.State != "completed" {
		t.Errorf("the plan is %s, want completed", p.State)
	}
	if _, err := s.Agent.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.WantFile("a.txt", "one\n\ntwo\n\nthree\n")
	s.WantFile("b.txt", "b\n")
}

// A turn that stages in several replies writes and opens one preview, and reports each hunk by its
// name.
func TestAskShowsTheLastPreview(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n\ntwo\n\nthree\n"})
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}},
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "two", "2")}},
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "three", "3")}},
		agenttest.Reply{Text: "Done."},
	)
	s.Wait(s.AskEach("figures"))
	p := s.PlanNow(1)
	if p.Revision != 3 || p.State != "reviewing" || !slices.Equal(hunkStatuses(p), []string{"h1 pending", "h2 pending", "h3 pending"}) {
		t.Errorf("the plan is %s at revision %d with %v", p.State, p.Revision, hunkStatuses(p))
	}
	if got := previews(s); !slices.Equal(got, []string{"0001-r3.md"}) {
		t.Errorf("the previews are %v, want the last one only", got)
	}
	var opened int
	for _, e := range s.Editor.Events(state.PlanChanged) {
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
	for _, e := range s.Editor.Events(state.HunkStaged) {
		told = append(told, e.Path+" "+e.Hunk)
	}
	if !slices.Equal(told, []string{"a.txt h1", "a.txt h2", "a.txt h3"}) {
		t.Errorf("told of %v", told)
	}
}

// If all parts of a plan were decided during the turn, the plan is completed when the turn ends.
func TestAskEndsAPlanThatIsDecided(t *testing.T) {
	for _, approve := range []bool{true, false} {
		s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
		hold := make(chan struct{})
		s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Wait: hold, Text: "Done."})
		id := s.AskEach("figures")
		p := s.AwaitRevision(1)
		want := "cancelled"
		if approve {
			s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
			want = "completed"
		} else if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err != nil {
			t.Fatal(err)
		}
		if got := s.PlanNow(1); got.State != "reviewing" {
			t.Errorf("during the turn the plan is %s, want reviewing", got.State)
		}
		close(hold)
		s.Wait(id)
		if got := s.PlanNow(1); got.State != want || got.Revision != 1 {
			t.Errorf("after the turn the plan is %s at revision %d, want %s at 1", got.State, got.Revision, want)
		}
		s.Restart()
		if got := s.PlanNow(1); got.State != want {
			t.Errorf("after a restart the plan is %s, want %s", got.State, want)
		}
	}
}

// A turn that is cut off, by the user or by a crash, keeps what was staged.
func TestAskKeepsWhatWasStaged(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	begun := make(chan struct{})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Wait: make(chan struct{}), Begun: begun})
	id := s.AskEach("figures")
	p := s.AwaitRevision(1)
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	<-begun // else the reply would be the next turn's
	s.Agent.Cancel(id)
	s.Wait(id)
	if got := s.PlanNow(1); got.State != "completed" {
		t.Errorf("after the turn was cancelled the plan is %s, want completed", got.State)
	}

	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("b.txt", "b", "B")}}, agenttest.Reply{Wait: make(chan struct{})})
	s.AskEach("capitals")
	s.Until("plan 2", func() bool { _, err := s.Agent.Board.PlanState(s.Context(), 2); return err == nil })
	s.Restart()
	if got := s.PlanNow(2); got.State != "awaiting_approval" || !slices.Equal(hunkStatuses(got), []string{"h1 pending"}) {
		t.Errorf("after a crash plan 2 is %s with %v", got.State, hunkStatuses(got))
	}
	s.MustApprove(view.Request{Plan: 2})
	s.WantFile("b.txt", "B\n")
}

// While a decision is executed, later staging waits for its end.
func TestAskWaitsForAnExecution(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	asked, let := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		once.Do(func() { close(asked); <-let })
		return edits.Applied{}, false
	}
	hold, begun := make(chan struct{}), make(chan struct{})
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}},
		agenttest.Reply{Wait: hold, Calls: []model.Call{agenttest.Edit("b.txt", "b", "B")}},
		agenttest.Reply{Text: "Done.", Begun: begun},
	)
	id := s.AskEach("figures")
	p := s.AwaitRevision(1)
	done := make(chan error, 1)
	go func() {
		_, err := s.Agent.Approve(context.Background(), view.Request{Plan: 1, Hash: p.Hash})
		done <- err
	}()
	<-asked
	close(hold)
	s.Until("the second edit was called", func() bool { return len(s.Editor.Events(state.ToolCalled)) == 2 })
	select {
	case <-begun:
		t.Error("the turn went on while the plan was carried out")
	default:
	}
	close(let)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	s.Wait(id)
	if p = s.PlanNow(1); p.Revision != 2 || p.State != "reviewing" || !slices.Equal(hunkStatuses(p), []string{"h1 applied", "h2 pending"}) {
		t.Errorf("the plan is %s at revision %d with %v", p.State, p.Revision, hunkStatuses(p))
	}
}

// A decision of another process on the same plan is respected, and what is staged after it is kept,
// even if the decision ended the plan.
func TestAskFollowsAnotherProcess(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	hold := make(chan struct{})
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}},
		agenttest.Reply{Wait: hold, Calls: []model.Call{agenttest.Edit("b.txt", "b", "B")}},
		agenttest.Reply{Text: "Done."},
	)
	id := s.AskEach("figures")
	s.AwaitRevision(1)
	other := s.Beside(s.Dir).Agent
	if _, err := other.Reject(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	close(hold)
	s.Wait(id)
	p := s.PlanNow(1)
	if p.State != "awaiting_approval" || p.Revision != 2 || !slices.Equal(hunkStatuses(p), []string{"h2 pending"}) {
		t.Errorf("the plan is %s at revision %d with %v", p.State, p.Revision, hunkStatuses(p))
	}
	s.MustApprove(view.Request{Plan: 1})
	s.WantFile("a.txt", "one\n")
	s.WantFile("b.txt", "B\n")
}

// What the user removes while a reply is being staged stays removed: new operations are staged on
// the user's revision, as far as possible.
func TestAskGoesOnUponTheUsersRevision(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": decidetest.Nine})
	hold := make(chan struct{})
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "nine", "9")}},
		agenttest.Reply{Wait: hold, Calls: []model.Call{agenttest.Edit("a.txt", "five", "5"), agenttest.Edit("a.txt", "1\n", "uno\n")}},
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "three", "3")}},
		agenttest.Reply{Text: "Done."},
	)
	id := s.AskEach("figures")
	s.AwaitRevision(1)
	calls := 0
	s.Editor.Hear(state.ToolCalled, func() {
		if calls++; calls == 2 { // after the second edit
			s.MustStage(decide.Staging{Remove: []string{"o1"}})
		}
	})
	close(hold)
	s.Wait(id)
	p := s.PlanNow(1)
	if got := decidetest.Operations(p); got != "o2 o3 o4" {
		t.Errorf("the operations are %s with %v, want o2 and two new ones", got, hunkStatuses(p))
	}
	want := "edit_file a.txt could not be staged upon revision 2 of plan 1, which was made meanwhile: "
	if answers := toolAnswers(s.LastAsked()); len(answers) != 5 || !strings.HasPrefix(answers[4], "["+want) {
		t.Errorf("the model was answered %q", answers)
	}
	if got := s.Editor.Events(state.Noticed); len(got) != 1 || !strings.HasPrefix(got[0].Error, want) {
		t.Errorf("the user was told %+v", got)
	}
	s.MustApprove(view.Request{Plan: 1})
	s.WantFile("a.txt", strings.NewReplacer("three", "3", "five", "5", "nine", "9").Replace(decidetest.Nine))
}

// A decision while a reply is being staged is reported to the model with the next call, even if the
// turn had to wait for it.
func TestAskTellsWhatIsDecidedDuringAReply(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": decidetest.Nine})
	hold := make(chan struct{})
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}},
		agenttest.Reply{Wait: hold, Calls: []model.Call{agenttest.Edit("a.txt", "five", "5")}},
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "three", "3")}},
		agenttest.Reply{Text: "Done."},
	)
	id := s.AskEach("figures")
	s.AwaitRevision(1)
	s.Editor.Hear(state.ToolCalled, sync.OnceFunc(func() { s.MustApprove(view.Request{Plan: 1, Hunks: []string{"h1"}}) }))
	close(hold)
	s.Wait(id)
	answers := toolAnswers(s.LastAsked())
	if len(answers) != 3 || !strings.Contains(answers[2], `approved, and in the files: "a.txt" hunk h1`) || strings.Count(strings.Join(answers, ""), "hunk h1") != 1 {
		t.Errorf("the model was answered %q", answers)
	}
}

// A rework asks about each edit too: the plan stays open to decisions.
func TestAskReworks(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n\ntwo\n", "b.txt": "b\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "two", "2"))
	p := s.Plan("figures")
	hold := make(chan struct{})
	s.Model.Will(agenttest.Reply{Wait: hold, Calls: []model.Call{agenttest.Edit("b.txt", "b", "B")}}, agenttest.Reply{Text: "Done."})
	id, _, err := s.Agent.Turns.Send(conversation.Message{Text: "and capitals", Client: "test", Conversation: p.Conversation, Decide: config.DecideAsk})
	if err != nil {
		t.Fatal(err)
	}
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	close(hold)
	s.Wait(id)
	p = s.PlanNow(1)
	if p.Revision != 2 || p.State != "reviewing" || !slices.Equal(hunkStatuses(p), []string{"h1 applied", "h2 pending", "h3 pending"}) {
		t.Errorf("the plan is %s at revision %d with %v", p.State, p.Revision, hunkStatuses(p))
	}
}

func TestWaysToDecide(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	if _, _, err := s.Agent.Turns.Send(conversation.Message{Text: "x", Decide: "sometimes"}); err == nil {
		t.Error("a way that there is not was taken")
	} else {
		s.WantRefused(err, plan.Invalid)
	}
	for _, c := range []struct{ say, want string }{
		{"/decide", "when a turn has ended"}, {"/decide ask", "about each edit"}, {"/decide", "about each edit"}, {"/decide plan", "when a turn has ended"},
	} {
		turn := s.Say(conversation.Message{Text: c.say, Client: "test"})
		if turn.Answer == nil || !strings.Contains(*turn.Answer, c.want) {
			t.Errorf("%s: %+v, want %q", c.say, turn, c.want)
		}
	}
}

// In a draft that was resumed during a turn, line numbers do not choose between equal places of a
// file that the turn has changed.
func TestAskTrustsNoLineNumbersOfBefore(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "head\nx\nmid\nx\n"})
	hold := make(chan struct{})
	patch := "--- a/a.txt\n+++ b/a.txt\n@@ -2,1 +2,1 @@\n-x\n+y\n"
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "head", "more\nhead")}},
		agenttest.Reply{Wait: hold, Calls: []model.Call{agenttest.Call("apply_patch", map[string]any{"patch": patch})}},
		agenttest.Reply{Text: "Done."},
	)
	id := s.AskEach("letters")
	p := s.AwaitRevision(1)
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err != nil {
		t.Fatal(err)
	}
	close(hold)
	s.Wait(id)
	if answers := toolAnswers(s.LastAsked()); len(answers) != 2 || !strings.Contains(answers[1], "error:") {
		t.Errorf("the second patch was answered %q, want an error: two places are equal", answers)
	}
}
