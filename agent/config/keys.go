package config

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"redline/agent/model"
	"redline/agent/tool"
	"redline/internal/lazyregexp"
)

// key is one setting of the user's file.
type key struct {
	name   string // "table.key"
	env    string // the environment variable that overrides the file, "" for none
	values string // the accepted values, in a few words
	set    func(s *Settings, text string) error
	show   func(s Settings) string
}

// keys lists the settings in the order in which they are explained.
var keys = append([]key{
	{"model.provider", "REDLINE_PROVIDER", oneOf(ProviderIDs()), setProvider, showProvider},
	{"model.base_url", "REDLINE_BASE_URL", "an address", setBaseURL, showBaseURL},
	{"model.name", "REDLINE_MODEL", "a text", setModelName, showModelName},
	choice("model.classification", []string{"auto", "model", "rules"}, func(s *Settings) *string { return &s.Classification }),
	{"model.api_key_env", "", "the name of a variable", setAPIKeyEnv, func(s Settings) string { return cmp.Or(s.APIKeyEnv, "(none)") }},
	{keyCommand, "", "a program and its arguments, as a list or a text", setKeyCommand, showKeyCommand},
	{"model.key_header", "", "the name of a header", setKeyHeader, func(s Settings) string { return cmp.Or(s.KeyHeader, "(Authorization, as a bearer)") }},
	text("model.api_version", "(none)", func(s *Settings) *string { return &s.APIVersion }),
	{"model.headers", "", "a table of texts", setHeaders, showHeaders},
	text("model.plan", "(model.name)", func(s *Settings) *string { return &s.Models.Plan }),
	text("model.edit", "(model.name)", func(s *Settings) *string { return &s.Models.Edit }),
	text("model.classify", "(model.name)", func(s *Settings) *string { return &s.Models.Classify }),
	text("model.summarise", "(model.name)", func(s *Settings) *string { return &s.Models.Summarise }),
	choice("model.edits", []string{tool.EditsAuto, tool.EditsByText, tool.EditsByPatch, tool.EditsByCommands, tool.EditsAll}, func(s *Settings) *string { return &s.Edits }),
	choice("model.tools", takes, func(s *Settings) *string { return &s.Tools }),
	choice("model.stream", takes, func(s *Settings) *string { return &s.Stream }),
	choice("model.system", takes, func(s *Settings) *string { return &s.System }),
	{"model.prices", "", "a table of lists of two or three numbers", setPrices, showPrices},
	yes("model.reuse_plans", func(s *Settings) *bool { return &s.ReusePlans }),
	whole("limits.requests", 1, func(s *Settings) *int { return &s.Requests }),
	whole("limits.steps", 1, func(s *Settings) *int { return &s.Steps }),
	whole("limits.tokens", 0, func(s *Settings) *int { return &s.TurnTokens }),
	whole("limits.repeats", 1, func(s *Settings) *int { return &s.Repeats }),
	seconds("limits.wall_seconds", true, func(s *Settings) *time.Duration { return &s.Wall }),
	seconds("limits.provider_give_up_seconds", false, func(s *Settings) *time.Duration { return &s.GiveUp }),
	seconds("limits.provider_silence_seconds", false, func(s *Settings) *time.Duration { return &s.Silence }),
	whole("limits.max_file", 1, func(s *Settings) *int64 { return &s.MaxFile }),
	whole("limits.keep_days", 0, func(s *Settings) *int { return &s.KeepDays }),
	whole("limits.keep_mb", 1, func(s *Settings) *int { return &s.KeepMB }),
	seconds("editor.apply_timeout_seconds", false, func(s *Settings) *time.Duration { return &s.ApplyTimeout }),
	choice("approval.decide", []string{DecidePlan, DecideAsk}, func(s *Settings) *string { return &s.Decide }),
	whole("context.tokens", 1, func(s *Settings) *int { return &s.ContextTokens }),
	choice("context.summaries", []string{SummariesOn, SummariesOff}, func(s *Settings) *string { return &s.Summaries }),
	choice("context.rules", []string{"on", "off"}, func(s *Settings) *string { return &s.ContextRules }),
	choice("context.facts", []string{"on", "off"}, func(s *Settings) *string { return &s.ContextFacts }),
	choice("approval.second_look", []string{SecondLookAlways, SecondLookDrift, SecondLookNever}, func(s *Settings) *string { return &s.SecondLook }),
	waysKey,
	choice("approval.audit", []string{AuditAuto, AuditRequire}, func(s *Settings) *string { return &s.Audit }),
	yes("heap.enabled", func(s *Settings) *bool { return &s.Specialists }),
	yes("ui.code_lens", func(s *Settings) *bool { return &s.UI.CodeLens }),
	yes("ui.inlay_hints", func(s *Settings) *bool { return &s.UI.InlayHints }),
	choice("ui.ask_when_ready", []string{AskAuto, AskAlways, AskNever}, func(s *Settings) *string { return &s.UI.AskWhenReady }),
	choice("ui.report", []string{ReportAsked, ReportAlways, ReportNever}, func(s *Settings) *string { return &s.UI.Report }),
	choice("editor.review", []string{"auto", "always", "never"}, func(s *Settings) *string { return &s.Review }),
	choice("editor.attached", []string{"all", "some"}, func(s *Settings) *string { return &s.Attached }),
}, slices.Concat(fetchKeys, commandKeys, trialKeys, workspaceKeys)...)

// takes are the values of the settings on what models support.
var takes = []string{string(model.TakesAuto), string(model.TakesOn), string(model.TakesOff)}

// reserved has tables, and keys of known tables, that have a meaning elsewhere or are reserved
// for one, and so cause no warning. If a table has keys above, only its other names are
// reserved.
var reserved = map[string]bool{
	"approval": true, "mcp": true,
}

func find(name string) (key, bool) {
	for _, k := range keys {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

// whole returns a key that holds a whole number of at least low.
func whole[T int | int64](name string, low T, field func(*Settings) *T) key {
	return key{
		name:   name,
		values: fmt.Sprintf("a whole number, at least %d", low),
		set: func(s *Settings, text string) error {
			n, err := strconv.ParseInt(text, 10, 0)
			if err != nil || T(n) < low {
				return fmt.Errorf("must be a whole number of at least %d", low)
			}
			*field(s) = T(n)
			return nil
		},
		show: func(s Settings) string { return fmt.Sprint(*field(&s)) },
	}
}

// seconds returns a key that holds a duration. zero allows 0, for no limit.
func seconds(name string, zero bool, field func(*Settings) *time.Duration) key {
	values := "seconds, more than 0"
	if zero {
		values = "seconds, 0 for no limit"
	}
	return key{
		name:   name,
		values: values,
		set: func(s *Settings, text string) error {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(n) || n > 1e9 || n < 0 || n < 0.001 && !(n == 0 && zero) {
				return fmt.Errorf("must be a number of seconds")
			}
			*field(s) = time.Duration(n * float64(time.Second))
			return nil
		},
		show: func(s Settings) string {
			if *field(&s) == 0 {
				return "0 (no limit)"
			}
			return fmt.Sprintf("%g", field(&s).Seconds())
		},
	}
}

// choice returns a key that holds one of a few words.
func choice(name string, words []string, field func(*Settings) *string) key {
	if slices.Contains(words, "on") && slices.Contains(words, "off") {
		switches[name] = true
	}
	return key{
		name:   name,
		values: oneOf(words),
		set: func(s *Settings, text string) error {
			if !slices.Contains(words, text) {
				return fmt.Errorf("must be one of: %s", strings.Join(words, ", "))
			}
			*field(s) = text
			return nil
		},
		show: func(s Settings) string { return *field(&s) },
	}
}

// yes returns a key that is true or false.
func yes(name string, field func(*Settings) *bool) key {
	switches[name] = true
	return key{
		name:   name,
		values: oneOf([]string{"true", "false"}),
		set: func(s *Settings, text string) error {
			on, err := strconv.ParseBool(text)
			if err != nil && text != "on" && text != "off" {
				return fmt.Errorf("must be true or false")
			}
			*field(s) = on || text == "on"
			return nil
		},
		show: func(s Settings) string { return strconv.FormatBool(*field(&s)) },
	}
}

// oneOf lists the words of a choice.
func oneOf(words []string) string {
	last := len(words) - 1
	return "`" + strings.Join(words[:last], "`, `") + "` or `" + words[last] + "`"
}

func setBaseURL(s *Settings, text string) error {
	s.BaseURL = strings.TrimSpace(text) // the provider checks that it is a URL
	return nil
}

// showBaseURL returns the URL without the parts that may be secret.
func showBaseURL(s Settings) string {
	if s.BaseURL == "" {
		return "(none: the built-in model)"
	}
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return "(not an address)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func setModelName(s *Settings, text string) error {
	s.ModelName = strings.TrimSpace(text)
	return nil
}

func showModelName(s Settings) string {
	switch {
	case !s.Asks():
		return Builtin
	case s.ModelName == "":
		return model.DefaultName
	}
	return s.ModelName
}

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// setAPIKeyEnv sets the name of a variable. The error does not quote the text, which may be a
// key written there by mistake.
func setAPIKeyEnv(s *Settings, text string) error {
	if !variableName().MatchString(text) || len(text) > 64 {
		return fmt.Errorf("must be the name of an environment variable, not the key itself")
	}
	s.APIKeyEnv = text
	return nil
}
