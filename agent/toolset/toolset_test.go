package toolset_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"redline/agent/plan"
	"redline/agent/session/sessiontest"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/agent/toolset/mcptest"
)

func names(tools []tool.Tool) (out []string) {
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

// reach returns a Reach with a tool server, and the record of the server's calls.
func reach(t *testing.T) (*toolset.Reach, *mcptest.Record) {
	t.Helper()
	url, record, end := mcptest.HTTP()
	servers := toolset.NewServers([]toolset.Server{{Name: "tools", URL: url}}, toolset.ServerOptions{})
	t.Cleanup(func() { servers.Close(); end() })
	return &toolset.Reach{Servers: servers}, record
}

// A turn without tools gets none, nor does any turn if the user has configured nothing.
func TestNothingIsAdded(t *testing.T) {
	r, _ := reach(t)
	hosts, err := toolset.ParseHosts("example.com")
	if err != nil {
		t.Fatal(err)
	}
	r.Fetch.Hosts = hosts
	warn := func(problem string) { t.Error(problem) }
	if got := r.With(t.Context(), nil, &tool.Env{}, warn); len(got) != 0 {
		t.Errorf("a turn without tools has %q", names(got))
	}
	own := []tool.Tool{{Name: "read_file"}}
	if got := new(toolset.Reach).With(t.Context(), own, &tool.Env{}, warn); !slices.Equal(names(got), names(own)) {
		t.Errorf("got %q", names(got))
	}
}

// A tool that may change something is offered only to turns that stage operations.
func TestToolsOfServers(t *testing.T) {
	r, _ := reach(t)
	hosts, err := toolset.ParseHosts("example.com")
	if err != nil {
		t.Fatal(err)
	}
	r.Fetch.Hosts = hosts
	warn := func(problem string) { t.Error(problem) }
	ctx := sessiontest.Timeout(t)
	var env tool.Env
	looks := r.With(ctx, []tool.Tool{{Name: "read_file"}}, &env, warn)
	stages := r.With(ctx, []tool.Tool{{Name: "edit_file", Buffered: true}}, &tool.Env{}, warn)
	if env.Fetch == nil || !slices.Contains(names(looks), "fetch_url") {
		t.Errorf("nothing is fetched: %q", names(looks))
	}
	if slices.ContainsFunc(looks, func(t tool.Tool) bool { return t.Buffered }) {
		t.Errorf("a turn that stages nothing has %q", names(looks))
	}
	if len(stages) <= len(looks) || !slices.ContainsFunc(stages[1:], func(t tool.Tool) bool { return t.Buffered }) {
		t.Errorf("a turn that stages has %q, one that looks %q", names(stages), names(looks))
	}
}

// The user is told of a server that cannot be reached; the other tools stay.
func TestAServerThatIsNotThere(t *testing.T) {
	url, _, end := mcptest.HTTP()
	end()
	servers := toolset.NewServers([]toolset.Server{{Name: "tools", URL: url}}, toolset.ServerOptions{})
	defer servers.Close()
	var warned []string
	r := toolset.Reach{Servers: servers}
	got := r.With(sessiontest.Timeout(t), []tool.Tool{{Name: "read_file"}}, &tool.Env{}, func(problem string) { warned = append(warned, problem) })
	if !slices.Equal(names(got), []string{"read_file"}) || len(warned) != 1 {
		t.Errorf("got %q, the user was told %q", names(got), warned)
	}
}

// Only the call that was shown is sent.
func TestACallThatWasNotShown(t *testing.T) {
	r, record := reach(t)
	for _, o := range []plan.Operation{
		{ID: "o1", Tool: "run_command", Command: "make"},
		{ID: "o2", Tool: "tools__write", Command: "tools__write {}", Args: json.RawMessage(`{"text":"other"}`)},
	} {
		_, failed, err := r.Call(t.Context(), &o)
		if refused, ok := plan.RefusalOf(err); !ok || refused.Kind != plan.HashMismatch || !failed {
			t.Errorf("%s: %v", o.ID, err)
		}
		if got := r.Run(t.Context(), &o); got.ExitCode != nil || !strings.Contains(got.Problem, o.ID) {
			t.Errorf("%s came to %+v", o.ID, got)
		}
	}
	if calls := record.Calls(); len(calls) != 0 {
		t.Errorf("the server was asked %q", calls)
	}
}

// Providers refuse a request with more than 128 tools.
func TestToolsOfManyServers(t *testing.T) {
	url, _, end := mcptest.HTTP()
	defer end()
	var list []toolset.Server
	for i := range 13 { // with 11 tools each
		list = append(list, toolset.Server{Name: "tools" + strconv.Itoa(i), URL: url})
	}
	servers := toolset.NewServers(list, toolset.ServerOptions{})
	defer servers.Close()
	own := []tool.Tool{{Name: "read_file"}, {Name: "edit_file", Buffered: true}}
	got := names((&toolset.Reach{Servers: servers}).With(t.Context(), own, &tool.Env{}, func(problem string) { t.Error(problem) }))
	if len(got) != 120 || !slices.Equal(got[:2], names(own)) {
		t.Errorf("%d tools are offered: %q", len(got), got)
	}
}
