// Package config is the user's settings and where each may come from.
package config

import (
	"time"

	"redline/agent/brief"
	"redline/agent/loop"
	"redline/agent/mcp"
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

	KeyHeader             string                 // model.key_header: the header that carries the key; "" for Authorization
	APIVersion            string                 // model.api_version: in the query of each request, as Azure wants it
	Headers               []model.Header         // model.headers: sent with each request
	Models                model.Models           // model.plan, model.edit, model.classify
	Tools, Stream, System string                 // model.tools, model.stream, model.system: whether models take them: "auto", "on" or "off"
	Prices                map[string]model.Price // model.prices: of a million tokens, by the model's name
	ReusePlans            bool                   // model.reuse_plans: what was done at a request is done again without the model, where no file has changed
	Classification        string                 // model.classification: who classifies messages: "auto", "model" or "rules"

	Requests   int           // limits.requests: to the model in a turn
	Steps      int           // limits.steps: of a plan
	TurnTokens int           // limits.tokens: of all prompts and replies of a turn; 0 for no limit
	Repeats    int           // limits.repeats: of one tool call in a turn
	Wall       time.Duration // limits.wall_seconds: of a turn; 0 for no limit
	MaxFile    int64         // limits.max_file: bytes above which a file is not read
	KeepDays   int           // limits.keep_days: how long plans that are decided are kept; 0 for ever
	KeepMB     int           // limits.keep_mb: what the plan database may hold, in MiB

	ContextTokens int    // context.tokens: about how many tokens of context a request carries
	Summaries     string // context.summaries: whether a model summarises older turns, "on" or "off"
	ContextRules  string // context.rules: whether rule files are part of it, "on" or "off"

	Fetch FetchSettings

	ApplyTimeout time.Duration // editor.apply_timeout_seconds: how long an editor may take to apply a change
	Review       string        // editor.review: whether the editor has a review of its own: "auto", "always" or "never"

	Attached string // editor.attached: which buffers the editor shows: "all" or "some"

	UI UISettings

	Specialists bool // heap.enabled: messages that name no mode go to specialists

	Decide string // approval.decide: whether the user decides on the plan ("plan") or on each operation as it is staged ("ask")

	SecondLook  string // approval.second_look: when what came of a plan in words that was approved is asked about: "always", "drift" or "never"
	Commands    CommandSettings
	ToolServers []mcp.Server // mcp.NAME: the servers whose tools a model may use

	TrustedFolders []string // workspace.trusted_folders: see workspace.Find

	StateDir string // where plans and logs are kept; an absolute path
	File     string // the user's settings file, which need not exist; an absolute path
	LogLevel string // REDLINE_LOG; "warn" unless set
	Record   string // REDLINE_RECORD: the directory that keeps the model traffic, an absolute path; "" for none
	Replay   string // REDLINE_REPLAY: the directory that answers instead of a model, an absolute path; "" for none

	origins map[string]string // key → where its value came from, when it is not the default
}

// ModelConfig returns how the model is reached.
func (s Settings) ModelConfig() model.Config {
	return model.Config{
		BaseURL: s.BaseURL, APIKey: s.APIKey, Name: s.ModelName, GiveUp: s.GiveUp, Silence: s.Silence,
		KeyHeader: s.KeyHeader, APIVersion: s.APIVersion, Headers: s.Headers, Models: s.Models, Prices: s.Prices,
		Tools: model.Takes(s.Tools), Stream: model.Takes(s.Stream), System: model.Takes(s.System),
		Record: s.Record, Replay: s.Replay,
	}
}

// ClassifyBy returns who classifies messages, "model" or "rules": by default the
// model, if one was named for it.
func (s Settings) ClassifyBy() string {
	switch {
	case s.Classification != "auto":
		return s.Classification
	case s.Models.Classify != "":
		return ClassifyByModel
	}
	return ClassifyByRules
}

// SomeBuffers reports whether the editor shows only some of its buffers.
func (s Settings) SomeBuffers() bool { return s.Attached == "some" }

// Limits returns what ends a turn that does not end by itself.
func (s Settings) Limits() loop.Limits {
	return loop.Limits{Requests: s.Requests, Steps: s.Steps, Repeats: s.Repeats, Wall: s.Wall, Tokens: s.TurnTokens}
}

// ContextLimits returns what bounds the context of a request.
func (s Settings) ContextLimits() brief.Limits {
	return brief.Limits{Tokens: s.ContextTokens, NoRules: s.ContextRules == "off"}
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
		Repeats:        3,
		Wall:           30 * time.Minute,
		MaxFile:        8 << 20,
		KeepDays:       180,
		KeepMB:         1024,
		ApplyTimeout:   10 * time.Second,
		Review:         "auto",
		Attached:       "all",
		UI:             UISettings{CodeLens: true, AskWhenReady: AskAuto},
		SecondLook:     SecondLookAlways,
		Decide:         DecidePlan,
		LogLevel:       "warn",

		Fetch:    defaultFetch(),
		Commands: defaultCommands(),

		ContextTokens: brief.DefaultTokens,
		Summaries:     SummariesOn,
		ContextRules:  "on",

		origins: map[string]string{},
	}
}
