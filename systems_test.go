package redline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// isTest matches the names of test functions and fuzz targets.
var isTest = regexp.MustCompile("^(Test|Fuzz)[A-Z]")

// storyOf matches the story of a system, and takes its name.
var storyOf = regexp.MustCompile(`^(?:script/)?(chartsmith|clia|heap|tandem|theia)/[^/]+\.txtar$`)

// mostRows is how many rows one story may show. A story for many rows shows none of them.
const mostRows = 3

// mostLines is how many lines the page for readers has on one system.
const mostLines = 10

// The page on the five systems has a few points on each, which say also what is not here.
func TestSystemsPage(t *testing.T) {
	page, err := os.ReadFile("docs/architecture/systems.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(page), "\n## ")[1:]
	for _, s := range sections {
		title, text, _ := strings.Cut(s, "\n\n")
		if lines := strings.Count(strings.TrimSpace(text), "\n") + 1; lines > mostLines {
			t.Errorf("%s has %d lines, want at most %d", title, lines, mostLines)
		}
		if !strings.Contains(text, "\n- Not here: ") {
			t.Errorf("%s does not say what is not here", title)
		}
	}
	if len(sections) != 5 {
		t.Errorf("the page has %d sections, want one for each system", len(sections))
	}
}

// Each row on the five systems says where a feature is and what shows it; all that it names exists.
// Each row that is taken has a story of its own system, and each story in a system's folder is named
// in a row of that system.
func TestSystems(t *testing.T) {
	page, err := os.ReadFile("testdata/systems.md")
	if err != nil {
		t.Fatal(err)
	}
	functions := testFunctions(t)
	quoted := regexp.MustCompile("`([^`]+)`")
	sections, rows, missing := 0, 0, 0
	system, told := "", map[string]int{} // how many rows name a story
	for line := range strings.Lines(string(page)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			sections++
			system, _, _ = strings.Cut(strings.ToLower(strings.TrimPrefix(title, "The ")), ":")
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| feature |") || strings.HasPrefix(line, "| --- |") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		if len(cells) != 3 {
			t.Errorf("a row has %d cells: %s", len(cells), line)
			continue
		}
		code, proof := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])
		notTaken := code == "*not taken*"
		if !notTaken && !quoted.MatchString(code) {
			t.Errorf("no code is named: %s", line)
		}
		for _, m := range quoted.FindAllStringSubmatch(code, -1) {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s is not there: %s", m[1], line)
			}
		}
		switch {
		case proof == "*not yet*":
			missing++
			t.Logf("not yet: %s", cells[0])
			continue
		case notTaken && len(strings.Fields(proof)) < 6:
			t.Errorf("it is not said why it was not taken: %s", line)
		case !notTaken && !quoted.MatchString(proof):
			t.Errorf("nothing shows it: %s", line)
		}
		own := notTaken
		for _, m := range quoted.FindAllStringSubmatch(proof, -1) {
			if story := storyOf.FindStringSubmatch(m[1]); story != nil {
				told[m[1]]++
				own = true
				if story[1] != system {
					t.Errorf("%s is a story of another system: %s", m[1], line)
				}
			}
			if named := isTest.MatchString(m[1]) || strings.HasSuffix(m[1], ".txtar"); (named || !notTaken) && !shows(m[1], functions) {
				t.Errorf("there is no %s: %s", m[1], line)
			}
		}
		if !own {
			t.Errorf("no story of its system shows it: %s", cells[0])
		}
	}
	for folder, prefix := range map[string]string{"testdata/scenarios/": "", "cmd/redline/testdata/script/": "script/"} {
		stories, err := filepath.Glob(folder + "*/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, story := range stories {
			name := prefix + strings.TrimPrefix(filepath.ToSlash(story), folder)
			switch n := told[name]; {
			case n == 0:
				t.Errorf("no row of testdata/systems.md names %s", name)
			case n > mostRows:
				t.Errorf("%d rows of testdata/systems.md name %s, and %d may", n, name, mostRows)
			}
		}
	}
	if sections != 5 || rows < 100 {
		t.Errorf("there are %d sections and %d rows: does this test still read it?", sections, rows)
	}
	t.Logf("%d features, %d of them not yet", rows, missing)
}

// shows tells whether there is a story, a script or a test function of the name.
func shows(name string, functions map[string]bool) bool {
	if !strings.HasSuffix(name, ".txtar") {
		return functions[name]
	}
	at := "testdata/scenarios/" + name
	if script, ok := strings.CutPrefix(name, "script/"); ok {
		at = "cmd/redline/testdata/script/" + script
	}
	_, err := os.Stat(at)
	return err == nil
}

// testFunctions are the names of the module's test functions and fuzz targets.
func testFunctions(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil && isTest.MatchString(f.Name.Name) {
				names[f.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
