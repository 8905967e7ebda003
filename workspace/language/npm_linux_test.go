//go:build amd64 || arm64

package language

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In a world pyright sees what plans would leave, and what changes on the host meanwhile, again and again.
func TestPyrightInItsWorld(t *testing.T) {
	testPlansInAWorld(t, Pyright(), plans{
		files: map[string]string{
			"pyproject.toml": "[project]\nname = \"p\"\n",
			"a.py":           "def one() -> int:\n    return 1\n",
			"b.py":           "from a import one\n\nB = one()\n",
		},
		defines: "a.py", definition: "def %s() -> int:\n    return 1\n",
		created: "c/c.py", uses: "from a import %s\n\nC = %[1]s()\n",
		breaks:  `b.py:1 "one" is unknown import symbol`,
		changed: "b.py", change: "from a import x\n\nB = x()\n", name: "x",
		broken: `b.py:1 "x" is unknown import symbol`,
	})
}

// In a world TypeScript sees what plans would leave, and what changes on the host meanwhile, again and again.
func TestTypeScriptInItsWorld(t *testing.T) {
	testPlansInAWorld(t, TypeScript(), plans{
		files: map[string]string{
			"tsconfig.json": `{"compilerOptions": {"types": []}}`,
			"a.ts":          "export function one() { return 1 }\n",
			"b.ts":          "import { one } from \"./a\"\n\nexport const b = one()\n",
		},
		defines: "a.ts", definition: "export function %s() { return 1 }\n",
		created: "c/c.ts", uses: "import { %s } from \"../a\"\n\nexport const c = %[1]s()\n",
		breaks:  `b.ts:1 Module '"./a"' has no exported member 'one'.`,
		changed: "b.ts", change: "import { x } from \"./a\"\n\nexport const b = x()\n", name: "x",
		broken: `b.ts:1 Module '"./a"' has no exported member 'x'.`,
	})
}

// plans are what a test of many plans in a row does.
type plans struct {
	files               map[string]string
	defines, definition string // the file that each plan changes; its text with a name
	created, uses       string // a file that every second plan creates besides; its text with that name
	breaks              string // what each plan breaks
	changed, change     string // what the host changes at the end
	broken, name        string // what that breaks, and the name that fixes it
}

func testPlansInAWorld(t *testing.T, a *Adapter, p plans) {
	s, dir := inWorld(t, a, p.files)
	at := func(name string) string { return filepath.Join(dir, name) }
	look := func(texts map[string]Text, changed ...string) string { return lookInWorld(t, s, texts, changed) }
	for i := range plansInARow() {
		name := fmt.Sprintf("name%d", i)
		plan := map[string]Text{at(p.defines): {Text: fmt.Sprintf(p.definition, name)}}
		if i%2 == 1 {
			plan[at(p.created)] = Text{Text: fmt.Sprintf(p.uses, name)}
		}
		if got := look(plan); got != p.breaks {
			t.Fatalf("plan %d: %q", i, got)
		}
	}
	if got := look(nil); got != "" {
		t.Errorf("without a plan: %q", got)
	}
	if len(s.open) > 3 || len(s.shown) > 0 {
		t.Errorf("%d documents are open, %d differ", len(s.open), len(s.shown))
	}
	if err := os.WriteFile(at(p.changed), []byte(p.change), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := look(nil, at(p.changed)); got != p.broken {
		t.Errorf("after a change on the host: %q", got)
	}
	if got := look(map[string]Text{at(p.defines): {Text: fmt.Sprintf(p.definition, p.name)}}); got != "" {
		t.Errorf("the plan that fixes it: %q", got)
	}
	if text, err := os.ReadFile(at(p.defines)); err != nil || string(text) != p.files[p.defines] {
		t.Errorf("the host has %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Dir(at(p.created))); !os.IsNotExist(err) && strings.Contains(p.created, "/") {
		t.Errorf("the host has a new folder: %v", err)
	}
}
