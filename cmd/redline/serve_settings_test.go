package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"redline/agent/model/modeltest"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// served is an editor that is connected to `redline serve`.
type served struct {
	*lsptest.Editor
	ctx  context.Context
	stop func()
}

// serveWith runs `redline serve` with a settings file, and a provider in the environment.
func serveWith(t *testing.T, settings, state, dir, provider string) served {
	t.Helper()
	for name, value := range map[string]string{
		"REDLINE_CONFIG": settings, "REDLINE_STATE_DIR": state, "OPENAI_BASE_URL": provider, "OPENAI_API_KEY": "k", "REDLINE_MODEL": "m",
	} {
		t.Setenv(name, value)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	client, server := lsptest.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, []string{"serve"}, streams{in: server, out: server, err: io.Discard}) }()
	editor, err := lsptest.Start(ctx, client, lsptest.Honest(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return served{editor, ctx, func() {
		defer cancel()
		if err := editor.Quit(ctx); err != nil {
			t.Error(err)
		}
		client.Close()
		if status := <-ended; status != exitOK {
			t.Errorf("exit status %d", status)
		}
	}}
}

// An editor starts the server with settings that are not TOML: the user reads why, no command does
// anything, and the provider hears nothing. Fixed and restarted, it works again.
func TestServeWithBrokenSettings(t *testing.T) {
	replies, err := modeltest.Parse("text: Hello.\n")
	if err != nil {
		t.Fatal(err)
	}
	provider := modeltest.New(replies...)
	base, err := provider.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer provider.Close()
	home, dir := t.TempDir(), t.TempDir()
	settings, state := filepath.Join(home, "config.toml"), filepath.Join(home, "state")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "a.txt"), "one\n")

	// A plan with a command, to be approved later.
	write(settings, "[model]\nprovider = \"builtin\"\n")
	e := serveWith(t, settings, state, dir, base)
	if _, err := e.Execute(e.ctx, command.Chat, `replace "one" with "two" then run touch made`); err != nil {
		t.Fatal(err)
	}
	if err := e.Await(e.ctx, lsptest.MessageContains("plan 1 is ready")); err != nil {
		t.Fatal(err)
	}
	e.stop()

	write(settings, "[commands]\ndeny = [\"touch\"]\ndeny = [\"rm\"]\n")
	want := "Your settings in " + settings + " cannot be read: line 3 is not TOML (key deny is already defined); Redline runs nothing and sends nothing until you fix it and restart Redline."
	e = serveWith(t, settings, state, dir, base)
	if err := e.Await(e.ctx, lsptest.MessageContains(want)); err != nil {
		t.Errorf("the user reads nothing of it: %v\n%v", err, e.Messages())
	}
	if err := e.Open("a.txt"); err != nil {
		t.Fatal(err)
	}
	quiet := map[string]bool{command.Cancel: true, command.Complete: true, command.Hunks: true} // they show that there is nothing
	args := map[string][]any{
		command.Chat:        {"hello", "/approve 1", "/try 1 touch made", `replace "one" with "two"`},
		command.Approve:     {map[string]any{"plan": 1}, map[string]any{"plan": 1, "operation": "o2"}},
		command.Reject:      {map[string]any{"plan": 1}},
		command.Rework:      {map[string]any{"plan": 1, "feedback": "more"}},
		command.Stage:       {map[string]any{"plan": 1, "remove": []string{"o1"}}},
		command.Edit:        {map[string]any{"plan": 1, "revision": 1, "path": "a.txt", "text": "three\n"}},
		command.Rollback:    {map[string]any{"plan": 1, "revision": 1}},
		command.Comment:     {map[string]any{"plan": 1, "path": "a.txt", "line": 1, "text": "why?"}},
		command.Rate:        {map[string]any{"plan": 1, "rating": 4}},
		command.Undo:        {map[string]any{"plan": 1}},
		command.Review:      {map[string]any{"plan": 1}},
		command.Cancel:      {map[string]any{}},
		command.Show:        {map[string]any{"plan": 1, "view": "edit"}},
		command.State:       {map[string]any{}},
		command.Hunks:       {map[string]any{"textDocument": map[string]any{"uri": "file:///a.txt"}}},
		command.Try:         {map[string]any{"plan": 1, "command": "touch made"}},
		command.Complete:    {map[string]any{"text": "/agent "}},
		command.AllowTrials: {map[string]any{}},

		command.Conversations: {map[string]any{}, map[string]any{"conversation": "1"}},
	}
	for _, name := range command.Names() {
		if len(args[name]) == 0 {
			t.Errorf("the test has no argument for %s", name)
		}
		for _, argument := range args[name] {
			_, err := e.Execute(e.ctx, name, argument)
			refused, ok := errors.AsType[*lsptest.Refusal](err)
			if quiet[name] && err != nil || !quiet[name] && (!ok || refused.Message != want) {
				t.Errorf("%s %v: %v, want the refusal", name, argument, err)
			}
		}
	}
	e.stop()
	if n := len(provider.Requests()); n != 0 {
		t.Errorf("the provider was asked %d times", n)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(text) != "one\n" {
		t.Errorf("a.txt is %q", text)
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("the command ran")
	}

	write(settings, "[commands]\ndeny = [\"touch\", \"rm\"]\n")
	e = serveWith(t, settings, state, dir, base)
	if _, err := e.Execute(e.ctx, command.Chat, "what is this?"); err != nil {
		t.Error(err)
	}
	if err := e.Await(e.ctx, lsptest.MessageContains("Hello.")); err != nil {
		t.Errorf("%v\n%v", err, e.Messages())
	}
	e.stop()
}

// An editor's user reads which settings have no effect.
func TestServeWarnsOfSettings(t *testing.T) {
	home := t.TempDir()
	settings := filepath.Join(home, "config.toml")
	e := serveWith(t, settings, filepath.Join(home, "state"), t.TempDir(), "")
	if err := e.Await(e.ctx, lsptest.MessageContains("There is no file "+settings+", so none of your settings count")); err != nil {
		t.Errorf("%v\n%v", err, e.Messages())
	}
	e.stop()
	if err := os.WriteFile(settings, []byte("[limits]\nstep = 3\nrequests = 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e = serveWith(t, settings, filepath.Join(home, "state"), t.TempDir(), "")
	if err := e.Await(e.ctx, lsptest.MessageContains("1 more warning: redline doctor lists them.")); err != nil {
		t.Errorf("%v\n%v", err, e.Messages())
	}
	e.stop()
}
