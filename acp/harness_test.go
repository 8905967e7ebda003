package acp_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	acpsdk "github.com/coder/acp-go-sdk"

	"redline/acp"
	"redline/acp/acptest"
	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/outside/outsidetest"
	"redline/agent/state"
	"redline/agent/store"
	"redline/internal/acpwire"
	"redline/workspace"
)

// The test binary is also the outside agent.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "acp-agent" {
		outsidetest.Main()
		return
	}
	agenttest.Main(m)
}

// panel is a folder, its store and its model, with the panel of an editor.
type panel struct {
	*acptest.Client
	t       testing.TB
	dir     string
	state   string
	model   *agenttest.Script
	session acpsdk.SessionId
	change  func(*acp.Options)
	agents  func(*agent.Options)
}

// files of the workspace.
var files = map[string]string{
	"shop.go":  "package shop\n\nfunc Total(a, b int) int { return a + b }\n\nvar sum = Total(1, 2)\n",
	"notes.md": "# Notes\n\nNothing yet.\n",
}

// open opens a panel with a session.
func open(t testing.TB) *panel {
	t.Helper()
	p := prepare(t)
	p.start()
	return p
}

// prepare makes a panel that is not connected yet.
func prepare(t testing.TB) *panel {
	t.Helper()
	p := &panel{t: t, dir: t.TempDir(), state: t.TempDir(), model: &agenttest.Script{}}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// start connects and opens a session.
func (p *panel) start() {
	p.t.Helper()
	p.connect(nil)
	p.Initialize(acpsdk.ClientCapabilities{})
	p.session = p.Open(p.dir)
}

// connect starts a server on the store, and connects to it.
func (p *panel) connect(more map[string]acpwire.Request) {
	p.t.Helper()
	kept := store.New(p.state)
	p.t.Cleanup(func() { kept.Close() })
	p.Client = acptest.Start(p.t, func(ctx context.Context, rw io.ReadWriteCloser) error { return acp.Serve(ctx, rw, p.options(kept)) }, more)
}

func (p *panel) options(kept *store.Store) acp.Options {
	o := acp.Options{
		Version: "test", Watch: 20 * time.Millisecond, Context: 1000,
		NewAgent: func(dir string, editor func(*workspace.Workspace) state.Editor) (*agent.Agent, error) {
			ws := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{StateDir: p.state})
			o := agent.Options{Workspace: ws, Store: kept, Model: p.model}
			if p.agents != nil {
				p.agents(&o)
			}
			a := agent.New(o)
			a.Session.Attach(editor(ws))
			return a, nil
		},
	}
	if p.change != nil {
		p.change(&o)
	}
	return o
}

// plans has the model make a plan with a change to each file, and a new file.
func (p *panel) plans() {
	p.model.Stages(
		agenttest.Edit("shop.go", "func Total(", "func Add("), agenttest.Edit("shop.go", "= Total(1, 2)", "= Add(1, 2)"),
		agenttest.Edit("notes.md", "Nothing yet.", "Total is Add."),
		agenttest.Call("write_file", map[string]any{"path": "new.md", "content": "New.\n"}),
	)
}

// read returns a file of the workspace, "" if there is none.
func (p *panel) read(name string) string {
	data, _ := os.ReadFile(filepath.Join(p.dir, name))
	return string(data)
}

// unchanged fails if a file has changed.
func (p *panel) unchanged() {
	p.t.Helper()
	for name, text := range files {
		if got := p.read(name); got != text {
			p.t.Errorf("%s has changed:\n%s", name, got)
		}
	}
	if p.read("new.md") != "" {
		p.t.Error("new.md was made")
	}
}

// says fails unless the agent has said something.
func (p *panel) says(words string) {
	p.t.Helper()
	if said := p.Said(); !strings.Contains(said, words) {
		p.t.Errorf("it does not say %q, but:\n%s", words, said)
	}
}

// answers makes the client choose these options, in order.
func (p *panel) answers(options ...string) {
	p.OnPermission = func(context.Context, acpsdk.RequestPermissionRequest) (any, error) {
		if len(options) == 0 {
			p.t.Error("it asks too often")
			return acptest.Cancelled(), nil
		}
		next := options[0]
		options = options[1:]
		return acptest.Chosen(next), nil
	}
}
