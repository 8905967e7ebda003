package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

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
	for text, want := range map[string]string{
		`caches = ["relative"]`:   "absolute folders",
		`caches = [1]`:            "a list of texts",
		`env = ["KEY=sk-secret"]`: "names of environment variables",
		`confine = "no"`:          "must be one of",
		`alow = ["go test"]`:      "There is no setting commands.alow",
	} {
		_, warnings := load(t, "[commands]\n"+text+"\n", nil, nil)
		if len(warnings) != 1 || !strings.Contains(string(warnings[0]), want) || strings.Contains(string(warnings[0]), "sk-secret") {
			t.Errorf("%s: %v", text, warnings)
		}
	}
}
