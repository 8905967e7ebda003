package config

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent/rules"
)

// Folders of tools that were never installed are not listed as caches: Redline would create them
// for nothing.
func TestUsualCaches(t *testing.T) {
	home, programs := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	t.Setenv("PATH", programs)
	if err := os.MkdirAll(filepath.Join(home, ".m2", "repository"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(programs, "go"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range []string{".cache", "go/pkg", ".m2/repository"} {
		want = append(want, filepath.Join(home, name))
	}
	if runtime.GOOS == "linux" { // elsewhere the cache folder and programs have other names
		if got := UsualCaches(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCommandSettings(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	s, warnings := load(t, `[commands]
timeout_seconds = 2.5
confine = "require"
caches = ["~/.cache/x", "/var/cache/y/"]
env = ["CI"]
`, nil, nil)
	c := s.Commands
	if len(warnings) > 0 || c.Timeout != 2500*time.Millisecond || c.Confine != "require" || !slices.Equal(c.Env, []string{"CI"}) ||
		!slices.Equal(c.Caches, []string{filepath.FromSlash("/home/ada/.cache/x"), filepath.FromSlash("/var/cache/y")}) {
		t.Errorf("%+v, %v", c, warnings)
	}
	if s, _ := load(t, "[commands]\ncaches = []\n", nil, nil); s.Commands.Caches == nil || len(s.Commands.Caches) > 0 {
		t.Errorf("none: %v", s.Commands.Caches)
	}
	// Rules are texts and tables. A bad one does not affect the others.
	s, warnings = load(t, `[commands]
allow = ["go test", { command = "make", folder = "tools" }]
deny = ["rm", 5, { folder = "x" }, "git push"]
`, nil, nil)
	if want := []rules.Rule{{Command: "go test"}, {Command: "make", Folder: "tools"}}; !slices.Equal(s.Commands.Allow, want) {
		t.Errorf("allow: %v", s.Commands.Allow)
	}
	if !slices.Equal(s.Commands.Deny, rules.AtRoot("rm", "git push")) || len(warnings) != 1 ||
		!strings.Contains(string(warnings[0]), "rule 2 of commands.deny has no effect") ||
		!strings.Contains(string(warnings[0]), "rule 3 of commands.deny has no effect: it must have a command") {
		t.Errorf("deny: %v, %v", s.Commands.Deny, warnings)
	}
	shown := ""
	for _, row := range Explain(s) {
		shown += row.Key + " = " + row.Value + "\n"
	}
	for _, want := range []string{`commands.allow = go test, { command = "make", folder = "tools" }` + "\n", "commands.deny = rm, git push\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("not shown: %s in\n%s", want, shown)
		}
	}
	for text, want := range map[string]string{
		`caches = ["relative"]`: "absolute folders",
		`caches = [1]`:          "a list of texts",
		`allow = "make"`:        "must be a list of rules",
		`allow = [[]]`:          "must be a text, or a table",
		`allow = [{ command = "make", dir = "x" }]`: "has a key \"dir\"",
		`env = ["KEY=sk-secret"]`:                   "names of environment variables",
		`confine = "no"`:                            "must be one of",
		`alow = ["go test"]`:                        "There is no setting commands.alow",
	} {
		_, warnings := load(t, "[commands]\n"+text+"\n", nil, nil)
		if len(warnings) != 1 || !strings.Contains(string(warnings[0]), want) || strings.Contains(string(warnings[0]), "sk-secret") {
			t.Errorf("%s: %v", text, warnings)
		}
	}
}
