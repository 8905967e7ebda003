package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/config"
	"redline/agent/plan"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/lsp/window"
)

// asked connects an editor whose user answers the question about a plan that is ready.
func asked(t *testing.T, p lsptest.Profile, answer func(lsptest.Message) string) *connected {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "apple\n")
	write(t, filepath.Join(dir, "b.txt"), "apple\n")
	own := config.Default()
	own.UI.AskWhenReady = config.AskAlways
	c := connectTo(t, p, dir, Options{NewAgent: builtinAgent(t), Settings: &own})
	c.must(c.Open("a.txt"))
	c.must(c.Open("b.txt"))
	c.OnAsk(answer)
	return c
}

func always(answer string) func(lsptest.Message) string {
	return func(lsptest.Message) string { return answer }
}

// wasAsked expects this number of questions.
func wasAsked(n int) lsptest.Expectation {
	return lsptest.Expect(fmt.Sprintf("%d questions", n), func(e *lsptest.Editor) bool { return len(questions(e)) == n })
}

func TestAskedWhenReady(t *testing.T) {
	for answer, want := range map[string]struct{ state, text string }{
		"Approve": {"completed", "pear\n"},
		"Reject":  {"cancelled", "apple\n"},
	} {
		t.Run(answer, func(t *testing.T) {
			c := asked(t, lsptest.Honest(), always(answer))
			c.plan(`replace "apple" with "pear"`)
			c.await(lsptest.And(lsptest.TextEquals("a.txt", want.text), lsptest.TextEquals("b.txt", want.text),
				lsptest.Expect("plan 1 is "+want.state, func(*lsptest.Editor) bool { return c.planNow(1).State == want.state })))
			q := questions(c.Editor)[0]
			if q.Text != "Redline: Approve plan 1 (2 files, +2 −2)?" || !slices.Equal(q.Actions, []string{"Approve", "Review", "Reject"}) {
				t.Errorf("asked %+v", q)
			}
			c.await(lsptest.MessageContains("plan 1 is ready: 2 files, +2 −2. Preview: .redline/plans/0001-r1.md"))
		})
	}
}

// The answer decides exactly what the question names: not the commands of the plan.
func TestAskedWhenReadyWithoutCommands(t *testing.T) {
	c := asked(t, lsptest.Honest(), always("Approve"))
	c.plan(`replace "apple" with "pear" in a.txt then run touch made`)
	c.await(lsptest.And(lsptest.TextEquals("a.txt", "pear\n"),
		lsptest.Expect("its command waits", func(*lsptest.Editor) bool {
			p := c.planNow(1)
			return p.State == "reviewing" && p.Commands[0].Status == "pending"
		})))
	if q := questions(c.Editor)[0]; q.Text != "Redline: Approve plan 1 (1 file, +1 −1; without its 1 command)?" {
		t.Errorf("asked %+v", q)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "made")); err == nil {
		t.Error("the command was run")
	}
}

// The answer Review opens the preview.
func TestAskedWhenReadyToReview(t *testing.T) {
	for name, p := range map[string]lsptest.Profile{"shown": lsptest.Honest(), "named": lsptest.KakouneLike()} {
		t.Run(name, func(t *testing.T) {
			c := asked(t, p, always("Review"))
			c.plan(`replace "apple" with "pear"`)
			if p.ShowDocument {
				c.await(lsptest.Expect("the preview is shown, and shown again", func(e *lsptest.Editor) bool {
					n := 0
					for _, uri := range e.Shown() {
						if strings.HasSuffix(uri, "0001-r1.md") {
							n++
						}
					}
					return n == 2
				}))
			} else {
				c.await(lsptest.MessageContains("open .redline/plans/0001-r1.md."))
			}
			c.await(lsptest.Expect("plan 1 is reviewing", func(*lsptest.Editor) bool { return c.planNow(1).State == "reviewing" }))
		})
	}
}

// No answer, or an unknown one, decides nothing and blocks nothing.
func TestAskedWhenReadyWithoutAnAnswer(t *testing.T) {
	empty, deaf := lsptest.Honest(), lsptest.Honest()
	empty.EmptyDismissal = true
	deaf.Unanswered = []string{"window/showMessageRequest"}
	for name, c := range map[string]*connected{
		"null":    asked(t, lsptest.Honest(), always("")),
		"{}":      asked(t, empty, always("")),
		"unknown": asked(t, lsptest.Honest(), always("Approve all")),
		"never":   asked(t, deaf, always("")),
	} {
		c.plan(`replace "apple" with "pear"`)
		c.await(lsptest.And(wasAsked(1), lsptest.ProgressDone(), lsptest.DiagnosticCode("b.txt", "1.h2")))
		if s := c.planNow(1).State; s != "awaiting_approval" {
			t.Errorf("%s: plan 1 is %s", name, s)
		}
		if _, err := c.approve(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c.await(lsptest.TextEquals("b.txt", "pear\n"))
	}
}

// A question that is outdated by another decision or a newer revision is withdrawn, and a
// late answer has no effect.
func TestAskedWhenReadyAndOvertaken(t *testing.T) {
	for name, overtake := range map[string]func(*connected){
		"decided": func(c *connected) {
			_, err := c.Execute(c.ctx, command.Reject, map[string]any{"plan": 1, "path": "a.txt"})
			c.must(err)
			_, err = c.Execute(c.ctx, command.Reject, map[string]any{"plan": 1})
			c.must(err)
		},
		"a newer revision": func(c *connected) {
			_, err := c.Execute(c.ctx, command.Stage, map[string]any{"plan": 1, "remove": []string{"o1"}})
			c.must(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer := make(chan string)
			c := asked(t, lsptest.Honest(), func(lsptest.Message) string { return <-answer })
			c.plan(`replace "apple" with "pear"`)
			c.await(lsptest.And(wasAsked(1), lsptest.DiagnosticCode("b.txt", "1.h2")))
			overtake(c)
			c.await(lsptest.Expect("it is withdrawn", func(e *lsptest.Editor) bool { return strings.Contains(e.Transcript(), "$/cancelRequest") }))
			before := c.planNow(1)
			answer <- "Approve"
			c.await(lsptest.Expect("the answer is on its way", func(e *lsptest.Editor) bool { return strings.Contains(e.Transcript(), `"title":"Approve"}`) }))
			if now := c.planNow(1); now.State != before.State || now.Revision != before.Revision || c.Text("a.txt") != "apple\n" || c.Text("b.txt") != "apple\n" {
				t.Errorf("plan 1 is %s, revision %d, and the texts are %q and %q", now.State, now.Revision, c.Text("a.txt"), c.Text("b.txt"))
			}
		})
	}
}

// An answer that crosses with a newer revision is refused like the command.
func TestAnswerForARevisionThatIsNotTheNewest(t *testing.T) {
	f := newFixture(t, client{window: window.Client{Ask: true}}, map[string]string{"a.txt": twoFruits})
	f.ask(`replace "apple" with "pear"`)
	view := f.backend.Plan(1)
	if _, err := f.run(command.Stage, map[string]any{"plan": 1, "remove": []string{"o1"}}); err != nil {
		t.Fatal(err)
	}
	run, err := f.commands.Approve(command.DecisionOn(view))
	if err == nil {
		_, err = run(f.ctx)
	}
	if refused, ok := errors.AsType[*plan.Refusal](err); !ok || refused.Kind != plan.HashMismatch {
		t.Errorf("got %v", err)
	}
}
