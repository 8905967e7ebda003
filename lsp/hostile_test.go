package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"redline/agent/state"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

var (
	hostile     = flag.Int("hostile", 2000, "how many mutated messages TestHostileMessages sends")
	hostileSeed = flag.Uint64("hostile-seed", 1, "the seed of their mutations")
)

// turnEach is the number of mutated messages between two regular turns.
const turnEach = 500

// A client sends malformed messages, among them folders that it adds and removes. After
// each 500, a regular turn must still work: it is asked for, planned, approved and applied.
func TestHostileMessages(t *testing.T) {
	h := newHostile(t)
	for sent := 1; sent <= *hostile; sent++ {
		h.send()
		if sent%turnEach == 0 {
			h.turn(sent)
		}
	}
	if n := h.wire.answers.Load(); n < int64(*hostile/10) {
		t.Errorf("only %d of %d messages were answered: do they still arrive?", n, *hostile)
	}
}

// hostileClient is an editor with a connection that takes additional messages.
type hostileClient struct {
	*connected
	wire   *injector
	mutant mutator
	turns  int
	last   string // why the last turn did not succeed
}

func newHostile(t *testing.T) *hostileClient {
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt", "sub/c.txt", "other/d.txt"} {
		write(t, filepath.Join(dir, name), strings.Repeat("an apple\na pear\n", 20))
	}
	near, far := lsptest.Pipe()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	c := &connected{t: t, ctx: ctx, dir: dir, done: make(chan error, 1)}
	o := Options{NewAgent: builtinAgent(t), StateDir: t.TempDir()}
	o.Timeouts.Apply.Verify, o.Timeouts.Apply.Hidden = 2*time.Second, time.Second
	go func() { c.done <- Serve(ctx, near, o) }()
	wire := &injector{ReadWriteCloser: far}
	editor, err := lsptest.Start(ctx, wire, lsptest.Honest(), dir, lsptest.WithEvents())
	if err != nil {
		t.Fatal(err)
	}
	c.Editor = editor
	t.Cleanup(func() {
		editor.Kill()
		select {
		case <-c.done:
		case <-time.After(deadline):
			t.Error("the server did not end with its editor")
		}
		cancel()
	})
	h := &hostileClient{connected: c, wire: wire}
	h.mutant = mutator{rand: rand.New(rand.NewPCG(*hostileSeed, 0)), near: regexp.MustCompile(`"uri":"(file:[^"]*)"`), inside: filepath.Base(filepath.Dir(dir))}
	h.mutant.bodies = clientMessages(t, h.URI(""))
	return h
}

// send sends one mutated message.
func (h *hostileClient) send() {
	if err := h.wire.inject(h.mutant.next()); err != nil {
		h.t.Fatalf("the connection is gone: %v", err)
	}
}

// turn makes a regular turn, up to five times: a mutated message that is still at work may
// undo or cancel it.
func (h *hostileClient) turn(sent int) {
	h.t.Helper()
	for range 5 {
		if h.tryTurn(sent) {
			return
		}
	}
	h.t.Fatalf("after %d messages no turn comes to its end: %s", sent, h.last)
}

// tryTurn asks for a change in a new file in a new conversation, approves it and checks the
// editor's text.
func (h *hostileClient) tryTurn(sent int) bool {
	h.t.Helper()
	h.turns++
	name, word := fmt.Sprintf("turn%d.txt", h.turns), fmt.Sprintf("word%d", h.turns)
	write(h.t, filepath.Join(h.dir, name), word+"\n")
	h.must(h.AddFolder("")) // a mutated message may have removed it
	h.must(h.Open(name))
	raw, err := h.Execute(h.ctx, command.Chat, map[string]string{
		"message": fmt.Sprintf(`replace %q with "done%d" in %s`, word, h.turns, name), "conversation": fmt.Sprintf("turn%d", h.turns),
	})
	if err != nil {
		h.t.Fatalf("after %d messages a turn is refused: %v", sent, err)
	}
	var begun struct{ Turn string }
	h.must(json.Unmarshal(raw, &begun))
	h.await(lsptest.Expect(fmt.Sprintf("turn %s ends, after %d messages", begun.Turn, sent), func(e *lsptest.Editor) bool {
		for _, raw := range e.Events() {
			var event struct{ Kind, Turn string }
			if json.Unmarshal(raw, &event) == nil && event.Kind == "turn.finished" && event.Turn == begun.Turn {
				return true
			}
		}
		return false
	}))
	raw, err = h.Execute(h.ctx, command.State, map[string]bool{"all": true})
	h.must(err)
	var state struct{ Plans []state.Plan }
	h.must(json.Unmarshal(raw, &state))
	for _, p := range state.Plans {
		for _, f := range p.Files {
			if filepath.Base(f.Path) != name {
				continue
			}
			// A mutated message may have extended the plan: approve only this file.
			if _, err := h.Execute(h.ctx, command.Approve, map[string]any{"plan": p.Plan, "path": f.Path}); err != nil {
				h.last = fmt.Sprintf("%s of plan %d cannot be approved: %v", f.Path, p.Plan, err)
				return false
			}
			h.wantFile(name, fmt.Sprintf("done%d\n", h.turns))
			h.must(h.Close(name))
			return true
		}
	}
	h.last = fmt.Sprintf("turn %s made no plan: %s", begun.Turn, raw)
	return false
}

// injector is a connection that accepts whole messages between those of an editor.
type injector struct {
	io.ReadWriteCloser
	mu   sync.Mutex
	half []byte // the incomplete part of an editor's message

	answers atomic.Int64 // to injected requests
}

// Read counts the answers to injected requests.
func (i *injector) Read(p []byte) (int, error) {
	n, err := i.ReadWriteCloser.Read(p)
	i.answers.Add(int64(bytes.Count(p[:n], []byte(`"id":"x1`))))
	return n, err
}

var frameHead = regexp.MustCompile(`^Content-Length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n`)

func (i *injector) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.half = append(i.half, p...)
	for {
		head := frameHead.FindSubmatch(i.half)
		if head == nil {
			return len(p), nil
		}
		size := 0
		fmt.Sscan(string(head[1]), &size)
		if size += len(head[0]); len(i.half) < size {
			return len(p), nil
		}
		if _, err := i.ReadWriteCloser.Write(i.half[:size]); err != nil {
			return 0, err
		}
		i.half = i.half[size:]
	}
}

func (i *injector) inject(frame string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	_, err := io.WriteString(i.ReadWriteCloser, frame)
	return err
}

// clientMessages returns valid messages of a client for the workspace folder with this URI.
func clientMessages(t *testing.T, folder string) []string {
	data, err := os.ReadFile("testdata/hostile.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(strings.ReplaceAll(string(data), "$WS", folder)) {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}
