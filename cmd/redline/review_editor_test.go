//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"redline/edits"
	"redline/lsp/lsptest"
)

// besideReview is an editor with a server of its own, which has the workspace of a review open.
type besideReview struct {
	*lsptest.Editor
	t      *testing.T
	ctx    context.Context
	server *victim
}

// editorBeside starts an editor in the workspace of a review. It returns when the page shows that.
func editorBeside(t *testing.T, r *reviewed) *besideReview {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	world := crashWorld{t: t, env: []string{"REDLINE_LOG="}}
	b := &besideReview{t: t, ctx: ctx, server: world.startServer()}
	editor, err := lsptest.Start(ctx, b.server, lsptest.Honest(), r.dir, lsptest.OutlivesServer())
	if err != nil {
		t.Fatal(err)
	}
	b.Editor = editor
	t.Cleanup(func() { b.server.kill(); editor.Kill(); _ = b.server.cmd.Wait() })
	for ctx.Err() == nil {
		var shown struct{ Editor struct{ Open bool } }
		if r.ask("GET", "api/plan", nil, &shown); shown.Editor.Open {
			return b
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the page does not see the editor")
	return nil
}

func (b *besideReview) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// pageAnswer is what the page reads of an answer.
type pageAnswer struct{ Way string }

func (r *reviewed) approve(to *pageAnswer) {
	r.t.Helper()
	r.ask("POST", "api/decide", map[string]any{"revision": r.revision, "hash": r.hash, "approve": map[string]any{"plan": true}}, to)
}

// onDisk returns the text of the file that the review is about.
func (r *reviewed) onDisk() string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, "a.txt"))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// within sets how long editors have to take a decision up.
func within(t *testing.T, limit time.Duration) {
	editorWithin = limit
	t.Cleanup(func() { editorWithin = 0 })
}

// The editor that has the workspace open applies what the page decides, in its buffer, and shows its user that.
// The exit status of the review is that of the plan.
func TestReviewThroughAnEditor(t *testing.T) {
	within(t, 5*time.Minute)
	r := beginReview(t, "--wait", "--no-open")
	e := editorBeside(t, r)
	e.must(e.Open("a.txt"))
	e.must(e.Type("a.txt", edits.Edit{Span: edits.Span{Start: 4, End: 4}, New: "typed\n"}))
	var did pageAnswer
	r.approve(&did)
	if got := e.Text("a.txt"); got != "1\ntyped\ntwo\n" || did.Way != "editor" || r.onDisk() != "one\ntwo\n" {
		t.Errorf("%+v %q", did, got)
	}
	e.must(e.Await(e.ctx, lsptest.MessageContains("1 change in 1 file applied")))
	if exit := <-r.ended; exit != exitOK {
		t.Errorf("%d %s", exit, r.out.String())
	}
}

// A server that is stopped when the page decides takes nothing up when it continues: the page has said that
// the plan waits. What is decided then is carried out.
func TestReviewWhileTheServerIsStopped(t *testing.T) {
	within(t, 300*time.Millisecond)
	r := beginReview(t, "--no-open")
	e := editorBeside(t, r)
	e.must(e.Open("a.txt"))
	e.must(e.server.cmd.Process.Signal(syscall.SIGSTOP))
	whole := map[string]any{"revision": r.revision, "hash": r.hash, "approve": map[string]any{"plan": true}}
	if status, said := r.send("POST", "api/decide", whole); status != 422 || !strings.Contains(said, "did not answer: nothing is changed, and the plan waits") {
		t.Errorf("%d %s", status, said)
	}
	e.must(e.server.cmd.Process.Signal(syscall.SIGCONT))
	for status, said := 0, ""; status != 200; { // the server looks once a second
		if e.Text("a.txt") != "one\ntwo\n" || r.onDisk() != "one\ntwo\n" {
			t.Fatalf("what was withdrawn is applied: %q", e.Text("a.txt"))
		}
		if status, said = r.send("POST", "api/decide", whole); status != 200 && !strings.Contains(said, "did not answer") {
			t.Fatalf("%d %s", status, said)
		}
	}
	if e.Text("a.txt") != "1\ntwo\n" || r.onDisk() != "one\ntwo\n" {
		t.Errorf("%q %q", e.Text("a.txt"), r.onDisk())
	}
}

// When the only editor is killed before it has taken the decision, nothing is open any more: the disk is changed.
func TestReviewWhenTheServerIsKilled(t *testing.T) {
	within(t, 5*time.Minute)
	r := beginReview(t, "--no-open")
	e := editorBeside(t, r)
	e.must(e.server.cmd.Process.Signal(syscall.SIGSTOP))
	time.AfterFunc(100*time.Millisecond, e.server.kill) // before or after the decision is handed over
	var did pageAnswer
	if r.approve(&did); did.Way != "disk" || r.onDisk() != "1\ntwo\n" {
		t.Errorf("%+v %q", did, r.onDisk())
	}
	if exit := <-r.ended; exit != exitOK {
		t.Errorf("%d %s", exit, r.out.String())
	}
}
