package acp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	acpsdk "github.com/coder/acp-go-sdk"

	"redline/acp"
	"redline/acp/acptest"
	"redline/agent/agenttest"
	"redline/agent/store"
)

type m = map[string]any

// refused sends a request, which must be refused with a code and words.
func (p *panel) refused(method string, params any, code int, words string) {
	p.t.Helper()
	_, err := p.Try(method, params)
	wrong, ok := errors.AsType[*acpsdk.RequestError](err)
	if !ok || wrong.Code != code || !strings.Contains(wrong.Message, words) {
		p.t.Errorf("%s %v: %v, want %d and %q", method, params, err, code, words)
	}
}

// The answer to initialize has the one version there is, whatever the client asks for.
func TestInitialize(t *testing.T) {
	for _, version := range []int{1, 2, 3, 65535} {
		p := &panel{t: t, dir: t.TempDir(), state: t.TempDir(), model: &agenttest.Script{}}
		p.connect(nil)
		p.refused("session/new", m{"cwd": p.dir, "mcpServers": []any{}}, -32600, "Send initialize first.")
		var r acpsdk.InitializeResponse
		p.Ask("initialize", m{"protocolVersion": version, "clientCapabilities": m{"new": true}}, &r)
		if r.ProtocolVersion != 1 || r.AgentInfo == nil || r.AgentInfo.Name != "redline" || r.AgentInfo.Version != "test" || len(r.AuthMethods) != 0 {
			t.Errorf("version %d: %+v", version, r)
		}
		can := r.AgentCapabilities
		if s := can.SessionCapabilities; !can.LoadSession || !can.PromptCapabilities.EmbeddedContext || can.PromptCapabilities.Image || can.PromptCapabilities.Audio || s.List == nil || s.Close == nil || s.Resume == nil {
			t.Errorf("it can %+v", can)
		}
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	p := open(t)
	file := filepath.Join(p.dir, "shop.go")
	for _, c := range []struct {
		method string
		params any
		code   int
		words  string
	}{
		{"authenticate", m{"methodId": "x"}, -32602, "no way to sign in"},
		{"session/new", m{"cwd": "shop", "mcpServers": []any{}}, -32602, "not absolute"},
		{"session/new", m{"cwd": file, "mcpServers": []any{}}, -32602, "There is no folder"},
		{"session/new", m{"cwd": p.dir + "/none", "mcpServers": []any{}}, -32602, "There is no folder"},
		{"session/new", m{"mcpServers": []any{}}, -32602, "not absolute"},
		{"session/new", nil, -32602, "cannot be used"},
		{"session/new", m{"cwd": p.dir, "mcpServers": []any{}, "additionalDirectories": []string{"/tmp"}}, -32602, "one folder"},
		{"session/new", m{"cwd": p.dir, "mcpServers": "all"}, -32602, "MCP servers cannot be read"},
		{"session/load", m{"cwd": p.dir, "mcpServers": []any{}, "sessionId": "c00000000"}, -32602, "There is no conversation"},
		{"session/load", m{"cwd": p.dir, "mcpServers": []any{}}, -32602, "sessionId is missing"},
		{"session/prompt", m{"sessionId": "c00000000", "prompt": []any{}}, -32002, "There is no open session"},
		{"session/prompt", m{"sessionId": p.session, "prompt": []any{m{"type": "video"}}}, -32602, "unknown kind"},
		{"session/set_mode", m{"sessionId": p.session, "modeId": "yolo"}, -32602, "There is no"},
		{"session/set_config_option", m{"sessionId": p.session, "configId": "model", "value": "another"}, -32602, "There is no"},
		{"session/close", m{"sessionId": "x"}, -32002, "There is no open session"},
		{"session/fork", m{"sessionId": p.session}, -32601, "There is no method"},
		{"terminal/create", m{}, -32601, "There is no method"},
	} {
		p.refused(c.method, c.params, c.code, c.words)
	}
	p.Ask("logout", m{}, nil)
	p.model.Will(agenttest.Reply{Text: "Still here."})
	p.Prompt(p.session, "/ask are you there?")
	p.says("Still here.")
}

// Editors name all the tool servers that they know. Redline uses those of the user's own settings, and says
// which others it does not use.
func TestToolServersOfTheUser(t *testing.T) {
	p := open(t)
	p.change = func(o *acp.Options) { o.Servers = []string{"tickets"} }
	p.connect(nil)
	p.Initialize(acpsdk.ClientCapabilities{})
	tickets := m{"name": "tickets", "command": "/bin/false", "args": []string{}, "env": []any{}}
	other := m{"type": "http", "name": "other", "url": "http://localhost", "headers": []any{}}
	for _, tt := range []struct {
		servers []any
		said    bool
	}{{[]any{tickets}, false}, {[]any{tickets, other}, true}} {
		p.Forget()
		var opened acpsdk.NewSessionResponse
		p.Ask("session/new", m{"cwd": p.dir, "mcpServers": tt.servers}, &opened)
		p.model.Will(agenttest.Reply{Text: "Here."})
		p.Prompt(opened.SessionId, "/ask are you there?")
		p.says("Here.")
		if said := strings.Contains(p.Said(), `To use "other" of your editor too`); said != tt.said || strings.Contains(p.Said(), `"tickets"`) {
			t.Errorf("with %v it says:\n%s", tt.servers, p.Said())
		}
	}
}

// A session is a conversation: it outlives the process, and is loaded with what was said in it.
func TestASessionIsAConversation(t *testing.T) {
	p := open(t)
	p.model.Will(agenttest.Reply{Text: "It adds two numbers."})
	p.Prompt(p.session, "/ask what does Total do?")
	empty := p.Open(p.dir)

	p.connect(nil) // another process
	p.Initialize(acpsdk.ClientCapabilities{})
	p.refused("session/prompt", m{"sessionId": p.session, "prompt": []any{m{"type": "text", "text": "more"}}}, -32002, "session/load")
	var list acpsdk.ListSessionsResponse
	p.Ask("session/list", m{"cwd": p.dir}, &list)
	if len(list.Sessions) != 1 || list.Sessions[0].SessionId != p.session || list.Sessions[0].Cwd != p.dir || !strings.Contains(*list.Sessions[0].Title, "what does Total do?") {
		t.Fatalf("the list is %+v", list.Sessions)
	}
	p.refused("session/load", m{"cwd": t.TempDir(), "mcpServers": []any{}, "sessionId": p.session}, -32602, "There is no conversation")
	p.refused("session/load", m{"cwd": p.dir, "mcpServers": []any{}, "sessionId": empty}, -32602, "There is no conversation")

	var loaded acpsdk.LoadSessionResponse
	p.Ask("session/load", m{"cwd": p.dir, "mcpServers": []any{}, "sessionId": p.session}, &loaded)
	var roles []string
	for _, u := range p.Updates() {
		switch {
		case u.Update.UserMessageChunk != nil:
			roles = append(roles, "user: "+u.Update.UserMessageChunk.Content.Text.Text)
		case u.Update.AgentMessageChunk != nil:
			roles = append(roles, "agent: "+u.Update.AgentMessageChunk.Content.Text.Text)
		}
	}
	if len(roles) != 2 || !strings.Contains(roles[0], "what does Total do?") || roles[1] != "agent: It adds two numbers." {
		t.Errorf("it repeats %q", roles)
	}
	if loaded.Modes == nil || loaded.Modes.CurrentModeId != "auto" {
		t.Errorf("its modes are %+v", loaded.Modes)
	}

	p.model.Will(agenttest.Reply{Text: "Add."})
	p.Prompt(p.session, "/ask what would be a better name?")
	if told := strings.Join(p.model.Told(), "\n"); !strings.Contains(told, "It adds two numbers.") {
		t.Errorf("the model does not know what was said:\n%s", told)
	}
	p.Ask("session/close", m{"sessionId": p.session}, nil)
	p.refused("session/close", m{"sessionId": p.session}, -32002, "There is no open session")
	p.Forget()
	p.Ask("session/resume", m{"cwd": p.dir, "mcpServers": []any{}, "sessionId": p.session}, nil)
	if said := p.Said(); said != "" {
		t.Errorf("a resumed session repeats %q", said)
	}
}

// A new session says which commands, modes and options it has, and follows what is chosen in words.
func TestModesAndOptions(t *testing.T) {
	p := open(t)
	p.Await("the list of commands", func(updates []acpsdk.SessionNotification, _ []acpsdk.RequestPermissionRequest) bool {
		return slices.ContainsFunc(updates, func(u acpsdk.SessionNotification) bool {
			c := u.Update.AvailableCommandsUpdate
			return c != nil && u.SessionId == p.session && slices.ContainsFunc(c.AvailableCommands, func(c acpsdk.AvailableCommand) bool { return c.Name == "undo" })
		})
	})
	mode := func() (mode string) {
		for _, u := range p.Updates() {
			if u.Update.CurrentModeUpdate != nil {
				mode = string(u.Update.CurrentModeUpdate.CurrentModeId)
			}
		}
		return mode
	}
	p.Ask("session/set_mode", m{"sessionId": p.session, "modeId": "ask"}, nil)
	p.model.Will(agenttest.Reply{Text: "Two numbers."})
	p.Prompt(p.session, "what does Total add?")
	p.says("Two numbers.")
	if n := len(p.Asked()); n != 0 {
		t.Errorf("%d questions in the mode ask", n)
	}
	p.Prompt(p.session, "/mode plan")
	if got := mode(); got != "plan" {
		t.Errorf("after /mode plan the client knows the mode %q", got)
	}
	var set acpsdk.SetSessionConfigOptionResponse
	p.Ask("session/set_config_option", m{"sessionId": p.session, "configId": "mode", "value": "auto"}, &set)
	if got := set.ConfigOptions[0].Select; got.Id != "mode" || got.CurrentValue != "auto" {
		t.Errorf("the option is %+v", got)
	}
	if got := set.ConfigOptions[1].Select; got.Id != "model" || got.CurrentValue != "script" {
		t.Errorf("the model is %+v", got)
	}
}

// Two sessions of a folder have one agent and each its own conversation.
func TestSessionsOfAFolder(t *testing.T) {
	p := open(t)
	other := p.Open(p.dir)
	if err := os.WriteFile(filepath.Join(p.dir, "c.txt"), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.model.Stages(agenttest.Edit("c.txt", "x", "y"))
	p.Prompt(other, "change c.txt")
	if p.read("c.txt") != "y\n" {
		t.Error("the other session has not changed the file")
	}
	for _, u := range p.Updates() {
		if u.SessionId == p.session && u.Update.AvailableCommandsUpdate == nil {
			t.Errorf("the first session hears %+v", u.Update)
		}
	}
}

// A session whose plan waits is loaded with its steps, each time, and says where to decide.
func TestASessionWithAPlanIsLoaded(t *testing.T) {
	p := open(t)
	p.plans()
	p.OnPermission = func(context.Context, acpsdk.RequestPermissionRequest) (any, error) { return acptest.Cancelled(), nil }
	p.Prompt(p.session, "rename Total to Add")
	p.connect(nil)
	p.Initialize(acpsdk.ClientCapabilities{})
	for range 2 {
		p.Forget()
		p.Ask("session/load", m{"cwd": p.dir, "mcpServers": []any{}, "sessionId": p.session}, nil)
		steps := 0
		for _, u := range p.Updates() {
			if u.Update.Plan != nil {
				steps++
			}
		}
		if steps != 1 {
			t.Errorf("%d times steps are shown", steps)
		}
		p.says("Plan 1 waits: decide on it in your editor, with redline review 1")
	}
	p.unchanged()
	p.Prompt(p.session, "show me the plan again")
	if p.read("new.md") != "New.\n" || len(p.Asked()) != 3 {
		t.Errorf("%d questions; it says:\n%s", len(p.Asked()), p.Said())
	}
}

// The next session says that a turn was cut off when the process ended.
func TestATurnThatWasCutOff(t *testing.T) {
	p := open(t)
	end, err := store.New(p.state).Undertake(p.dir, store.Underway{Began: time.Now(), Request: "rename Total"})
	if err != nil {
		t.Fatal(err)
	}
	records, _ := filepath.Glob(filepath.Join(p.state, "turns", "*", "*.json"))
	text, err := os.ReadFile(records[0])
	end()
	for _, name := range []string{records[0], strings.TrimSuffix(records[0], "json") + "lock"} { // as if this process had been killed
		err = errors.Join(err, os.WriteFile(name, text, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	p.connect(nil)
	p.Initialize(acpsdk.ClientCapabilities{})
	p.session = p.Open(p.dir)
	p.model.Will(agenttest.Reply{Text: "Here."})
	p.Prompt(p.session, "/ask are you there?")
	p.says(`A turn was cut off when Redline ended: "rename Total".`)
}
