package toolset

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	seen := map[string]string{}
	for _, tool := range []string{"look", "Look-2", "a b", "a/b", "a_b", strings.Repeat("x", 100), strings.Repeat("x", 99) + "y", "é"} {
		name := nameOf("files", tool)
		if server, ok := ServerOf(name); !ok || server != "files" || len(name) > maxName || strings.ContainsAny(name, " /é") {
			t.Errorf("%q is %q", tool, name)
		}
		if other := seen[name]; other != "" {
			t.Errorf("%q and %q are both %q", tool, other, name)
		}
		seen[name] = tool
	}
	for _, name := range []string{"run_command", "mcp__", "mcp__a", "mcp__a__", "mcp____b", "xmcp__a__b"} {
		if _, ok := ServerOf(name); ok {
			t.Errorf("%q is taken for a server's tool", name)
		}
	}
}

// A call is shown as words that are harmless even to a shell, and matches only exactly the
// same call.
func TestLine(t *testing.T) {
	line, err := callLine("mcp__a__b", json.RawMessage("{ \"x\": \"it's $(rm -rf /); `id`\\n\" }"))
	if want := `mcp__a__b '{"x":"it'\''s $(rm -rf /); ` + "`id`" + `\n"}'`; err != nil || line != want {
		t.Errorf("%s, %v; want %s", line, err, want)
	}
	if strings.Contains(line, "\n") {
		t.Errorf("%q has several lines", line)
	}
	if !showsCall("mcp__a__b '{}'", "mcp__a__b", nil) || showsCall("mcp__a__b '{}'", "mcp__a__c", nil) || showsCall("mcp__a__b '{}'", "mcp__a__b", json.RawMessage(`{"x":1}`)) {
		t.Error("another call passes for the one that was shown")
	}
}

func TestCheck(t *testing.T) {
	for want, s := range map[string]Server{
		"":                       {Name: "files", Command: "npx"},
		"a command or a url":     {Name: "files"},
		"not both":               {Name: "files", Command: "npx", URL: "http://x"},
		"an absolute path":       {Name: "files", Command: "./npx"},
		"http or https":          {Name: "files", URL: "ftp://x"},
		"at most 24 small":       {Name: "Files", Command: "npx"},
		"must have a name of at": {Name: "a__b", Command: "npx"},
	} {
		err := s.Check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}
