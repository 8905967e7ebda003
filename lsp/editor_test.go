package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"redline/agent"
	"redline/agent/state"
	"redline/edits"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// connected is a server with an editor.
type connected struct {
	*lsptest.Editor
	t    testing.TB
	ctx  context.Context
	dir  string
	done chan error // what Serve returned
}

// connect starts a server for a workspace with the given files and connects
// an editor to it. makeAgent may be nil for the built-in model.
func connect(t testing.TB, p lsptest.Profile, files map[string]string, opts ...lsptest.Option) *connected {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return connectTo(t, p, dir, Options{NewAgent: builtinAgent(t)}, opts...)
}

// late delays messages, to find what depends on their timing.
var late = flag.Duration("late", 0, "keep each message between an editor in memory and the server back by up to this")

func connectTo(t testing.TB, p lsptest.Profile, dir string, o Options, opts ...lsptest.Option) *connected {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	if o.Timeouts.Apply.Verify == 0 {
		o.Timeouts.Apply.Verify = 2 * time.Second // an editor in memory is quick
	}
	if o.Timeouts.Apply.Hidden == 0 {
		o.Timeouts.Apply.Hidden = time.Second
	}
	near, far := lsptest.Pipe()
	near, far = lsptest.Late(near, *late), lsptest.Late(far, *late)
	c := &connected{t: t, ctx: ctx, dir: dir, done: make(chan error, 1)}
	go func() { c.done <- Serve(ctx, near, o) }()
	editor, err := lsptest.Start(ctx, far, p, dir, opts...)
	if err != nil {
		t.Fatal(err)
	}
	c.Editor = editor
	t.Cleanup(func() {
		editor.Kill()
		select {
		case err := <-c.done:
			c.done <- err
		case <-time.After(deadline):
			t.Error("the server did not end with its editor")
		}
		cancel()
	})
	return c
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c *connected) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *connected) await(x lsptest.Expectation) {
	c.t.Helper()
	c.must(c.Await(c.ctx, x))
}

// plan sends a request and waits until its plan has been announced.
func (c *connected) plan(request string) {
	c.t.Helper()
	before := len(c.Messages())
	if _, err := c.Execute(c.ctx, command.Chat, request); err != nil {
		c.t.Fatal(err)
	}
	c.await(lsptest.Expect("a plan is ready", func(e *lsptest.Editor) bool {
		return slices.ContainsFunc(e.Messages()[before:], func(m lsptest.Message) bool { return strings.Contains(m.Text, "is ready") })
	}))
}

// approve approves the whole of plan 1.
func (c *connected) approve() (state.Result, error) { return c.decide(command.Approve, 1) }

func (c *connected) decide(command string, plan int) (state.Result, error) {
	c.t.Helper()
	var r state.Result
	raw, err := c.Execute(c.ctx, command, map[string]int{"plan": plan})
	if err == nil {
		c.must(json.Unmarshal(raw, &r))
	}
	return r, err
}

func (c *connected) wantFile(name, want string) {
	c.t.Helper()
	if got := c.Text(name); got != want {
		c.t.Errorf("%s is %q, want %q", name, got, want)
	}
}

// A turn is shown as progress and ends with one message, and its preview is opened.
func TestPresentationOfATurn(t *testing.T) {
	c := connect(t, lsptest.HelixLike(), map[string]string{"a.txt": twoFruits}, lsptest.WithEvents())
	c.plan(`replace "apple" with "pear"`)
	c.await(lsptest.And(lsptest.ProgressDone(), lsptest.ShownDocument(".redline/plans/0001-r1.md"),
		lsptest.DiagnosticCount("a.txt", 2), lsptest.EventKind("turn.finished"), lsptest.EventKind("plan")))
	messages := c.Messages()
	const want = "Redline: plan 1 is ready: 1 file, +2 −2. Preview: .redline/plans/0001-r1.md"
	if len(messages) != 1 || messages[0].Text != want || messages[0].Type != 3 {
		t.Errorf("got %+v, want %q alone", messages, want)
	}
	if p := c.Progress()[0]; p.Title != "Redline" || !p.Cancellable {
		t.Errorf("the progress is %+v", p)
	}
	if _, err := c.approve(); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.MessageContains("plan 1: 2 changes in 1 file applied. Not saved yet: a.txt."))
}

// One change is approved alone: the other stays pending, and the applied one can be undone.
func TestOneHunkAlone(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	run := func(line int, title string) {
		t.Helper()
		action, err := c.ActionTitled(c.ctx, "a.txt", line, title)
		c.must(err)
		if _, err := c.RunAction(c.ctx, action); err != nil {
			t.Fatal(err)
		}
	}
	run(3, "approve this change (plan 1, h2)")
	c.wantFile("a.txt", "one apple\ntwo\nthree\nfour 😀 pear\nfive\n")
	c.await(lsptest.And(lsptest.DiagnosticCount("a.txt", 1), lsptest.DiagnosticCode("a.txt", "1.h1")))
	actions, err := c.CodeActions(c.ctx, "a.txt", lsptest.Range{})
	c.must(err)
	at := func(title string) int {
		return slices.IndexFunc(actions, func(a lsptest.Action) bool { return a.Title == "Redline: "+title })
	}
	if undo, show := at("undo plan 1"), at("show plan 1"); undo < 0 || show < undo {
		t.Errorf("undo is offered at place %d, show at %d", undo, show)
	}
	run(0, "undo plan 1")
	c.wantFile("a.txt", twoFruits)
	c.await(lsptest.DiagnosticCount("a.txt", 2))

	before := len(c.Messages())
	if _, err := c.Execute(c.ctx, command.Chat, "/approve 1"); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.Expect("one message that says what is not saved", func(e *lsptest.Editor) bool {
		messages := e.Messages()[before:]
		return len(messages) == 1 && strings.Contains(messages[0].Text, "Not saved yet: a.txt")
	}))
}

// After an undo only the user's own typing is left to save, even if the editor marks the
// buffers as changed, as Neovim does.
func TestAnUndoLeavesNothingToSave(t *testing.T) {
	c := connect(t, lsptest.HelixLike(), map[string]string{"a.txt": twoFruits, "b.txt": twoFruits})
	c.must(c.Open("a.txt"))
	c.must(c.Open("b.txt"))
	c.plan(`replace "apple" with "pear"`)
	if _, err := c.approve(); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.MessageContains("Not saved yet: a.txt, b.txt."))
	c.must(c.Insert("b.txt", 1, 0, "typed "))
	if _, err := c.Execute(c.ctx, command.Chat, "/undo 1"); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.MessageContains("a.txt is pending, b.txt is pending. Not saved yet: b.txt."))
}

// A comment requests a change; it is removed when the change is applied.
func TestCommentRequest(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.go": "package a\n\n// redline: replace \"one\" with \"two\" in a.go\nvar x = \"one\"\n"})
	c.must(c.Open("a.go"))
	action, err := c.ActionTitled(c.ctx, "a.go", 2, "plan this request")
	c.must(err)
	if _, err := c.RunAction(c.ctx, action); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.MessageContains("plan 1 is ready"))
	c.await(lsptest.DiagnosticCode("a.go", "1.h1"))
	if _, err := c.approve(); err != nil {
		t.Fatal(err)
	}
	c.wantFile("a.go", "package a\n\nvar x = \"two\"\n")
}

// Saving the chat file with /send at its end sends the request, and the answer is added to
// the open file.
func TestChatFile(t *testing.T) {
	c := connect(t, lsptest.HelixLike(), map[string]string{"a.txt": twoFruits})
	if _, err := c.Execute(c.ctx, command.Show, map[string]string{"view": "chat"}); err != nil {
		t.Fatal(err)
	}
	c.await(lsptest.ShownDocument(".redline/chat.md"))
	text := c.Text(".redline/chat.md")
	at := edits.Span{Start: len(text), End: len(text)}
	c.must(c.Type(".redline/chat.md", edits.Edit{Span: at, New: "replace \"apple\" with \"pear\" in a.txt\n/send\n"}))
	c.must(c.Save(".redline/chat.md"))
	c.await(lsptest.And(lsptest.MessageContains("plan 1 is ready"), lsptest.TextContains(".redline/chat.md", "## Redline\n")))
}

// An editor that refuses to change the chat file because the user has run no code action
// (Kate) gets the answer on disk, unless the file has unsaved text.
func TestChatFileOfAnEditorThatRefuses(t *testing.T) {
	const name, request = ".redline/chat.md", "## You\n\nreplace \"apple\" with \"pear\" in a.txt\n/send"
	for _, c := range []struct {
		name, typed string
		onDisk      string // added on disk when the request is saved
		answered    bool
	}{
		{"saved", "", "", true},
		{"ended with a line end as it is saved", "", "\n", true},
		{"typed since", "\nmore", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := connect(t, lsptest.KateLike(), map[string]string{"a.txt": twoFruits, name: request})
			e.must(e.Open(name))
			var once sync.Once
			asked := make(chan struct{})
			e.OnApply(func(lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
				once.Do(func() {
					defer close(asked)
					write(t, filepath.Join(e.dir, name), request+c.onDisk)
					at := edits.Span{Start: len(request), End: len(request)}
					if c.typed != "" {
						e.must(e.Type(name, edits.Edit{Span: at, New: c.typed}))
					}
				})
				return lsptest.Answer{Applied: false}, true
			})
			e.must(e.Save(name))
			<-asked
			_, err := e.Execute(e.ctx, command.Show, map[string]string{"view": "chat"}) // waits until the answer was written or refused
			e.must(err)
			data, err := os.ReadFile(filepath.Join(e.dir, name))
			e.must(err)
			file := string(data)
			if answered := strings.HasPrefix(file, request+"\n\n## Redline\n"); answered != c.answered || !answered && file != request {
				t.Errorf("the file is\n%s", file)
			}
			if c.answered {
				return
			}
			e.must(e.Save(name))
			e.await(lsptest.Expect("it is put there then", func(*lsptest.Editor) bool {
				data, err := os.ReadFile(filepath.Join(e.dir, name))
				return err == nil && strings.Contains(string(data), request+c.typed+"\n\n## Redline\n")
			}))
		})
	}
}

// An edit that is malformed is not guessed at: the server stops following the file until it
// is opened again.
func TestDamagedDocument(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	c.must(c.Notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": c.URI("a.txt"), "version": 9},
		"contentChanges": []any{map[string]any{"range": nil, "text": "x"}},
	}))
	c.await(lsptest.MessageContains("could not be read"))
	c.await(lsptest.Expect("the log says so too", func(e *lsptest.Editor) bool {
		return strings.Contains(e.Transcript(), "window/logMessage")
	}))
	if _, err := c.approve(); err == nil {
		t.Fatal("a text that is not known was changed")
	}
	c.wantFile("a.txt", twoFruits)
	c.must(c.Close("a.txt"))
	c.must(c.Open("a.txt"))
	if _, err := c.approve(); err != nil {
		t.Fatal(err)
	}
	c.wantFile("a.txt", "one pear\ntwo\nthree\nfour 😀 pear\nfive\n")
}

// The plans of an earlier session are shown again, and can be decided on.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), twoFruits)
	newAgent := builtinAgent(t)
	first := connectTo(t, lsptest.HelixLike(), dir, Options{NewAgent: newAgent})
	first.plan(`replace "apple" with "pear"`)
	first.Kill()
	if err := <-first.done; !errors.Is(err, ErrNotShutDown) && !errors.Is(err, io.ErrClosedPipe) { // it may have been writing
		t.Errorf("after a crash of the editor Serve returned %v", err)
	}
	first.done <- nil

	second := connectTo(t, lsptest.HelixLike(), dir, Options{NewAgent: newAgent})
	second.await(lsptest.DiagnosticCount("a.txt", 2))
	if _, err := second.approve(); err != nil {
		t.Fatal(err)
	}
	second.wantFile("a.txt", "one pear\ntwo\nthree\nfour 😀 pear\nfive\n")
	second.must(second.Quit(second.ctx))
	if err := <-second.done; err != nil {
		t.Errorf("after shutdown and exit Serve returned %v", err)
	}
	second.done <- nil
}

// A client that sends whole texts drops the diagnostics of the document each time, so they
// are sent again. Other clients do not get the same diagnostics twice.
func TestDiagnosticsAreSentAgainAfterWholeTexts(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits, "b.txt": "x\n"})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	c.await(lsptest.DiagnosticCount("a.txt", 2))
	published := func() int { return strings.Count(c.Transcript(), "textDocument/publishDiagnostics") }
	before := published()
	c.must(c.Insert("a.txt", 4, 4, "!"))
	c.must(c.Notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": c.URI("a.txt"), "version": 9},
		"contentChanges": []any{map[string]any{"text": c.Text("a.txt")}},
	}))
	c.await(lsptest.Expect("one more publication", func(*lsptest.Editor) bool { return published() == before+1 }))
}

// A client without an open folder works in the folder of the first file that it opens.
func TestNoFolder(t *testing.T) {
	f := newFixtureIn(t, client{}, nil)
	_, err := f.run(command.Chat, "create a.txt with \"x\"")
	if code, kind := codeOf(t, err); code != jsonrpc2.InvalidParams || kind != "invalid" {
		t.Errorf("without a folder: %v", err)
	}
	f.dir = t.TempDir()
	f.open("a.txt", twoFruits)
	f.ask(`replace "apple" with "pear" in a.txt`)
	if got := titles(t, f.actions("a.txt", cursor(0, 0))); len(got) == 0 || got[0] != "approve this change (plan 1, h1)" {
		t.Errorf("got %q", got)
	}
}

func TestAlive(t *testing.T) {
	if !alive(os.Getpid()) {
		t.Error("this process is gone")
	}
	child := exec.Command(os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	if alive(child.Process.Pid) {
		t.Error("a process that has ended is alive")
	}
}

// A missing agent or folder is reported when it is needed, and the server continues.
func TestNothingToWorkIn(t *testing.T) {
	for name, c := range map[string]struct {
		newAgent func(*workspace.Workspace, state.Editor) (*agent.Agent, error)
		dir      string
		kind     string
	}{
		"no agent": {func(*workspace.Workspace, state.Editor) (*agent.Agent, error) {
			return nil, errors.New("the configuration is wrong")
		}, "", "not_allowed"},
		"no root": {nil, "missing", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.newAgent == nil {
				c.newAgent = builtinAgent(t)
			}
			e := connectTo(t, lsptest.Honest(), filepath.Join(t.TempDir(), c.dir), Options{NewAgent: c.newAgent})
			_, err := e.Execute(e.ctx, command.Chat, "create a.txt with \"x\"")
			if refusal, ok := errors.AsType[*lsptest.Refusal](err); c.kind != "" && (!ok || refusal.Kind != c.kind) {
				t.Fatalf("got %v, want %s", err, c.kind)
			}
			e.await(lsptest.Expect("a message", func(e *lsptest.Editor) bool { return len(e.Messages()) > 0 }))
			t.Logf("it says: %q", e.Messages()[0].Text)
			if _, err := e.CodeActions(e.ctx, "x", lsptest.Range{}); err != nil {
				t.Errorf("the server does not go on: %v", err)
			}
		})
	}
}
