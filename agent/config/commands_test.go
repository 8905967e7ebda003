package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent/commands"
)

// Whoever names the home folder as a cache, a folder that holds or leads to it, or one for keys, is
// told so, and has the usual caches.
func TestCachesAreNeverTheHome(t *testing.T) {
	home := filepath.Join(t.TempDir(), "u")
	if err := os.MkdirAll(filepath.Join(home, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	names := []string{"~/", "~/.", "~/in/..", home, home + "/", filepath.Dir(home), "/", "~/.ssh", "~/.aws/cache"}
	if os.Symlink(home, filepath.Join(home, "in", "link")) == nil {
		names = append(names, "~/in/link")
	}
	for _, key := range []string{"commands.caches", "trials.read"} {
		table, name, _ := strings.Cut(key, ".")
		for _, dir := range names {
			s, warnings := load(t, fmt.Sprintf("[%s]\n%s = ['/opt/x', '%s']\n", table, name, dir), nil, nil)
			if len(warnings) != 1 || !strings.HasPrefix(string(warnings[0]), key) || !strings.Contains(string(warnings[0]), "it must not have your home folder") || s.Commands.Caches != nil || s.Trials.Read != nil {
				t.Errorf("%s %q: %v, %q %q", key, dir, warnings, s.Commands.Caches, s.Trials.Read)
			}
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
	if want := []commands.Rule{{Command: "go test"}, {Command: "make", Folder: "tools"}}; !slices.Equal(s.Commands.Allow, want) {
		t.Errorf("allow: %v", s.Commands.Allow)
	}
	if !slices.Equal(s.Commands.Deny, []commands.Rule{{Command: "rm"}, {Command: "git push"}}) || len(warnings) != 1 ||
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
