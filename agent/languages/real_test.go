package languages_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/languages"
	"redline/agent/plan"
	"redline/agent/trial"
	"redline/agent/view"
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

func (r results) add(n, revision int, p *plan.Problems) {
	r.all <- fmt.Sprintf("plan %d.%d: %s", n, revision, say(p))
}

// next returns the next result.
func (r results) next(t *testing.T) string {
	t.Helper()
	select {
	case one := <-r.all:
		return one
	case <-time.After(2 * time.Minute):
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
