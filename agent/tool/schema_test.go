package tool_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"redline/agent/tool"
)

// TestSchemas checks that each schema is valid, accepts what the tool accepts, and has
// the arguments that models know.
func TestSchemas(t *testing.T) {
	for _, test := range []struct{ name, good, bad, arguments string }{
		{"read_file", `{"path":"a","start_line":1,"end_line":2}`, `{"start_line":1}`, "end_line path* ranges start_line"},
		{"list_files", `{"path":"a","glob":"*.go"}`, `{"glob":1}`, "glob path"},
		{"search", `{"pattern":"a","glob":"*","regex":true,"ignore_case":false}`, `{"pattern":"a","regex":1}`, "context exclude files_only glob ignore_case path pattern* regex"},
		{"outline", `{"path":"a"}`, `{}`, "path*"},
		{"references", `{"path":"a","symbol":"b","line":1}`, `{"path":"a"}`, "line path* symbol*"},
		{"definition", `{"path":"a","symbol":"b"}`, `{"symbol":"a"}`, "line path* symbol*"},
		{"rename_symbol", `{"path":"a","symbol":"b","line":1,"new_name":"c","step":"s1"}`, `{"path":"a","symbol":"b"}`, "line new_name* path* step symbol*"},
		{"git_log", `{"path":"a","revision":"a..b","grep":"a","limit":3}`, `{"limit":"many"}`, "grep limit path revision"},
		{"git_diff", `{"path":"a","from":"main","to":"HEAD"}`, `{"commit":1}`, "commit from path to"},
		{"git_blame", `{"path":"a","start_line":1,"end_line":2}`, `{}`, "end_line path* start_line"},
		{"fetch_url", `{"url":"https://a.b/"}`, `{"url":1}`, "url*"},
		{"try_command", `{"command":"ls","cwd":"a","timeout_seconds":3,"keep":["go.sum"]}`, `{"cwd":"a"}`, "command* cwd keep timeout_seconds"},
		{"open_location", `{"path":"a","line":3}`, `{"line":3}`, "line path*"},
		{"show_view", `{"view":"plan"}`, `{"view":"settings"}`, "view*"},
		{"set_diff_mode", `{"mode":"split"}`, `{}`, "mode*"},
		{"edit_file", `{"path":"a","old_string":"a","new_string":"","replace_all":true,"step":"s1"}`, `{"path":"a","old_string":"a"}`, "new_string* old_string* path* replace_all step"},
		{"revert", `{"plan":1,"path":"a","hunk":"h1"}`, `{"path":"a"}`, "hunk path plan* step"},
		{"apply_patch", `{"patch":"a","step":"s1"}`, `{}`, "patch* step"},
		{"write_file", `{"path":"a","content":""}`, `{"path":"a"}`, "content* path* step"},
		{"delete_file", `{"path":"a"}`, `{}`, "path* step"},
		{"rename_file", `{"path":"a","new_path":"b"}`, `{"path":"a"}`, "new_path* path* step"},
		{"text_editor", `{"command":"view","path":"a","view_range":[1,-1]}`, `{"command":"undo","path":"a"}`,
			"command* file_text insert_line insert_text new_str old_str path* step view_range"},
		{"ask_user", `{"question":"Which?","options":["a","b"]}`, `{"options":["a"]}`, "options question*"},
		{"run_command", `{"command":"ls","cwd":"a","timeout_seconds":3}`, `{"cwd":"a"}`, "command* cwd on_failure step timeout_seconds"},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, ok := tool.Find(append(tool.All(), tool.FetchURL(), tool.TryCommand(), tool.Revert(nil)), test.name)
			if !ok {
				t.Fatal("there is no such tool")
			}
			var schema jsonschema.Schema
			if err := json.Unmarshal(found.Schema, &schema); err != nil {
				t.Fatal(err)
			}
			resolved, err := schema.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := validate(t, resolved, test.good); err != nil {
				t.Errorf("%s is refused: %v", test.good, err)
			}
			if err := validate(t, resolved, test.bad); err == nil {
				t.Errorf("%s is taken", test.bad)
			}
			if diff := cmp.Diff(test.arguments, arguments(schema)); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
			if found.Description == "" {
				t.Error("there is no description")
			}
		})
	}
	if n := len(tool.All()); n != 22 {
		t.Errorf("%d tools; 22 are looked at here", n)
	}
}

func validate(t *testing.T, schema *jsonschema.Resolved, doc string) error {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

// arguments returns the names in a schema, sorted, with a star after required ones.
func arguments(schema jsonschema.Schema) string {
	var names []string
	required := map[string]bool{}
	for _, name := range schema.Required {
		required[name] = true
	}
	for name := range schema.Properties {
		if required[name] {
			name += "*"
		}
		names = append(names, name)
	}
	return strings.Join(slices.Sorted(slices.Values(names)), " ")
}

// TestReading checks which tools are left where nothing may be staged.
func TestReading(t *testing.T) {
	var names []string
	for _, found := range tool.Reading() {
		names = append(names, found.Name)
	}
	if diff := cmp.Diff([]string{"read_file", "list_files", "search", "outline", "references", "definition", "git_log", "git_diff", "git_blame", "open_location", "show_view", "set_diff_mode", "ask_user"}, names); diff != "" {
		t.Error(diff)
	}
	if _, ok := tool.Find(tool.Reading(), "str_replace_based_edit_tool"); ok {
		t.Error("an alias reaches a tool outside the set")
	}
}

// TestNothingToWriteWith checks the first invariant in types and imports: what tools work
// on has no method that writes, and their code cannot reach files, processes or the
// network by itself.
func TestNothingToWriteWith(t *testing.T) {
	allowed := map[string]bool{"Clean": true, "WorkFolder": true, "Secret": true, "HidesAll": true, "OffLimits": true, "List": true, "Ignored": true, "Search": true, "Outline": true, "Stat": true, "Decoded": true, "Content": true, "Alike": true, "AlikeFolders": true}
	reach := reflect.TypeFor[tool.Workspace]()
	for i := range reach.NumMethod() {
		if name := reach.Method(i).Name; !allowed[name] {
			t.Errorf("tools can call %s of the workspace: show here that it cannot write", name)
		}
	}
	shows := map[string]bool{"OpenLocation": true, "ShowView": true, "SetDiffMode": true}
	editor := reflect.TypeFor[tool.Editor]()
	for i := range editor.NumMethod() {
		if name := editor.Method(i).Name; !shows[name] {
			t.Errorf("tools can call %s of the editor: show here that it cannot write", name)
		}
	}
	reads := map[string]bool{"Status": true, "Log": true, "In": true, "Between": true, "Objects": true, "Texts": true, "Blame": true} // package git tests that none changes a byte
	repository := reflect.TypeFor[tool.Repository]()
	for i := range repository.NumMethod() {
		if name := repository.Method(i).Name; !reads[name] {
			t.Errorf("tools can call %s of a repository: show here that it cannot write", name)
		}
	}
	asks := map[string]bool{"Answers": true, "Prepare": true, "References": true, "Definition": true, "Rename": true, "Symbols": true, "Added": true} // servers live in worlds of their own; what they would change is returned
	languages := reflect.TypeFor[tool.Languages]()
	for i := range languages.NumMethod() {
		if name := languages.Method(i).Name; !asks[name] {
			t.Errorf("tools can call %s of language servers: show here that it cannot write", name)
		}
	}
	env := reflect.TypeFor[tool.Env]()
	fields := map[string]bool{"Draft": true, "Workspace": true, "Named": true, "Editor": true, "Step": true, "Fixed": true, "MaxSteps": true, "Together": true, "Asks": true, "Changes": true, "Edits": true, "InAnswer": true, "Develops": true, "Again": true, "shown": true, "own": true, "current": true, "unparsed": true, "checking": true, "prepared": true,
		"Try":       true, // package trial runs a command in a world of its own, which leaves nothing behind; what it answers to keep is staged
		"Git":       true, // see Repository
		"Languages": true, // see below
		"Fetch":     true, // package toolset sends GET requests with no body, to the hosts of the user's settings
		"Saw":       true, // is told what a reading tool has shown, and answers nothing
		"Forbidden": true, // says why a tool is not there
	}
	for i := range env.NumField() {
		if name := env.Field(i).Name; !fields[name] {
			t.Errorf("tools are given %s: show here that it cannot write", name)
		}
	}
	imports := map[string]bool{ // io/fs has values and interfaces, and opens nothing by itself
		"bytes": true, "cmp": true, "context": true, "embed": true, "encoding/json": true, "errors": true, "fmt": true, "io/fs": true, "maps": true, "math": true, "path": true, "regexp/syntax": true,
		"slices": true, "strconv": true, "strings": true, "sync": true, "time": true, "unicode": true, "unicode/utf8": true,
		"redline/agent/draft": true, "redline/agent/plan": true, "redline/edits": true, "redline/edits/adapt": true, "redline/edits/blame": true, "redline/edits/match": true, "redline/edits/patch": true, "redline/edits/placeholder": true, "redline/edits/track": true, "redline/workspace": true,
		"redline/internal/phrase": true, "redline/internal/lazyregexp": true, "redline/internal/fence": true, "redline/workspace/secrets": true, // text in, text out
		"redline/workspace/git": true,                                                                                                                                     // values only, see below
		"io":                    true, "go/parser": true, "go/scanner": true, "go/token": true, "encoding/xml": true, "github.com/go-json-experiment/json/jsontext": true, // what parses a text
		"github.com/pelletier/go-toml/v2": true, "github.com/tailscale/hujson": true, "go.yaml.in/yaml/v4": true,
	}
	harmless := map[string]map[string]bool{
		"io":        {"EOF": true, "ErrUnexpectedEOF": true},
		"parser":    {"ParseFile": true, "SkipObjectResolution": true},
		"git":       {"Query": true, "History": true, "Changed": true, "Blamed": true, "Status": true, "Failed": true, "Added": true, "Modified": true, "Deleted": true, "Renamed": true, "Retyped": true},
		"workspace": {"File": true, "Overlay": true, "Overlaid": true, "Query": true, "Hit": true, "Matches": true, "FileMatches": true, "Symbol": true, "Refusal": true},
	}
	for _, dir := range []string{".", "../draft"} {
		sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(sources) < 5 {
			t.Fatalf("%s has %d sources: %v", dir, len(sources), err)
		}
		for _, name := range sources {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok && len(c.Args) == 4 { // without a text ParseFile opens a file
					of, isSelector := c.Fun.(*ast.SelectorExpr)
					if given, _ := c.Args[2].(*ast.Ident); isSelector && of.Sel.Name == "ParseFile" && (given == nil || given.Name != "text") {
						t.Errorf("%s calls ParseFile without its text", name)
					}
				}
				if use, ok := n.(*ast.SelectorExpr); ok {
					if of, ok := use.X.(*ast.Ident); ok && harmless[of.Name] != nil && !harmless[of.Name][use.Sel.Name] {
						t.Errorf("%s uses %s.%s: show here that it cannot write", name, of.Name, use.Sel.Name)
					}
				}
				return true
			})
			for _, spec := range parsed.Imports {
				if path, _ := strconv.Unquote(spec.Path.Value); !imports[path] {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
	}
}
