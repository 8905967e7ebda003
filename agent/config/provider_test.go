package config

import (
	"strings"
	"testing"
)

// connection is the model connection that a test expects.
type connection struct{ used, base, name, key, from string }

func connectionOf(s Settings) connection {
	return connection{s.Used, s.BaseURL, s.Config.Name, s.APIKey, s.KeyFrom}
}

func TestWhoIsAsked(t *testing.T) {
	const anthropicURL, claude = "https://api.anthropic.com/v1", "claude-sonnet-4-5"
	for name, c := range map[string]struct {
		file          string
		env           map[string]string
		want          connection
		byEnvironment bool
	}{
		"nothing": {},
		"OpenAI's key": {env: map[string]string{"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"},
			want: connection{"openai", "https://api.openai.com/v1", "gpt-4.1", "o", "OPENAI_API_KEY"}, byEnvironment: true},
		"Anthropic's key": {env: map[string]string{"OPENROUTER_API_KEY": "r", "ANTHROPIC_API_KEY": "a"},
			want: connection{"anthropic", anthropicURL, claude, "a", "ANTHROPIC_API_KEY"}, byEnvironment: true},
		"OpenRouter's key": {env: map[string]string{"OPENROUTER_API_KEY": "r"},
			want: connection{"openrouter", "https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5", "r", "OPENROUTER_API_KEY"}, byEnvironment: true},
		"OpenAI's address alone": {env: map[string]string{"OPENAI_BASE_URL": "http://x/v1", "ANTHROPIC_API_KEY": "a"},
			want: connection{"", "http://x/v1", "", "", "OPENAI_API_KEY"}, byEnvironment: true},
		"a variable of the user's own": {file: "[model]\napi_key_env = \"MINE\"\n", env: map[string]string{"MINE": "m"},
			want: connection{"openai", "https://api.openai.com/v1", "gpt-4.1", "m", "MINE"}},
		"a variable that is not set": {file: "[model]\napi_key_env = \"MINE\"\n", env: map[string]string{"ANTHROPIC_API_KEY": "a"},
			want: connection{from: "MINE"}},
		"a provider": {file: "[model]\nprovider = \"anthropic\"\n", env: map[string]string{"OPENAI_API_KEY": "o", "OPENAI_BASE_URL": "http://x/v1", "ANTHROPIC_API_KEY": "a"},
			want: connection{"anthropic", anthropicURL, claude, "a", "ANTHROPIC_API_KEY"}},
		"a provider of the environment": {file: "[model]\nprovider = \"azure\"\nbase_url = \"https://me.example/v1\"\nname = \"d\"\napi_key_command = [\"print\"]\nplan = \"p\"\n",
			env:  map[string]string{"REDLINE_PROVIDER": "Anthropic", "ANTHROPIC_API_KEY": "a"},
			want: connection{"anthropic", anthropicURL, claude, "a", "ANTHROPIC_API_KEY"}},
		"the same provider again": {file: "[model]\nprovider = \"anthropic\"\nname = \"mine\"\nbase_url = \"https://gateway.example/v1\"\n",
			env:  map[string]string{"REDLINE_PROVIDER": "anthropic", "ANTHROPIC_API_KEY": "a"},
			want: connection{"anthropic", "https://gateway.example/v1", "mine", "a", "ANTHROPIC_API_KEY"}},
		"all of the environment": {env: map[string]string{"REDLINE_PROVIDER": "other", "REDLINE_BASE_URL": "http://y/v1", "REDLINE_MODEL": "m", "REDLINE_API_KEY": "k", "OPENAI_BASE_URL": "http://x/v1", "OPENAI_API_KEY": "o"},
			want: connection{"other", "http://y/v1", "m", "k", "REDLINE_API_KEY"}},
		"no key for a server of one's own": {file: "[model]\nprovider = \"ollama\"\nname = \"q\"\n", env: map[string]string{"OPENAI_API_KEY": "o"},
			want: connection{"ollama", "http://localhost:11434/v1", "q", "", ""}},
		"built in": {file: "[model]\nprovider = \"builtin\"\nbase_url = \"http://x/v1\"\napi_key_command = [\"print\"]\n",
			env: map[string]string{"OPENAI_API_KEY": "o", "OPENAI_BASE_URL": "http://x/v1", "REDLINE_BASE_URL": "http://y/v1", "REDLINE_API_KEY": "k"}},
		"built in, by the environment": {file: "[model]\nbase_url = \"http://x/v1\"\n", env: map[string]string{"REDLINE_PROVIDER": "builtin", "OPENAI_API_KEY": "o"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, warnings := load(t, c.file, c.env, nil)
			if len(warnings) != 0 {
				t.Errorf("warnings: %q", warnings)
			}
			if got := connectionOf(s); got != c.want && !(c.want == connection{} && got.base == "" && got.key == "") {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if s.ByEnvironment != c.byEnvironment {
				t.Errorf("chosen by the environment alone: %v", s.ByEnvironment)
			}
			if s.Models.Plan != "" || c.want.key != "" && len(s.KeyCommand) > 0 {
				t.Errorf("something of another provider counts: %+v, %q", s.Models, s.KeyCommand)
			}
			if c.want == (connection{}) && (s.Asks() || len(s.KeyCommand) > 0 || s.ModelConfig().APIKey != "") {
				t.Errorf("the built-in model is not offline: %+v", s.ModelConfig())
			}
		})
	}
}

func TestWhichVariableHasChosen(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		env  map[string]string
		want string
	}{
		"a key":                  {"", map[string]string{"ANTHROPIC_API_KEY": "a"}, "ANTHROPIC_API_KEY"},
		"an address":             {"", map[string]string{"OPENAI_BASE_URL": "https://x.example/v1", "OPENAI_API_KEY": "o"}, "OPENAI_BASE_URL"},
		"an address here":        {"", map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, ""},
		"an address here, named": {"", map[string]string{"OPENAI_BASE_URL": "http://localhost:1/v1"}, ""},
		"a setting":              {"[model]\nprovider = \"anthropic\"\n", map[string]string{"ANTHROPIC_API_KEY": "a"}, ""},
		"an address as setting":  {"[model]\nbase_url = \"https://x.example/v1\"\n", map[string]string{"OPENAI_API_KEY": "a"}, ""},
		"Redline's own variable": {"", map[string]string{"REDLINE_PROVIDER": "anthropic", "ANTHROPIC_API_KEY": "a"}, ""},
		"offline":                {"", map[string]string{"REDLINE_PROVIDER": "builtin", "ANTHROPIC_API_KEY": "a"}, ""},
		"replayed":               {"", map[string]string{"REDLINE_REPLAY": "/x", "ANTHROPIC_API_KEY": "a"}, ""},
	} {
		if s, _ := load(t, c.file, c.env, nil); s.ChosenBy() != c.want {
			t.Errorf("%s: %q, want %q", name, s.ChosenBy(), c.want)
		}
	}
}

func TestWhatAProviderLacksIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		env  map[string]string
		want string
	}{
		"no address":      {"[model]\nprovider = \"azure\"\nname = \"d\"\n", nil, "set model.base_url, or run redline setup"},
		"no model":        {"[model]\nprovider = \"ollama\"\n", nil, "set model.name, or run redline setup"},
		"unknown":         {"[model]\nprovider = \"sk-123\"\n", nil, "must be one of: openai, anthropic"},
		"a key alone":     {"", map[string]string{"REDLINE_API_KEY": "sk-123"}, "REDLINE_API_KEY has no effect"},
		"a command alone": {"[model]\napi_key_command = [\"sk-123\"]\n", nil, "api_key_command has no effect"},
		"a pipeline":      {"[model]\nbase_url = \"http://x\"\napi_key_command = \"sk-123 | cut\"\n", nil, "[\"sh\", \"-c\""},
		"no program":      {"[model]\nbase_url = \"http://x\"\napi_key_command = []\n", nil, "must name a program"},
	} {
		t.Run(name, func(t *testing.T) {
			_, warnings := load(t, c.file, c.env, nil)
			if len(warnings) != 1 || !strings.Contains(string(warnings[0]), c.want) || strings.Contains(string(warnings[0]), "sk-123") {
				t.Errorf("got %q, want %q", warnings, c.want)
			}
		})
	}
}

func TestKeyCommandIsAListOrALine(t *testing.T) {
	for text, want := range map[string][]string{
		`["pass", "show", "a b"]`:         {"pass", "show", "a b"},
		`"op read 'op://vault/my key/x'"`: {"op", "read", "op://vault/my key/x"},
	} {
		s, warnings := load(t, "[model]\nprovider = \"openai\"\napi_key_command = "+text+"\n", map[string]string{"OPENAI_API_KEY": "o"}, nil)
		if strings.Join(s.KeyCommand, "\x00") != strings.Join(want, "\x00") || len(warnings) != 0 || s.APIKey != "" {
			t.Errorf("%s: %q, %q, key %q", text, s.KeyCommand, warnings, s.APIKey)
		}
		for _, row := range Explain(s) {
			if strings.Contains(row.Value, "my key") {
				t.Errorf("%+v has the arguments of the command", row)
			}
		}
	}
	s, _ := load(t, "[model]\nprovider = \"openai\"\napi_key_command = [\"x\"]\n", map[string]string{"REDLINE_API_KEY": "k"}, nil)
	if s.APIKey != "k" || s.KeyCommand != nil {
		t.Errorf("key %q, command %q", s.APIKey, s.KeyCommand)
	}
}
