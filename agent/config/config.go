// Package config reads the user's settings and knows where each may come from.
package config

import (
	"time"

	"redline/agent/brief"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/toolset"
)

// Settings are the values of all settings, or their defaults. What a setting means, and its unit, is
// in its entry of [keys].
type Settings struct {
	Provider  string        // model.provider: one of [Providers], "" if no setting names one
	BaseURL   string        // model.base_url, or the provider's; "" for the built-in model
	ModelName string        // model.name, or the provider's default
	APIKeyEnv string        // model.api_key_env: the environment variable that holds the key; "" for none
	APIKey    string        // the value of that variable, or of REDLINE_API_KEY; not a setting itself
	KeyFrom   string        // the source of the key: a variable, or "api_key_command"; "" for none
	GiveUp    time.Duration // limits.provider_give_up_seconds
	Silence   time.Duration // limits.provider_silence_seconds

	// KeyCommand is model.api_key_command: a program and its arguments that print the key; nil for
	// none. It is run at the first request.
	KeyCommand []string

	Used          string // the provider that is asked, whatever chose it; "" for a base URL without a provider and for the built-in model
	ByEnvironment bool   // only variables that other programs also read have chosen the provider, no setting

	KeyHeader             string                 // model.key_header
	APIVersion            string                 // model.api_version
	Headers               []model.Header         // model.headers
	Models                model.Models           // model.plan, model.edit, model.classify
	Tools, Stream, System string                 // model.tools, model.stream, model.system
	Prices                map[string]model.Price // model.prices
	ReusePlans            bool                   // model.reuse_plans
	Classification        string                 // model.classification

	Requests   int           // limits.requests
	Steps      int           // limits.steps
	TurnTokens int           // limits.tokens
	Repeats    int           // limits.repeats
	Wall       time.Duration // limits.wall_seconds
	MaxFile    int64         // limits.max_file
	KeepDays   int           // limits.keep_days
	KeepMB     int           // limits.keep_mb

	Edits string // model.edits

	ContextTokens int    // context.tokens
	Summaries     string // context.summaries
	ContextRules  string // context.rules
	ContextFacts  string // context.facts

	Fetch FetchSettings

	ApplyTimeout time.Duration // editor.apply_timeout_seconds
	Review       string        // editor.review

	Attached string // editor.attached

	UI UISettings

	Specialists bool // heap.enabled

	Decide string // approval.decide

	SecondLook  string   // approval.second_look
	Ways        []string // approval.ways
	Audit       string   // approval.audit
	Commands    CommandSettings
	Trials      TrialSettings
	ToolServers []toolset.Server // mcp.NAME: the servers whose tools a model may use

	ModelRefused string // why the policy lets no request go to the model, as a part of a sentence; "" if requests may go

	TrustedFolders []string // workspace.trusted_folders

	StateDir string // directory of plans and logs; an absolute path
	File     string // the user's settings file, which need not exist; an absolute path
	LogLevel string // REDLINE_LOG; "warn" unless set
	Record   string // REDLINE_RECORD: the directory to record model traffic in, an absolute path; "" for none
	Replay   string // REDLINE_REPLAY: the directory to replay model traffic from, an absolute path; "" for none

	policy  policy            // what the administrator of the machine allows; already applied
	origins map[string]string // key to the source of its value; missing for a default
}

// ModelConfig returns the configuration of the model connection.
func (s Settings) ModelConfig() model.Config {
	return model.Config{
		BaseURL: s.BaseURL, APIKey: s.APIKey, KeyCommand: s.KeyCommand, KeyFrom: s.KeyFrom, BaseFrom: s.BaseFrom(), Name: s.ModelName, GiveUp: s.GiveUp, Silence: s.Silence,
		KeyHeader: s.KeyHeader, APIVersion: s.APIVersion, Headers: s.Headers, Models: s.Models, Prices: s.Prices,
		Tools: model.Takes(s.Tools), Stream: model.Takes(s.Stream), System: model.Takes(s.System),
		Record: s.Record, Replay: s.Replay, Refused: s.ModelRefused,
	}
}

// ClassifyBy returns who classifies messages, "model" or "rules": by default the model, if
// there is one for it.
func (s Settings) ClassifyBy() string {
	switch {
	case s.Classification != "auto":
		return s.Classification
	case s.Models.Classify != "":
		return ClassifyByModel
	}
	return ClassifyByRules
}

// SomeBuffers reports whether the editor shows Redline only some of its buffers.
func (s Settings) SomeBuffers() bool { return s.Attached == "some" }

// Limits returns the limits of a turn.
func (s Settings) Limits() loop.Limits {
	return loop.Limits{Requests: s.Requests, Steps: s.Steps, Repeats: s.Repeats, Wall: s.Wall, Tokens: s.TurnTokens}
}

// ContextLimits returns the limits of a request's context.
func (s Settings) ContextLimits() brief.Limits {
	return brief.Limits{Tokens: s.ContextTokens, NoRules: s.ContextRules == "off"}
}

// FactsWithin returns how long a request waits for the facts of the project; 0 if they are
// switched off. It is also 0 while traffic is recorded or replayed, because the requests must be
// equal then.
func (s Settings) FactsWithin() time.Duration {
	if s.ContextFacts == "off" || s.Record != "" || s.Replay != "" {
		return 0
	}
	return brief.FactsTimeout
}
