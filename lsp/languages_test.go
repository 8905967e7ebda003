package lsp

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/languages"
	"redline/agent/trial"
	"redline/lsp/lsptest"
	"redline/workspace/language"
	"redline/workspace/runner"
)

// gopls are options in which the real gopls checks plans. It skips the test where that is not possible.
func gopls(t *testing.T) func(*agent.Options) {
	if err := runner.Worlds(); err != nil {
		t.Skip("it needs an isolated environment, and `redline doctor` says how to get one: " + err.Error())
	}
	cache, _ := os.UserCacheDir() // before HOME is another one
	find := func(program string) (string, error) {
		if name, err := exec.LookPath(filepath.Join(cache, "redline-languages", "bin", program)); err == nil && cache != "" {
			return name, nil
		}
		return exec.LookPath(program)
	}
	if _, err := find("gopls"); err != nil {
		t.Skip("it needs gopls: .ci/install-languages installs it")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	return func(o *agent.Options) {
		o.Trials = trial.Options{Mode: trial.On, Home: home}
		o.Languages = languages.Options{Mode: trial.Ask, Adapters: []*language.Adapter{language.Gopls()}, Find: find}
	}
}

// The story of a plan that breaks a caller in a file that it does not touch: the user sees it in the state, the event and
// the action that approves, asks for more, and approves what breaks nothing.
func TestALanguageServerFindsWhatAPlanBreaks(t *testing.T) {
	checks := gopls(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "a/a.go": "package a\n\nfunc A() int { return 1 }\n", "b/b.go": "package b\n\nimport \"m/a\"\n\nvar B = a.A()\n",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	c := connectTo(t, lsptest.Honest(), dir, Options{NewAgent: builtinAgent(t, checks)}, lsptest.WithEvents())
	c.must(c.Open("a/a.go"))
	problems := func() string {
		p := c.planNow(1).Problems
		if p == nil {
			return "not known"
		}
		all := []string{}
		for _, one := range p.Added {
			all = append(all, one.Path+": "+one.Message)
		}
		for _, one := range p.Checked {
			all = append(all, one.Server+": "+one.State)
		}
		return strings.Join(all, "; ")
	}
	approves := func(ends string) bool {
		actions, err := c.CodeActions(c.ctx, "a/a.go", lsptest.Range{Start: lsptest.Position{Line: 2}, End: lsptest.Position{Line: 2}})
		c.must(err)
		return slices.ContainsFunc(actions, func(a lsptest.Action) bool {
			return strings.HasPrefix(a.Title, "Redline: approve plan 1") && strings.HasSuffix(a.Title, ends)
		})
	}
	c.plan(`replace "func A()" with "func A2()" in a/a.go`)
	c.await(lsptest.EventKind("problems"))
	if got, want := problems(), "b/b.go: undefined: a.A; gopls: checked"; got != want {
		t.Errorf("the problems are %q, want %q", got, want)
	}
	if !approves("; adds 1 error)") {
		t.Error("the action that approves does not say that it adds an error")
	}
	c.plan(`replace "a.A()" with "a.A2()" in b/b.go`)
	c.await(lsptest.Expect("a report without problems", func(*lsptest.Editor) bool { return problems() == "gopls: checked" }))
	if !approves("(2 files, +2 −2)") {
		t.Error("the action that approves says more than it should")
	}
	if _, err := c.approve(); err != nil {
		t.Fatal(err)
	}
	c.wantFile("a/a.go", "package a\n\nfunc A2() int { return 1 }\n")
	c.wantFile("b/b.go", "package b\n\nimport \"m/a\"\n\nvar B = a.A2()\n")
}
