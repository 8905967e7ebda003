package chat

import (
	"slices"
	"strings"
	"testing"
)

// What is about something else begins a plan of its own; all else changes the plan that
// waits. The plan renames parseLine to readLine in parse.go, and changes a test.
func TestApart(t *testing.T) {
	plan := PlanContent{
		Goal:  "rename parseLine to readLine",
		Paths: []string{"text/parse.go", "text/parse_test.go"},
		Has: func(word string) bool {
			return strings.Contains("func parseLine(s string) error { return errLine }", word)
		},
	}
	exists := func(path string) bool {
		return slices.Contains([]string{"text/parse.go", "text/parse_test.go", "serve.go", "web/node.js", "docs/README.md", "Makefile"}, path)
	}
	for _, c := range []struct {
		text, selected string
		apart          string // what is named, with commas; "" for a message that changes the plan
	}{
		// These change the plan.
		{text: "make it shorter"},
		{text: "use another name"},
		{text: "call the function scanLine instead"},
		{text: "also do serve.go"},
		{text: "and docs/README.md"},
		{text: "do the same in serve.go"},
		{text: "not in parse_test.go"},
		{text: "leave out the test"},
		{text: "add a comment"},
		{text: "add a comment to parse.go"},
		{text: "rename parseLine to scanLine"},
		{text: "fix `errLine`"},
		{text: "handle errLine in serve.go"},
		{text: "the plan should touch serve.go"},
		{text: "why is serve.go not in there?"},
		{text: "don't touch serve.go"},
		{text: "move that to serve.go"},
		{text: "use Node.js names"},
		{text: "write better English, e.g. active verbs"},
		{text: "update *.go", apart: ""},
		{text: "see https://example.com/rules.html"},
		{text: "check text/parse.go and serve.go"},
		{text: "simplify", selected: "text/parse.go"},
		{text: "keep parseLine, and rename readAll too"},
		{text: "try version 1.5"},

		// These begin one of their own.
		{text: "add a section on settings to docs/README.md", apart: "docs/README.md"},
		{text: "fix the typo in serve.go", apart: "serve.go"},
		{text: "rename ServeHTTP to Serve", apart: "ServeHTTP"},
		{text: "rename handler to serve", apart: "handler"},
		{text: "create notes.txt with \"hello\"", apart: "notes.txt,hello"},
		{text: "delete web/node.js", apart: "web/node.js"},
		{text: "replace \"apple\" with \"pear\" in fruit.txt", apart: "apple,pear,fruit.txt"},
		{text: "add a timeout to `listenAndServe`", apart: "listenAndServe"},
		{text: "document http.Client", apart: "http.Client"},
		{text: "write a test for open_file()", apart: "open_file()"},
		{text: "move serve.go to cmd/serve.go", apart: "serve.go,cmd/serve.go"},
		{text: "sort the imports in cmd/*.go", apart: "cmd/*.go"},
		{text: "fix @docs/README.md", apart: "docs/README.md"},
		{text: "translate docs/README.md (all of docs/README.md)", apart: "docs/README.md"},
		{text: "the class Router needs a method", apart: "Router"},
		{text: "the struct Options lacks a field", apart: "Options"},
		{text: "in web/node.js, remove the semicolons", apart: "web/node.js"},
		{text: "make this faster", selected: "serve.go", apart: "serve.go"},
		{text: "simplify", selected: "docs/README.md", apart: "docs/README.md"},
		{text: "add maxRetries = 3 to config.toml", apart: "maxRetries,config.toml"},
		{text: "write README.md", apart: "README.md"},
		{text: "call std::move in main.cpp", apart: "std::move,main.cpp"},
	} {
		got := strings.Join(Apart(PlacedRequest{Text: c.text, Selected: c.selected, Exists: exists}, plan), ",")
		if got != c.apart {
			t.Errorf("%q (selected in %q): names %q, want %q", c.text, c.selected, got, c.apart)
		}
	}
}
