package redline_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/audit"
	"redline/agent/brief"
	"redline/agent/chat"
	"redline/agent/config"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/orchestrator"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/share"
	"redline/agent/toolset"
	"redline/edits"
	"redline/edits/match"
	"redline/edits/patch"
	"redline/internal/wire"
	"redline/workspace"
)

// nested are texts that go a million levels down, or on and on, in every form that a
// reader may follow by calling itself.
func nested() map[string]string {
	const n = 1_000_000 // bytes
	texts := map[string]string{}
	for _, unit := range []string{
		"[", "{", "(", "<", "[[", "[{", `{"a":`, `{"a":[`, `[{"action":"tool","tool":`, `{'a':`, "{a:", "((", "(?:", "(a|", "a{2}", "\\(",
		"{a,", "{a,b}", "**/", "*", "?*", "[a-z]*", "!", "$(", "`", "``` ", "```\n", "````\n~~~\n", "> ", ">", "- ", "- [ ] ", "  - [x] edit a\n", "# ", "## You\n", "* * ",
		"<div>", "<b>", "<!--", "<table><tr><td>", "&amp;", "a.", "[a.", "a = {", "a={b=", "a = [", "[[a]]\n", "\"", "'", "\\", "\"\\", "'''", "\"\"\"",
		"---\n", "---\na: ", "a:\n ", "  ", "\t", "@@", "@@ -1 +1 @@\n", "*** Begin Patch\n", "*** Update File: a\n", "--- a\n+++ b\n", "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n", "+", "-",
		"/*", "//", "/* */", "func f() {", "if x {\n", "class A:\n ", "not ", "!(", "a and (", "${", "{{", "@file ", "@a:", "/plan ", "redline: ", "[]", "{}", "[a,b],", "{a:1},", "a b ", "{a,a}",
	} {
		size := n
		if len(unit) > 1 {
			size = n / 4
		}
		texts[unit] = strings.Repeat(unit, size/len(unit))
	}
	for _, pair := range [][2]string{{"[", "]"}, {"{", "}"}, {"(", ")"}, {`{"a":`, "}"}, {"[{\"a\":", "}]"}, {"{a,", "}"}, {"<div>", "</div>"}, {"a = [", "]"}, {"{a=", "}"}, {"(?:", ")*"}} {
		open := pair[0]
		if pair[0] == "a = [" {
			texts["closed a = ["] = "a = " + strings.Repeat("[", n) + strings.Repeat("]", n)
			continue
		}
		if pair[0] == "{a=" {
			texts["closed a = {"] = "a = " + strings.Repeat("{a=", n/3) + "1" + strings.Repeat("}", n/3)
			continue
		}
		texts["closed "+open] = strings.Repeat(open, n/len(open)) + "1" + strings.Repeat(pair[1], n/len(open))
	}
	texts["flat single quotes"] = "[" + strings.Repeat("'a',", n/4) + "]"
	texts["flat bare keys"] = "{" + strings.Repeat("a:1,", n/4) + "}"
	texts["flat strings with breaks"] = "[" + strings.Repeat("\"a\nb\",", n/6) + "]"
	texts["flat objects"] = "[" + strings.Repeat("{a:1},", n/6) + "]"
	texts["one long string"] = "{a:'" + strings.Repeat("x", n) + "'}"
	texts["many ways"] = strings.Repeat("{a,b}", 9) + "x"
	return texts
}

// readers are all functions that make something of a text which a model, a repository,
// a client or a server on the network has written.
func readers(t *testing.T) map[string]func(text string) {
	dir := t.TempDir()
	ws := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{})
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]func(string){
		"jsontext.Repair":      func(s string) { model.RepairJSON(s) },
		"written":              func(s string) { loop.WrittenReader{Asked: true}.Read(s) },
		"share.Read":           func(s string) { share.Read([]byte(s), share.Rules{}) },
		"template":             func(s string) { chat.ParseTemplate(s) },
		"intent":               func(s string) { chat.ParseIntent(s) },
		"predict":              func(s string) { chat.ParsePredicted(s) },
		"specialists.answer":   func(s string) { orchestrator.ReadAnswer(s, s) },
		"specialists.question": func(s string) { orchestrator.ParseQuestions(s) },
		"specialists.plan": func(s string) {
			registry, _ := orchestrator.NewRegistry(nil, nil, nil)
			orchestrator.ParsePlan(s, registry, 9)
			orchestrator.ParseContinuation(s, registry, 9)
		},
		"chat.sections": func(s string) {
			chat.Sections(s)
			chat.LastRequest(s)
			chat.ParseSlash(s)
			chat.Links(s[:min(len(s), 20_000)], 10)
		},
		"chat.requests": func(s string) {
			l := edits.NewLines(s)
			chat.FindRequest(l, l.Count()/2)
		},
		"patch": func(s string) { patch.Parse(s) },
		"condition": func(s string) {
			plan.CheckWhens([]plan.Step{{ID: "s1", Description: "a"}, {ID: "s2", Description: "b", When: &plan.Condition{Step: "s1", Outcome: plan.OutcomeFailed, OutputMatches: s}}})
		},
		"preview": func(s string) {
			r := plan.Revision{Number: 1, Description: "a", Operations: []plan.Operation{{ID: "o1", Tool: "run_command", Command: "make"}}}
			p := &plan.Plan{Number: 1, Current: 1, Revisions: []plan.Revision{r}}
			page := preview.Render(p, &r, func(plan.Blob) string { return "" }, preview.Beside{})
			preview.Read(p, &r, func(plan.Blob) string { return "" }, s)
			preview.Read(p, &r, func(plan.Blob) string { return "" }, page+s)
			preview.Read(p, &r, func(plan.Blob) string { return "" }, strings.Replace(page, "make", "make "+s, 1))
		},
		"config.toml":  func(s string) { config.IgnoredIn(config.OfWorkspace, []byte(s)) },
		"audit.head":   func(s string) { audit.DecodeHead([]byte(s)) },
		"glob":         func(s string) { ws.List(context.Background(), "", s, nil, 10) },
		"search":       func(s string) { ws.Search(context.Background(), workspace.Query{Pattern: s, Regexp: true}, nil) },
		"outline go":   func(s string) { ws.Outline("a.go", s) },
		"outline ts":   func(s string) { ws.Outline("a.ts", s) },
		"outline py":   func(s string) { ws.Outline("a.py", s) },
		"outline md":   func(s string) { ws.Outline("a.md", s) },
		"wire.changes": func(s string) { wire.DecodeContentChanges([]byte(s)) },
		"wire.lenient": func(s string) {
			wire.DecodeLenient[struct {
				A struct{ B []struct{ C string } }
			}]([]byte(s))
		},
		"ignore": func(s string) {
			if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(s), 0o600); err != nil {
				t.Error(err)
			}
			ws.List(context.Background(), "", "", nil, 10)
			os.Remove(filepath.Join(dir, ".gitignore"))
		},
		"hosts": func(s string) { toolset.ParseHosts(s) },
		"brief": func(s string) { brief.Tokens(s) },
		"agent file": func(s string) {
			orchestrator.NewRegistry(nil, nil, []orchestrator.File{{ID: "x", Name: "x.md", Text: s}, {ID: "y", Name: "y.md", Text: "---\n" + s + "\n---\n" + s}})
		},
		"rule":     func(s string) { workspace.MatchGlob(s, "a/b/c.txt") },
		"settings": func(s string) { config.IgnoredIn(config.OfWorkspace, []byte("[commands]\nallow = [\""+s+"\"]\n")) },
		"edit":     func(s string) { match.Find(s, s[:min(len(s), 1000)]+"x", match.Where{}) },
		"diff":     func(s string) { edits.Diff(s, s[:len(s)/2]+"x"+s[len(s)/2:]) },
	}
}

// Every reader ends in a moderate time on all of them, with an answer or an error: one
// that calls itself for each level would end the whole program, and one that takes time
// by the square would not end.
func TestEveryReaderOnDeepInput(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds: run without -short")
	}
	texts := nested()
	for name, read := range readers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range texts {
				read(text)
			}
		})
	}
}
