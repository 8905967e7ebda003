// Package config reads the user's settings and knows where each may come from.
package config

import (
	"time"

	"redline/agent/brief"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/tool"
	"redline/agent/toolset"
)

// Settings are the values of all settings, or their defaults.
type Settings struct {
	Provider  string        // model.provider: one of [Providers], "" if no setting names one
	BaseURL   string        // model.base_url, or the provider's; "" for the built-in model
	ModelName string        // model.name, or the provider's default
	APIKeyEnv string        // model.api_key_env: the environment variable that holds the key; "" for none
	APIKey    string        // the value of that variable, or of REDLINE_API_KEY; not a setting itself
	KeyFrom   string        // the source of the key: a variable, or "api_key_command"; "" for none
	GiveUp    time.Duration // limits.provider_give_up_seconds: how long a request to a provider is retried
	Silence   time.Duration // limits.provider_silence_seconds: how long a provider may send nothing

	// KeyCommand is model.api_key_command: a program and its arguments that print the key; nil for
	// none. It is run at the first request.
	KeyCommand []string

	Used          string // the provider that is asked, whatever chose it; "" for a base URL without a provider and for the built-in model
	ByEnvironment bool   // only variables that other programs also read have chosen the provider, no setting

	KeyHeader             string                 // model.key_header: the header that carries the key; "" for Authorization
	APIVersion            string                 // model.api_version: in the query of each request, as Azure wants it
	Headers               []model.Header         // model.headers: sent with each request
	Models                model.Models           // model.plan, model.edit, model.classify
	Tools, Stream, System string                 // model.tools, model.stream, model.system: whether models support them: "auto", "on" or "off"
	Prices                map[string]model.Price // model.prices: per million tokens, by the model's name
	ReusePlans            bool                   // model.reuse_plans: repeat the plan of an earlier equal request without the model if no file has changed
	Classification        string                 // model.classification: who classifies messages: "auto", "model" or "rules"

	Requests   int           // limits.requests: to the model in a turn
	Steps      int           // limits.steps: of a plan
	TurnTokens int           // limits.tokens: of all prompts and replies of a turn; 0 for no limit
	Repeats    int           // limits.repeats: of one tool call in a turn
	Wall       time.Duration // limits.wall_seconds: of a turn; 0 for no limit
	MaxFile    int64         // limits.max_file: bytes above which a file is not read
	KeepDays   int           // limits.keep_days: how long plans that are decided are kept; 0 for ever
	KeepMB     int           // limits.keep_mb: size limit of the plan database, in MiB

	Edits string // model.edits: how the model makes edits, one of the ways in package tool

	ContextTokens int    // context.tokens: about how many tokens of context a request carries
	Summaries     string // context.summaries: whether a model summarises older turns, "on" or "off"
	ContextRules  string // context.rules: whether the context includes rule files, "on" or "off"
	ContextFacts  string // context.facts: whether the context includes facts of the project, "on" or "off"

	Fetch FetchSettings

	ApplyTimeout time.Duration // editor.apply_timeout_seconds: how long an editor may take to apply a change
	Review       string        // editor.review: whether the editor has its own review: "auto", "always" or "never"

	Attached string // editor.attached: which buffers the editor shows: "all" or "some"

	UI UISettings

	Specialists bool // heap.enabled: messages that name no mode go to specialists

	Decide string // approval.decide: whether the user decides on the plan ("plan") or on each operation as it is staged ("ask")

	SecondLook  string   // approval.second_look: when the user is asked about the edits of an approved plan in words: "always", "drift" or "never"
	Ways        []string // approval.ways: how plans can be approved, names of [view.Way]
	Audit       string   // approval.audit: whether approvals need an audit log that is kept: "auto" or "require"
	Commands    CommandSettings
	Trials      TrialSettings
	ToolServers []toolset.Server // mcp.NAME: the servers whose tools a model may use

	ModelRefused string // why the policy lets no request go to the model, as a part of a sentence; "" if requests may go

	TrustedFolders []string // workspace.trusted_folders: see workspace.Find

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
	return brief.FactsWithin
}

func defaults() Settings {
	return Settings{
		APIKeyEnv:      "OPENAI_API_KEY",
		Classification: "auto",
		ReusePlans:     true,
		GiveUp:         model.DefaultGiveUp,
		Silence:        model.DefaultSilence,
		Tools:          string(model.TakesAuto),
		Stream:         string(model.TakesAuto),
		System:         string(model.TakesAuto),
		Requests:       50,
		Steps:          15,
		Edits:          tool.EditsAuto,
		Repeats:        3,
		Wall:           30 * time.Minute,
		MaxFile:        8 << 20,
		KeepDays:       180,
		KeepMB:         1024,
		ApplyTimeout:   10 * time.Second,
		Review:         "auto",
		Attached:       "all",
		UI:             UISettings{CodeLens: true, AskWhenReady: AskAuto, Report: ReportAsked},
		SecondLook:     SecondLookAlways,
		Decide:         DecidePlan,
		Ways:           allWays(),
		Audit:          AuditAuto,
		LogLevel:       "warn",

		Fetch:    defaultFetch(),
		Commands: defaultCommands(),
		Trials:   defaultTrials(),

		ContextTokens: brief.DefaultTokens,
		Summaries:     SummariesOn,
		ContextRules:  "on",
		ContextFacts:  "on",

		origins: map[string]string{},
	}
}
