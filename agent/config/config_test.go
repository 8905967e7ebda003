package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// load loads settings from a file with the given text, unless it is "", and
// from the given environment.
func load(t *testing.T, file string, env, flags map[string]string) (Settings, []Warning) {
	t.Helper()
	s, warnings, err := Load(sources(t, file, env, flags))
	if err != nil {
		t.Fatal(err)
	}
	return s, warnings
}

func sources(t *testing.T, file string, env, flags map[string]string) Sources {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{"XDG_CONFIG_HOME": filepath.Join(dir, "config"), "XDG_STATE_HOME": filepath.Join(dir, "state")}
	for name, value := range env {
		all[name] = value
	}
	if file != "" {
		path := filepath.Join(dir, "config", "redline", "config.toml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lookup := func(name string) (string, bool) {
		value, ok := all[name]
		return value, ok
	}
	return Sources{Env: lookup, Flags: flags}
}

func TestNothingSet(t *testing.T) {
	s, warnings := load(t, "", nil, nil)
	if len(warnings) != 0 {
		t.Errorf("warnings: %q", warnings)
	}
	c, l := s.ModelConfig(), s.Limits()
	if c.BaseURL != "" || c.APIKey != "" || c.Name != "" || c.GiveUp != 10*time.Second || c.Silence != time.Minute {
		t.Errorf("model: %+v, want the built-in one", c)
	}
	if l.Requests != 50 || l.Steps != 15 || l.Repeats != 3 || l.Wall != 30*time.Minute || s.MaxFile != 8<<20 || s.ApplyTimeout != 10*time.Second {
		t.Errorf("limits: %+v", s)
	}
	if !strings.HasSuffix(s.StateDir, filepath.Join("state", "redline")) || !strings.HasSuffix(s.File, filepath.Join("config", "redline", "config.toml")) {
		t.Errorf("places: %s, %s", s.StateDir, s.File)
	}
}

const full = `
[model]
base_url = "http://file/v1"
name = "file-model"
api_key_env = "MY_KEY"
plan = "reserved"
[limits]
requests = 1
steps = 2
repeats = 4
tokens = 9000
wall_seconds = 0
provider_give_up_seconds = 0.5
provider_silence_seconds = 300
max_file = 1000
[editor]
apply_timeout_seconds = 3
[approval]
anything = true
[mcp.x]
command = "y"
`

func TestFile(t *testing.T) {
	env := map[string]string{"MY_KEY": "secret", "OPENAI_API_KEY": "other"}
	s, warnings := load(t, full, env, nil)
	if len(warnings) != 0 {
		t.Errorf("warnings: %q", warnings)
	}
	want := []any{"http://file/v1", "file-model", "secret", 500 * time.Millisecond, 5 * time.Minute, 1, 2, 4, 9000, time.Duration(0), int64(1000), 3 * time.Second}
	got := []any{s.BaseURL, s.Config.Name, s.APIKey, s.GiveUp, s.ModelConfig().Silence, s.Requests, s.Steps, s.Repeats, s.Limits().Tokens, s.Wall, s.MaxFile, s.ApplyTimeout}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestOrder(t *testing.T) {
	env := map[string]string{"OPENAI_BASE_URL": "http://env/v1", "REDLINE_MODEL": "env-model", "OPENAI_API_KEY": "other"}
	s, _ := load(t, full, env, map[string]string{"model.name": "flag-model", "limits.steps": "9"})
	if s.BaseURL != "http://env/v1" || s.Config.Name != "flag-model" || s.Steps != 9 || s.Requests != 1 {
		t.Errorf("got %+v", s)
	}
	if s.APIKey != "" {
		t.Error("the key of another variable than the one that is named was taken")
	}
	origins := map[string]string{}
	for _, row := range Explain(s) {
		origins[row.Key] = row.Origin
	}
	for key, want := range map[string]string{
		"model.base_url": "OPENAI_BASE_URL", "model.name": "flag", "limits.steps": "flag", "limits.requests": s.File,
		"log level": "default", "settings file": "default",
	} {
		if origins[key] != want {
			t.Errorf("%s came from %q, want %q", key, origins[key], want)
		}
	}
}

func TestPlacesFromTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mine.toml")
	if err := os.WriteFile(file, []byte("[limits]\nsteps = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	s, warnings := load(t, "", map[string]string{"REDLINE_CONFIG": "mine.toml", "REDLINE_STATE_DIR": filepath.Join(dir, "s"), "REDLINE_LOG": "debug"}, nil)
	if s.Steps != 3 || !filepath.IsAbs(s.File) || s.StateDir != filepath.Join(dir, "s") || s.LogLevel != "debug" || len(warnings) != 0 {
		t.Errorf("got %+v, %q", s, warnings)
	}
	if _, err := os.Stat(s.StateDir); err == nil {
		t.Error("reading the settings made the state directory")
	}
}

func TestWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		env  map[string]string
		want string
	}{
		"unknown key":          {"[limits]\nstep = 3\n", nil, "no setting limits.step, in FILE: did you mean limits.steps?"},
		"unknown table":        {"[limit]\nsteps = 3\n", nil, "no setting limit, in FILE: did you mean limits?"},
		"nothing like it":      {"[zzzzzzzz]\nsteps = 3\n", nil, "redline doctor --config lists"},
		"key in the file":      {"[model]\napi_key = \"sk-123\"\n", nil, "no setting model.api_key"},
		"no number":            {"[limits]\nsteps = \"many\"\n", nil, "limits.steps in FILE has no effect: it must be a whole number of at least 1."},
		"too low":              {"[limits]\nsteps = 0\n", nil, "at least 1"},
		"negative":             {"[limits]\nwall_seconds = -1\n", nil, "number of seconds"},
		"no end":               {"[limits]\nprovider_give_up_seconds = inf\n", nil, "number of seconds"},
		"a list":               {"[model]\nname = [\"a\"]\n", nil, "must be a text or a number"},
		"no list of texts":     {"[fetch]\nhosts = [1]\n", nil, "fetch.hosts in FILE has no effect: it must be a list of texts."},
		"every host":           {"[fetch]\nhosts = [\"*\"]\n", nil, "must have host names like go.dev"},
		"not a table":          {"limits = 3\n", nil, "must be a table, [limits]"},
		"key instead of name":  {"[model]\napi_key_env = \"sk-123\"\n", nil, "not the key itself"},
		"names no file":        {"", map[string]string{"REDLINE_CONFIG": "/nowhere/config.toml"}, "There is no file FILE, so none of your settings count: correct REDLINE_CONFIG"},
		"a file in the middle": {"", map[string]string{"REDLINE_CONFIG": os.Args[0] + "/config.toml"}, "There is no file FILE"},
		"no folder at all":     {"", map[string]string{"XDG_CONFIG_HOME": os.Args[0]}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, warnings := load(t, c.file, c.env, nil)
			if c.want == "" {
				if len(warnings) != 0 {
					t.Errorf("warnings: %q", warnings)
				}
				return
			}
			if len(warnings) != 1 {
				t.Fatalf("warnings: %q, want one", warnings)
			}
			got := strings.ReplaceAll(string(warnings[0]), s.File, "FILE")
			if !strings.Contains(got, c.want) || strings.Contains(got, "sk-123") || strings.Contains(got, "\n") {
				t.Errorf("got %q, want %q in it", got, c.want)
			}
			if d := defaults(); s.Steps != d.Steps || s.Wall != d.Wall || s.GiveUp != d.GiveUp {
				t.Errorf("what was wrong had an effect: %+v", s)
			}
		})
	}
}

// Every setting that can be on or off may be true or false in a file too.
func TestTrueAndFalseAreOnAndOff(t *testing.T) {
	s, warnings := load(t, `
[model]
reuse_plans = false
tools = false
stream = true
[context]
summaries = false
rules = false
facts = false
[heap]
enabled = true
[ui]
code_lens = false
`, nil, nil)
	if len(warnings) != 0 {
		t.Errorf("warnings: %q", warnings)
	}
	if s.ReusePlans || s.Tools != "off" || s.Stream != "on" || s.Summaries != "off" || s.ContextRules != "off" || s.FactsWithin() != 0 || !s.Specialists || s.UI.CodeLens {
		t.Errorf("got %+v", s)
	}
}

// Requests have facts of the project unless they are recorded or replayed: then each request must
// be the same again.
func TestRecordedRequestsHaveNoFacts(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want bool
	}{"usual": {nil, true}, "recorded": {map[string]string{"REDLINE_RECORD": t.TempDir()}, false}, "replayed": {map[string]string{"REDLINE_REPLAY": t.TempDir()}, false}} {
		if s, _ := load(t, "", c.env, nil); (s.FactsWithin() > 0) != c.want {
			t.Errorf("%s: a request waits %v for facts", name, s.FactsWithin())
		}
	}
}

func TestWrongFlagIsAnError(t *testing.T) {
	for flag, want := range map[string]string{"limits.steps": "whole number", "limits.nonsense": "no setting"} {
		_, _, err := Load(sources(t, "", nil, map[string]string{flag: "x"}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}

// No key and no password of a URL is ever printed.
func TestExplainKeepsSecrets(t *testing.T) {
	s, _ := load(t, "", map[string]string{"OPENAI_API_KEY": "sk-123", "OPENAI_BASE_URL": "https://me:hunter2@host/v1?key=sk-123#sk-123"}, nil)
	values := map[string]string{}
	for _, row := range Explain(s) {
		if text := row.Key + row.Value + row.Origin; strings.Contains(text, "sk-123") || strings.Contains(text, "hunter2") {
			t.Errorf("%+v holds a secret", row)
		}
		values[row.Key] = row.Value
	}
	if values["the key in OPENAI_API_KEY"] != "set" || values["model.base_url"] != "https://host/v1" || values["model.name"] == "builtin" {
		t.Errorf("got %q", values)
	}
	s, _ = load(t, "", nil, nil)
	for _, row := range Explain(s) {
		values[row.Key] = row.Value
	}
	if values["the key in OPENAI_API_KEY"] != "not set" || values["model.name"] != "builtin" {
		t.Errorf("got %q", values)
	}
}

func TestEverySettingIsExplained(t *testing.T) {
	s, _ := load(t, "", nil, nil)
	rows := Explain(s)
	for _, k := range keys {
		found := false
		for _, row := range rows {
			found = found || row.Key == k.name && row.Value == k.show(s)
		}
		if !found {
			t.Errorf("%s is not explained", k.name)
		}
	}
}

func TestIgnored(t *testing.T) {
	got := Ignored("the settings sent by the editor", map[string]any{
		"model": map[string]any{"name": "x", "base_url": "http://evil"}, "approval": map[string]any{"auto": true}, "x": 1,
	})
	want := "approval.auto, model.base_url, model.name, x"
	if len(got) != 1 || !strings.Contains(string(got[0]), want) || strings.Contains(string(got[0]), "evil") {
		t.Errorf("got %q, want %q in it", got, want)
	}
	if got := Ignored("x", map[string]any{"model": map[string]any{}}); got != nil {
		t.Errorf("got %q for no settings", got)
	}
}

// Whatever the file contains, the settings stay within their bounds.
func FuzzFile(f *testing.F) {
	f.Add(full)
	f.Add("[model]\n\"a\\nb\" = 1979-05-27\n[[limits]]\nsteps=nan")
	f.Fuzz(func(t *testing.T, text string) {
		l := &loader{settings: defaults()}
		tables, _ := parse([]byte(text))
		l.tables(tables, "config.toml")
		if s := l.settings; s.Requests < 1 || s.Steps < 1 || s.Repeats < 1 || s.MaxFile < 1 || s.Wall < 0 || s.GiveUp <= 0 || s.Silence <= 0 || s.ApplyTimeout <= 0 {
			t.Errorf("settings out of bounds: %+v", s)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	b.Setenv("XDG_CONFIG_HOME", b.TempDir())
	for b.Loop() {
		if _, _, err := Load(Sources{Env: os.LookupEnv}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestHostsAreALine(t *testing.T) {
	for _, text := range []string{`["go.dev", "*.python.org"]`, `"go.dev, *.python.org"`, `["go.dev, *.python.org"]`} {
		s, warnings := load(t, "[fetch]\nhosts = "+text+"\nprivate_hosts = []\nmax_kb = 1\n", nil, nil)
		c := s.FetchConfig()
		if len(warnings) != 0 || len(c.Hosts) != 2 || c.Hosts[1].String() != "*.python.org" || c.Private != nil || c.MaxBytes != 1024 {
			t.Errorf("%s: %+v, %q", text, c, warnings)
		}
	}
	if s, _ := load(t, "", nil, nil); s.FetchConfig().Allowed() {
		t.Error("something may be fetched though no setting says so")
	}
}
