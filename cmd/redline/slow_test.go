package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
	"redline/workspace"
)

// slowDisk is a terminal whose disk takes an hour, in which the user loses patience.
type slowDisk struct {
	*console
	interrupt func()
}

func (s *slowDisk) Apply(ctx context.Context, changes []edits.Change, landed func(n int)) ([]edits.Applied, error) {
	s.interrupt()
	time.Sleep(time.Hour)
	return s.console.Apply(ctx, changes, landed)
}

// At the command line a decision is carried out before the process ends, however long that takes, and also
// if it is interrupted.
func TestDecisionsAreCarriedOutToTheEnd(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		file := dir + "/a.txt"
		if err := os.WriteFile(file, []byte("one\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: state})
		con := newConsole(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, ws)
		kept := store.New(state)
		defer kept.Close()
		a := agent.New(agent.Options{Workspace: ws, Store: kept, Model: model.New(model.Config{}), AnswerWithin: answerWithin(con)})
		defer a.Close()
		slow := &slowDisk{console: con}
		a.Session.Attach(slow)
		if err := turnAndDecide(t.Context(), a, con, &runFlags{mode: "auto", planOnly: true}, `replace "one" with "two"`, &runResult{}); err != status(exitWaiting) {
			t.Fatal(err)
		}
		ctx, interrupt := context.WithCancel(t.Context())
		slow.interrupt = interrupt
		r, err := approvePlan(ctx, a, con, view.Request{Plan: 1, Way: view.ByCommandLine})
		text, _ := os.ReadFile(file)
		if err != nil || r.State != "completed" || string(text) != "two\n" {
			t.Errorf("%v, the plan is %q, the file %q", err, r.State, text)
		}
	})
}
