package language

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/workspace/world"
)

// A plan's problems are known after each file of each project was asked for, with files created, deleted and moved,
// again and again.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	r := startReal(t, TypeScript(), map[string]string{
		"tsconfig.json":     `{"compilerOptions": {"strict": true, "types": []}, "include": ["src"]}`,
		"src/a.ts":          "export function one(): number { return 1 }\n",
		"src/b.ts":          "import { one } from \"./a\"\n\nexport const b: number = one()\n",
		"src/c.ts":          "export const c: number = \"old\"\n",
		"src/uses_later.ts": "import { later } from \"./later\"\n\nexport const l: number = later()\n",
		"readme.txt":        "text\n",
	})
	for range 1 {
		for _, c := range []struct {
			name  string
			texts map[string]Text
			added []string
			fixed int
		}{
			{"nothing", nil, nil, 0},
			{"a caller in another file breaks", map[string]Text{"src/a.ts": {Text: "export function two(): number { return 1 }\n"}}, []string{`src/b.ts:1:10 error 2305: Module '"./a"' has no exported member 'one'.`}, 0},
			{"its type breaks a caller", map[string]Text{"src/a.ts": {Text: "export function one(): string { return \"\" }\n"}}, []string{`src/b.ts:3:14 error 2322: Type 'string' is not assignable to type 'number'.`}, 0},
			{"a caller is broken and fixed", map[string]Text{"src/a.ts": {Text: "export function two(): number { return 1 }\n"}, "src/b.ts": {Text: "import { two } from \"./a\"\n\nexport const b: number = two()\n"}}, nil, 0},
			{"a problem is fixed, another made after a wide character", map[string]Text{"src/c.ts": {Text: "export const c = [\"« 🛒\", d]\n"}}, []string{`src/c.ts:1:30 error 2304: Cannot find name 'd'.`}, 1},
			{"lines move", map[string]Text{"src/c.ts": {Text: "// c is old.\nexport const c: number = \"old\"\n"}}, nil, 0},
			{"no syntax", map[string]Text{"src/b.ts": {Text: "export const b = [\n"}}, []string{"src/b.ts:1:19 error 1005: ']' expected."}, 0},
			{"a file is created that another imports", map[string]Text{"src/later.ts": {Text: "export function later(): number { return 1 }\n"}}, nil, 1},
			{"a new file imports another new one", map[string]Text{"src/q/d.ts": {Text: "export const d = 1\n"}, "src/q/e.ts": {Text: "import { d, f } from \"./d\"\n\nexport const e = [d, f]\n"}}, []string{`src/q/e.ts:1:13 error 2305: Module '"./d"' has no exported member 'f'.`}, 0},
			{"a file is gone", map[string]Text{"src/a.ts": {Gone: true}}, []string{`src/b.ts:1:21 error 2307: Cannot find module './a' or its corresponding type declarations.`}, 0},
			{"a file moves with its caller", map[string]Text{"src/a.ts": {Gone: true}, "src/z/a.ts": {Text: "export function one(): number { return 1 }\n"}, "src/b.ts": {Text: "import { one } from \"./z/a\"\n\nexport const b: number = one()\n"}}, nil, 0},
			{"the project's settings", map[string]Text{"tsconfig.json": {Text: `{"compilerOptions": {"types": []}, "include": ["src/a.ts", "src/b.ts"]}`}}, nil, 2},
			{"settings that are nearer", map[string]Text{"src/tsconfig.json": {Text: `{"compilerOptions": {"types": [], "noUnusedLocals": true}}`}, "src/a.ts": {Text: "export function one(): number { let i; return 1 }\n"}}, []string{"src/a.ts:1:37 error 6133: 'i' is declared but its value is never read."}, 0},
			{"another kind of file", map[string]Text{"readme.txt": {Text: "other\n"}}, nil, 0},
		} {
			added, fixed := r.problems(c.texts)
			if !slices.Equal(added, c.added) || fixed != c.fixed {
				t.Errorf("%s: %q and %d fixed, want %q and %d", c.name, added, fixed, c.added, c.fixed)
			}
		}
		for name, of := range map[string]struct{ text, why string }{
			"tsconfig.json":     {"{", "tsconfig.json is no valid JSON"},
			"src/tsconfig.json": {`{"extends": "../no.json"}`, "no.json cannot be read"},
			"loose.ts":          {"export {}\n", "loose.ts is in no project (tsconfig.json)"},
		} {
			found, err := r.tryProblems(map[string]Text{name: {Text: of.text}})
			if err == nil || err.Error() != of.why {
				t.Errorf("with a broken %s: %v, %v; want %s", name, found, err, of.why)
			}
			if added, fixed := r.problems(map[string]Text{"src/a.ts": {Text: "export function two(): number { return 1 }\n"}}); len(added) != 1 || fixed != 0 {
				t.Errorf("after a broken %s: %q and %d fixed", name, added, fixed)
			}
		}
	}
}

// Callers in other projects of the folder are checked too, with the settings of their own project.
func TestTypeScriptProjects(t *testing.T) {
	t.Parallel()
	r := startReal(t, TypeScript(), map[string]string{
		"tsconfig.json":      `{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "./tsconfig.node.json"}]}`,
		"tsconfig.app.json":  `{"compilerOptions": {"strict": true, "composite": true, "types": []}, "include": ["src"]}`,
		"tsconfig.node.json": `{"compilerOptions": {"composite": true, "types": []}, "include": ["build.ts", "src/a.ts"]}`,
		"build.ts":           "import { one } from \"./src/a\"\n\nexport const b = one()\n",
		"src/a.ts":           "export function one() { return 1 }\n",
		"src/b.ts":           "import { one } from \"./a\"\n\nexport const b = one()\n",
		"lib/tsconfig.json":  `{"compilerOptions": {"types": []}}`,
		"lib/l.ts":           "import { one } from \"../src/a\"\n\nexport const l = one()\nexport const n: number = null\n",
		"js/jsconfig.json":   `{"compilerOptions": {"checkJs": true, "types": []}}`,
		"js/j.js":            "import { k } from \"./k.js\"\n\nexport const j = k\n",
		"js/k.js":            "export const k = 1\n",
		"free/f.ts":          "import { one } from \"../src/a\"\n\nexport const f = one()\n",
	})
	added, fixed := r.problems(map[string]Text{"src/a.ts": {Text: "export function two() { return 1 }\n"}, "js/k.js": {Text: "export const kk = 1\n"}})
	want := []string{
		`build.ts:1:10 error 2305: Module '"./src/a"' has no exported member 'one'.`,
		`js/j.js:1:10 error 2305: Module '"./k.js"' has no exported member 'k'.`,
		`lib/l.ts:1:10 error 2305: Module '"../src/a"' has no exported member 'one'.`,
		`src/b.ts:1:10 error 2305: Module '"./a"' has no exported member 'one'.`,
	}
	if !slices.Equal(added, want) || fixed != 0 {
		t.Errorf("%q and %d fixed, want %q", added, fixed, want)
	}
}

// A symbol is found and renamed from the start: over files, not in a shadowed name, over text that is not on the disk.
func TestTypeScriptSymbols(t *testing.T) {
	t.Parallel()
	r := startReal(t, TypeScript(), map[string]string{
		"tsconfig.json": `{"compilerOptions": {"types": []}}`,
		"a.ts":          "// « 🛒 »\nexport function total(): number { return 1 }\n",
		"b.ts":          "import { total } from \"./a\"\n\nexport const b = total()\n\nexport function f() { const total = 2; return total }\n",
		"c.ts":          "import * as a from \"./a\"\n\nexport const c = a.total() + a.total()\n",
		"d/e.ts":        "import * as a from \"../a\"\n\nexport const e = a.total\n",
	})
	at := func(name string) string { return filepath.Join(r.dir, name) }
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if got, want := r.places(r.References(ctx, at("a.ts"), Place{1, 16})), []string{"a.ts:2:17-22", "b.ts:1:10-15", "b.ts:3:18-23", "c.ts:3:20-25", "c.ts:3:32-37", "d/e.ts:3:20-25"}; !slices.Equal(got, want) {
		t.Errorf("references at the start: %q, want %q", got, want)
	}
	unsaved := map[string]Text{
		at("c.ts"): {Text: "import * as a from \"./a\"\n\nexport const c = [\"🛒\", a.total()]\n"}, at("d/e.ts"): {Gone: true},
		at("f.ts"): {Text: "import { total as t } from \"./a\"\n\nexport const f = t()\n"},
	}
	if err := r.Show(ctx, unsaved, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := r.places(r.References(ctx, at("a.ts"), Place{1, 16})), []string{"a.ts:2:17-22", "b.ts:1:10-15", "b.ts:3:18-23", "c.ts:3:29-34", "f.ts:1:10-15", "f.ts:1:19-20", "f.ts:3:18-19"}; !slices.Equal(got, want) {
		t.Errorf("references: %q, want %q", got, want)
	}
	if got, want := r.places(r.Definition(ctx, at("c.ts"), Place{2, 28})), []string{"a.ts:2:17-22"}; !slices.Equal(got, want) {
		t.Errorf("definition: %q, want %q", got, want)
	}
	texts, err := r.Rename(ctx, at("b.ts"), Place{2, 18}, "sum")
	want := map[string]Text{
		at("a.ts"): {Text: "// « 🛒 »\nexport function sum(): number { return 1 }\n"},
		at("b.ts"): {Text: "import { sum } from \"./a\"\n\nexport const b = sum()\n\nexport function f() { const total = 2; return total }\n"},
		at("c.ts"): {Text: "import * as a from \"./a\"\n\nexport const c = [\"🛒\", a.sum()]\n"},
		at("f.ts"): {Text: "import { sum as t } from \"./a\"\n\nexport const f = t()\n"},
	}
	if err != nil || !maps.Equal(texts, want) {
		t.Errorf("rename: %v, %v", texts, err)
	}
	if texts, err := r.Rename(ctx, at("b.ts"), Place{1, 0}, "x"); err == nil {
		t.Errorf("a place without a symbol is renamed: %v", texts)
	}
}

// Nothing of the repository's own is run: neither its TypeScript nor a plugin that its settings name.
func TestTypeScriptRunsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	evil := "require('fs').writeFileSync(require('path').join(__dirname, 'was-run'), ''); module.exports = () => ({create: i => i.languageService})\n"
	r := startReal(t, TypeScript(), map[string]string{
		"tsconfig.json":                        `{"compilerOptions": {"types": [], "plugins": [{"name": "evil"}]}}`,
		"package.json":                         `{"name": "p", "devDependencies": {"typescript": "5.9.3", "evil": "1.0.0"}}`,
		"a.ts":                                 "export const a: string = 1\n",
		"node_modules/typescript/package.json": `{"name": "typescript", "version": "5.9.3", "main": "lib/typescript.js"}`,
		"node_modules/typescript/lib/tsserver.js": evil, "node_modules/typescript/lib/typescript.js": evil,
		"node_modules/evil/package.json": `{"name": "evil", "version": "1.0.0", "main": "index.js"}`,
		"node_modules/evil/index.js":     evil,
	})
	if found := r.look(nil); len(found) != 1 || found[0].Code != "2322" {
		t.Errorf("it reports %v", found)
	}
	for _, dir := range []string{"typescript/lib", "evil"} {
		if _, err := os.Stat(filepath.Join(r.dir, "node_modules", dir, "was-run")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("node_modules/%s was run: %v", dir, err)
		}
	}
}

// What TypeScript says wrongly is an error, or is left out.
func TestTypeScriptThatLies(t *testing.T) {
	dir := t.TempDir()
	if err := (folderDisk{}).Change(t.Context(), []world.Change{
		{Path: filepath.Join(dir, "tsconfig.json"), Text: []byte("{}")}, {Path: filepath.Join(dir, "a.ts"), Text: []byte("one\ntwo")},
	}); err != nil {
		t.Fatal(err)
	}
	project := func(more string) string {
		return fmt.Sprintf(`{"success":true,"body":{"configFileName":%q,"fileNames":[%q,"/etc/passwd.ts",%q]%s}}`,
			filepath.Join(dir, "tsconfig.json"), filepath.Join(dir, "a.ts"), filepath.Join(dir, "..", "b.ts"), more)
	}
	none := `{"success":true,"body":[]}`
	for _, c := range []struct {
		name string
		of   map[string]string
		want string // problems, or the error
	}{
		{"places outside", map[string]string{"projectInfo": project(""), "syntacticDiagnosticsSync": none,
			"semanticDiagnosticsSync": `{"success":true,"body":[{"start":{"line":0,"offset":0},"end":{"line":4000000,"offset":9},"text":"bad","code":2304,"category":"x"}]}`},
			"a.ts 0:0-1:3 error bad"},
		{"a refusal", map[string]string{"projectInfo": `{"success":false,"message":"No project"}`}, "TypeScript does not answer: No project"},
		{"no answer", map[string]string{"projectInfo": `null`}, "TypeScript does not answer: "},
		{"a project that is too large", map[string]string{"projectInfo": project(`,"languageServiceDisabled":true`)}, "the project is too large for TypeScript's server"},
		{"settings that are not there", map[string]string{"projectInfo": project(""),
			"semanticDiagnosticsSync": `{"success":true,"body":[{"text":"File '@x' not found.","code":6053}]}`},
			"tsconfig.json cannot be used: File '@x' not found."},
		{"a flood", map[string]string{"projectInfo": project(""), "syntacticDiagnosticsSync": none,
			"semanticDiagnosticsSync": `{"success":true,"body":[` + strings.Repeat(`{"code":2304},`, maxReports) + `{"code":2304}]}`},
			"it reports more than 20000 problems"},
	} {
		f := &fake{commands: c.of}
		client, err := connect(t, f, func(string, string) {})
		if err != nil {
			t.Fatal(err)
		}
		client.Adapter, client.Folder = TypeScript(), dir
		client.Read = func(path string) (Text, error) {
			text, err := os.ReadFile(path)
			return Text{Text: string(text)}, err
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		found, err := client.Problems(ctx)
		cancel()
		var got []string
		for _, p := range found {
			got = append(got, fmt.Sprintf("%s %d:%d-%d:%d %s %s", filepath.Base(p.Path), p.Start.Line, p.Start.Column, p.End.Line, p.End.Column, p.Severity, p.Message))
		}
		if text := strings.Join(got, ", "); err == nil && text != c.want || err != nil && err.Error() != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, text, err, c.want)
		}
	}
}
