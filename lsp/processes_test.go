package lsp

import (
	"testing"
	"time"

	"redline/agent"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// Neovim drops the diagnostics of a buffer that is reloaded (:e), which closes and opens
// the document.
func TestDiagnosticsComeBackWhenADocumentIsOpenedAgain(t *testing.T) {
	c := connect(t, lsptest.NeovimLike(), map[string]string{"a.txt": twoFruits})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	c.await(lsptest.DiagnosticCount("a.txt", 2))
	c.must(c.Close("a.txt"))
	c.must(c.Open("a.txt"))
	c.await(lsptest.DiagnosticCount("a.txt", 2))
}

// The editor shows what the command line does with a plan, and the plans that it makes.
func TestTheEditorFollowsTheCommandLine(t *testing.T) {
	dir, status := t.TempDir(), t.TempDir()
	write(t, dir+"/a.txt", twoFruits)
	write(t, dir+"/b.txt", "plum\n")
	kept := store.New(status)
	t.Cleanup(func() { kept.Close() })
	c := connectTo(t, lsptest.Honest(), dir, Options{
		Timeouts: Timeouts{Plans: 10 * time.Millisecond},
		NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
			return agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{})}), nil
		},
	})
	c.plan(`replace "apple" with "pear"`)
	c.await(lsptest.DiagnosticCount("a.txt", 2))

	w := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{StateDir: status})
	its := store.New(status)
	defer its.Close()
	other := agent.New(agent.Options{Workspace: w, Store: its, Model: model.New(model.Config{})})
	defer other.Close()
	if _, err := other.Reject(c.ctx, view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.DiagnosticCount("a.txt", 0))

	turn, _, err := other.Turns.Send(conversation.Message{Text: `replace "plum" with "fig"`})
	if err != nil {
		t.Fatal(err)
	}
	if ended, err := other.Conversations.Wait(c.ctx, turn); err != nil || ended.State != "done" {
		t.Fatalf("the turn is %s, %v", ended.State, err)
	}
	c.await(lsptest.DiagnosticCode("b.txt", "2.h1"))
}

// A decision in the chat means the revision that was shown here, not a newer one of another
// process.
func TestTheChatApprovesWhatWasShown(t *testing.T) {
	dir, status := t.TempDir(), t.TempDir()
	write(t, dir+"/a.txt", twoFruits)
	kept := store.New(status)
	t.Cleanup(func() { kept.Close() })
	c := connectTo(t, lsptest.Honest(), dir, Options{
		Timeouts: Timeouts{Plans: time.Hour},
		NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
			return agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{})}), nil
		},
	})
	c.must(c.Open("a.txt"))
	before := c.Text("a.txt")
	c.plan(`replace "apple" with "pear"`)
	c.await(lsptest.DiagnosticCount("a.txt", 2))

	its := store.New(status)
	defer its.Close()
	other := agent.New(agent.Options{
		Workspace: workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{StateDir: status}),
		Store:     its, Model: model.New(model.Config{}),
	})
	defer other.Close()
	turn, _, err := other.Turns.Rework(c.ctx, 1, `create b.txt with "unseen"`, "other")
	if err != nil {
		t.Fatal(err)
	}
	if ended, err := other.Conversations.Wait(c.ctx, turn); err != nil || ended.State != "done" {
		t.Fatalf("the turn is %s, %v", ended.State, err)
	}
	if _, err := c.Execute(c.ctx, command.Chat, "/approve 1"); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.MessageContains("has changed since it was shown"))
	if after := c.Text("a.txt"); after != before {
		t.Errorf("a revision that was not shown was applied: %q", after)
	}
}
