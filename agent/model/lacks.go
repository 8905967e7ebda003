package model

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync"

	"redline/internal/lazyregexp"
)

// Takes says whether models take a part of the wire that not all of them know.
type Takes string

// The values of [Takes]; "" is TakesAuto.
const (
	TakesAuto Takes = "auto" // it is sent; a model that refuses it is asked again without
	TakesOn   Takes = "on"   // it is sent, and that it is refused is an error
	TakesOff  Takes = "off"  // it is never sent
)

// lacks says which parts of the wire a model does not take, and what else it requires.
type lacks struct {
	tools    bool // they are described in the prompt, and called in the text
	stream   bool // the reply comes whole
	options  bool // stream_options: the usage may be missing
	system   bool // no system role, and the other two have to alternate
	sampling bool // temperature, top_p and frequency_penalty other than its own
	schema   bool // the reply is JSON of a shape: the prompt alone says so
	limit    bool // max_tokens: it is called max_completion_tokens
	thoughts bool // what it thought has to be sent back with its calls
}

// lesson is a fact about a model that the refusal of a request shows.
type lesson struct {
	refusal func() *regexp.Regexp       // what of the refusal's words tells it
	field   func(*lacks) *bool          // what is lacking
	sent    func(Request) bool          // whether a request has what is refused; nil: always
	keep    func(c *capabilities) Takes // the setting about it; nil: there is none
	notice  string                      // for the user, after the model's name; "" where it makes no difference to them
}

// lessons are checked in this order: only the first that fits is tried.
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

// capabilities is what Redline has learned about the models of one provider.
type capabilities struct {
	tools, stream, system Takes // as they are set

	mu     sync.Mutex
	models map[string]lacks // what was learned, by the model's name; guarded by mu
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

// learn remembers what a refusal shows about a model. The request was made for a model that
// lacks what was says. learned is false if the refusal shows nothing new: then it stands.
// notice is a sentence for the user, "" for none or if the user has read it before.
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

// teaches reports whether an error can be about the form of the request. Some servers answer
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
