package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"redline/agent/toolset/mcptest"
	"redline/internal/leash"
)

// The test binary is also the server program of the tests.
func TestMain(m *testing.M) {
	if leash.IsHelper(os.Args) {
		os.Exit(leash.Help(os.Args))
	}
	if len(os.Args) > 1 && os.Args[1] == "serve-tools" {
		mcptest.Main()
		return
	}
	goleak.VerifyTestMain(m)
}

// started returns a session with one server, whose program is this test.
type started struct {
	*Servers
	t      *testing.T
	record string
	now    time.Time
	logged *observer.ObservedLogs
}

func start(t *testing.T, change func(*Server)) *started {
	t.Helper()
	s := &started{t: t, record: filepath.Join(t.TempDir(), "record"), now: time.Now()}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := Server{Name: "tools", Command: program, Args: []string{"serve-tools"}, Env: map[string]string{mcptest.RecordVariable: s.record}}
	if change != nil {
		change(&server)
	}
	var core zapcore.Core
	core, s.logged = observer.New(zapcore.InfoLevel)
	s.Servers = NewServers([]Server{server}, ServerOptions{Now: func() time.Time { return s.now }, Log: zap.New(core)})
	t.Cleanup(s.Close)
	return s
}

func (s *started) ctx() context.Context {
	ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Minute)
	s.t.Cleanup(cancel)
	return ctx
}

// calls returns the calls that have reached the server.
func (s *started) calls() string {
	data, _ := os.ReadFile(s.record)
	return string(data)
}

func (s *started) tools() map[string]ServerTool {
	s.t.Helper()
	list, problems := s.Tools(s.ctx())
	if len(problems) > 0 {
		s.t.Fatal(problems)
	}
	out := map[string]ServerTool{}
	for _, t := range list {
		out[t.Name] = t
	}
	return out
}

func (s *started) look(tool, arguments string) (ServerResult, error) {
	return s.Look(s.ctx(), "mcp__tools__"+tool, json.RawMessage(arguments))
}

func TestToolsOfAServer(t *testing.T) {
	s := start(t, nil)
	tools := s.tools()
	for name, readOnly := range map[string]bool{"look": true, "note": false, "sneaky": true} {
		got, ok := tools["mcp__tools__"+name]
		if !ok || got.ReadOnly != readOnly || !strings.Contains(string(got.Schema), "properties") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for name, tool := range tools {
		if len(name) > maxName || strings.ContainsAny(name, " /") || strings.ContainsAny(tool.Description, "\n\u202e") {
			t.Errorf("%q: %q", name, tool.Description)
		}
	}
	if r, err := s.look("look", `{"name": "x"}`); err != nil || r.Text != "seen x" || r.IsError {
		t.Errorf("%+v, %v", r, err)
	}
	if got := s.calls(); got != "look {\"name\":\"x\"}\n" {
		t.Errorf("the server was asked %q", got)
	}
	odd := slices.IndexFunc(s.list[0].live.tools, func(t ServerTool) bool { return t.real == "odd name/with signs" })
	if r, err := s.Look(s.ctx(), s.list[0].live.tools[odd].Name, nil); err != nil || r.Text != "odd" {
		t.Errorf("%+v, %v", r, err)
	}
}

// Models can reach only read-only tools.
func TestOnlyReadOnlyToolsAreLookedAt(t *testing.T) {
	for name, change := range map[string]func(*Server){
		"note":   nil,
		"sneaky": func(s *Server) { s.ReadOnly = []string{"look"} }, // the user says otherwise
		"look":   func(s *Server) { s.ReadOnly = []string{} },
	} {
		s := start(t, change)
		if s.tools()["mcp__tools__"+name].ReadOnly {
			t.Errorf("%s is offered as read-only", name)
		}
		if _, err := s.look(name, `{}`); err == nil || !strings.Contains(err.Error(), "only after the user has approved it") {
			t.Errorf("%s: %v", name, err)
		}
		if got := s.calls(); got != "" {
			t.Errorf("%s has reached the server: %q", name, got)
		}
	}
	s := start(t, func(s *Server) { s.ReadOnly = []string{"note"} })
	if r, err := s.look("note", `{"text":"x"}`); err != nil || r.Text != "noted x" {
		t.Errorf("what the user calls read-only: %+v, %v", r, err)
	}
	if r, err := start(t, nil).Call(t.Context(), "mcp__tools__note", json.RawMessage(`{"text":"x"}`)); err != nil || r.Text != "noted x" {
		t.Errorf("approved: %+v, %v", r, err)
	}
	for _, tool := range []string{"mcp__other__look", "run_command", "mcp__tools", "mcp____look", "mcp__tools__nothing"} {
		if r, err := s.Look(t.Context(), tool, nil); err == nil {
			t.Errorf("%s answers %+v", tool, r)
		}
	}
	for _, arguments := range []string{`[]`, `null`, `"x"`, `{`, `{"a":"` + strings.Repeat("x", maxArguments) + `"}`} {
		if r, err := s.look("look", arguments); err == nil {
			t.Errorf("%.20s answers %+v", arguments, r)
		}
	}
}

// A hanging server is stopped after its timeout, and started again after a delay.
func TestAServerThatHangs(t *testing.T) {
	s := start(t, func(s *Server) { s.Timeout = 300 * time.Millisecond })
	s.tools()
	pid := s.list[0].live
	var lost *Unavailable
	if _, err := s.look("hang", `{}`); !errors.As(err, &lost) || !lost.Sent || !strings.Contains(err.Error(), "did not answer within 300ms") {
		t.Fatalf("%v", err)
	}
	if _, err := s.look("look", `{}`); !errors.As(err, &lost) || lost.Sent || !strings.Contains(err.Error(), "not tried again before") {
		t.Errorf("at once: %v", err)
	}
	if tools, problems := s.Tools(s.ctx()); len(tools) != 0 || len(problems) != 1 {
		t.Errorf("%d tools, %v", len(tools), problems)
	}
	if _, problems := s.Tools(s.ctx()); len(problems) != 0 {
		t.Errorf("told twice: %v", problems)
	}
	s.now = s.now.Add(firstWait)
	if r, err := s.look("look", `{"name":"again"}`); err != nil || r.Text != "seen again" || s.list[0].live == pid {
		t.Errorf("later: %+v, %v", r, err)
	}
}

func TestAServerThatDies(t *testing.T) {
	s := start(t, nil)
	s.tools()
	var lost *Unavailable
	if _, err := s.look("die", `{}`); !errors.As(err, &lost) || !lost.Sent {
		t.Fatalf("%v", err)
	}
	// The delay grows with each failure in a row.
	for _, wait := range []time.Duration{firstWait, 2 * firstWait, 4 * firstWait} {
		if got := s.list[0].retryAt.Sub(s.now); got != wait {
			t.Errorf("waits %s, want %s", got, wait)
		}
		s.now = s.now.Add(wait)
		if _, err := s.look("die", `{}`); !errors.As(err, &lost) {
			t.Fatalf("%v", err)
		}
	}
}

func TestAServerThatCannotBeStarted(t *testing.T) {
	for name, change := range map[string]func(*Server){
		"no program":  func(s *Server) { s.Command = "no-such-program-anywhere" },
		"no file":     func(s *Server) { s.Command = filepath.Join(t.TempDir(), "nothing") },
		"exits":       func(s *Server) { s.Env[mcptest.ModeVariable] = "exit" },
		"no address":  func(s *Server) { s.Command, s.URL = "", "http://127.0.0.1:1/" },
		"not a shell": func(s *Server) { s.Command, s.Args = "sh", []string{"-c", "cat >/dev/null; echo no"} },
	} {
		s := start(t, change)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		tools, problems := s.Tools(ctx)
		cancel()
		if len(tools) != 0 || len(problems) > 1 || len(problems) == 1 && !strings.HasPrefix(problems[0], "The tool server tools ") {
			t.Errorf("%s: %d tools, %v", name, len(tools), problems)
		}
		if len(problems) == 0 && name != "not a shell" { // that one is cancelled
			t.Errorf("%s: nobody is told", name)
		}
	}
}

// A cancelled turn does not wait for a server, and does not count as a failure.
func TestCancelledWhileStarting(t *testing.T) {
	s := start(t, func(s *Server) { s.Env[mcptest.ModeVariable] = "silent" })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan []string, 1)
	go func() { _, problems := s.Tools(ctx); done <- problems }()
	cancel()
	select {
	case problems := <-done:
		if len(problems) != 0 || s.list[0].failures != 0 {
			t.Errorf("%v, %d failures", problems, s.list[0].failures)
		}
	case <-time.After(3 * time.Minute):
		t.Fatal("it waits on")
	}
}

func TestResultsAreBoundedData(t *testing.T) {
	s := start(t, func(s *Server) {
		s.Env[mcptest.SecretVariable], s.Secrets = "hunter2hunter2", []string{"hunter2hunter2"}
	})
	t.Setenv("OPENAI_API_KEY", "sk-not-for-servers")
	r, err := s.look("big", `{}`)
	if err != nil || len(r.Text) > maxResult+100 || !strings.Contains(r.Text, "bytes more, left out") {
		t.Errorf("%d bytes, %v", len(r.Text), err)
	}
	r, err = s.look("orders", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(fenced("tools", r), "\n") {
		if i > 1 && !strings.HasPrefix(line, "    ") || strings.Contains(line, "\u202e") {
			t.Errorf("line %d is %q", i, line)
		}
	}
	if r, err = s.look("fail", `{}`); err != nil || !r.IsError || !strings.HasPrefix(fenced("tools", r), "error: ") {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = s.look("secret", `{}`); err != nil || r.Text != "the secret is [removed], the key " {
		t.Errorf("%+v, %v", r, err)
	}
}

// A server's standard error is logged, within bounds, and never blocks the server.
func TestStandardError(t *testing.T) {
	s := start(t, func(s *Server) { s.Env[mcptest.ModeVariable] = "noisy" })
	if r, err := s.look("look", `{"name":"x"}`); err != nil || r.Text != "seen x" {
		t.Errorf("%+v, %v", r, err)
	}
	said := s.logged.FilterMessage("a tool server says").All()
	if len(said) > maxLoggedLines+1 || len(said) < 2 {
		t.Errorf("%d lines", len(said))
	}
	for _, line := range said {
		if text := line.ContextMap()["text"].(string); len(text) > maxLoggedLine {
			t.Errorf("a line of %d bytes", len(text))
		}
	}
	s = start(t, func(s *Server) {
		s.Env[mcptest.ModeVariable], s.Env[mcptest.SecretVariable], s.Secrets = "exit", "hunter2hunter2", []string{"hunter2hunter2"}
	})
	s.Tools(s.ctx())
	if text := fmt.Sprint(s.logged.All()); strings.Contains(text, "hunter2") {
		t.Errorf("the log holds the secret: %s", text)
	}
}

func TestServerAtAnAddress(t *testing.T) {
	url, record, end := mcptest.HTTP()
	s := start(t, func(s *Server) { s.Command, s.Args, s.URL = "", nil, url })
	s.tools()
	if r, err := s.look("look", `{"name":"x"}`); err != nil || r.Text != "seen x" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := s.look("note", `{"text":"x"}`); err == nil {
		t.Error("a tool that writes was called")
	}
	if got := record.Calls(); len(got) != 1 {
		t.Errorf("the server was asked %q", got)
	}
	end()
	var lost *Unavailable
	if r, err := s.look("look", `{"name":"x"}`); !errors.As(err, &lost) {
		t.Errorf("%+v, %v", r, err)
	}
	s.Close()
}

// No message contains the secrets of a URL.
func TestAnAddressTellsNoSecrets(t *testing.T) {
	s := start(t, func(s *Server) {
		s.Command, s.Args, s.URL = "", nil, "http://ada:hunter2hunter2@127.0.0.1:1/mcp?key=hunter3hunter3"
	})
	_, problems := s.Tools(s.ctx())
	if text := fmt.Sprint(problems, s.logged.All(), s.list[0].About()); len(problems) != 1 || strings.Contains(text, "hunter") {
		t.Errorf("told %s", text)
	}
}
