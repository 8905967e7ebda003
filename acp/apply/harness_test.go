package apply_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"redline/acp/apply"
	"redline/edits"
	"redline/internal/leaktest"
	"redline/workspace"
)

// When all tests have ended, no goroutine is left.
func TestMain(m *testing.M) { os.Exit(leaktest.After(m).Run()) }

// client is an editor at the other end of a connection. It tells what it has open, else what
// is on the disk, and writes what the server sends, unless the test says otherwise.
type client struct {
	t testing.TB

	mu      sync.Mutex
	open    map[string]string // unsaved texts, by absolute name
	asked   []string          // the methods that were called, each with its file
	written []string          // the texts that the server sent for writing

	onRead  func(name string) (json.RawMessage, error)
	onWrite func(ctx context.Context, name, text string) error
}

// Call implements [apply.Conn].
func (c *client) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	switch p := params.(type) {
	case acp.ReadTextFileRequest:
		c.note(method, p.Path)
		if c.onRead != nil {
			return c.onRead(p.Path)
		}
		return c.read(p.Path)
	case acp.WriteTextFileRequest:
		c.note(method, p.Path)
		c.mu.Lock()
		c.written = append(c.written, p.Content)
		c.mu.Unlock()
		if c.onWrite != nil {
			return json.RawMessage("{}"), c.onWrite(ctx, p.Path, p.Content)
		}
		c.save(p.Path, p.Content)
		return json.RawMessage("{}"), nil
	}
	c.t.Errorf("%s was sent", method)
	return nil, nil
}

func (c *client) note(method, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, method+" "+filepath.Base(name))
}

// wrote reports whether the server had the client write a file.
func (c *client) wrote() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.written) > 0
}

func (c *client) read(name string) (json.RawMessage, error) {
	c.mu.Lock()
	text, open := c.open[name]
	c.mu.Unlock()
	if !open {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, &acp.RequestError{Code: -32603, Message: "no such file"}
		}
		text = string(data)
	}
	return json.Marshal(map[string]string{"content": text})
}

// shows makes text what the editor has of a file, unsaved.
func (c *client) shows(name, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[string]string{}
	}
	c.open[name] = text
}

// save writes a file, and leaves nothing unsaved of it.
func (c *client) save(name, text string) {
	c.mu.Lock()
	delete(c.open, name)
	c.mu.Unlock()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		c.t.Error(err)
	}
}

// harness is an applier over a workspace, with its client.
type harness struct {
	*apply.Applier
	workspace *workspace.Workspace
	dir       string
	client    *client
	late      chan string
}

var readsAndWrites = apply.Client{Read: true, Write: true}

func newHarness(t *testing.T, can apply.Client, files map[string]string) *harness {
	t.Helper()
	h := &harness{dir: t.TempDir(), client: &client{t: t}, late: make(chan string, 1)}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(h.name(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(h.name(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h.workspace = workspace.New([]workspace.Folder{{Dir: h.dir}}, workspace.Options{})
	h.Applier = apply.New(apply.Options{
		Conn: h.client, Session: func() string { return "s" }, Workspace: h.workspace, Client: can, Late: func(path string) { h.late <- path },
		Timeouts: apply.Timeouts{Write: 30 * time.Millisecond, Read: 30 * time.Millisecond, Verify: 30 * time.Millisecond, Refusal: 30 * time.Millisecond},
	})
	return h
}

func (h *harness) name(path string) string { return filepath.Join(h.dir, filepath.FromSlash(path)) }

// onDisk returns the text of a file, "none" if there is no file.
func (h *harness) onDisk(path string) string {
	data, err := os.ReadFile(h.name(path))
	if err != nil {
		return "none"
	}
	return string(data)
}

// one makes one change and returns its result.
func (h *harness) one(t *testing.T, c edits.Change) edits.Applied {
	t.Helper()
	results, err := h.Apply(t.Context(), []edits.Change{c}, nil)
	if err != nil || len(results) != 1 {
		t.Fatalf("got %+v, %v", results, err)
	}
	return results[0]
}

// replace returns the change that puts a text in the place of another, which is there once.
func replace(path, base, old, with string) edits.Change {
	at := strings.Index(base, old)
	return edits.Change{Path: path, Base: base, Edits: []edits.Edit{{Span: edits.Span{Start: at, End: at + len(old)}, New: with}}}
}
