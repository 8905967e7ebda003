package turn_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/model"
	"redline/agent/state"
)

// The editor is asked about each operation, one after another. The answer applies to exactly what
// was shown; if that is outdated, the question is asked again.
func TestAskAsksTheEditor(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n\ntwo\n", "b.txt": "b\n"})
	questions := make(chan state.Question)
	answers := make(chan string)
	s.Editor.OnAsk = func(_ context.Context, q state.Question) (state.EditorAnswer, error) {
		questions <- q
		return state.EditorAnswer{Choice: <-answers}, nil
	}
	hold := make(chan struct{})
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "two", "2")}},
		agenttest.Reply{Wait: hold, Calls: []model.Call{agenttest.Edit("b.txt", "b", "B")}},
		agenttest.Reply{Text: "Done."},
	)
	id := s.AskEach("figures")
	q := <-questions
	if q.Text != "Plan 1: change a.txt (h1, +1 −1)?" || !strings.Contains(q.Detail, "-one\n+1\n") || strings.Contains(q.Detail, "+2") {
		t.Errorf("asked %q about\n%s", q.Text, q.Detail)
	}
	close(hold) // the turn does not wait for the answer
	s.Wait(id)
	answers <- "Approve"
	q = <-questions
	if want := "Plan 1 has grown since you were asked: change a.txt (h1, +1 −1)?"; q.Text != want {
		t.Errorf("asked %q, want %q", q.Text, want)
	}
	s.WantFile("a.txt", "one\n\ntwo\n")
	answers <- "Approve"
	q = <-questions
	s.WantFile("a.txt", "1\n\ntwo\n")
	if !strings.Contains(q.Text, "h2") {
		t.Errorf("asked %q, want h2", q.Text)
	}
	answers <- "Reject"
	<-questions
	answers <- "Later"
	s.Until("h2 is rejected", func() bool { return slices.Contains(hunkStatuses(s.PlanNow(1)), "h2 rejected") })
	if p := s.PlanNow(1); p.State != "reviewing" || !slices.Equal(hunkStatuses(p), []string{"h1 applied", "h2 rejected", "h3 pending"}) {
		t.Errorf("the plan is %s with %v", p.State, hunkStatuses(p))
	}
	if got := s.Editor.Events(state.Noticed); len(got) != 2 || got[0].Error != "" {
		t.Errorf("told of the answers: %+v", got)
	}
}

// The answer applies to what the question showed: of a file that is moved and changed, to either
// part alone.
func TestAskShowsOnlyWhatIsAskedAbout(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n\n\n\n\n\n\n\ntwo\n"})
	var asked []state.Question
	answers := []string{"Later", "Approve", "Later"}
	done := make(chan struct{})
	s.Editor.OnAsk = func(_ context.Context, q state.Question) (state.EditorAnswer, error) {
		asked = append(asked, q)
		if len(asked) == len(answers) {
			close(done)
		}
		return state.EditorAnswer{Choice: answers[len(asked)-1]}, nil
	}
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Call("rename_file", map[string]any{"path": "a.txt", "new_path": "b.txt"}), agenttest.Edit("b.txt", "two", "2"))
	s.Wait(s.AskEach("figures"))
	<-done
	want := []state.Question{
		{Text: "Plan 1: change a.txt (h1, +1 −1)?", Detail: "--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,4 @@\n-one\n+1\n \n \n \n"},
		{Text: "Plan 1: move a.txt to b.txt?", Detail: "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n"},
		{Text: "Plan 1: change b.txt (h2, +1 −1)?", Detail: "--- a/b.txt\n+++ b/b.txt\n@@ -6,4 +6,4 @@\n \n \n \n-two\n+2\n"},
	}
	for i, q := range asked {
		if q.Text != want[i].Text || q.Detail != want[i].Detail {
			t.Errorf("asked %q about\n%s\nwant %q about\n%s", q.Text, q.Detail, want[i].Text, want[i].Detail)
		}
	}
}

// A plan whose record was changed cannot be approved: the user gets a message, and the question is
// not repeated for ever.
func TestAskEndsWhereNoAnswerCounts(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	asked := 0
	s.Editor.OnAsk = func(context.Context, state.Question) (state.EditorAnswer, error) {
		if asked++; asked == 1 {
			s.Tamper(`UPDATE revisions SET operations = replace(operations, '"1"', '"2"')`)
		}
		if asked > 3 {
			return state.EditorAnswer{}, nil
		}
		return state.EditorAnswer{Choice: "Approve"}, nil
	}
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Wait(s.AskEach("figures"))
	s.Until("it is told", func() bool { return len(s.Editor.Events(state.Noticed)) == 1 })
	s.Agent.Close()
	if asked > 2 {
		t.Errorf("asked %d times", asked)
	}
	s.WantFile("a.txt", "one\n")
}
