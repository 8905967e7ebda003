package acp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	acpsdk "github.com/coder/acp-go-sdk"

	"redline/acp/acptest"
	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/outside"
	"redline/agent/trial"
	"redline/agent/turn"
)

// openWithAgent opens a panel where an outside agent called mender can work, see [outsidetest.Main], in
// plain copies of the folder.
func openWithAgent(t *testing.T) *panel {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := os.Mkdir(filepath.Join(home, ".acp-agent"), 0o700); err != nil {
		t.Fatal(err)
	}
	mender := outside.Agent{
		Name: "mender", ACP: []string{self, "acp-agent"}, Plain: true, Network: []string{outside.HostNetwork},
		State: []string{home + "/.acp-agent"}, Keep: []string{home + "/.acp-agent/sessions/"},
		Memory: outside.UsualMemory, Processes: outside.UsualProcesses, Timeout: outside.UsualTimeout,
	}
	p := open(t)
	p.agents = func(o *agent.Options) {
		o.Trials = trial.Options{Mode: trial.On, Home: home, Isolation: trial.IsolationCopy}
		o.Turns.OutsideOptions = turn.OutsideOptions{OutsideAgents: []outside.Agent{mender}, OutsideAgent: func(name string) (outside.Agent, error) {
			if name != mender.Name {
				return outside.Agent{}, errors.New("it is not known")
			}
			return mender, nil
		}}
	}
	p.connect(nil)
	p.Initialize(acpsdk.ClientCapabilities{})
	p.session = p.Open(p.dir)
	return p
}

// worker returns who works in a session by its config options.
func worker(options []acpsdk.SessionConfigOption) (current string, values []string) {
	for _, o := range options {
		if o.Select.Id != "with" {
			continue
		}
		for _, v := range *o.Select.Options.Ungrouped {
			values = append(values, string(v.Value))
		}
		current = string(o.Select.CurrentValue)
	}
	return current, values
}

// A session's option says who works in it. An outside agent that the user chooses there works in a copy once
// it may, and its changes are a plan like another.
func TestAnOutsideAgentIsChosen(t *testing.T) {
	p := openWithAgent(t)
	with := func(name string) {
		t.Helper()
		var set acpsdk.SetSessionConfigOptionResponse
		p.Ask("session/set_config_option", m{"sessionId": p.session, "configId": "with", "value": name}, &set)
		if current, values := worker(set.ConfigOptions); current != name || !slices.Equal(values, []string{"model", "mender"}) {
			t.Errorf("after choosing %s, %s of %q works", name, current, values)
		}
	}
	with("mender")
	p.refused("session/set_config_option", m{"sessionId": p.session, "configId": "with", "value": "nobody"}, -32602, "There is no")
	p.Forget()
	p.OnPermission = func(_ context.Context, r acpsdk.RequestPermissionRequest) (any, error) {
		if len(p.Asked()) == 1 {
			if !strings.Contains(*r.ToolCall.Title, "mender") || len(r.Options) != 2 {
				t.Errorf("the first question is %+v", r)
			}
			return acptest.Chosen("Allow"), nil
		}
		if c := r.ToolCall.Content; len(c) != 1 || c[0].Diff == nil || !strings.HasSuffix(c[0].Diff.NewText, "mended\n") {
			t.Errorf("the second question is %+v", r)
		}
		return acptest.Chosen("approve-file"), nil
	}
	p.Prompt(p.session, "think Hm. ; write notes.md mended; say It is done.")
	if len(p.Asked()) != 2 || p.read("notes.md") != files["notes.md"]+"mended\n" {
		t.Errorf("%d questions; notes.md is\n%s\nit says:\n%s", len(p.Asked()), p.read("notes.md"), p.Said())
	}
	p.says("It is done.")

	var loaded acpsdk.ResumeSessionResponse
	p.connect(nil) // another process
	p.Initialize(acpsdk.ClientCapabilities{})
	p.Ask("session/resume", m{"cwd": p.dir, "mcpServers": []any{}, "sessionId": p.session}, &loaded)
	if current, _ := worker(loaded.ConfigOptions); current != "mender" {
		t.Errorf("in a resumed session %q works", current)
	}
	with("model")
	p.model.Will(agenttest.Reply{Text: "Mine."})
	p.Prompt(p.session, "/ask who are you?")
	p.says("Mine.")
}

// A client hears when another is chosen in words.
func TestAnOutsideAgentIsChosenInWords(t *testing.T) {
	p := openWithAgent(t)
	p.Prompt(p.session, "/with mender")
	var current string
	for _, u := range p.Updates() {
		if c := u.Update.ConfigOptionUpdate; c != nil {
			current, _ = worker(c.ConfigOptions)
		}
	}
	if current != "mender" {
		t.Errorf("the client knows that %q works", current)
	}
}

// A question is asked in the session whose turn asks, also while another session of the folder works.
func TestAQuestionWhileAnotherSessionWorks(t *testing.T) {
	p := openWithAgent(t)
	other := p.Open(p.dir)
	begun, wait := make(chan struct{}), make(chan struct{})
	p.model.Will(agenttest.Reply{Text: "Late.", Begun: begun, Wait: wait})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Prompt(other, "/ask what is late?")
	}()
	<-begun
	p.Prompt(p.session, "/with mender")
	p.Prompt(p.session, "ask fetch https://a.example")
	asked := p.Asked()
	if len(asked) != 2 {
		t.Fatalf("%d questions; it says:\n%s", len(asked), p.Said())
	}
	for _, r := range asked {
		if r.SessionId != p.session {
			t.Errorf("%q is asked in the session that does not ask", *r.ToolCall.Title)
		}
	}
	p.says("It may fetch: selected yes.")
	close(wait)
	<-ended
}
