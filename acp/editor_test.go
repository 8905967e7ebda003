package acp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	acpsdk "github.com/coder/acp-go-sdk"

	"redline/acp"
	"redline/acp/acptest"
	"redline/acp/apply"
	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/view"
	"redline/internal/acpwire"
)

// filesOf is the file system of a client: what it has not saved, and the disk.
type filesOf struct {
	t    testing.TB
	mu   sync.Mutex
	open map[string]string // unsaved, by the last part of the name

	onWrite func(name, text string) error // nil: it writes
}

// openWithFiles opens a panel whose client reads and writes files.
func openWithFiles(t testing.TB) (*panel, *filesOf) {
	t.Helper()
	p := open(t)
	p.change = func(o *acp.Options) {
		o.Files = apply.Timeouts{Verify: 30 * time.Millisecond, Refusal: 30 * time.Millisecond}
	}
	f := &filesOf{t: t, open: map[string]string{}}
	p.connect(map[string]acpwire.Request{acpsdk.ClientMethodFsReadTextFile: f.read, acpsdk.ClientMethodFsWriteTextFile: f.write})
	p.Initialize(acpsdk.ClientCapabilities{Fs: acpsdk.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}})
	p.session = p.Open(p.dir)
	return p, f
}

func (f *filesOf) read(_ context.Context, params json.RawMessage) (any, error) {
	r, err := acpwire.Decode[acpsdk.ReadTextFileRequest](params)
	if err != nil {
		f.t.Errorf("%v in %s", err, params)
	}
	f.mu.Lock()
	text, open := f.open[filepath.Base(r.Path)]
	f.mu.Unlock()
	if open {
		return acpsdk.ReadTextFileResponse{Content: text}, nil
	}
	data, err := os.ReadFile(r.Path)
	if err != nil {
		return nil, &acpsdk.RequestError{Code: -32603, Message: "no such file"}
	}
	return acpsdk.ReadTextFileResponse{Content: string(data)}, nil
}

func (f *filesOf) write(_ context.Context, params json.RawMessage) (any, error) {
	r, err := acpwire.Decode[acpsdk.WriteTextFileRequest](params)
	if err != nil {
		f.t.Errorf("%v in %s", err, params)
	}
	if f.onWrite != nil {
		return acpsdk.WriteTextFileResponse{}, f.onWrite(r.Path, r.Content)
	}
	f.mu.Lock()
	delete(f.open, filepath.Base(r.Path))
	f.mu.Unlock()
	return acpsdk.WriteTextFileResponse{}, os.WriteFile(r.Path, []byte(r.Content), 0o644)
}

// What the user has typed and not saved is in the diff, and in the file afterwards.
func TestUnsavedTextsAreSeen(t *testing.T) {
	p, f := openWithFiles(t)
	p.model.Stages(agenttest.Edit("notes.md", "Nothing yet.", "Total is Add."))
	f.open["notes.md"] = "# Notes\n\nNothing yet.\n\nMore of mine.\n"
	p.Prompt(p.session, "change @notes.md")
	asked := p.Asked()
	if len(asked) != 1 {
		t.Fatalf("%d questions: %+v", len(asked), asked)
	}
	want := "# Notes\n\nTotal is Add.\n\nMore of mine.\n"
	if d := asked[0].ToolCall.Content[0].Diff; d == nil || d.OldText == nil || !strings.Contains(*d.OldText, "More of mine.") || d.NewText != want {
		t.Errorf("the diff is %+v", d)
	}
	if got := p.read("notes.md"); got != want {
		t.Errorf("notes.md is\n%s", got)
	}
	p.says("Plan 1 is completed.")
}

// What is typed while the question waits is kept, or the file is not changed.
func TestTypingDuringTheQuestion(t *testing.T) {
	for typed, want := range map[string]string{
		"# Notes\n\nNothing yet.\n\nMore of mine.\n": "# Notes\n\nTotal is Add.\n\nMore of mine.\n",
		"# Notes\n\nSomething else.\n":               files["notes.md"],
	} {
		p, f := openWithFiles(t)
		p.model.Stages(agenttest.Edit("notes.md", "Nothing yet.", "Total is Add."))
		p.OnPermission = func(context.Context, acpsdk.RequestPermissionRequest) (any, error) {
			f.mu.Lock()
			f.open["notes.md"] = typed
			f.mu.Unlock()
			return acpsdk.RequestPermissionResponse{Outcome: acpsdk.NewRequestPermissionOutcomeSelected("approve-file")}, nil
		}
		p.Prompt(p.session, "change the notes")
		if got := p.read("notes.md"); got != want {
			t.Errorf("with %q typed, notes.md is\n%s\nit said: %s", typed, got, p.Said())
		}
	}
}

// What is decided elsewhere, such as on the page of redline review, is carried out by the client, which
// sees what is not saved.
func TestDecidedElsewhereIsAppliedHere(t *testing.T) {
	p, f := openWithFiles(t)
	p.model.Stages(agenttest.Edit("notes.md", "Nothing yet.", "Total is Add."))
	other, decided := p.beside(), make(chan struct{})
	p.OnPermission = func(ctx context.Context, _ acpsdk.RequestPermissionRequest) (any, error) {
		defer close(decided)
		f.mu.Lock()
		f.open["notes.md"] = "# Notes\n\nNothing yet.\n\nMore of mine.\n"
		f.mu.Unlock()
		held, err := other.Agent.Board.Find(other.Context(), 1)
		if err != nil {
			return nil, err
		}
		v := other.Agent.Board.Seen(held)
		decision := agent.Handed{Choice: agent.Choice{Plan: 1, Revision: 1, Hash: v.Revision.Hash, Approve: agent.Parts{Whole: true}, Way: view.ByPage, Client: "redline review"}}
		if handled, err := other.Agent.HandOver(other.Context(), v, decision, time.Minute, func(error) {}); !handled || err != nil {
			t.Errorf("handed over: %v, %v", handled, err)
		}
		<-ctx.Done() // withdrawn
		return acptest.Cancelled(), nil
	}
	p.Prompt(p.session, "change the notes")
	<-decided // the question is withdrawn as soon as the decision is stored
	if got, want := p.read("notes.md"), "# Notes\n\nTotal is Add.\n\nMore of mine.\n"; got != want {
		t.Errorf("notes.md is\n%s\nit said: %s", got, p.Said())
	}
}

// An approval changes all its files or none, also through a client that fails at one of them.
func TestAClientFailsAtOneFile(t *testing.T) {
	for name, write := range map[string]struct {
		does func(name, text string) error
		says string
	}{
		"refuses":        {func(string, string) error { return &acpsdk.RequestError{Code: 1, Message: "disk full"} }, "disk full"},
		"writes nothing": {func(string, string) error { return nil }, "its text is as it was"},
		"writes a part":  {func(name, text string) error { return os.WriteFile(name, []byte(text[:9]), 0o644) }, "it wrote only a part of the text"},
	} {
		t.Run(name, func(t *testing.T) {
			p, f := openWithFiles(t)
			p.plans()
			p.answers("approve-rest")
			f.onWrite = func(name, text string) error {
				if filepath.Base(name) == "notes.md" {
					return write.does(name, text)
				}
				return os.WriteFile(name, []byte(text), 0o644)
			}
			p.Prompt(p.session, "rename Total to Add")
			p.unchanged()
			p.says(write.says)
			if strings.Contains(p.Said(), "completed") {
				t.Errorf("it says:\n%s", p.Said())
			}
		})
	}
}

// A file with unsaved changes is not deleted behind the editor.
func TestNoDeletionBehindABuffer(t *testing.T) {
	p, f := openWithFiles(t)
	p.model.Stages(agenttest.Call("delete_file", map[string]any{"path": "notes.md"}))
	p.OnPermission = func(context.Context, acpsdk.RequestPermissionRequest) (any, error) {
		f.mu.Lock()
		f.open["notes.md"] = "typed\n"
		f.mu.Unlock()
		return acpsdk.RequestPermissionResponse{Outcome: acpsdk.NewRequestPermissionOutcomeSelected("approve-file")}, nil
	}
	p.Prompt(p.session, "delete the notes")
	p.unchanged()
	if strings.Contains(p.Said(), "completed") {
		t.Errorf("it says:\n%s", p.Said())
	}
}
