package apply_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"redline/lsp/apply"
	"redline/lsp/position"
	"redline/workspace"
)

// everything is a client that takes any WorkspaceEdit.
var everything = apply.Client{DocumentChanges: true, Create: true, Rename: true, Delete: true}

// harness is an applier over a workspace, with its client.
type harness struct {
	*apply.Applier
	workspace *workspace.Workspace
	dir       string
	client    *client
}

// newHarness returns an applier for a client over a workspace with the given
// files, some of which are open.
func newHarness(t *testing.T, c apply.Client, files map[string]string, open ...string) *harness {
	t.Helper()
	return newHarnessIn(t, position.Mapper{}, c, files, open...)
}

func newHarnessIn(t *testing.T, positions position.Mapper, c apply.Client, files map[string]string, open ...string) *harness {
	t.Helper()
	h := &harness{dir: t.TempDir(), client: &client{t: t}}
	for name, text := range files {
		name = filepath.Join(h.dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h.workspace = workspace.New([]workspace.Folder{{URI: "file:///w", Dir: h.dir}}, workspace.Options{})
	for _, name := range open {
		h.open(name, 3, files[name])
	}
	h.Applier = apply.New(apply.Options{
		Conn: h.client, Workspace: h.workspace, Positions: positions, Client: c,
		Timeouts: apply.Timeouts{Verify: 20 * time.Millisecond, Hidden: 20 * time.Millisecond, Refusal: 20 * time.Millisecond},
		Damaged:  func(string) bool { return false }, Late: func(string) {},
	})
	return h
}

// uri returns the client's name for a document.
func (h *harness) uri(name string) string { return "file://" + h.dir + "/" + name }

func (h *harness) open(name string, version int32, text string) {
	h.workspace.Open(h.uri(name), "text", version, text)
}

// client is the other end of a connection: it keeps the edits that it receives, and answers
// as the test says.
type client struct {
	t      testing.TB
	edits  []json.RawMessage
	answer func() string // the result of workspace/applyEdit; nil: nothing may be sent
}

// Call implements [apply.Conn].
func (c *client) Call(_ context.Context, method string, params, result any) error {
	if method != "workspace/applyEdit" || c.answer == nil {
		c.t.Errorf("%s was sent", method)
		return nil
	}
	edit, err := protocol.Marshal(params.(*protocol.ApplyWorkspaceEditParams).Edit)
	if err != nil {
		c.t.Error(err)
	}
	c.edits = append(c.edits, edit)
	*result.(*json.RawMessage) = json.RawMessage(c.answer())
	return nil
}

// Go implements [apply.Conn].
func (c *client) Go(_ string, f func(context.Context)) { go f(c.t.Context()) }
