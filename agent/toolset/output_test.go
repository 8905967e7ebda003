package toolset_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"redline/agent/toolset"
	"redline/agent/toolset/mcptest"
)

// scripted starts a session with a server that follows a script.
func scripted(t *testing.T, script mcptest.Script, change func(*toolset.Server)) (*toolset.Servers, *observer.ObservedLogs) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := toolset.Server{
		Name: "odd", Command: program, Args: []string{"serve-tools"}, Env: map[string]string{mcptest.ScriptVariable: script.Encode()},
		Timeout: 20 * time.Second,
	}
	if change != nil {
		change(&server)
	}
	core, logged := observer.New(zapcore.InfoLevel)
	s := toolset.NewServers([]toolset.Server{server}, toolset.ServerOptions{Log: zap.New(core)})
	t.Cleanup(s.Close)
	return s, logged
}

func look(t *testing.T, s *toolset.Servers) (toolset.ServerResult, error) {
	return s.Look(t.Context(), "mcp__odd__look", json.RawMessage(`{}`))
}

// What a program writes to its standard output besides messages is passed over and logged, without
// the configuration's secrets.
func TestLinesThatAreNoMessages(t *testing.T) {
	s, logged := scripted(t, mcptest.Script{
		Start: mcptest.Step{Out: "Welcome to hunter2hunter2! <html> {\n\n{\"level\":\"info\"}\n[1, 2]\nnull\n\"x\"\n\x00\xff"},
		Methods: map[string]mcptest.Step{"tools/call": {
			Out: "%LONG%\nDEBUG called\n" + `{"jsonrpc":"1.0","id":%ID%,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":%ID%,"result":{"content":[{"type":"text","text":"seen"}]}}`,
		}},
	}, func(s *toolset.Server) { s.Secrets = []string{"hunter2hunter2"} })
	if tools, problems := s.Tools(t.Context()); len(tools) != 1 || len(problems) != 0 {
		t.Fatalf("%d tools, %q", len(tools), problems)
	}
	if r, err := look(t, s); err != nil || r.Text != "seen" {
		t.Errorf("%+v, %v", r, err)
	}
	var said []string
	for _, entry := range logged.All() {
		if text, ok := entry.ContextMap()["text"].(string); ok {
			said = append(said, text)
		}
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"Welcome to [removed]! <html> {", "level", "[1, 2]", "DEBUG called", "xxxx"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not logged", want)
		}
	}
	for _, text := range said {
		if len(text) > 500 || strings.ContainsAny(text, "\n\x00") || strings.Contains(text, "hunter2") {
			t.Errorf("%.600q is logged", text)
		}
	}
}

// A program that writes without end other things than messages fills no log.
func TestManyLinesThatAreNoMessages(t *testing.T) {
	s, logged := scripted(t, mcptest.Script{Start: mcptest.Step{Out: strings.Repeat("working\n", 5000)}}, nil)
	if r, err := look(t, s); err != nil || r.Text != "seen" {
		t.Errorf("%+v, %v", r, err)
	}
	if n := logged.Len(); n < 100 || n > 300 {
		t.Errorf("%d entries are logged", n)
	}
}

// A program that ends is reported with the last line of its standard error.
func TestTheLastWordsOfAServer(t *testing.T) {
	for name, c := range map[string]struct{ words, want string }{
		"a line":          {"starting\ncannot read the token\n", ": cannot read the token"},
		"an open line":    {"starting\ncannot read the token.", ": cannot read the token"},
		"blank lines":     {"cannot read the token\n\n  \n", ": cannot read the token"},
		"many lines":      {strings.Repeat("more\n", 5000) + "cannot read the token\n", ": cannot read the token"},
		"a secret":        {"the token is hunter2hunter2\n", ": the token is [removed]"},
		"hidden signs":    {"a\u202eb\x1b[2J\n", ": a⟨U+202E⟩b⟨U+001B⟩[2J"},
		"a secret at 500": {strings.Repeat("y", 495) + "hunter2hunter2\n", ": " + strings.Repeat("y", 495) + "[removed]"},
		"nothing":         {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			ends := mcptest.Step{Err: c.words, Exit: true}
			secret := func(s *toolset.Server) { s.Secrets = []string{"hunter2hunter2"} }

			s, _ := scripted(t, mcptest.Script{Start: ends}, secret)
			_, problems := s.Tools(t.Context())
			if want := "The tool server odd ended as it was started" + c.want + ". Its tools are left out until it can be used; Redline does not try again before "; len(problems) != 1 ||
				!strings.HasPrefix(problems[0], want) || !strings.HasSuffix(problems[0], ".") {
				t.Errorf("at its start: %q, want %q", problems, want)
			}

			s, logged := scripted(t, mcptest.Script{Methods: map[string]mcptest.Step{"tools/call": ends}}, secret)
			var lost *toolset.Unavailable
			_, err := look(t, s)
			if want := "The tool server odd has ended" + c.want + "; whether the call had an effect is not known"; !errors.As(err, &lost) || !lost.Sent || err.Error() != want {
				t.Errorf("in a call: %v, want %s", err, want)
			}
			if text := fmt.Sprint(logged.All()); strings.Contains(text, "hunter2") {
				t.Errorf("the log has the secret: %s", text)
			}
		})
	}
}

// A server that does not answer in the time of its settings is named with the setting, and with
// what it may be waiting for.
func TestAServerThatStartsSlowly(t *testing.T) {
	for within := 200 * time.Millisecond; ; within *= 5 {
		s, _ := scripted(t, mcptest.Script{
			Start:   mcptest.Step{Err: "Need to install docs-server. Ok to proceed? (y) "},
			Methods: map[string]mcptest.Step{"initialize": {}},
		}, func(s *toolset.Server) { s.StartTimeout = within })
		_, problems := s.Tools(t.Context())
		want := fmt.Sprintf("The tool server odd did not answer within %s of being started (start_seconds in [mcp.odd]): Need to install docs-server. Ok to proceed? (y). Its tools are left out until ", within)
		if len(problems) == 1 && strings.HasPrefix(problems[0], want) {
			break
		}
		if within > time.Minute { // on a busy machine it has not written by then
			t.Fatalf("told %q, want %q", problems, want)
		}
	}
	if toolset.DefaultStartTimeout != 30*time.Second {
		t.Errorf("a server has %s to start; the pages say 30 s", toolset.DefaultStartTimeout)
	}
}

// A server whose words differ each time, as with the time of day, is reported once.
func TestAServerIsReportedOnce(t *testing.T) {
	now := time.Now()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := toolset.NewServers([]toolset.Server{{
		Name: "odd", Command: "sh", Args: []string{"-c", `echo "$$ $0" >&2`, program},
	}}, toolset.ServerOptions{Now: func() time.Time { return now }})
	defer s.Close()
	told := 0
	for range 3 {
		_, problems := s.Tools(t.Context())
		told += len(problems)
		now = now.Add(time.Hour)
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// One message of nested lists takes no time that grows with its depth, and the server is given up.
func TestListsWithinLists(t *testing.T) {
	answer := `{"jsonrpc":"2.0","id":%ID%,"result":{"content":[{"type":"text","text":"seen"}]}}`
	for name, out := range map[string]string{
		"one":   "[[" + answer + "]]",
		"later": `[{"jsonrpc":"2.0","method":"x"},[` + answer + "]]",
		"deep":  strings.Repeat("[", 9000) + `"%LONG%"` + strings.Repeat("]", 9000),
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := scripted(t, mcptest.Script{Methods: map[string]mcptest.Step{"tools/call": {Out: out}}}, func(s *toolset.Server) { s.Timeout = time.Minute })
			if _, problems := s.Tools(t.Context()); len(problems) != 0 {
				t.Fatal(problems)
			}
			before := cpuTime(t)
			var lost *toolset.Unavailable
			if r, err := look(t, s); !errors.As(err, &lost) || !strings.Contains(err.Error(), "ended") {
				t.Errorf("%+v, %v", r, err)
			}
			s.Close()
			if spent := cpuTime(t) - before; spent > 5*time.Second {
				t.Errorf("it took %s of the processor", spent)
			}
		})
	}
}
