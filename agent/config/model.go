package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"redline/agent/brief"
	"redline/agent/model"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/internal/lazyregexp"
)

// modelKeys are the settings of the table [model]: where a model is asked, and for what.
var modelKeys = []key{
	{name: "model.provider", kind: kind{values: oneOf(ProviderIDs()), set: setProvider, show: showProvider},
		about: "who answers: its base URL and the variable of its key are known. Without it the base URL says it, and without that a key in the environment (`OPENAI_API_KEY`, else `ANTHROPIC_API_KEY`, else `OPENROUTER_API_KEY`). `builtin` stays offline, whatever else is set. `redline setup` asks and writes it", see: "../models.md#models-and-providers", example: `"anthropic"`, env: "REDLINE_PROVIDER"},
	{name: "model.base_url", kind: text("", func(s *Settings) *string { return &s.BaseURL }).shownAs("an address", showBaseURL),
		about: "an OpenAI-compatible endpoint, up to and with its `/v1`; the provider's own if there is one. `OPENAI_BASE_URL` overrides the file too, unless a provider with an address of its own is named", see: "../models.md#models-and-providers", example: `"http://localhost:11434/v1"`, env: "REDLINE_BASE_URL", ofProvider: true},
	{name: "model.name", kind: text("", func(s *Settings) *string { return &s.Config.Name }).shownAs("a text", showModelName),
		about: "the model to ask for; the default is the provider's, of an endpoint `gpt-4.1`", example: `"qwen3-coder"`, env: "REDLINE_MODEL", ofProvider: true},
	{name: "model.classification", kind: choice([]string{"auto", "model", "rules"}, "auto", nil, func(s *Settings) *string { return &s.Classification }),
		about: "who finds out what a message wants: `model`, with a short request before each message; `rules`, by its words alone; `auto` is `model` if `model.classify` names one, else `rules`", see: "../asking.md#which-way-a-message-goes"},
	{name: "model.api_key_env", kind: kind{values: "the name of a variable", set: setAPIKeyEnv, reset: func(s *Settings) { s.APIKeyEnv = "OPENAI_API_KEY" }, show: func(s Settings) string { return cmp.Or(s.APIKeyEnv, "(none)") }},
		about: "the environment variable that holds the key, if it is not the provider's usual one; the key itself is in no settings. `REDLINE_API_KEY` overrides it where a provider or a base URL is set", ofProvider: true},
	{name: "model.api_key_command", kind: kind{values: "a program and its arguments, as a list or a text", form: asJSON, set: setKeyCommand, reset: func(s *Settings) { s.KeyCommand = nil }, show: showKeyCommand},
		about: "a program that prints the key, such as a password manager, and its arguments. It is run once, at the first request, and has a minute. `REDLINE_API_KEY` overrides it, and it overrides `model.api_key_env`", see: "../models.md#a-key-from-a-command", example: `["pass", "show", "redline/anthropic"]`, ofProvider: true},
	{name: "model.key_header", kind: kind{values: "the name of a header", set: setKeyHeader, reset: func(s *Settings) { s.KeyHeader = "" }, show: func(s Settings) string { return cmp.Or(s.KeyHeader, "(Authorization, as a bearer)") }},
		about: "the header that carries the key as it is", see: "../models.md#models-and-providers", example: `"api-key"`, ofProvider: true},
	{name: "model.api_version", kind: text("(none)", func(s *Settings) *string { return &s.APIVersion }),
		about: "the `api-version` in the query of each request, as Azure wants it", example: `"2024-10-21"`, ofProvider: true},
	{name: "model.headers", kind: kind{values: "a table of texts", form: asTable, set: setHeaders, reset: func(s *Settings) { s.Headers = nil }, show: showHeaders},
		about: "headers that go with each request; a value `$NAME` is taken from the environment", example: `{ "X-Title" = "Redline" }`, ofProvider: true},
	{name: "model.plan", kind: text("(model.name)", func(s *Settings) *string { return &s.Models.Plan }),
		about: "the model that makes plans in words", example: `"a-large-model"`, ofProvider: true},
	{name: "model.edit", kind: text("(model.name)", func(s *Settings) *string { return &s.Models.Edit }),
		about: "the model that answers turns in which edits can be staged", example: `"a-coding-model"`, ofProvider: true},
	{name: "model.classify", kind: text("(model.name)", func(s *Settings) *string { return &s.Models.Classify }),
		about: "the model that is asked small questions about a message, such as what it wants", example: `"a-small-model"`, ofProvider: true},
	{name: "model.summarise", kind: text("(model.name)", func(s *Settings) *string { return &s.Models.Summarise }),
		about: "the model that summarises what was said in older turns", example: `"a-small-model"`, ofProvider: true},
	{name: "model.edits", kind: choice([]string{tool.EditsAuto, tool.EditsByText, tool.EditsByPatch, tool.EditsByCommands, tool.EditsAll}, tool.EditsAuto, nil, func(s *Settings) *string { return &s.Edits }),
		about: "the way to edit that models are offered: `edit_file`, `apply_patch`, `text_editor` or `all`; `auto` is the one that the model knows best", see: "../models.md#prompts"},
	{name: "model.tools", kind: takes(func(s *Settings) *string { return &s.Tools }),
		about: "whether models take tools: `auto` finds out, `on` insists, `off` describes the tools in the prompt", see: "../models.md#models-and-providers", ofProvider: true},
	{name: "model.stream", kind: takes(func(s *Settings) *string { return &s.Stream }),
		about: "whether models stream their replies; `auto` finds out", ofProvider: true},
	{name: "model.system", kind: takes(func(s *Settings) *string { return &s.System }),
		about: "whether models know the system role; `auto` finds out", ofProvider: true},
	{name: "model.prices", kind: kind{values: "a table of lists of two or three numbers", form: asTable, set: setPrices, show: showPrices},
		about: "what a million tokens of a model cost: sent, received, cached", see: "../models.md#models-and-providers", example: `{ "gpt-4.1" = [2, 8, 0.5] }`},
	{name: "model.reuse_plans", kind: yes(true, func(s *Settings) *bool { return &s.ReusePlans }),
		about: "the same request at the start of a conversation, over files that have not changed, makes the same plan again without asking the model", see: "../plans.md#reused-plans"},
}

var (
	headerName = lazyregexp.New("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$")
	variable   = lazyregexp.New(`^\$([A-Za-z_][A-Za-z0-9_]*)$`)
)

// taken are the headers that every request already has.
var taken = []string{"host", "content-length", "content-type", "transfer-encoding", "connection"}

// setHeaders sets the headers to send with each request. Its errors quote no value.
func setHeaders(s *Settings, text string) error {
	var entries map[string]any
	if json.Unmarshal([]byte(text), &entries) != nil {
		return fmt.Errorf(`must be a table of names and texts, as in { "X-Title" = "Redline" }`)
	}
	var headers []model.Header
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		value, ok := entries[name].(string)
		switch {
		case !headerName().MatchString(name):
			return fmt.Errorf("has a name that is none of a header")
		case slices.Contains(taken, strings.ToLower(name)):
			return fmt.Errorf("cannot set %s", name)
		case !ok || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return fmt.Errorf("must hold the value of %s as a text of one line", name)
		}
		headers = append(headers, model.Header{Name: name, Value: value})
	}
	s.Headers = headers
	return nil
}

func showHeaders(s Settings) string {
	if len(s.Headers) == 0 {
		return "(none)"
	}
	var names []string
	for _, h := range s.Headers {
		names = append(names, h.Name)
	}
	return strings.Join(names, ", ") + " (values not shown)"
}

// resolveHeaders replaces header values that refer to variables with the variables' content.
func (l *loader) resolveHeaders() {
	var headers []model.Header
	for _, h := range l.settings.Headers {
		if of := variable().FindStringSubmatch(h.Value); of != nil {
			value, ok := l.lookup(of[1])
			if !ok {
				l.warn("The header %s is not sent: its value is to come from the environment variable %s, which is not set.", h.Name, of[1])
				continue
			}
			h.Value, h.Secret = strings.TrimSpace(value), true
		}
		headers = append(headers, h)
	}
	l.settings.Headers = headers
}

// setPrices sets the prices of a million tokens of a model: for the prompt, for the completion,
// and for the cached part of the prompt.
func setPrices(s *Settings, text string) error {
	wrong := fmt.Errorf(`must be a table of models and numbers, as in { "gpt-4.1" = [2, 8, 0.5] }`)
	var entries map[string][]float64
	if json.Unmarshal([]byte(text), &entries) != nil {
		return wrong
	}
	prices := map[string]model.Price{}
	for name, of := range entries {
		if len(of) < 2 || len(of) > 3 || slices.ContainsFunc(of, func(f float64) bool { return f < 0 || f > 1e6 || math.IsNaN(f) }) {
			return wrong
		}
		p := model.Price{Prompt: of[0], Completion: of[1], Cached: of[0]}
		if len(of) == 3 {
			p.Cached = of[2]
		}
		prices[name] = p
	}
	s.Prices = prices
	return nil
}

func showPrices(s Settings) string {
	if len(s.Prices) == 0 {
		return "(none)"
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	var rows []string
	for _, name := range slices.Sorted(maps.Keys(s.Prices)) {
		p := s.Prices[name]
		rows = append(rows, fmt.Sprintf("%s = [%s, %s, %s]", name, number(p.Prompt), number(p.Completion), number(p.Cached)))
	}
	return strings.Join(rows, ", ")
}

// setKeyHeader sets the name of the header that carries the key.
func setKeyHeader(s *Settings, text string) error {
	if !headerName().MatchString(text) || slices.Contains(taken, strings.ToLower(text)) {
		return fmt.Errorf("must be the name of a header, such as api-key")
	}
	s.KeyHeader = text
	return nil
}

// showBaseURL returns the URL without the parts that may be secret.
func showBaseURL(s Settings) string {
	if s.BaseURL == "" {
		return "(none: the built-in model)"
	}
	return toolset.PlainAddress(s.BaseURL)
}

func showModelName(s Settings) string {
	switch {
	case !s.Asks():
		return Builtin
	case s.Config.Name == "":
		return model.DefaultName
	}
	return s.Config.Name
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

// limitKeys are the settings of the table [limits]: what ends a turn, and what is kept.
var limitKeys = []key{
	{name: "limits.requests", kind: whole(1, 50, atMost, func(s *Settings) *int { return &s.Requests }),
		about: "requests to the model in a turn"},
	{name: "limits.steps", kind: whole(1, 15, atMost, func(s *Settings) *int { return &s.Steps }),
		about: "steps of a plan; `redline run --max-steps` overrides it"},
	{name: "limits.tokens", kind: whole(0, 0, atMost, func(s *Settings) *int { return &s.TurnTokens }),
		about: "tokens of all prompts and replies of a turn, as the provider counts them; 0 for no limit"},
	{name: "limits.repeats", kind: whole(1, 3, atMost, func(s *Settings) *int { return &s.Repeats }),
		about: "replies of a turn in which a model may make the same tool call, with nothing staged, taken back or typed in between"},
	{name: "limits.wall_seconds", kind: seconds(true, 30*time.Minute, atMost, func(s *Settings) *time.Duration { return &s.Wall }),
		about: "how long a turn may take"},
	{name: "limits.provider_give_up_seconds", kind: seconds(false, model.DefaultGiveUp, nil, func(s *Settings) *time.Duration { return &s.GiveUp }),
		about: "how long a provider that is busy, or cannot be reached, is asked again; one that says when, for at least a minute"},
	{name: "limits.provider_silence_seconds", kind: seconds(false, model.DefaultSilence, nil, func(s *Settings) *time.Duration { return &s.Silence }),
		about: "how long a provider may send nothing at all, before its reply and within it; raise it for a slow local model. If it sends nothing but keep-alives, it may do so for five minutes, or for twice this time if that is longer"},
	{name: "limits.max_file", kind: whole(1, 8<<20, atMost, func(s *Settings) *int64 { return &s.MaxFile }),
		about: "bytes above which a file is not read"},
	{name: "limits.keep_days", kind: whole(0, 180, atLeast, func(s *Settings) *int { return &s.KeepDays }),
		about: "how many days plans that are decided are kept; 0 for ever", see: "../records.md#what-is-kept-and-for-how-long"},
	{name: "limits.keep_mb", kind: whole(1, 1024, atLeast, func(s *Settings) *int { return &s.KeepMB }),
		about: "MiB that the plan database may hold before the oldest decided plans go", see: "../records.md#what-is-kept-and-for-how-long"},
}

// approvalKeys are the settings of the table [approval]: how you decide.
var approvalKeys = []key{
	{name: "approval.decide", kind: choice([]string{DecidePlan, DecideAsk}, DecidePlan, noFurther(DecideAsk, DecidePlan), func(s *Settings) *string { return &s.Decide }),
		about: "`plan`: you decide when a turn has ended, on all of it or on parts. `ask`: you are asked about each edit as it is staged, while the turn continues. `/decide`, `redline.chat` and `redline run --decide` override it", see: "../plans.md#decide-on-each-edit"},
	{name: "approval.second_look", kind: choice([]string{SecondLookAlways, SecondLookDrift, SecondLookNever}, SecondLookAlways, noFurther(SecondLookAlways, SecondLookDrift, SecondLookNever), func(s *Settings) *string { return &s.SecondLook }),
		about: "when you are asked about the edits that come of a plan in words which you have approved: `always`; `drift`, only if they touch other files than it named; `never`. What a rule approves is recorded as approved by that rule; commands always wait for you", see: "../asking.md#which-way-a-message-goes"},
	{name: "approval.ways", kind: waysToApprove(),
		about: "how a plan can be approved: `choice`, by an action, a command or an answer where its edits are shown, or by `/approve`; `words`, by a phrase in the chat such as *yes, do it*; `cli`, by `redline run --approve` and `redline plans approve`, which ask nothing; `web`, on the page of `redline review`; `acp`, by an answer in the agent panel of an editor; `rules`, by `approval.second_look` and `commands.allow`, which have no effect without it", see: "../plans.md#ways-to-approve", example: `["choice", "words", "rules"]`},
	{name: "approval.audit", kind: choice([]string{AuditAuto, AuditRequire}, AuditAuto, noFurther(AuditRequire, AuditAuto), func(s *Settings) *string { return &s.Audit }),
		about: "what happens where the state directory cannot be written: `auto`, plans, decisions and the audit log are in memory for this session, and you read that; `require`, nothing can be approved there", see: "../records.md#when-the-state-directory-cannot-be-written"},
}

// contextKeys are the settings of the table [context]: what goes with your words.
var contextKeys = []key{
	{name: "context.tokens", kind: whole(1, brief.DefaultTokens, nil, func(s *Settings) *int { return &s.ContextTokens }),
		about: "about how many tokens of context a request carries: what you mention, the project's rules, what is open, an outline; what was said before may have as many again. Lower it for a model with a small window", see: "../asking.md#what-goes-with-your-words"},
	{name: "context.summaries", kind: choice([]string{SummariesOn, SummariesOff}, SummariesOn, nil, func(s *Settings) *string { return &s.Summaries }),
		about: "whether a model summarises the older turns of a conversation when they do not fit any more; `off`: they are shortened without one", see: "../asking.md#conversations"},
	{name: "context.rules", kind: choice([]string{"on", "off"}, "on", nil, func(s *Settings) *string { return &s.ContextRules }),
		about: "whether the project's rule files (`AGENTS.md` and its like) are part of it", see: "../asking.md#what-goes-with-your-words"},
	{name: "context.facts", kind: choice([]string{"on", "off"}, "on", nil, func(s *Settings) *string { return &s.ContextFacts }),
		about: "whether facts of the project go along besides: its branch, what is changed, its checks, what is at its root", see: "../asking.md#facts-of-the-project"},
}

// specialistKeys are the settings of the table [heap]: specialists.
var specialistKeys = []key{
	{name: "heap.enabled", kind: yes(false, func(s *Settings) *bool { return &s.Specialists }),
		about: "`true`: messages that name no mode go to specialists, as with `/heap`", see: "../specialists.md"},
}
