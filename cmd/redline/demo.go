package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/store"
	"redline/lsp"
	"redline/lsp/lsptest"
	"redline/workspace"
)

func newDemo(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Watch one change from request to undo, offline, in a temporary folder",
		Long: `Plays one change over LSP with the built-in model: the request, the plan, its hunks,
typing while it waits, the approval and the undo. It needs no network and no editor,
and leaves nothing behind.`,
		Example: "  redline demo",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), time.Minute)
			defer cancel()
			return tour(ctx, s.out)
		},
	}
}

// demoFiles are the files of the tour's workspace.
var demoFiles = map[string]string{
	"prices.go": `package shop

// redline: rename Total to Sum in *.go
func Total(a, b int) int {
	return a + b
}
`,
	"report.go": `package shop

import "fmt"

// Report prints the day's sales 🛒.
func Report(food, books int) {
	fmt.Println("sales:", Total(food, books))
}
`,
}

// tour shows the main steps of a change in a temporary workspace.
func tour(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "redline-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, text := range demoFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	state, err := os.MkdirTemp("", "redline-demo-state-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(state)

	editor, stop, err := demoEditor(ctx, dir, state)
	if err != nil {
		return err
	}
	defer stop()
	g := &guide{out: out, editor: editor}
	for _, part := range []func(context.Context) error{g.ask, g.look, g.keepTyping, g.approve, g.undo} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	g.say("\nThat was Redline: asked, seen, approved, applied, undone, over plain LSP.\n" +
		"Connect your own editor: `redline init EDITOR` has the few lines for it.\n" +
		"`redline doctor` says what is configured here.\n" +
		"For a real model run redline setup.\n")
	return nil
}

// demoEditor starts a server with the built-in model, and connects an editor to it.
func demoEditor(ctx context.Context, dir, stateDir string) (*lsptest.Editor, func(), error) {
	kept := store.New(stateDir)
	client, server := lsptest.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = lsp.Serve(ctx, server, lsp.Options{ // the tour does not show how the server ends
			Log: zap.NewNop(), Version: version, StateDir: stateDir,
			NewAgent: func(ws *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
				return agent.New(agent.Options{Workspace: ws, Store: kept, Model: model.New(model.Config{})}), nil
			},
		})
	}()
	editor, err := lsptest.Start(ctx, client, lsptest.Honest(), dir)
	stop := func() {
		if editor != nil {
			_ = editor.Quit(ctx) // errors no longer matter once the tour is over
		}
		client.Close()
		<-served
		kept.Close()
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	return editor, stop, nil
}
