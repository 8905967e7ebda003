package language

import (
	"context"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/workspace/world"
)

// A plan's problems are known as soon as pyright has checked all files that it touches, and those that import
// them, again and again.
func TestPyright(t *testing.T) {
	t.Parallel() // most of the time it waits
	r := startReal(t, Pyright(), map[string]string{
		"pyproject.toml":  "[project]\nname = \"p\"\n",
		"p/__init__.py":   "",
		"p/a.py":          "def one() -> int:\n    return 1\n",
		"p/b.py":          "from p.a import one\n\nB: int = one()\n",
		"p/c.py":          "C: int = \"old\"\n",
		"p/uses_later.py": "from p.later import later\n\nL = later()\n",
		"readme.txt":      "text\n",
	})
	for _, c := range []struct {
		name  string
		texts map[string]Text
		added []string
		fixed int
	}{
		{"nothing", nil, nil, 0},
		{"a caller in another file breaks", map[string]Text{"p/a.py": {Text: "def two() -> int:\n    return 1\n"}}, []string{`p/b.py:1:17 error reportAttributeAccessIssue: "one" is unknown import symbol`}, 0},
		{"its type breaks a caller", map[string]Text{"p/a.py": {Text: "def one() -> str:\n    return \"\"\n"}}, []string{"p/b.py:3:10 error reportAssignmentType: Type \"str\" is not assignable to declared type \"int\"\n\u00a0\u00a0\"str\" is not assignable to \"int\""}, 0},
		{"a caller is broken and fixed", map[string]Text{"p/a.py": {Text: "def two() -> int:\n    return 1\n"}, "p/b.py": {Text: "from p.a import two\n\nB: int = two()\n"}}, nil, 0},
		{"a problem is fixed, another made after a wide character", map[string]Text{"p/c.py": {Text: "C = (\"« 🛒\", D)\n"}}, []string{`p/c.py:1:17 error reportUndefinedVariable: "D" is not defined`}, 1},
		{"lines move", map[string]Text{"p/c.py": {Text: "# C is old.\nC: int = \"old\"\n"}}, nil, 0},
		{"a file is created that another imports", map[string]Text{"p/later.py": {Text: "def later() -> int:\n    return 1\n"}}, nil, 1},
		{"a new file imports another new one", map[string]Text{"q/d.py": {Text: "D = 1\n"}, "q/e.py": {Text: "from q.d import D, F\n"}}, []string{`q/e.py:1:20 error reportAttributeAccessIssue: "F" is unknown import symbol`}, 0},
		{"a file is gone", map[string]Text{"p/a.py": {Gone: true}}, []string{`p/b.py:1:6 error reportMissingImports: Import "p.a" could not be resolved`}, 0},
		{"a file moves with its caller", map[string]Text{"p/a.py": {Gone: true}, "z/a.py": {Text: "def one() -> int:\n    return 1\n"}, "p/b.py": {Text: "from z.a import one\n\nB: int = one()\n"}}, nil, 0},
		{"the project's settings", map[string]Text{"pyproject.toml": {Text: "[tool.pyright]\nreportAssignmentType = \"warning\"\n"}}, []string{"p/c.py:1:10 warning reportAssignmentType: Type \"Literal['old']\" is not assignable to declared type \"int\"\n\u00a0\u00a0\"Literal['old']\" is not assignable to \"int\""}, 1},
		{"another kind of file", map[string]Text{"readme.txt": {Text: "other\n"}}, nil, 0},
	} {
		added, fixed := r.problems(c.texts)
		if !slices.Equal(added, c.added) || fixed != c.fixed {
			t.Errorf("%s: %q and %d fixed, want %q and %d", c.name, added, fixed, c.added, c.fixed)
		}
	}
	for name, text := range map[string]string{"pyproject.toml": "[tool.pyright\n", "pyrightconfig.json": "{", "base.json": "["} {
		if name != "pyproject.toml" && !*all {
			continue
		}
		texts := map[string]Text{name: {Text: text}}
		if name == "base.json" {
			texts["pyrightconfig.json"] = Text{Text: `{"extends": "base.json"}`}
		}
		found, err := r.tryProblems(texts)
		if err == nil || !strings.HasPrefix(err.Error(), "Config file ") || !strings.Contains(err.Error(), name) {
			t.Errorf("with a broken %s: %v, %v", name, found, err)
		}
		if name == "base.json" { // what it extends is fixed alone
			texts[name] = Text{Text: `{"reportUndefinedVariable": false}`}
			if found, err := r.tryProblems(texts); err != nil {
				t.Errorf("with a fixed %s: %v, %v", name, found, err)
			}
		}
		if added, fixed := r.problems(map[string]Text{"p/a.py": {Text: "def two() -> int:\n    return 1\n"}}); len(added) != 1 || fixed != 0 {
			t.Errorf("after a broken %s: %q and %d fixed", name, added, fixed)
		}
	}
}

// A symbol is found and renamed by pyright from the start: over files, not in a shadowed name, over text that is
// not on the disk.
func TestPyrightSymbols(t *testing.T) {
	t.Parallel()
	r := startReal(t, Pyright(), map[string]string{
		"pyproject.toml": "[project]\nname = \"p\"\n",
		"a.py":           "# « 🛒 »\ndef total() -> int:\n    return 1\n",
		"b.py":           "from a import total\n\nB = total()\n\n\ndef f() -> int:\n    total = 2\n    return total\n",
		"c.py":           "import a\n\nC = a.total() + a.total()\n",
		"d/e.py":         "import a\n\nE = a.total\n",
	})
	at := func(name string) string { return filepath.Join(r.dir, name) }
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if got, want := r.places(r.References(ctx, at("a.py"), Place{1, 4})), []string{"a.py:2:5-10", "b.py:1:15-20", "b.py:3:5-10", "c.py:3:7-12", "c.py:3:19-24", "d/e.py:3:7-12"}; !slices.Equal(got, want) {
		t.Errorf("references at the start: %q, want %q", got, want)
	}
	unsaved := map[string]Text{
		at("c.py"): {Text: "import a\n\nC = (\"🛒\", a.total())\n"}, at("d/e.py"): {Gone: true},
		at("f.py"): {Text: "from a import total as t\n\nF = t()\n"},
	}
	if err := r.Show(ctx, unsaved, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := r.places(r.References(ctx, at("a.py"), Place{1, 4})), []string{"a.py:2:5-10", "b.py:1:15-20", "b.py:3:5-10", "c.py:3:16-21", "f.py:1:15-20"}; !slices.Equal(got, want) {
		t.Errorf("references: %q, want %q", got, want)
	}
	if got, want := r.places(r.Definition(ctx, at("c.py"), Place{2, 15})), []string{"a.py:2:5-10"}; !slices.Equal(got, want) {
		t.Errorf("definition: %q, want %q", got, want)
	}
	texts, err := r.Rename(ctx, at("b.py"), Place{2, 5}, "sum_up")
	want := map[string]Text{
		at("a.py"): {Text: "# « 🛒 »\ndef sum_up() -> int:\n    return 1\n"},
		at("b.py"): {Text: "from a import sum_up\n\nB = sum_up()\n\n\ndef f() -> int:\n    total = 2\n    return total\n"},
		at("c.py"): {Text: "import a\n\nC = (\"🛒\", a.sum_up())\n"},
		at("f.py"): {Text: "from a import sum_up as t\n\nF = t()\n"},
	}
	if err != nil || !maps.Equal(texts, want) {
		t.Errorf("rename: %v, %v", texts, err)
	}
	if texts, err := r.Rename(ctx, at("b.py"), Place{1, 0}, "x"); err == nil {
		t.Errorf("a place without a symbol is renamed: %v", texts)
	}
}

// Pyright looks for packages with the Python of the folder's own environment.
func TestPyrightInAnEnvironment(t *testing.T) {
	t.Parallel()
	long(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("it needs python3: your package manager has it")
	}
	r := startReal(t, Pyright(), map[string]string{"pyproject.toml": "[project]\nname = \"p\"\n"}, func(dir string) {
		if out, err := exec.Command(python, "-m", "venv", "--without-pip", filepath.Join(dir, ".venv")).CombinedOutput(); err != nil {
			t.Skipf("it needs the module venv of python3, which is the package python3-venv on Debian: %v: %s", err, out)
		}
		found, err := filepath.Glob(filepath.Join(dir, ".venv", "lib", "python*", "site-packages"))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		if err := (folderDisk{}).Change(t.Context(), []world.Change{
			{Path: filepath.Join(found[0], "only_here", "__init__.py"), Text: []byte("def here() -> int: ...\n")},
			{Path: filepath.Join(found[0], "only_here", "py.typed")},
		}); err != nil {
			t.Fatal(err)
		}
	})
	added, fixed := r.problems(map[string]Text{"a.py": {Text: "from only_here import here, there\n\nA: int = here()\n"}})
	if want := []string{`a.py:1:29 error reportAttributeAccessIssue: "there" is unknown import symbol`}; !slices.Equal(added, want) || fixed != 0 {
		t.Errorf("%q and %d fixed, want %q", added, fixed, want)
	}
}
