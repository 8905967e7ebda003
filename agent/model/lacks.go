package model

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// Takes says whether models accept a part of the protocol that not all models know.
type Takes = string

// The values of [Takes]; "" is TakesAuto.
const (
	TakesAuto Takes = "auto" // send it; ask a model that refuses it again without it
	TakesOn   Takes = "on"   // send it; a refusal is an error
	TakesOff  Takes = "off"  // never send it
)

// lacks says which parts of the protocol a model does not accept, and what else it requires.
type lacks struct {
	tools    bool // no tools: the prompt describes them, and the calls are in the text
	stream   bool // no streaming: the reply comes whole
	options  bool // stream_options: the usage may be missing
	system   bool // no system role; the roles of user and assistant must alternate
	sampling bool // no temperature, top_p or frequency_penalty other than its own
	schema   bool // no JSON schema: only the prompt describes the reply
	limit    bool // no max_tokens: it needs max_completion_tokens
	thoughts bool // its thoughts must be sent back with its calls
	ids      bool // ids of calls must have nine letters or digits, as Mistral's
	order    bool // no message with the user's role may follow the results of tools, as with Mistral
}

// lesson is something that a refusal shows about a model.
type lesson struct {
	refusal func() *regexp.Regexp       // matches the words of the refusal
	field   func(*lacks) *bool          // the field to set
	sent    func(Request) bool          // whether a request has what is refused; nil: always
	keep    func(c *capabilities) Takes // the user's setting about it; nil: none
	notice  string                      // a sentence for the user, after the model's name; "" if it makes no difference to them
}

// lessons are tried in this order; only the first that fits counts.
var lessons = []lesson{
	{
		refusal: lazyregexp.New(`stream_options`),
		field:   func(l *lacks) *bool { return &l.options },
	},
	{
		refusal: lazyregexp.New(`(?i)support tool use|(?:not|n['’]t) support (?:\w+ )?(?:tool|function)s?\b|tool choice requires|tools? param\b|` +
			`(?:unsupported|unrecogni[sz]ed|unknown|unexpected)\b[^.]{0,40}\btools\b|\b(?:tool|function)s?(?:[ _-]?call(?:ing|s)?| use)?['"` + "`" + `]* (?:is|are) not (?:supported|enabled|available|allowed)`),
		field: func(l *lacks) *bool { return &l.tools },
		sent:  func(r Request) bool { return len(r.Tools) > 0 },
		keep:  func(c *capabilities) Takes { return c.tools },
		notice: "takes no tools, so they are described to it in words: its edits may be worse. " +
			`Set tools = "off" in [model] of your settings to ask it so at once, or choose a model with tools`,
	},
	{
		refusal: lazyregexp.New(`(?i)(?:system|developer)['"]? (?:role|message|instruction|prompt)s?\b[^.]{0,40}(?:\bnot\b|unsupported|must be (?:at the beginning|first))|` +
			`not support ['"]?(?:system|developer)\b|only user and assistant roles|roles must alternate`),
		field: func(l *lacks) *bool { return &l.system },
		keep:  func(c *capabilities) Takes { return c.system },
	},
	{
		refusal: lazyregexp.New(`(?i)response_format|json_schema|structured outputs?`),
		field:   func(l *lacks) *bool { return &l.schema },
		sent:    func(r Request) bool { return r.Schema != nil },
	},
	{
		refusal: lazyregexp.New(`(?i)tool call id\b.{0,120}\blength of 9\b`),
		field:   func(l *lacks) *bool { return &l.ids },
	},
	{
		refusal: lazyregexp.New(`(?i)unexpected role ['"]?user['"]? after role ['"]?tool\b`),
		field:   func(l *lacks) *bool { return &l.order },
	},
	{
		refusal: lazyregexp.New(`reasoning_content`),
		field:   func(l *lacks) *bool { return &l.thoughts },
	},
	{
		refusal: lazyregexp.New(`max_completion_tokens`),
		field:   func(l *lacks) *bool { return &l.limit },
		sent:    func(r Request) bool { return r.MaxTokens > 0 },
	},
	{
		refusal: lazyregexp.New(`(?i)\b(?:temperature|top_p|frequency_penalty)\b.{0,80}(?:not support|unsupported|deprecated|only the default)|` +
			`(?:unsupported|not support|deprecated)[^.]{0,60}\b(?:temperature|top_p|frequency_penalty)\b`),
		field:  func(l *lacks) *bool { return &l.sampling },
		sent:   func(r Request) bool { return r.Temperature != nil || r.TopP != nil || r.Penalty != nil },
		notice: "takes no temperature, top_p or frequency_penalty: it is asked without them",
	},
	{
		refusal: lazyregexp.New(`(?i)verified to stream|\bstream(?:ing)?\b['"` + "`" + `]*[^.]{0,60}(?:not support|n['’]t support|not allowed|not available|not enabled|unsupported|must be false)|` +
			`(?:not support|n['’]t support|unsupported)\b[^.]{0,40}\bstream(?:ing)?\b`),
		field:  func(l *lacks) *bool { return &l.stream },
		keep:   func(c *capabilities) Takes { return c.stream },
		notice: "does not stream: its replies come as a whole",
	},
}

// capabilities is what Redline has learned about a provider's models.
type capabilities struct {
	tools, stream, system Takes // the user's settings

	mu     sync.Mutex
	models map[string]lacks // what was learned, by model name; guarded by mu

	// refused has the optional tools that a model refuses, by its name and by keyOf; guarded by mu
	refused map[string]map[string]bool
}

// of returns what a model is known to lack.
func (c *capabilities) of(model string) lacks {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.models[model]
	l.tools = l.tools || c.tools == TakesOff
	l.stream = l.stream || c.stream == TakesOff
	l.system = l.system || c.system == TakesOff
	return l
}

// learn remembers what a refusal shows about a model. was is what the request took the model to
// lack. learned is false if the refusal shows nothing new, so it is final. notice is a sentence
// for the user, "" if there is none or the user has read it already.
func (c *capabilities) learn(model string, req Request, was lacks, e *Error) (notice string, learned bool) {
	if !e.teaches() {
		return "", false
	}
	i := slices.IndexFunc(lessons, func(l lesson) bool {
		return !*l.field(&was) && (l.sent == nil || l.sent(req)) && (l.keep == nil || l.keep(c) != TakesOn) &&
			l.refusal().MatchString(e.Detail)
	})
	if i < 0 {
		return "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.models[model]
	lacking := lessons[i].field(&known)
	if !*lacking && lessons[i].notice != "" {
		notice = fmt.Sprintf("The model %q %s.", model, lessons[i].notice)
	}
	*lacking = true
	if c.models == nil {
		c.models = map[string]lacks{}
	}
	c.models[model] = known
	return notice, true
}

// teaches reports whether an error can be about the form of the request. Some servers refuse
// such a request with 404, 500 or, in a stream, with 200.
func (e *Error) teaches() bool {
	switch e.Status {
	case 0, http.StatusOK:
		return e.Detail != "" && (e.Kind == KindBroken || e.Kind == KindOverloaded || e.Kind == KindRejected)
	case http.StatusNotFound, http.StatusInternalServerError, http.StatusNotImplemented:
		return true
	}
	return e.Kind == KindRejected
}

// How providers name a tool that they refuse, besides by its name: by its place in the request,
// as in tools[3]. Gemini has all functions in its first tool: function_declarations[3].
var (
	functionPlace = lazyregexp.New(`(?i)\bfunction_?declarations\W{1,5}(\d{1,3})\b`)
	toolPlace     = lazyregexp.New(`(?i)\btools\W{1,5}(\d{1,3})\b`)
	aboutMessages = lazyregexp.New(`(?i)\bmessages?\W{1,5}\d|\btool_?(?:calls?|use)\b`)
)

// without returns the request without the optional tools that a model has refused.
func (c *capabilities) without(model string, req Request) Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	refused := c.refused[model]
	if len(refused) == 0 {
		return req
	}
	req.Tools = slices.DeleteFunc(slices.Clone(req.Tools), func(t Tool) bool { return t.Optional && refused[keyOf(t)] })
	return req
}

// keyOf distinguishes tools that models may judge differently: a server may correct its schema.
func keyOf(t Tool) string { return t.Name + "\x00" + string(t.Parameters) }

// learnTools remembers the optional tools of a request that a refusal names. notice is a sentence
// for the user, "" if the refusal names none, or if they were refused in another request meanwhile.
func (c *capabilities) learnTools(model string, req Request, was lacks, e *Error) (notice string, learned bool) {
	if was.tools || !e.teaches() || aboutMessages().MatchString(e.Detail) {
		return "", false
	}
	var fresh []string
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range named(req.Tools, e.Detail) {
		learned = true
		if c.refused[model][keyOf(t)] {
			continue
		}
		if c.refused == nil {
			c.refused = map[string]map[string]bool{}
		}
		if c.refused[model] == nil {
			c.refused[model] = map[string]bool{}
		}
		c.refused[model][keyOf(t)] = true
		fresh = append(fresh, t.Name)
	}
	if len(fresh) == 0 {
		return "", learned
	}
	return fmt.Sprintf("The model %q refuses the %s, so it is asked without: %s.",
		model, phrase.Named("tool", fresh), e.Detail), true
}

// named returns the optional tools that a refusal names.
func named(tools []Tool, detail string) []Tool {
	var found []Tool
	for _, t := range tools {
		if t.Optional && regexp.MustCompile(`(?:^|[^\w-])`+regexp.QuoteMeta(t.Name)+`(?:$|[^\w-])`).MatchString(detail) {
			found = append(found, t)
		}
	}
	if len(found) > 0 {
		return found
	}
	place := functionPlace().FindStringSubmatch(detail)
	if place == nil {
		place = toolPlace().FindStringSubmatch(detail)
	}
	if place == nil {
		return nil
	}
	if i, err := strconv.Atoi(place[1]); err == nil && i < len(tools) && tools[i].Optional {
		return []Tool{tools[i]}
	}
	return nil
}

// server is a kind of program that serves models and can say how much they can read at once.
type server string

// The servers that are recognised by their answers.
const (
	unknownServer server = ""
	ollama        server = "Ollama"
	llamaServer   server = "llama.cpp"
	lmStudio      server = "LM Studio"
)

// window is how much a model can read at once.
type window struct {
	tokens int // in tokens; 0 if not known
	server server
}

// windowPatience is the time limit for all questions about the window together.
const windowPatience = 5 * time.Second

// numCtx matches the context length among the parameters of a model of Ollama: "num_ctx 8192".
var numCtx = lazyregexp.New(`(?m)^\s*num_ctx\s+(\d+)\s*$`)

// window finds out how much the model can read at once. It must have answered before, since
// Ollama reports the length only for a loaded model. If there is no answer, the window is
// unknown; that is not an error.
func (p *client) window(ctx context.Context) window {
	ctx, cancel := context.WithTimeout(ctx, windowPatience)
	defer cancel()
	if p.base == nil {
		return window{}
	}
	if isNear(p.base) { // other servers have no such addresses
		for _, ask := range []func(context.Context, *url.URL) (window, bool){p.ollamaWindow, p.llamaWindow, p.studioWindow} {
			if w, ok := ask(ctx, p.serverRoot()); ok {
				return w
			}
		}
	}
	all, err := p.list(ctx)
	if err != nil {
		return window{}
	}
	for _, m := range all {
		if m.ID == p.info.Name {
			return window{tokens: max(m.Window, m.MaxModel)}
		}
	}
	return window{}
}

// serverRoot returns the base URL without the path of the OpenAI API.
func (p *client) serverRoot() *url.URL {
	root := *p.base
	root.Path, root.RawPath = strings.TrimSuffix(strings.TrimSuffix(root.Path, "/"), "/v1"), ""
	return &root
}

// isNear reports whether a server is on this machine or in a private network.
func isNear(u *url.URL) bool {
	host := u.Hostname()
	ip := net.ParseIP(host)
	return u.Scheme == "http" || !strings.Contains(host, ".") || ip != nil && (ip.IsLoopback() || ip.IsPrivate())
}

// ollamaWindow asks Ollama which models are loaded, and with how long a context. Older versions
// report only the length in the model's own file.
func (p *client) ollamaWindow(ctx context.Context, root *url.URL) (window, bool) {
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Model   string `json:"model"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if p.document(ctx, http.MethodGet, root.JoinPath("api", "ps"), nil, &running) != nil || running.Models == nil {
		return window{}, false
	}
	w := window{server: ollama}
	for _, m := range running.Models {
		if name := p.info.Name; m.Context > 0 && (m.Name == name || m.Model == name || m.Name == name+":latest") {
			w.tokens = m.Context
			return w, true
		}
	}
	var model struct {
		Parameters string `json:"parameters"`
	}
	body, _ := json.Marshal(map[string]string{"model": p.info.Name}) // strings always marshal
	if p.document(ctx, http.MethodPost, root.JoinPath("api", "show"), body, &model) == nil {
		if of := numCtx().FindStringSubmatch(model.Parameters); of != nil {
			w.tokens, _ = strconv.Atoi(of[1]) // digits; one too long for a number stays unknown
		}
	}
	return w, true
}

// llamaWindow asks llama.cpp's server how much one of its slots can read.
func (p *client) llamaWindow(ctx context.Context, root *url.URL) (window, bool) {
	var props struct {
		Generation *struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if p.document(ctx, http.MethodGet, root.JoinPath("props"), nil, &props) != nil || props.Generation == nil {
		return window{}, false
	}
	return window{props.Generation.Context, llamaServer}, true
}

// studioWindow asks LM Studio, which has its own address for it.
func (p *client) studioWindow(ctx context.Context, root *url.URL) (window, bool) {
	var answer struct {
		Data []struct {
			ID     string `json:"id"`
			Loaded int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	if p.document(ctx, http.MethodGet, root.JoinPath("api", "v0", "models"), nil, &answer) != nil || answer.Data == nil {
		return window{}, false
	}
	for _, m := range answer.Data {
		if m.ID == p.info.Name {
			return window{m.Loaded, lmStudio}, true
		}
	}
	return window{server: lmStudio}, true
}
