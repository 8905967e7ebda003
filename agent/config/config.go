// Package config is the user's settings and where each may come from.
package config

import (
	"time"

	"redline/agent/loop"
	"redline/agent/model"
)

// Settings are everything that can be set, with its default where nothing was.
type Settings struct {
	BaseURL   string        // model.base_url; "" for the built-in model or the provider's usual address
	ModelName string        // model.name; "" for the provider's default
	APIKeyEnv string        // model.api_key_env: the environment variable that holds the key
	APIKey    string        // what that variable holds; it is set nowhere else
	GiveUp    time.Duration // limits.provider_give_up_seconds: how long a provider is asked again
	Silence   time.Duration // limits.provider_silence_seconds: how long a provider may send nothing

	Requests int           // limits.requests: to the model in a turn
	Steps    int           // limits.steps: of a plan
	Repeats  int           // limits.repeats: of one tool call in a turn
	Wall     time.Duration // limits.wall_seconds: of a turn; 0 for no limit
	MaxFile  int64         // limits.max_file: bytes above which a file is not read

	ApplyTimeout time.Duration // editor.apply_timeout_seconds: how long an editor may take to apply a change
	Review       string        // editor.review: whether the editor has a review of its own: "auto", "always" or "never"

	StateDir string // where plans and logs are kept; an absolute path
	File     string // the user's settings file, which need not exist; an absolute path
	LogLevel string // REDLINE_LOG; "warn" unless set

	origins map[string]string // key → where its value came from, when it is not the default
}

// ModelConfig returns how the model is reached.
func (s Settings) ModelConfig() model.Config {
	return model.Config{BaseURL: s.BaseURL, APIKey: s.APIKey, Name: s.ModelName, GiveUp: s.GiveUp, Silence: s.Silence}
}

// Limits returns what ends a turn that does not end by itself.
func (s Settings) Limits() loop.Limits {
	return loop.Limits{Requests: s.Requests, Steps: s.Steps, Repeats: s.Repeats, Wall: s.Wall}
}

func defaults() Settings {
	return Settings{
		APIKeyEnv:    "OPENAI_API_KEY",
		GiveUp:       model.DefaultGiveUp,
		Silence:      model.DefaultSilence,
		Requests:     50,
		Steps:        15,
		Repeats:      3,
		Wall:         30 * time.Minute,
		MaxFile:      8 << 20,
		ApplyTimeout: 10 * time.Second,
		Review:       "auto",
		LogLevel:     "warn",
		origins:      map[string]string{},
	}
}
