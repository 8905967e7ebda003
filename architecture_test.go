// Package redline_test holds the repository to its architecture: what
// ARCHITECTURE.md says about imports is a test here.
package redline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path of the module as go.mod says it.
var module = func() string {
	gomod, err := os.ReadFile("go.mod")
	if err != nil {
		panic(err) // the tests run in the folder of the module
	}
	line, _, _ := strings.Cut(string(gomod), "\n")
	return strings.TrimPrefix(line, "module ")
}()

// goFile is one Go file of the project and what it imports.
type goFile struct {
	path    string
	pkg     string // import path of its folder
	test    bool
	outside bool // its package is NAME_test, which may import what imports NAME
	imports []string
	doc     bool // it has a package comment
	lines   int
}

func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		file := goFile{
			path: filepath.ToSlash(name), pkg: path.Join(module, filepath.ToSlash(filepath.Dir(name))),
			test: strings.HasSuffix(name, "_test.go"), outside: strings.HasSuffix(parsed.Name.Name, "_test"), doc: hasDoc(parsed), lines: strings.Count(string(source), "\n"),
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			file.imports = append(file.imports, imported)
		}
		files = append(files, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("found only %d Go files: is the test run in the repository's root?", len(files))
	}
	return files
}

func hasDoc(f *ast.File) bool { return f.Doc != nil && strings.TrimSpace(f.Doc.Text()) != "" }

func under(pkg, root string) bool { return pkg == root || strings.HasPrefix(pkg, root+"/") }

// layers, outermost first: a package may import its own layer and those below.
var layers = []string{"redline/cmd", "redline/lsp", "redline/acp", "redline/web", "redline/agent", "redline/workspace", "redline/edits"}

func layerOf(pkg string) int {
	return slices.IndexFunc(layers, func(l string) bool { return under(pkg, l) })
}

// wholeAgent begins whole agents for the tests of the packages that the agent is made of.
const wholeAgent = "redline/agent/agenttest"

func TestImportsPointOneWay(t *testing.T) {
	for _, f := range goFiles(t) {
		from := layerOf(f.pkg)
		if from < 0 {
			continue // tests of the whole program stand outside the layers
		}
		for _, imported := range f.imports {
			to := layerOf(imported)
			switch {
			case to < 0:
			case under(f.pkg, "redline/lsp") && under(imported, "redline/acp"):
				t.Errorf("%s imports %s: the protocols do not know each other", f.path, imported)
			case to < from:
				t.Errorf("%s imports %s: imports point cmd → lsp → agent → workspace → edits", f.path, imported)
			case under(f.pkg, "redline/agent") && f.pkg != "redline/agent" && imported == "redline/agent" && !f.outside && f.pkg != wholeAgent:
				t.Errorf("%s imports the agent, which is made of it", f.path)
			case imported == wholeAgent && !f.outside:
				t.Errorf("%s imports %s: only tests in a package of their own do", f.path, wholeAgent)
			case under(imported, "redline/web") && !under(f.pkg, "redline/cmd") && !under(f.pkg, "redline/web"),
				under(imported, "redline/acp") && !under(f.pkg, "redline/cmd") && !under(f.pkg, "redline/acp"):
				t.Errorf("%s imports %s: only cmd does", f.path, imported)
			case imported == "redline/lsp" && !under(f.pkg, "redline/cmd") && !f.test:
				t.Errorf("%s imports lsp: only cmd does", f.path)
			}
		}
	}
}

// arrows says which packages of agent each package of agent may import. A new arrow is a decision
// about the structure: it is made here, with a reason in its commit.
var arrows = map[string]string{
	"agent":        "board brief commands conversation decide languages model plan preview session state store toolset trial turn view",
	"audit":        "",
	"board":        "commands draft plan session state store view",
	"brief":        "plan session state store",
	"chat":         "plan state",
	"commands":     "",
	"config":       "brief commands loop model outside tool toolset view",
	"conversation": "board chat model plan recall session state store tool trace",
	"decide":       "board commands conversation draft plan preview session share state store tool toolset view",
	"draft":        "plan",
	"languages":    "board plan session state tool trial view",
	"loop":         "draft model plan tool",
	"model":        "",
	"orchestrator": "draft loop model plan recall session state tool trace",
	"outside":      "",
	"plan":         "",
	"preview":      "board plan session state view",
	"recall":       "model",
	"session":      "state store",
	"share":        "plan",
	"state":        "plan trace",
	"store":        "audit plan recall trace",
	"tool":         "draft plan",
	"toolset":      "commands draft plan session tool trace",
	"trace":        "",
	"trial":        "board brief commands conversation plan preview session state store view",
	"turn":         "board brief chat commands config conversation decide draft loop model orchestrator outside plan recall session state store tool toolset trace trial view",
	"view":         "commands draft plan state",
}

// The packages of agent import each other only along these arrows, so that one of them can be
// understood with few others, from the bottom up.
func TestArrowsBetweenPackagesOfTheAgent(t *testing.T) {
	name := func(pkg string) string { return strings.TrimPrefix(strings.TrimPrefix(pkg, "redline/"), "agent/") }
	found := map[string]map[string]bool{}
	for _, f := range goFiles(t) {
		if f.test || !under(f.pkg, "redline/agent") || strings.HasSuffix(f.pkg, "test") {
			continue
		}
		from := name(f.pkg)
		if found[from] == nil {
			found[from] = map[string]bool{}
		}
		for _, imported := range f.imports {
			if under(imported, "redline/agent") {
				found[from][name(imported)] = true
			}
		}
	}
	for from, to := range found {
		allowed, known := arrows[from]
		if !known {
			t.Errorf("agent/%s is not in the list of arrows", from)
		}
		got := slices.Sorted(maps.Keys(to))
		if want := strings.Fields(allowed); !slices.Equal(got, want) {
			t.Errorf("%s imports %s; the arrows allow, and need, %s", from, strings.Join(got, " "), allowed)
		}
	}
	for from := range arrows {
		if found[from] == nil {
			t.Errorf("the list of arrows has %s, which is not there", from)
		}
	}
}

func TestTheProtocolIsKnownInOnePlace(t *testing.T) {
	owners := map[string][]string{
		"go.lsp.dev/":                       {"redline/lsp", "redline/internal/wire", "redline/workspace/language"},
		"github.com/sashabaranov/go-openai": {"redline/agent/model"},
		"modernc.org/sqlite":                {"redline/agent/store"},
		"database/sql":                      {"redline/agent"},

		"github.com/modelcontextprotocol/go-sdk": {"redline/agent/toolset"},
	}
	for _, f := range goFiles(t) {
		for _, imported := range f.imports {
			for prefix, known := range owners {
				if strings.HasPrefix(imported, prefix) && !slices.ContainsFunc(known, func(owner string) bool { return under(f.pkg, owner) }) {
					t.Errorf("%s imports %s: only %s does", f.path, imported, strings.Join(known, " and "))
				}
			}
		}
	}
}

// The agent counts in bytes and lines. How a client or a language server counts characters is known
// to what talks to it.
func TestTheAgentKnowsNoEncoding(t *testing.T) {
	positions := regexp.MustCompile(`\bedits\.(Encoding|ParseEncoding|UTF8|UTF16|UTF32|Position|Range)\b|\bstate\.(NewRange|Range|Position)\b`)
	for _, f := range goFiles(t) {
		if f.test || !under(f.pkg, "redline/agent") && !under(f.pkg, "redline/workspace") || f.pkg == "redline/workspace/language" {
			continue
		}
		source, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		if found := positions.Find(source); found != nil {
			t.Errorf("%s uses %s: only lsp, cmd and workspace/language do", f.path, found)
		}
	}
}

// What a model can reach has no handle that writes: a planning turn cannot
// write by construction.
func TestToolsCannotWrite(t *testing.T) {
	forbidden := []string{"os", "os/exec", "net", "net/http", "syscall", "io/ioutil", "redline/agent/store", "redline/workspace/runner", "redline/internal/leash"}
	for _, f := range goFiles(t) {
		if f.test || !(under(f.pkg, "redline/agent/tool") || under(f.pkg, "redline/agent/draft") || under(f.pkg, "redline/agent/loop") || under(f.pkg, "redline/agent/orchestrator") || under(f.pkg, "redline/agent/orchestrator")) {
			continue
		}
		for _, imported := range f.imports {
			if slices.Contains(forbidden, imported) {
				t.Errorf("%s imports %s, by which a tool could change something before approval", f.path, imported)
			}
		}
	}
}

// What serves tests and pages only is in no program: its name ends in "test", or it is
// named here. The tour of redline demo is told with the scriptable editor.
func TestToolingIsForTests(t *testing.T) {
	tooling := func(pkg string) bool {
		return strings.HasSuffix(pkg, "test") || pkg == "redline/internal/film" || pkg == "redline/internal/ramtemp"
	}
	found := 0
	for _, f := range goFiles(t) {
		for _, imported := range f.imports {
			if !under(imported, module) || !tooling(imported) {
				continue
			}
			found++
			if !f.test && !tooling(f.pkg) && (imported != "redline/lsp/lsptest" || f.pkg != "redline/cmd/redline") {
				t.Errorf("%s imports %s, which is for tests", f.path, imported)
			}
		}
	}
	if found < 50 {
		t.Errorf("found %d imports of tooling: does this test still look in the right place?", found)
	}
}

func TestEveryPackageHasOnePackageComment(t *testing.T) {
	comments := map[string][]string{}
	packages := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		packages[f.pkg] = true
		if f.doc {
			comments[f.pkg] = append(comments[f.pkg], f.path)
		}
	}
	for pkg := range packages {
		if len(comments[pkg]) != 1 {
			t.Errorf("package %s has %d package comments %v, want 1", pkg, len(comments[pkg]), comments[pkg])
		}
	}
}

// A file that has grown past this holds more than one idea.
func TestFilesAreSmall(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.lines > 500 {
			t.Errorf("%s has %d lines: split it", f.path, f.lines)
		}
	}
}

// methodOf matches the first line of a method, with the name of its type.
var methodOf = regexp.MustCompile(`(?m)^func \(\w* ?\*?(\w+)(?:\[[^\]]*\])?\) \w+`)

// A type with more methods, or a package of the agent that imports more of this project, holds more
// than one idea.
func TestTypesAndImportsAreFew(t *testing.T) {
	methods, imports := map[string]int{}, map[string]map[string]bool{}
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		source, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range methodOf.FindAllSubmatch(source, -1) {
			methods[f.pkg+"."+string(m[1])]++
		}
		if imports[f.pkg] == nil {
			imports[f.pkg] = map[string]bool{}
		}
		for _, imported := range f.imports {
			imports[f.pkg][imported] = under(imported, module)
		}
	}
	for name, n := range methods {
		if n > 40 {
			t.Errorf("%s has %d methods: give parts of it types of their own", name, n)
		}
	}
	for pkg, all := range imports {
		own := 0
		for _, is := range all {
			if is {
				own++
			}
		}
		if own > 27 && under(pkg, "redline/agent") && !strings.HasSuffix(pkg, "test") && pkg != "redline/agent" {
			t.Errorf("%s imports %d packages of this project", pkg, own)
		}
	}
}

// The map in ARCHITECTURE.md names each package, and nothing that is not there. A package
// below another one is named by that.
func TestTheMapIsWhole(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z]+(?:/[A-Za-z0-9_.*-]+)*)`").FindAllStringSubmatch(string(page), -1) {
		name := m[1]
		named[name] = true
		if !strings.Contains(name, "/") || strings.Contains(name, "NAME") {
			continue
		}
		if found, err := filepath.Glob(filepath.FromSlash(name)); err != nil || len(found) == 0 {
			t.Errorf("ARCHITECTURE.md names %s, which is not there", name)
		}
	}
	missing := map[string]bool{}
	for _, f := range goFiles(t) {
		folder := strings.TrimPrefix(strings.TrimPrefix(f.pkg, module), "/")
		parts := strings.SplitN(folder, "/", 3)
		if folder == "" || len(parts) > 1 && parts[1] == "internal" {
			continue
		}
		if name := strings.Join(parts[:min(2, len(parts))], "/"); !named[name] {
			missing[name] = true
		}
	}
	for name := range missing {
		t.Errorf("ARCHITECTURE.md does not name the package %s", name)
	}
}
