package languages_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/languages"
	"redline/agent/model"
	"redline/agent/session/sessiontest"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace"
	"redline/workspace/language"
	"redline/workspace/runner"
	"redline/workspace/toolfolders"
)

var all = flag.Bool("language.all", false, "try everything with each server, which takes long")

// long skips a test that takes long, unless everything is tried.
func long(t *testing.T) {
	t.Helper()
	if !*all {
		t.Skip("it takes long: go test ./agent/languages -language.all runs it")
	}
}

// Servers that are programs for node check plans in worlds too: a caller breaks in a file that the plan does not touch.
func TestPlansAreCheckedByServersForNode(t *testing.T) {
	long(t)
	for _, c := range []struct {
		program string
		files   map[string]string
		edit    [3]string
		want    string
	}{
		{"pyright-langserver", map[string]string{
			"a.py": "def one() -> int:\n    return 1\n", "tools/b.py": "from a import one\n\nB = one()\n",
		}, [3]string{"a.py", "def one", "def two"},
			`plan 1.1: tools/b.py:1:15 error "one" is unknown import symbol; python by pyright: checked`},
		{"typescript-language-server", map[string]string{
			"a/tsconfig.json": `{"compilerOptions": {"types": []}}`, "a/a.ts": "export function one() { return 1 }\n",
			"b/tsconfig.json": `{"compilerOptions": {"types": []}}`, "b/b.ts": "import { one } from \"../a/a\"\n\nexport const b = one()\n",
		}, [3]string{"a/a.ts", "function one", "function two"},
			`plan 1.1: b/b.ts:1:10 error Module '"../a/a"' has no exported member 'one'.; typescript by typescript-language-server: checked`},
	} {
		t.Run(c.program, func(t *testing.T) {
			installed(t, c.program)
			found := newResults()
			s := goplsIn(t, c.files, found)
			s.Model.Stages(agenttest.Edit(c.edit[0], c.edit[1], c.edit[2]))
			s.Plan("rename it")
			if got := found.next(t); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// other is a language server besides gopls, and a project with a function that is called in another file.
type other struct {
	program string
	files   map[string]string
	line    string // of the definition of total, in the first file
	second  string
	call    string // of total, in the second file
	edit    [2]string
	broken  string // what the model reads once the edit has made total need two arguments; "": not known soon enough
}

var others = []other{
	{"pyright-langserver", map[string]string{
		"pyproject.toml": "[project]\nname = \"p\"\n", // by which the first request knows that there is Python
		"a.py":           "def total(x: int) -> int:\n    return x\n", "b.py": "from a import total\n\nB = total(2)\n",
	}, "a.py:1: def total(x: int) -> int:", "b.py", "3: B = total(2)", [2]string{"x: int", "x: int, y: int"}, "b.py:3: Argument missing for parameter"},
	{"typescript-language-server", map[string]string{
		"tsconfig.json": `{"compilerOptions": {"types": []}}`,
		"a.ts":          "export function total(x: number) { return x }\n", "b.ts": "import { total } from \"./a\"\n\nexport const b = total(2)\n",
	}, "a.ts:1: export function total(x: number) { return x }", "b.ts", "3: export const b = total(2)", [2]string{"x: number", "x: number, y: number"}, "b.ts:3: Expected 2 arguments"},
	{"clangd", map[string]string{
		"a.h": "#pragma once\nint total(int x);\n", "b.cc": "#include \"a.h\"\nint b() { return total(2); }\n",
	}, "a.h:2: int total(int x);", "b.cc", "2: int b() { return total(2); }", [2]string{"int x", "int x, int y"}, "b.cc:2: No matching function for call to 'total'"},
	{"rust-analyzer", map[string]string{
		"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": "pub mod a;\npub mod b;\n",
		"src/a.rs": "pub fn total(x: i32) -> i32 { x }\n", "src/b.rs": "pub fn b() -> i32 { crate::a::total(2) }\n",
	}, "src/a.rs:1: pub fn total(x: i32) -> i32 { x }", "src/b.rs", "1: pub fn b() -> i32 { crate::a::total(2) }", [2]string{"x: i32", "x: i32, y: i32"}, ""},
}

// sessionFor begins a session for another server.
func sessionFor(t *testing.T, o other) *agenttest.Session {
	t.Helper()
	installed(t, o.program)
	if o.program != "rust-analyzer" {
		return goplsIn(t, o.files, newResults())
	}
	if err := runner.Worlds(); err != nil {
		t.Skip("it needs an isolated environment, and `redline doctor` says how to get one: " + err.Error())
	}
	if out, err := exec.Command("rust-analyzer", "--version").CombinedOutput(); err != nil { // rustup has a program of that name anyway
		t.Skipf("it needs rust-analyzer, and .ci/install-languages installs it: %s", out)
	}
	home, err := os.UserHomeDir() // the toolchain is there
	if err != nil {
		t.Fatal(err)
	}
	s := agenttest.New(t, o.files)
	s.Trials = trial.Options{Mode: trial.On, Home: home, Tools: toolfolders.Seen()}
	s.With(func(o *agent.Options) {
		o.Languages = languages.Options{Mode: trial.Ask, Adapters: language.Adapters(), Find: find, Publish: newResults().add}
	})
	return s
}

// A model finds and renames a symbol, and hears of a caller that its edit breaks, with servers other than gopls too.
func TestAModelAsksOtherServers(t *testing.T) {
	for _, o := range others {
		t.Run(o.program, func(t *testing.T) {
			if o.program != "clangd" {
				long(t)
			}
			s := sessionFor(t, o)
			if o.program == "clangd" {
				s.Write("compile_commands.json", fmt.Sprintf(`[{"directory": %q, "file": "b.cc", "command": "c++ -c b.cc"}]`, s.Dir))
			}
			first, _, _ := strings.Cut(o.line, ":")
			line, _, _ := strings.Cut(o.call, ":")
			n, err := strconv.Atoi(line)
			s.Must(err)
			if _, err := s.Agent.Languages.Added(sessiontest.Timeout(t), workspace.Overlay{first: {Text: o.files[first] + "\n"}}, nil); err != nil { // it starts
				t.Fatal(err)
			}
			s.Model.Will(
				agenttest.Reply{Calls: []model.Call{
					agenttest.Call("references", map[string]any{"path": o.second, "symbol": "total"}),
					agenttest.Call("definition", map[string]any{"path": o.second, "symbol": "total", "line": n}),
					agenttest.Call("outline", map[string]any{"path": first}),
				}},
				agenttest.Reply{Calls: []model.Call{agenttest.Call("rename_symbol", map[string]any{"path": first, "symbol": "total", "new_name": "sum_up"})}},
				agenttest.Reply{Calls: []model.Call{agenttest.Edit(first, o.edit[0], o.edit[1])}},
				agenttest.Reply{Text: "Done."},
				agenttest.Reply{Text: "I leave it."},
			)
			s.Say(conversation.Message{Text: "rename total", Client: "test"})
			for _, want := range []string{
				o.line, o.call, "staged: rename_symbol " + first, "staged: rename_symbol " + o.second, strings.ReplaceAll(o.broken, "total", "sum_up"),
			} {
				if !strings.Contains(told(s), want) {
					t.Errorf("the model has not read %q, but\n%s", want, told(s))
				}
			}
			s.MustApprove(view.Request{Plan: 1})
			s.WantFile(o.second, strings.ReplaceAll(o.files[o.second], "total", "sum_up"))
		})
	}
}
