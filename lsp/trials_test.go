package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"redline/agent"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace/runner"
)

// connectTrying is connect with trials as in o.
func connectTrying(t *testing.T, o trial.Options) *connected {
	dir := t.TempDir()
	write(t, dir+"/a.txt", twoFruits)
	c := connectTo(t, lsptest.Honest(), dir, Options{NewAgent: builtinAgent(t, func(options *agent.Options) { options.Trials = o })}, lsptest.WithEvents())
	c.must(c.Open("a.txt"))
	return c
}

// offers reports whether an action with this title is offered in a.txt.
func (c *connected) offers(title string) bool {
	actions, err := c.CodeActions(c.ctx, "a.txt", lsptest.Range{})
	c.must(err)
	return slices.ContainsFunc(actions, func(a lsptest.Action) bool { return strings.Contains(a.Title, title) })
}

// act runs an action as soon as it is offered.
func (c *connected) act(title string) {
	c.await(lsptest.Expect("the action "+title, func(*lsptest.Editor) bool { return c.offers(title) }))
	action, err := c.ActionTitled(c.ctx, "a.txt", 0, title)
	c.must(err)
	_, err = c.RunAction(c.ctx, action)
	c.must(err)
}

func passes(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
	return runner.Outcome{End: runner.Exited}, nil
}

// A menu does not wait until it is known whether trials are possible here, and offers to allow
// them once they are.
func TestActionsDoNotWaitForTrials(t *testing.T) {
	known := make(chan struct{})
	release := sync.OnceFunc(func() { close(known) })
	t.Cleanup(release)
	c := connectTrying(t, trial.Options{Mode: trial.Ask, Run: passes, Worlds: func() error { <-known; return nil }})
	c.plan(`replace "apple" with "pear" then run go test ./...`)
	if !c.offers("approve plan 1") || c.offers("trial") || c.offers("try plan") {
		t.Error("it is offered before it is known")
	}
	release()
	c.act("allow trials in this workspace")
	c.await(lsptest.MessageContains("commands may be tried in this workspace"))
	if c.offers("allow trials") || !c.offers("try plan 1: `go test ./...`") {
		t.Error("it is offered to allow what is allowed")
	}
	raw, err := c.Execute(c.ctx, command.AllowTrials, map[string]any{"forbid": true})
	c.must(err)
	if !strings.HasPrefix(string(raw), `{"allowed":false,"reason":"you have not said yet`) || c.offers("try plan") {
		t.Errorf("taken back: %s", raw)
	}
}

// Where there are no worlds, or trials are off, nothing is offered and the command says why.
func TestNoTrialsAreOffered(t *testing.T) {
	for name, o := range map[string]trial.Options{
		"off":       {Mode: trial.Off},
		"no worlds": {Mode: trial.On, Worlds: func() error { return errors.New("there are no namespaces") }},
	} {
		t.Run(name, func(t *testing.T) {
			c := connectTrying(t, o)
			c.plan(`replace "apple" with "pear" then run go test ./...`)
			_, err := c.Execute(c.ctx, command.Try, map[string]any{"plan": 1})
			refused, ok := errors.AsType[*lsptest.Refusal](err)
			if !ok || refused.Kind != "not_allowed" || c.offers("trial") || c.offers("try plan") {
				t.Errorf("%v", err)
			}
			raw, err := c.Execute(c.ctx, command.AllowTrials, map[string]any{})
			c.must(err)
			if !strings.HasPrefix(string(raw), `{"allowed":false,"reason":"`) {
				t.Errorf("%s", raw)
			}
		})
	}
}

// A trial is a turn with progress, which the user can cancel. Then it has no result.
func TestTrialIsCancelled(t *testing.T) {
	begun := make(chan runner.Command, 1)
	c := connectTrying(t, trial.Options{
		Mode: trial.On, Worlds: func() error { return nil },
		Run: func(ctx context.Context, r runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
			begun <- r
			<-ctx.Done()
			return runner.Outcome{End: runner.Cancelled}, nil
		},
	})
	c.plan(`replace "apple" with "pear"`)
	raw, err := c.Execute(c.ctx, command.Try, map[string]any{"plan": 1, "command": "make check", "cwd": "."})
	c.must(err)
	var sent struct{ Turn string }
	c.must(json.Unmarshal(raw, &sent))
	if r := <-begun; r.Line != "make check" || r.Dir != r.World.Folders[0] {
		t.Errorf("it ran %q in %s", r.Line, r.Dir)
	}
	var token string
	c.await(lsptest.Expect("its progress", func(e *lsptest.Editor) bool {
		for _, p := range e.Progress() {
			if !p.Done && p.Cancellable && strings.Contains(p.Title+p.Message, "make check") {
				token = p.Token
			}
		}
		return token != ""
	}))
	c.must(c.Notify("window/workDoneProgress/cancel", json.RawMessage(`{"token":`+token+`}`)))
	c.await(lsptest.MessageContains("the turn was cancelled"))
	raw, err = c.Execute(c.ctx, command.State, nil)
	c.must(err)
	var s state.State
	c.must(json.Unmarshal(raw, &s))
	last := s.Turns[len(s.Turns)-1]
	if last.Turn != sent.Turn || last.State != "cancelled" || len(s.Plans[0].Trials) > 0 {
		t.Errorf("the turn is %+v, the trials %+v", last, s.Plans[0].Trials)
	}
}

// The result of a trial is told, and is in the title of the approval until the text is another.
func TestTitlesTellOfTrials(t *testing.T) {
	const tried = `approve plan 1: replace "apple" with…`
	code := 1
	c := connectTrying(t, trial.Options{
		Mode: trial.On, Worlds: func() error { return nil },
		Run: func(_ context.Context, r runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
			return runner.Outcome{End: runner.Exited, ExitCode: code, Output: "--- FAIL: TestSum\n"}, nil
		},
	})
	c.plan(`replace "apple" with "pear" then run go test ./...`)
	c.act("try plan 1: `go test ./...`")
	c.await(lsptest.MessageContains("`go test ./...` failed, as it did before on what plan 1 proposes"))
	if !c.offers(tried+" (1 file, +2 −2; `go test ./...` failed, as it did before)") || !c.offers("fix plan 1: `go test ./...` failed, as it did before") {
		t.Error("the title does not tell")
	}
	code = 0
	_, err := c.Execute(c.ctx, command.Chat, "/try 1")
	c.must(err)
	c.await(lsptest.MessageContains("`go test ./...` passed on what plan 1 proposes"))
	if !c.offers(tried+" (1 file, +2 −2; `go test ./...` passed) and run `go test ./...`") || c.offers("fix plan 1") {
		t.Error("the title does not tell of the newest")
	}
	c.must(c.Insert("a.txt", 2, 0, "typed "))
	c.await(lsptest.Expect("a title without it", func(*lsptest.Editor) bool {
		return c.offers("(1 file, +2 −2; tried on an earlier text)") && !c.offers("passed")
	}))
	for _, wrong := range []map[string]any{{"plan": 1, "trial": "t9"}, {"plan": 1, "trial": "t2"}} {
		_, err := c.Execute(c.ctx, command.Rework, wrong)
		if refused, ok := errors.AsType[*lsptest.Refusal](err); !ok || refused.Kind != "invalid" {
			t.Errorf("rework with %v: %v", wrong, err)
		}
	}
}
