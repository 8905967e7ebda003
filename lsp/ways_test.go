package lsp

import (
	"errors"
	"path/filepath"
	"testing"

	"redline/agent"
	"redline/agent/config"
	"redline/agent/view"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// inWays connects an editor to a server in which plans can be approved in one way only. The user
// answers each question with "Approve".
func inWays(t *testing.T, allowed view.Way) *connected {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "apple\n")
	forbidden := view.Forbidden{}
	for _, w := range view.Ways() {
		if w != allowed {
			forbidden[w] = "The policy in P"
		}
	}
	own := config.Default()
	own.UI.AskWhenReady = config.AskAlways
	c := connectTo(t, lsptest.Honest(), dir, Options{NewAgent: builtinAgent(t, func(o *agent.Options) { o.Forbidden = forbidden }), Settings: &own})
	c.must(c.Open("a.txt"))
	c.OnAsk(func(lsptest.Message) string { return "" })
	return c
}

// A decision by the editor's user on a plan counts as the way "choice".
func TestAnEditorApprovesByChoice(t *testing.T) {
	for _, allowed := range []view.Way{view.ByChoice, view.ByWords} {
		t.Run(string(allowed), func(t *testing.T) {
			c := inWays(t, allowed)
			c.plan(`replace "apple" with "pear"`)
			_, err := c.approve()
			if allowed == view.ByChoice {
				c.must(err)
				c.wantFile("a.txt", "pear\n")
				return
			}
			if r, ok := errors.AsType[*lsptest.Refusal](err); !ok || r.Kind != "not_allowed" {
				t.Errorf("got %v, want not_allowed", err)
			}
			const why = "The policy in P does not allow approval by an action, a command or an answer: say \"approve\" in the chat."
			c.await(lsptest.MessageContains(why))
			c.wantFile("a.txt", "apple\n")
			if _, err := c.Execute(c.ctx, command.Chat, "approve it"); err != nil {
				t.Fatal(err)
			}
			c.await(lsptest.TextEquals("a.txt", "pear\n"))
		})
	}
}

// An approving phrase in the chat is refused with what to do instead, and that works.
func TestAPhraseThatMustNotApprove(t *testing.T) {
	c := inWays(t, view.ByChoice)
	c.plan(`replace "apple" with "pear"`)
	if _, err := c.Execute(c.ctx, command.Chat, "approve it"); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.MessageContains("The policy in P does not allow approval by words: approve plan 1 with its action in your editor, with /approve 1 in the chat"))
	c.wantFile("a.txt", "apple\n")
	if _, err := c.Execute(c.ctx, command.Chat, "/approve 1"); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.TextEquals("a.txt", "pear\n"))
}

// The answer to the question about a plan that is ready counts as "choice" too.
func TestTheQuestionWhereNothingCanBeChosen(t *testing.T) {
	c := inWays(t, view.ByWords)
	c.OnAsk(func(lsptest.Message) string { return "Approve" })
	c.plan(`replace "apple" with "pear"`)
	c.await(lsptest.MessageContains("The policy in P does not allow approval by an action, a command or an answer"))
	c.wantFile("a.txt", "apple\n")
}
