package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/store"
	"redline/edits"
	"redline/lsp"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// guide narrates the tour while it runs. Everything it shows came over LSP, from the
// server that an editor would start.
type guide struct {
	out    io.Writer
	editor *lsptest.Editor
	step   int
}

func (g *guide) say(text string) { io.WriteString(g.out, text) }

// heading begins a step of the tour.
func (g *guide) heading(text string) {
	g.step++
	if isTerminal(g.out) {
		text = "\x1b[1m" + text + "\x1b[0m"
	}
	fmt.Fprintf(g.out, "\n%d. %s\n\n", g.step, text)
}

// quote shows a text of the tour, indented.
func (g *guide) quote(text string) { g.say(indented(text)) }

// indented indents the lines of a text, except empty ones.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); strings.TrimSpace(line) != "" {
			b.WriteString("   " + line)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// message waits for a message from the server that contains part, and returns it.
func (g *guide) message(ctx context.Context, part string) (string, error) {
	if err := g.editor.Await(ctx, lsptest.MessageContains(part)); err != nil {
		return "", err
	}
	for _, m := range g.editor.Messages() {
		if strings.Contains(m.Text, part) {
			return m.Text, nil
		}
	}
	return "", fmt.Errorf("the message with %q is gone", part)
}

// pick runs the code action with the title on a line of prices.go. told says so, with %s for the
// title.
func (g *guide) pick(ctx context.Context, line int, title, told string) error {
	action, err := g.editor.ActionTitled(ctx, "prices.go", line, title)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.out, told, action.Title)
	_, err = g.editor.RunAction(ctx, action)
	return err
}

func (g *guide) ask(ctx context.Context) error {
	g.heading("Ask, in a comment")
	for name := range demoFiles {
		if err := g.editor.Open(name); err != nil {
			return err
		}
	}
	g.say("prices.go is open in an editor that has no plugin, only LSP:\n\n")
	g.quote(g.editor.Text("prices.go"))
	if err := g.pick(ctx, 2, "plan this request", "\nOn the comment, the editor's code actions offer “%s”. Picked.\n"); err != nil {
		return err
	}
	ready, err := g.message(ctx, "plan 1 is ready")
	if err != nil {
		return err
	}
	g.heading("See every edit before it happens")
	g.quote(ready)
	return nil
}

func (g *guide) look(ctx context.Context) error {
	if err := g.editor.Await(ctx, lsptest.And(lsptest.DiagnosticCount("prices.go", 1), lsptest.DiagnosticCount("report.go", 1))); err != nil {
		return err
	}
	g.say("\nEach proposed hunk is a diagnostic on its lines; hover shows its diff:\n")
	for _, name := range []string{"prices.go", "report.go"} {
		d := g.editor.Diagnostics(name)[0]
		fmt.Fprintf(g.out, "\n   %s:%d [%s]\n", name, d.Range.Start.Line+1, d.Code())
		hover, err := g.editor.Hover(ctx, name, d.Range.Start)
		if err != nil {
			return err
		}
		g.diff(hover)
	}
	g.say("\nNothing has changed yet: both files are as they were, in the editor and on disk.\n")
	return nil
}

// diff prints the diff block of a hover.
func (g *guide) diff(hover string) { g.quote(colours(g.out, diffBlock(hover))) }

// diffBlock returns the diff in a hover.
func diffBlock(hover string) string {
	_, block, _ := strings.Cut(hover, "```diff\n")
	block, _, _ = strings.Cut(block, "\n```")
	return block + "\n"
}

func (g *guide) keepTyping(ctx context.Context) error {
	g.heading("Keep typing while it waits")
	before := g.editor.Diagnostics("report.go")[0].Range.Start.Line
	if err := g.editor.Insert("report.go", 0, 0, "// Copyright: the shop.\n\n"); err != nil {
		return err
	}
	moved := lsptest.Expect("the hunk has moved", func(e *lsptest.Editor) bool {
		d := e.Diagnostics("report.go")
		return len(d) == 1 && d[0].Range.Start.Line == before+2
	})
	if err := g.editor.Await(ctx, moved); err != nil {
		return err
	}
	fmt.Fprintf(g.out, "Two lines typed at the top of report.go: the hunk moved from line %d to line %d.\n"+
		"Had you edited its own lines, it would be stale and could not be approved.\n", before+1, before+3)
	return nil
}

func (g *guide) approve(ctx context.Context) error {
	g.heading("Approve")
	line := g.editor.Diagnostics("prices.go")[0].Range.Start.Line
	if err := g.pick(ctx, line, "approve plan 1", "The code action “%s” carries the hash of what was shown. Picked.\n\n"); err != nil {
		return err
	}
	applied, err := g.message(ctx, "Not saved yet")
	if err != nil {
		return err
	}
	g.quote(applied)
	g.say("\nThe editor made the edits, so your undo has them. prices.go, the comment gone:\n\n")
	g.quote(g.editor.Text("prices.go"))
	g.say("\nreport.go, with what you typed:\n\n")
	g.quote(g.editor.Text("report.go"))
	return nil
}

func (g *guide) undo(ctx context.Context) error {
	g.heading("Change your mind")
	action, err := g.editor.ActionTitled(ctx, "prices.go", 0, "undo plan 1")
	if err != nil {
		return err
	}
	if _, err := g.editor.RunAction(ctx, action); err != nil {
		return err
	}
	want := "// Copyright: the shop.\n\n" + demoFiles["report.go"]
	if err := g.editor.Await(ctx, lsptest.And(lsptest.TextEquals("prices.go", demoFiles["prices.go"]), lsptest.TextEquals("report.go", want))); err != nil {
		return err
	}
	fmt.Fprintf(g.out, "“%s”: both files are as before, and the lines that you typed are still there:\n\n", action.Title)
	g.quote(firstLines(g.editor.Text("report.go"), 3))
	return nil
}

// firstLines returns the first n lines of a text.
func firstLines(text string, n int) string {
	lines := edits.NewLines(text)
	return text[:lines.Line(min(n, lines.Count())-1).End]
}

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
	g := &guide{out: folding(out), editor: editor}
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
