package languages_test

import (
	"testing"

	"redline/agent/agenttest"
)

// Servers that are programs for node check plans in worlds too: a caller breaks in a file that the plan does not touch.
func TestPlansAreCheckedByServersForNode(t *testing.T) {
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
