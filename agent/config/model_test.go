package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/model"
)

func TestModelSettings(t *testing.T) {
	s, warnings := load(t, `[model]
base_url = "https://x.azure.test/openai/deployments/d"
name = "gpt"
key_header = "api-key"
api_version = "2024-10-21"
plan = "large"
edit = "coder"
classify = "small"
tools = false
stream = "on"
headers = { "X-Title" = "Redline", "X-Gateway" = "$GATEWAY" }

[model.prices]
"gpt" = [2, 8, 0.5]
"small" = [0.1, 0.4]
`, map[string]string{"GATEWAY": "gw-secret\n"}, nil)
	if len(warnings) != 0 {
		t.Errorf("warnings: %q", warnings)
	}
	want := model.Config{
		BaseURL: "https://x.azure.test/openai/deployments/d", KeyFrom: "OPENAI_API_KEY", BaseFrom: "model.base_url", Name: "gpt", KeyHeader: "api-key", APIVersion: "2024-10-21",
		Models:  model.Models{Plan: "large", Edit: "coder", Classify: "small"},
		Tools:   model.TakesOff,
		Stream:  model.TakesOn,
		System:  model.TakesAuto,
		Headers: []model.Header{{Name: "X-Gateway", Value: "gw-secret", Secret: true}, {Name: "X-Title", Value: "Redline"}},
		Prices:  map[string]model.Price{"gpt": {Prompt: 2, Completion: 8, Cached: 0.5}, "small": {Prompt: 0.1, Completion: 0.4, Cached: 0.1}},
		GiveUp:  model.DefaultGiveUp, Silence: model.DefaultSilence,
	}
	if diff := cmp.Diff(want, s.ModelConfig()); diff != "" {
		t.Errorf("model (-want +got):\n%s", diff)
	}
	rows := fmt.Sprint(Explain(s))
	for _, want := range []string{"X-Gateway, X-Title (values not shown)", "gpt = [2, 8, 0.5], small = [0.1, 0.4, 0.1]", "{model.tools off "} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is not in %s", want, rows)
		}
	}
	if strings.Contains(rows, "gw-secret") || strings.Contains(rows, "Redline") {
		t.Errorf("the value of a header is shown: %s", rows)
	}
}

// Bad values have no effect, and no warning repeats a possible secret.
func TestModelSettingsThatAreWrong(t *testing.T) {
	for file, want := range map[string]string{
		`tools = "maybe"`:                          "must be one of: auto, on, off",
		`name = true`:                              "must be a text or a number",
		`name = { a = "b" }`:                       "must be a text or a number",
		`headers = "X-Key: s3cret"`:                "must be a table of names and texts",
		`headers = { "X Key" = "s3cret" }`:         "has a name that is none of a header",
		`headers = { "Host" = "s3cret" }`:          "cannot set Host",
		`headers = { "X-Key" = "s3cret\nX: y" }`:   "must hold the value of X-Key as a text of one line",
		`headers = { "X-Key" = 7 }`:                "must hold the value of X-Key as a text of one line",
		`headers = { "X-Key" = "$NOT_SET_S3CRE" }`: "its value is to come from the environment variable NOT_SET_S3CRE",
		`key_header = "api key"`:                   "must be the name of a header",
		`prices = { "m" = [1] }`:                   "must be a table of models and numbers",
		`prices = { "m" = [-1, 1] }`:               "must be a table of models and numbers",
		`prices = { "m" = "cheap" }`:               "must be a table of models and numbers",
	} {
		s, warnings := load(t, "[model]\n"+file+"\n", nil, nil)
		if len(warnings) != 1 || !strings.Contains(string(warnings[0]), want) || strings.Contains(string(warnings[0]), "s3cret") {
			t.Errorf("%s: warnings %q, want one with %q", file, warnings, want)
		}
		if c := s.ModelConfig(); len(c.Headers) != 0 || len(c.Prices) != 0 || c.KeyHeader != "" || c.Name != "" {
			t.Errorf("%s has an effect: %+v", file, c)
		}
	}
}

// None of these settings has an effect in a file that a repository can contain.
func TestModelSettingsOfARepositoryAreIgnored(t *testing.T) {
	warnings := Ignored("the editor", map[string]any{"model": map[string]any{"headers": map[string]any{"X": "y"}, "edit": "z", "prices": nil}})
	if len(warnings) != 1 || !strings.Contains(string(warnings[0]), "model.edit, model.headers, model.prices") {
		t.Errorf("got %q", warnings)
	}
}
