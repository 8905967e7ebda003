package lsp_test

import (
	"fmt"
	"strings"
	"time"

	"redline/agent/toolset"
	"redline/agent/toolset/mcptest"
)

// startTools starts the tool server of a story, which runs until the story's end.
func (s *scenario) startTools(how string) {
	url, record, end := mcptest.HTTP()
	s.t.Cleanup(end)
	server := toolset.Server{Name: "tools", URL: url}
	for _, line := range strings.Split(strings.TrimSpace(how), "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "read_only":
			server.ReadOnly = words[1:]
		case words[0] == "timeout" && len(words) == 2:
			limit, err := time.ParseDuration(words[1] + "s")
			if err != nil {
				s.t.Fatal(err)
			}
			server.Timeout = limit
		case words[0] == "unreachable":
			server.URL = "http://127.0.0.1:1/"
		default:
			s.t.Fatalf("tool-server: there is no %q", line)
		}
	}
	s.tools, s.toolCalls = []toolset.Server{server}, record
}

// wantReached checks the calls that have reached the tool server so far, in order,
// separated by "; ".
func (s *scenario) wantReached(a []string) error {
	if got := strings.Join(s.toolCalls.Calls(), "; "); got != a[0] {
		return fmt.Errorf("the tool server was asked %q, want %q", got, a[0])
	}
	return nil
}
