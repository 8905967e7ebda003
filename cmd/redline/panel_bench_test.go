package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"redline/acp/acptest"
	"redline/internal/acpwire"
	"redline/lsp/lsptest"
)

// What a turn costs in an agent panel, and the same turn by LSP, one after the other: an answer, and a
// plan with a change that the user sees and approves, until it is made. Each has its own folder, and the
// answer to initialize is measured too.
func BenchmarkPanel(b *testing.B) {
	b.Setenv("REDLINE_STATE_DIR", b.TempDir())
	b.Setenv("REDLINE_CONFIG", filepath.Join(b.TempDir(), "none.toml"))
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	e := benchedEditor(b, ctx)
	c, session, began := benchedPanel(b, ctx)

	var answers, plans [2][]time.Duration
	timed := func(to *[]time.Duration, do func()) {
		begun := time.Now()
		do()
		*to = append(*to, time.Since(begun))
	}
	for i := 0; b.Loop(); i++ {
		ask := fmt.Sprintf(`/ask where is number %d?`, i)
		timed(&answers[0], func() { e.turn(ask) })
		timed(&answers[1], func() { c.Prompt(session, ask) })
		change := fmt.Sprintf(`replace "number %d" with "number %d" in a.txt`, i, i+1)
		timed(&plans[0], func() {
			e.turn(change)
			e.run("redline.show", map[string]any{"plan": i + 1})
			e.run("redline.approve", map[string]any{"plan": i + 1})
		})
		if want := fmt.Sprintf("number %d\n", i+1); !strings.HasSuffix(e.Text("a.txt"), want) {
			b.Fatalf("by LSP a.txt has no %q", want)
		}
		timed(&plans[1], func() { c.Prompt(session, change) })
		if data, err := os.ReadFile(filepath.Join(c.dir, "a.txt")); err != nil || !strings.HasSuffix(string(data), fmt.Sprintf("number %d\n", i+1)) {
			b.Fatalf("in the panel a.txt has no number %d (%v); it says:\n%s", i+1, err, c.Said())
		}
		c.Forget()
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
	b.ReportMetric(ms(began), "initialize-ms")
	for i, way := range []string{"lsp", "acp"} {
		b.ReportMetric(ms(median(answers[i])), way+"-answer-ms")
		b.ReportMetric(ms(median(plans[i])), way+"-plan-ms")
	}
}

// benchFolder is a folder with a file of some lines.
func benchFolder(b *testing.B) string {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(strings.Repeat("some line\n", 200)+"number 0\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	return dir
}

// benchEditor is an editor that speaks LSP.
type benchEditor struct {
	*lsptest.Editor
	b    *testing.B
	ctx  context.Context
	seen int // how many events were looked at
}

func benchedEditor(b *testing.B, ctx context.Context) *benchEditor {
	near, far := lsptest.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, []string{"serve"}, streams{in: far, out: far, err: io.Discard}) }()
	b.Cleanup(func() {
		near.Close()
		<-ended
	})
	editor, err := lsptest.Start(ctx, near, lsptest.Honest(), benchFolder(b), lsptest.WithEvents())
	if err == nil {
		err = editor.Open("a.txt")
	}
	if err != nil {
		b.Fatal(err)
	}
	return &benchEditor{Editor: editor, b: b, ctx: ctx}
}

func (e *benchEditor) run(command string, args any) json.RawMessage {
	raw, err := e.Execute(e.ctx, command, args)
	if err != nil {
		e.b.Fatal(err)
	}
	return raw
}

// turn sends a message, and waits for the end of its turn.
func (e *benchEditor) turn(message string) {
	var sent struct{ Turn string }
	if err := json.Unmarshal(e.run("redline.chat", message), &sent); err != nil {
		e.b.Fatal(err)
	}
	if err := e.Await(e.ctx, lsptest.Expect("the turn has ended", func(editor *lsptest.Editor) bool {
		events := editor.Events()
		defer func() { e.seen = len(events) }()
		for _, event := range events[e.seen:] {
			if strings.Contains(string(event), `"turn.finished"`) && strings.Contains(string(event), `"`+sent.Turn+`"`) {
				return true
			}
		}
		return false
	})); err != nil {
		e.b.Fatal(err)
	}
}

// benchPanel is an editor with an agent panel, which reads and writes files.
type benchPanel struct {
	*acptest.Client
	dir string
}

func benchedPanel(b *testing.B, ctx context.Context) (c *benchPanel, session acp.SessionId, began time.Duration) {
	near, far := lsptest.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, []string{"acp"}, streams{in: far, out: far, err: io.Discard}) }()
	client := acptest.Connect(b, near, map[string]acpwire.Request{
		acp.ClientMethodFsReadTextFile: func(_ context.Context, params json.RawMessage) (any, error) {
			r, err := acpwire.Decode[acp.ReadTextFileRequest](params)
			if err != nil {
				return nil, err
			}
			data, err := os.ReadFile(r.Path)
			return acp.ReadTextFileResponse{Content: string(data)}, err
		},
		acp.ClientMethodFsWriteTextFile: func(_ context.Context, params json.RawMessage) (any, error) {
			r, err := acpwire.Decode[acp.WriteTextFileRequest](params)
			if err != nil {
				return nil, err
			}
			return acp.WriteTextFileResponse{}, os.WriteFile(r.Path, []byte(r.Content), 0o600)
		},
	})
	b.Cleanup(func() {
		client.Conn.Close()
		near.Close()
		<-ended
	})
	start := time.Now()
	client.Initialize(acp.ClientCapabilities{Fs: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}})
	began = time.Since(start)
	c = &benchPanel{client, benchFolder(b)}
	return c, c.Open(c.dir), began
}
