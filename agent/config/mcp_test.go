package config

import (
	"strings"
	"testing"
	"time"

	"redline/agent/toolset"

	"github.com/google/go-cmp/cmp"
)

func TestToolServers(t *testing.T) {
	s, warnings := load(t, `
[mcp.docs]
command = "docs-server"
args = ["--root", "${workspace}"]
env = { TOKEN = "$SECRET", MODE = "fast" }
[mcp.tracker]
url = "https://tracker.example.com/mcp?key=hunter2"
headers = { Authorization = "$SECRET" }
read_only = []
timeout_seconds = 2.5
start_seconds = 90
`, map[string]string{"SECRET": "hunter2hunter2"}, nil)
	if len(warnings) != 0 {
		t.Errorf("warnings %q", warnings)
	}
	want := []toolset.Server{
		{
			Name: "docs", Command: "docs-server", Args: []string{"--root", "${workspace}"},
			Env: map[string]string{"TOKEN": "hunter2hunter2", "MODE": "fast"}, Secrets: []string{"hunter2hunter2"},
		},
		{
			Name: "tracker", URL: "https://tracker.example.com/mcp?key=hunter2", Headers: map[string]string{"Authorization": "hunter2hunter2"},
			Secrets: []string{"hunter2hunter2"}, ReadOnly: []string{}, Timeout: 2500 * time.Millisecond, StartTimeout: 90 * time.Second,
		},
	}
	if diff := cmp.Diff(want, s.ToolServers); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, row := range Explain(s) {
		if strings.Contains(row.Value+row.Key, "hunter2") {
			t.Errorf("%+v tells a secret", row)
		}
	}
}

// A bad server has no effect, and the others do. No warning repeats a value.
func TestToolServersThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		`mcp = 1`:              "must be a table for each tool server",
		"[mcp]\nx = 1":         "mcp.x in",
		"[mcp.x]\ncommand = 1": "a text as its command",
		"[mcp.x]\ncommand = \"a\"\nargs = \"hunter2\"":                      "a list of texts as its args",
		"[mcp.x]\ncommand = \"a\"\nread_only = [1]":                         "a list of texts as its read_only",
		"[mcp.x]\ncommand = \"a\"\nenv = \"hunter2\"":                       "a table of names and texts as its env",
		"[mcp.x]\ncommand = \"a\"\nenv = { \"A=B\" = \"hunter2\" }":         "a name in its env that cannot be one",
		"[mcp.x]\nurl = \"http://a\"\nheaders = { A = \"hunter2\\nB: c\" }": "a text of one line",
		"[mcp.x]\nurl = \"http://a\"\nheaders = { \"A B\" = \"hunter2\" }":  "a name in its headers",
		"[mcp.x]\ncommand = \"a\"\ntimeout_seconds = 0":                     "a number of seconds",
		"[mcp.x]\ncommand = \"a\"\ntimeout_seconds = \"hunter2\"":           "a number of seconds",
		"[mcp.x]\ncommand = \"a\"\nstart_seconds = 4000":                    "a number of seconds of at most 3600 as its start_seconds",
		"[mcp.X]\ncommand = \"a\"":                                          "must have a name of at most",
	} {
		file := text + "\n[mcp.good]\ncommand = \"a\"\n"
		if strings.HasPrefix(text, "mcp =") { // nothing can follow it
			file = text + "\n"
		}
		s, warnings := load(t, file, nil, nil)
		if file != text+"\n" && (len(s.ToolServers) != 1 || s.ToolServers[0].Name != "good") {
			t.Errorf("%s: %+v", text, s.ToolServers)
		}
		if len(warnings) != 1 || !strings.Contains(string(warnings[0]), want) || strings.Contains(string(warnings[0]), "hunter2") {
			t.Errorf("%s: warnings %q, want one with %q", text, warnings, want)
		}
	}
}

// A repository can ship settings, so a server that they name does not count.
func TestToolServersOfARepository(t *testing.T) {
	warnings := Ignored("the workspace's .redline/config.toml", map[string]any{"mcp": map[string]any{"evil": map[string]any{"command": "sh"}}})
	if len(warnings) != 1 || !strings.Contains(string(warnings[0]), "mcp.evil") {
		t.Errorf("warnings %q", warnings)
	}
}
