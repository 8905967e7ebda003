package lsp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"redline/agent/state"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// ask sends a request that asks about each edit as it is staged.
func (c *connected) ask(request string) {
	c.t.Helper()
	_, err := c.Execute(c.ctx, command.Chat, map[string]any{"message": request, "decide": "ask"})
	c.must(err)
}

// questions returns the messages that had answers to choose from.
func questions(e *lsptest.Editor) []lsptest.Message {
	var out []lsptest.Message
	for _, m := range e.Messages() {
		if len(m.Actions) > 0 {
			out = append(out, m)
		}
	}
	return out
}

func finished(e *lsptest.Editor) bool {
	for _, raw := range e.Events() {
		if strings.Contains(string(raw), `"kind":"turn.finished"`) {
			return true
		}
	}
	return false
}

func TestAskPutsQuestions(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": "apple\n", "b.txt": "plum\n", "c.txt": "fig\n"}, lsptest.WithEvents())
	c.must(c.Open("a.txt"))
	c.OnAsk(func(m lsptest.Message) string {
		switch {
		case strings.Contains(m.Text, "a.txt"):
			return "Approve"
		case strings.Contains(m.Text, "b.txt"):
			return "Reject"
		}
		return ""
	})
	c.ask(`replace "apple" with "pear" in a.txt then replace "plum" with "pear" in b.txt then replace "fig" with "pear" in c.txt`)
	c.await(lsptest.Expect("questions about all three, answered, and the end of the turn", func(e *lsptest.Editor) bool {
		asked := questions(e)
		return len(asked) > 0 && strings.Contains(asked[len(asked)-1].Text, "c.txt") && e.Text("a.txt") == "pear\n" && finished(e)
	}))
	c.await(lsptest.MessageContains("a.txt is applied. Not saved yet: a.txt."))
	first := questions(c.Editor)[0]
	if want := []string{"Approve", "Reject", "Later"}; fmt.Sprint(first.Actions) != fmt.Sprint(want) || !strings.HasPrefix(first.Text, "Redline: Plan 1: change a.txt (h1, +1 −1)?") {
		t.Errorf("asked %+v", first)
	}
	p := c.planNow(1)
	status := map[string]string{}
	for _, f := range p.Files {
		status[f.Path] = f.Status
	}
	// The last revision no longer contains a change that was rejected before it.
	if b, there := status["b.txt"]; p.State != "reviewing" || status["a.txt"] != "applied" || there && b != "rejected" || status["c.txt"] != "pending" {
		t.Errorf("the plan is %s with %v, want it under review with a applied, b rejected and c pending", p.State, status)
	}
	c.wantFile("b.txt", "plum\n")
	c.wantFile("c.txt", "fig\n")
}

// planNow returns a plan from redline.state.
func (c *connected) planNow(n int) state.Plan {
	c.t.Helper()
	raw, err := c.Execute(c.ctx, command.State, map[string]any{})
	c.must(err)
	var s state.State
	c.must(json.Unmarshal(raw, &s))
	for _, p := range s.Plans {
		if p.Plan == n {
			return p
		}
	}
	c.t.Fatalf("there is no plan %d", n)
	return state.Plan{}
}

// A dismissed question decides nothing, however the editor reports the dismissal. An editor
// that cannot ask gets a message.
func TestAskWithoutAnAnswer(t *testing.T) {
	empty := lsptest.Honest()
	empty.EmptyDismissal = true
	deaf := lsptest.Honest()
	deaf.Unanswered = []string{"window/showMessageRequest"}
	for name, p := range map[string]lsptest.Profile{"null": lsptest.Honest(), "{}": empty, "never": deaf, "helix": lsptest.HelixLike()} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, p, map[string]string{"a.txt": "apple\n"}, lsptest.WithEvents())
			c.ask(`replace "apple" with "pear"`)
			c.await(lsptest.And(lsptest.MessageContains("Plan 1: change a.txt (h1, +1 −1)"), lsptest.Expect("the end of the turn", finished),
				lsptest.DiagnosticCode("a.txt", "1.h1"), lsptest.ShownDocument("0001-r1.md")))
			if p := c.planNow(1); p.State != "awaiting_approval" {
				t.Errorf("the plan is %s", p.State)
			}
			c.wantFile("a.txt", "apple\n")
			if asked := len(questions(c.Editor)) > 0; asked != p.ShowMessageRequest {
				t.Errorf("asked: %v", asked)
			}
		})
	}
}

func TestAskOfAWayThatIsNot(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	_, err := f.run(command.Chat, map[string]any{"message": "x", "decide": "sometimes"})
	if _, kind := codeOf(t, err); kind != "invalid" {
		t.Errorf("got %v", err)
	}
}

// A long approval is shown as progress until it has ended, a short one is not. Events
// report its steps as they change.
func TestAnApprovalThatTakesLongIsShown(t *testing.T) {
	for _, long := range []bool{true, false} {
		t.Run(fmt.Sprintf("long %v", long), func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir+"/a.txt", "apple\n")
			write(t, dir+"/b.txt", "apple\n")
			underway := time.Hour
			if long {
				underway = time.Millisecond
			}
			c := connectTo(t, lsptest.Honest(), dir, Options{NewAgent: builtinAgent(t), Timeouts: Timeouts{Underway: underway}}, lsptest.WithEvents())
			c.plan(`replace "apple" with "pear"`)
			shown := lsptest.Expect("it is shown that the plan is being carried out", func(e *lsptest.Editor) bool {
				for _, p := range e.Progress() {
					if carriedOut.MatchString(p.Message) && !p.Done && !p.Cancellable {
						return true
					}
				}
				return false
			})
			c.OnApply(func(lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
				if long {
					if err := c.Await(c.ctx, lsptest.And(shown, lsptest.Expect("a step is in progress", func(e *lsptest.Editor) bool {
						return strings.Contains(strings.Join(stepsTold(e), " "), "executing/in_progress")
					}))); err != nil {
						t.Error(err)
					}
				}
				return lsptest.Answer{}, false
			})
			if _, err := c.approve(); err != nil {
				t.Fatal(err)
			}
			c.await(lsptest.And(lsptest.ProgressDone(), lsptest.Expect("the plan is completed", func(e *lsptest.Editor) bool {
				told := stepsTold(e)
				return told[len(told)-1] == "completed/completed"
			})))
			var order []string
			for _, told := range stepsTold(c.Editor) {
				if len(order) == 0 || order[len(order)-1] != told {
					order = append(order, told)
				}
			}
			if got := strings.Join(order, " "); got != "awaiting_approval/pending executing/in_progress executing/completed completed/completed" {
				t.Errorf("the events told %s", got)
			}
			for _, p := range c.Progress() {
				if strings.HasPrefix(p.Message, "plan ") && (!long || !p.Done) {
					t.Errorf("there is progress %+v", p)
				}
			}
		})
	}
}

// carriedOut matches the progress of an approval of two files, before and after the first.
var carriedOut = regexp.MustCompile(`^plan 1( is being carried out|: 1 of 2 files are applied)$`)

// stepsTold returns the states of the plan in the events, each with the status of its first
// step.
func stepsTold(e *lsptest.Editor) []string {
	var told []string
	for _, raw := range e.Events() {
		var one state.Event
		if json.Unmarshal(raw, &one) == nil && one.Kind == state.PlanChanged {
			told = append(told, one.Plan.State+"/"+one.Plan.Steps[0].Status)
		}
	}
	return told
}
