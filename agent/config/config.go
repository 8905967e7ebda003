// Package config reads the user's settings and knows where each may come from.
package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"redline/agent/brief"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/toolset"
	"redline/workspace"
)

// Settings are the values of all settings, or their defaults. What a setting means, and its unit, is
// in its entry of [keys].
type Settings struct {
	model.Config // the connection to the model, without BaseFrom; not from the user: KeyFrom, and Refused, by the policy

	Provider       string // model.provider: one of [Providers], "" if no setting names one
	APIKeyEnv      string // model.api_key_env: the environment variable that holds the key; "" for none
	Used           string // the provider that is asked, whatever chose it; "" for a base URL without a provider and for the built-in model
	ByEnvironment  bool   // only variables that other programs also read have chosen the provider, no setting
	ReusePlans     bool   // model.reuse_plans
	Classification string // model.classification

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
	Share       Share
	Languages   LanguageSettings
	ToolServers []toolset.Server // mcp.NAME: the servers whose tools a model may use
	Outside     OutsideSettings

	TrustedFolders []string // workspace.trusted_folders

	Charsets []workspace.CharsetRule // workspace.charsets

	StateDir string // directory of plans and logs; an absolute path
	File     string // the user's settings file, which need not exist; an absolute path
	LogLevel string // REDLINE_LOG; "warn" unless set

	policy  policy            // what the administrator of the machine allows; already applied
	origins map[string]string // key to the source of its value; missing for a default
}

// ModelConfig returns the configuration of the model connection.
func (s Settings) ModelConfig() model.Config {
	c := s.Config
	c.BaseFrom = s.BaseFrom()
	return c
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

// Row is one setting as the user sees it.
type Row struct {
	Key, Value string
	Origin     string // "default", an environment variable, the path of a file, or "flag"
}

// Explain lists all settings. It reports only whether a key is set, never its value.
func Explain(s Settings) []Row {
	var rows []Row
	for _, k := range keys {
		rows = append(rows, Row{k.name, k.show(s), s.origin(k.name)})
		if k.name == "model.api_key_env" {
			rows = append(rows, s.explainKey())
		}
	}
	rows = append(rows, explainToolServers(s)...)
	rows = append(rows, explainAgents(s)...)
	rows = append(rows, explainLanguages(s)...)
	rows = append(rows, s.policy.rows()...)
	return append(rows,
		Row{"policy", cmp.Or(s.policy.file, "(none)"), "system"},
		Row{"settings file", s.File, s.origin("REDLINE_CONFIG")},
		Row{"state directory", s.StateDir, s.origin("REDLINE_STATE_DIR")},
		Row{"log level", s.LogLevel, s.origin("REDLINE_LOG")},
		Row{"recorded to", orNone(s.Record), s.origin("REDLINE_RECORD")},
		Row{"replayed from", orNone(s.Replay), s.origin("REDLINE_REPLAY")},
	)
}

// explainKey says where the key comes from, and whether it is set.
func (s Settings) explainKey() Row {
	value := "not set"
	switch {
	case s.KeyFrom == "api_key_command":
		return Row{"the key", "printed by api_key_command at the first request", s.origin(keyCommand)}
	case s.KeyFrom == "":
		return Row{"the key", "none", "default"}
	case s.APIKey != "":
		value = "set"
	}
	return Row{"the key in " + s.KeyFrom, value, "environment"}
}

func orNone(path string) string {
	if path == "" {
		return "(nowhere)"
	}
	return path
}

func (s Settings) origin(name string) string {
	if origin, ok := s.origins[name]; ok {
		return origin
	}
	return "default"
}

// Values of approval.decide: when the user decides on a plan.
const (
	DecidePlan = "plan" // when the turn has ended, on the whole plan or on parts
	DecideAsk  = "ask"  // on each operation as it is staged, while the turn continues
)

// Values of approval.second_look: when the user is asked about the edits of a plan in words that
// they have approved.
const (
	SecondLookAlways = "always"
	SecondLookDrift  = "drift" // only if the edits touch files that the plan in words did not name
	SecondLookNever  = "never"
)

// Values of approval.audit: whether approvals need an audit log that is kept.
const (
	AuditAuto    = "auto"    // where the state directory cannot be written, the log is in memory, and the user reads that
	AuditRequire = "require" // there nothing is approved
)

// Values of context.summaries: whether a model summarises older turns.
const (
	SummariesOn  = "on"
	SummariesOff = "off" // they are shortened instead
)

// Values of [Settings.ClassifyBy]: who classifies messages.
const (
	ClassifyByRules = "rules"
	ClassifyByModel = "model"
)

// UISettings are optional features to show in an editor.
type UISettings struct {
	CodeLens   bool // ui.code_lens: decisions above each hunk
	InlayHints bool // ui.inlay_hints: a note on each hunk at the end of its line

	AskWhenReady string // ui.ask_when_ready: one of the constants below
	Report       string // ui.report: one of the constants below
}

// When the model reports the results of a plan's commands.
const (
	ReportAsked  = "asked" // if the plan says so
	ReportAlways = "always"
	ReportNever  = "never"
)

// Whether Redline asks the user about a plan that is ready, in addition to announcing it.
const (
	AskAuto   = "auto"   // if the question can wait next to the text
	AskAlways = "always" // in every editor that can ask
	AskNever  = "never"
)

// editorKeys are the settings of the table [editor].
var editorKeys = []key{
	{name: "editor.apply_timeout_seconds", kind: seconds(false, 10*time.Second, nil, func(s *Settings) *time.Duration { return &s.ApplyTimeout }),
		about: "how long an editor may take to answer that it applied a change; after that its text is looked at"},
	{name: "editor.review", kind: choice([]string{"auto", "always", "never"}, "auto", nil, func(s *Settings) *string { return &s.Review }),
		about: "whether the editor has a review of its own, in which you tick the changes of a plan: `auto` goes by what it announces, `always` and `never` do not. With `always`, an editor that asks nothing applies the whole plan when you call for a review"},
	{name: "editor.attached", kind: choice([]string{"all", "some"}, "all", nil, func(s *Settings) *string { return &s.Attached }),
		about: "`some`: the editor shows Redline only some of its buffers, as Emacs and Kate do where another server has the code. A file that it does not show may be unsaved there: it is changed only when you say that it is saved, by an action whose title says so, with `/approve N saved`, or with `saved: true`. `redline serve --attached some` says it for one editor"},
}

// uiKeys are the settings of the table [ui]: what your editor shows. An editor may send what changes
// neither where code goes nor what needs an approval, since a repository can write its settings.
// Only the user may choose that a question about a plan appears while they type, since the next
// key may approve it, or that requests go to the model which nobody asked for. Switching these off
// is always allowed.
var uiKeys = []key{
	{name: "ui.code_lens", kind: yes(true, func(s *Settings) *bool { return &s.UI.CodeLens }),
		about: "code lenses: approve, reject and show above each hunk, and for the plan above a file that it changes", see: "lsp.md", editor: anyValue},
	{name: "ui.inlay_hints", kind: yes(false, func(s *Settings) *bool { return &s.UI.InlayHints }),
		about: "inlay hints: what each hunk does, at the end of its line", see: "lsp.md", editor: anyValue},
	{name: "ui.ask_when_ready", kind: choice([]string{AskAuto, AskAlways, AskNever}, AskAuto, nil, func(s *Settings) *string { return &s.UI.AskWhenReady }),
		about: "whether your editor asks *Approve / Review / Reject* when a plan is ready: `always`, if it can; `never`; `auto`, where the question can wait while you type", see: "lsp.md#a-question-when-a-plan-is-ready", editor: only(AskNever)},
	{name: "ui.report", kind: choice([]string{ReportAsked, ReportAlways, ReportNever}, ReportAsked, nil, func(s *Settings) *string { return &s.UI.Report }),
		about: "whether the model reports the results of an approved plan's commands: `asked`, if the plan asks for a report; `always`; `never`", see: "../running.md#get-a-report-on-the-results", editor: only(ReportNever)},
}

func anyValue(string) bool { return true }

func only(word string) func(string) bool {
	return func(value string) bool { return value == word }
}

// Default returns the default settings.
func Default() Settings { return defaults() }

// WithEditor returns the settings with those that the editor sent, as tables of keys. It
// accepts only harmless ones that the user has not set elsewhere, and warns about the rest.
func (s Settings) WithEditor(sent map[string]any) (Settings, []Warning) {
	const from = "the editor's settings"
	var warnings []Warning
	rest := map[string]any{}
	for _, table := range slices.Sorted(maps.Keys(sent)) {
		entries, ok := sent[table].(map[string]any)
		if !ok {
			rest[table] = sent[table]
			continue
		}
		ignored := map[string]any{}
		for _, entry := range slices.Sorted(maps.Keys(entries)) {
			name := table + "." + entry
			k, ok := find(name)
			if !ok || k.editor == nil || !k.editor(fmt.Sprint(entries[entry])) {
				ignored[entry] = entries[entry]
				continue
			}
			if s.origins[name] != "" {
				continue
			}
			if err := k.set(&s, fmt.Sprint(entries[entry])); err != nil {
				warnings = append(warnings, Warning(fmt.Sprintf("%s in %s has no effect: it %s.", name, from, err)))
			}
		}
		if len(ignored) > 0 {
			rest[table] = ignored
		}
	}
	return s, append(warnings, Ignored(from, rest)...)
}
