package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"redline/agent"
	"redline/agent/preview"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace/runner"
	"redline/workspace/secrets"
	"redline/workspace/world"
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

// A menu does not wait until it is known whether trials are possible here, and offers to allow them
// once that is known.
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
	if !strings.HasPrefix(string(raw), `{"allowed":false,"reason":"you have forbidden`) || c.offers("try plan") || c.offers("allow trials") {
		t.Errorf("taken back: %s", raw)
	}
}

// A plan without commands has the offer to allow trials if the project has checks of its own.
func TestTrialsAreOfferedForChecks(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		want       bool
	}{
		"checks":    {"go.mod", "module fruit\n", true},
		"no checks": {"README", "none\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			e := connectTrying(t, trial.Options{Mode: trial.Ask, Run: passes, Worlds: func() error { return nil }})
			write(t, e.dir+"/"+c.file, c.text)
			e.plan(`replace "apple" with "pear"`)
			e.offers("")
			e.await(lsptest.Expect("where trials stand", func(ed *lsptest.Editor) bool {
				return slices.ContainsFunc(ed.Events(), func(raw json.RawMessage) bool { return strings.Contains(string(raw), `"trials":"ask"`) })
			}))
			if got := e.offers("allow trials in this workspace"); got != c.want {
				t.Errorf("offered: %v", got)
			}
		})
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

// The result of a trial is reported, and is in the title of the approval until the text changes.
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
	if !c.offers("run `go test ./...` and "+tried+" (1 file, +2 −2; `go test ./...` passed)") || c.offers("fix plan 1") {
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

// A client that shows a plan itself gets the progress of trials, and an event when a trial's files
// differ from what the plan would leave.
func TestEventsTellOfTrials(t *testing.T) {
	possible := make(chan struct{})
	c := connectTrying(t, trial.Options{Mode: trial.Ask, Run: passes, Worlds: func() error { <-possible; return nil }})
	standing := func() string {
		t.Helper()
		raw, err := c.Execute(c.ctx, command.State, nil)
		c.must(err)
		var s state.State
		c.must(json.Unmarshal(raw, &s))
		return s.Trials
	}
	if got := standing(); got != "none" {
		t.Errorf("before it is known: %q", got)
	}
	close(possible)
	heard := func(what string, want func(e state.Event) bool) {
		t.Helper()
		c.await(lsptest.Expect(what, func(ed *lsptest.Editor) bool {
			return slices.ContainsFunc(ed.Events(), func(raw json.RawMessage) bool {
				var e state.Event
				return json.Unmarshal(raw, &e) == nil && want(e)
			})
		}))
	}
	heard("that they can be allowed", func(e state.Event) bool { return e.Kind == state.TrialsStand && e.Trials == "ask" })
	_, err := c.Execute(c.ctx, command.AllowTrials, nil)
	c.must(err)
	heard("that they are allowed", func(e state.Event) bool { return e.Kind == state.TrialsStand && e.Trials == "allowed" })
	if got := standing(); got != "allowed" {
		t.Errorf("once they are allowed: %q", got)
	}

	c.plan(`replace "apple" with "pear" then run go test ./...`)
	_, err = c.Execute(c.ctx, command.Try, map[string]any{"plan": 1})
	c.must(err)
	is := func(current bool) func(state.Event) bool {
		return func(e state.Event) bool {
			return e.Kind == state.PlanChanged && len(e.Plan.Trials) == 1 && e.Plan.Trials[0].Current == current
		}
	}
	heard("a plan with its trial", is(true))
	c.must(c.Insert("a.txt", 2, 0, "typed "))
	heard("that the trial is of an earlier text", is(false))
}

// Redline's own files, such as the chat file and previews, are not among the texts of a trial.
func TestTrialsAreNotAboutRedlinesOwnFiles(t *testing.T) {
	var seen []world.Change
	c := connectTrying(t, trial.Options{
		Mode: trial.On, Worlds: func() error { return nil },
		Run: func(_ context.Context, r runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
			seen = r.World.Changes
			return runner.Outcome{End: runner.Exited}, nil
		},
	})
	c.plan(`replace "apple" with "pear"`)
	c.must(c.Open(".redline/chat.md"))
	c.must(c.Insert(".redline/chat.md", 0, 0, "unsaved\n"))
	_, err := c.Execute(c.ctx, command.Try, map[string]any{"plan": 1, "command": "make check"})
	c.must(err)
	c.await(lsptest.MessageContains("`make check` passed"))
	if slices.ContainsFunc(seen, func(c world.Change) bool { return strings.HasSuffix(c.Path, "chat.md") }) {
		t.Error("it ran with the unsaved chat file")
	}
	c.must(c.Insert(".redline/chat.md", 0, 0, "more\n"))
	if !c.offers("`make check` passed") {
		t.Error("the title does not tell of it")
	}
}

// What an editor holds of files that may hold secrets, saved or not, is in no trial: whether their
// name says it, .redline/ignore, the text, or the file that a link leads to.
func TestTrialsAreNotAboutSecrets(t *testing.T) {
	var seen *world.World
	token := "gh" + "p_" + "Zx9vB3kqT7uL2mNpRsWfHjGdYcXaVbE5oI8t"
	c := connectTrying(t, trial.Options{
		Mode: trial.On, Worlds: func() error { return nil },
		Run: func(_ context.Context, r runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
			if seen == nil { // the next is without the plan's edits
				seen = r.World
			}
			return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: strings.Repeat("ok  shop/prices\n", 1<<17) + "token = " + token + "\n"}, nil
		},
	})
	write(t, c.dir+"/.redline/ignore", "private/\n")
	if err := os.Symlink(".env", filepath.Join(c.dir, "alias")); err != nil {
		t.Fatal(err)
	}
	secret := []string{".env", "alias", "private/new.txt", "app.ini", ".env.local"}
	for _, name := range append(secret, "code.py", "b.txt") {
		if name != ".env.local" && name != "private/new.txt" {
			write(t, c.dir+"/"+name, "SAVED=1\n")
		}
		c.must(c.Open(name))
		text := "UNSAVED=1\n"
		if name == "app.ini" || name == "code.py" {
			text = "token = " + token + "\n"
		}
		c.must(c.Insert(name, 0, 0, text))
	}
	c.plan(`replace "apple" with "pear"`)
	_, err := c.Execute(c.ctx, command.Try, map[string]any{"plan": 1, "command": "make check"})
	c.must(err)
	c.await(lsptest.MessageContains("`make check` failed"))
	var changed []string
	for _, change := range seen.Changes {
		if rel, err := filepath.Rel(seen.Folders[0], change.Path); err == nil && filepath.IsLocal(rel) {
			changed = append(changed, rel)
		}
	}
	if want := []string{"a.txt", "b.txt", "code.py"}; !slices.Equal(changed, want) {
		t.Errorf("it ran with %q, want %q", changed, want)
	}
	for _, name := range secret {
		if name != "alias" && !slices.Contains(seen.Hidden, filepath.Join(seen.Folders[0], name)) {
			t.Errorf("%s is not hidden", name)
		}
	}
	raw, err := c.Execute(c.ctx, command.State, nil)
	c.must(err)
	if strings.Contains(string(raw), token) || !strings.Contains(string(raw), secrets.LeftOut) {
		t.Error("a token is in the result, after 2 MiB of other output")
	}
}

// An open preview shows a trial as soon as it has ended. One that the user has edited stays.
func TestOpenPreviewTellsOfTrials(t *testing.T) {
	const page = ".redline/plans/0001-r1.md"
	c := connectTrying(t, trial.Options{Mode: trial.On, Run: passes, Worlds: func() error { return nil }})
	c.plan(`replace "apple" with "pear" then run go test ./...`)
	c.await(lsptest.Expect("the preview is open", func(e *lsptest.Editor) bool { return e.Text(page) != "" }))
	before := c.Text(page)
	try := func(line string) {
		t.Helper()
		_, err := c.Execute(c.ctx, command.Try, map[string]any{"plan": 1, "command": line})
		c.must(err)
		c.await(lsptest.MessageContains("`" + line + "` passed"))
	}
	try("go test ./...")
	c.await(lsptest.Expect("the result in the preview", func(e *lsptest.Editor) bool {
		return strings.Contains(e.Text(page), "\n## Tried\n") && strings.Contains(e.Text(page), "- `go test ./...`: passed, after 0.0 s\n")
	}))
	if now := c.Text(page); preview.WithoutBeside(now) != preview.WithoutBeside(before) {
		t.Errorf("the preview is\n%s", now)
	}
	try("go test ./... -count=2")
	c.must(c.Insert(page, 0, 0, "\n"))
	edited := c.Text(page)
	try("go vet ./...")
	if now := c.Text(page); now != edited {
		t.Errorf("the user's text is now\n%s", now)
	}
}

// The hover of a plan's preview shows the trials with their current status, and the hover of a hunk
// does not.
func TestHoverOfPreviewTellsOfTrials(t *testing.T) {
	c := connectTrying(t, trial.Options{
		Mode: trial.On, Worlds: func() error { return nil },
		Run: func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
			return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: "--- FAIL: TestSum\n"}, nil
		},
	})
	c.plan(`replace "apple" with "pear" then run go test ./...`)
	const page = ".redline/plans/0001-r1.md"
	c.must(c.Open(page))
	hover := func(path string, line int) string {
		t.Helper()
		text, err := c.Hover(c.ctx, path, lsptest.Position{Line: line})
		c.must(err)
		return text
	}
	if got := hover(page, 0); got != "" {
		t.Errorf("before anything was tried: %q", got)
	}
	_, err := c.Execute(c.ctx, command.Try, map[string]any{"plan": 1})
	c.must(err)
	c.await(lsptest.MessageContains("`go test ./...` failed, as it did before on what plan 1 proposes"))
	if got := hover(page, 0); !strings.Contains(got, "Redline plan 1") || !strings.Contains(got, "`go test ./...`: failed, as it did before, after ") || !strings.Contains(got, "```\n--- FAIL: TestSum\n```") {
		t.Errorf("the hover is %q", got)
	}
	lines := strings.Split(c.Text(page), "\n")
	for heading, want := range map[string]bool{"## Steps": false, "## Commands": true, "## Files": false} {
		if got := hover(page, slices.Index(lines, heading)); (got != "") != want {
			t.Errorf("%s: %q", heading, got)
		}
	}
	if got := hover("a.txt", 0); got == "" || strings.Contains(got, "go test") && strings.Contains(got, "failed") {
		t.Errorf("the hover of the hunk is %q", got)
	}
	c.must(c.Insert("a.txt", 2, 0, "typed "))
	if got := hover(page, 0); !strings.Contains(got, "of an earlier text") {
		t.Errorf("once something was typed: %q", got)
	}
}
