package languages_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/languages"
	"redline/agent/plan"
	"redline/agent/session/sessiontest"
	"redline/agent/tool"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace"
	"redline/workspace/language"
	"redline/workspace/runner"
)

// goplsIn begins a session in which the real gopls checks plans in worlds.
func goplsIn(t *testing.T, files map[string]string, found results, change ...func(*languages.Options)) *agenttest.Session {
	t.Helper()
	if err := runner.Worlds(); err != nil {
		t.Skip("it needs an isolated environment, and `redline doctor` says how to get one: " + err.Error())
	}
	installed(t, "gopls")
	s := agenttest.New(t, files)
	home := t.TempDir()
	t.Setenv("HOME", home)
	s.Trials = trial.Options{Mode: trial.On, Home: home}
	s.With(func(o *agent.Options) {
		o.Languages = languages.Options{Mode: trial.Ask, Adapters: language.Adapters(), Find: find, Publish: found.add}
		for _, f := range change {
			f(&o.Languages)
		}
	})
	return s
}

var cache, _ = os.UserCacheDir() // before a test sets HOME

// find finds programs that .ci/install-languages has installed, too.
func find(program string) (string, error) {
	if name, err := exec.LookPath(filepath.Join(cache, "redline-languages", "bin", program)); err == nil && cache != "" {
		return name, nil
	}
	return exec.LookPath(program)
}

func installed(t *testing.T, program string) {
	t.Helper()
	if _, err := find(program); err != nil {
		t.Skipf("it needs %s: .ci/install-languages installs it", program)
	}
}

// results are what servers have found, in order.
type results struct{ all chan string }

func newResults() results { return results{make(chan string, 1000)} }

func (r results) add(_ context.Context, v *view.Plan, _ view.TriedTexts, _ time.Time, p *plan.Problems) error {
	r.all <- fmt.Sprintf("plan %d.%d: %s", v.Plan.Number, v.Revision.Number, say(p))
	return nil
}

// next returns the next result.
func (r results) next(t *testing.T) string {
	t.Helper()
	select {
	case one := <-r.all:
		return one
	case <-time.After(5 * time.Minute):
		t.Fatal("nothing is checked")
		return ""
	}
}

// say writes problems on one line.
func say(p *plan.Problems) string {
	if p == nil {
		return "nothing"
	}
	var parts []string
	for _, one := range p.Added {
		parts = append(parts, fmt.Sprintf("%s:%d:%d %s %s", one.Path, one.Range.Start.Line+1, one.Range.Start.Column+1, one.Severity, one.Message))
	}
	if p.Fixed > 0 {
		parts = append(parts, fmt.Sprintf("%d fixed", p.Fixed))
	}
	for _, c := range p.Checked {
		parts = append(parts, fmt.Sprintf("%s by %s: %s", c.Language, c.Server, c.State))
	}
	return strings.Join(parts, "; ")
}

// module is a small module with a caller in another file.
var module = map[string]string{
	"go.mod": "module m\n\ngo 1.26\n",
	"a/a.go": "package a\n\nfunc A() int { return 1 }\n",
	"b/b.go": "package b\n\nimport \"m/a\"\n\nvar B = a.A()\n",
}

// A plan that breaks a caller in a file that it does not touch is checked as soon as it is made, over what the editor
// has not saved.
func TestAPlanIsChecked(t *testing.T) {
	found := newResults()
	s := goplsIn(t, module, found)
	s.Open("b/b.go")
	s.TypeAt("b/b.go", "var B", "var C = a.A(1)\n\n")
	s.Model.Stages(agenttest.Edit("a/a.go", "func A()", "func A2()"))
	s.Plan("rename A")
	want := "plan 1.1: b/b.go:5:11 error undefined: a.A; b/b.go:7:11 error undefined: a.A; 1 fixed; go by gopls: checked"
	if got := found.next(t); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.WantFile("a/a.go", module["a/a.go"])

	texts := view.TriedTexts{"a/a.go": {Text: "package a\n\nfunc A() string { return 1 }\n"}}
	p, err := s.Agent.Languages.Check(t.Context(), texts, nil)
	if err != nil || say(p) != `a/a.go:3:26 error cannot use 1 (untyped int constant) as string value in return statement; go by gopls: checked` {
		t.Errorf("got %s, %v", say(p), err)
	}
}

// A symbol is found and renamed in the texts of a draft, over what the editor has not saved.
func TestSymbolsOfADraft(t *testing.T) {
	s := goplsIn(t, module, newResults())
	l := s.Agent.Languages
	if !l.Answers("") || !l.Answers("a/a.go") || l.Answers("a/a.zig") {
		t.Error("it does not answer for Go, or for more")
	}
	s.Open("b/b.go")
	s.TypeAt("b/b.go", "var B", "var C = a.A()\n\n")
	draft := workspace.Overlay{"c/c.go": {Text: "package c\n\nimport \"m/a\"\n\nvar C = a.A()\n"}}
	ctx := sessiontest.Timeout(t)
	at := tool.Place{Path: "a/a.go", Line: 2, Column: 5}
	var got []string
	found, err := l.References(ctx, draft, at)
	for _, one := range found {
		got = append(got, fmt.Sprintf("%s:%d:%d", one.Path, one.Line+1, one.Column+1))
	}
	if want := []string{"a/a.go:3:6", "b/b.go:5:11", "b/b.go:7:11", "c/c.go:5:11"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("references: %q, %v", got, err)
	}
	if found, err := l.Definition(ctx, draft, tool.Place{Path: "c/c.go", Line: 4, Column: 10}); err != nil || len(found) != 1 || found[0].Place != at {
		t.Errorf("definition: %v, %v", found, err)
	}
	renamed, err := l.Rename(ctx, draft, at, "Sum")
	want := map[string]string{
		"a/a.go": "package a\n\nfunc Sum() int { return 1 }\n",
		"b/b.go": "package b\n\nimport \"m/a\"\n\nvar C = a.Sum()\n\nvar B = a.Sum()\n",
		"c/c.go": "package c\n\nimport \"m/a\"\n\nvar C = a.Sum()\n",
	}
	if err != nil || !maps.Equal(renamed, want) {
		t.Errorf("rename: %q, %v", renamed, err)
	}
	if symbols, err := l.Symbols(ctx, draft, "c/c.go"); err != nil || len(symbols) != 1 || symbols[0] != (workspace.Symbol{Name: "C", Kind: "variable", Line: 5, End: 5}) {
		t.Errorf("symbols: %v, %v", symbols, err)
	}
	if p, err := l.Added(ctx, workspace.Overlay{"a/a.go": {Deleted: true}}, nil); err != nil || !strings.Contains(say(p), "b/b.go:3:8 error could not import m/a") {
		t.Errorf("a file is gone: %s, %v", say(p), err)
	}
}

// What changes on the disk meanwhile is seen: an edit, a new file, one that is gone, and many at once.
func TestTheDiskChanges(t *testing.T) {
	s := goplsIn(t, module, newResults())
	look := func(want string) {
		t.Helper()
		texts := view.TriedTexts{"c/c.go": {Text: "package c\n\nimport \"m/a\"\n\nvar C = a.A()\n"}}
		if p, err := s.Agent.Languages.Check(sessiontest.Timeout(t), texts, nil); err != nil || say(p) != want {
			t.Errorf("got %s, %v; want %s", say(p), err, want)
		}
	}
	look("go by gopls: checked")
	s.Write("a/a.go", "package a\n\nfunc A2() int { return 1 }\n")
	look("c/c.go:5:11 error undefined: a.A; go by gopls: checked")
	s.Write("a/b.go", "package a\n\nfunc A() int { return 1 }\n")
	look("go by gopls: checked")
	if err := os.Remove(filepath.Join(s.Dir, "a/b.go")); err != nil {
		t.Fatal(err)
	}
	look("c/c.go:5:11 error undefined: a.A; go by gopls: checked")
	for i := range 300 {
		s.Write(fmt.Sprintf("d/d%d.go", i), fmt.Sprintf("package d\n\nvar D%d = 1\n", i))
	}
	s.Write("a/a.go", module["a/a.go"])
	look("go by gopls: checked")
}

// The plan itself has what was found, as clients see it, as long as its texts stay as they are.
func TestThePlanHasItsProblems(t *testing.T) {
	s := goplsIn(t, module, newResults(), func(o *languages.Options) { o.Publish = nil })
	s.Model.Stages(agenttest.Edit("a/a.go", "func A()", "func A2()"))
	s.Plan("rename A")
	if !s.Agent.Languages.Await(t.Context(), 1) {
		t.Fatal("it is not checked")
	}
	p := s.PlanNow(1).Problems
	if p == nil || len(p.Added) != 1 || p.Added[0].Path != "b/b.go" || p.Added[0].Message != "undefined: a.A" {
		t.Errorf("got %+v", p)
	}
}

// When one module uses another's files, a plan that changes both is checked with the proposed texts of both.
func TestAPlanOverTwoModules(t *testing.T) {
	s := goplsIn(t, map[string]string{
		"a/go.mod": "module example.com/a\n\ngo 1.26\n",
		"a/a.go":   "package a\n\nfunc A() int { return 1 }\n",
		"b/go.mod": "module example.com/b\n\ngo 1.26\n\nrequire example.com/a v0.0.0\n\nreplace example.com/a => ../a\n",
		"b/b.go":   "package b\n\nimport \"example.com/a\"\n\nvar B = a.A()\n",
	}, newResults())
	uses := func(name string) view.TriedTexts {
		return view.TriedTexts{
			"a/a.go": {Text: "package a\n\nfunc A2() int { return 1 }\n"},
			"b/b.go": {Text: "package b\n\nimport \"example.com/a\"\n\nvar B = a." + name + "()\n"},
		}
	}
	for name, want := range map[string]string{"A2": "go by gopls: checked", "A": "b/b.go:5:11 error undefined: a.A; go by gopls: checked"} {
		if p, err := s.Agent.Languages.Check(sessiontest.Timeout(t), uses(name), nil); err != nil || say(p) != want {
			t.Errorf("with a.%s: %s, %v; want %s", name, say(p), err, want)
		}
	}
}
