// Package model asks language models: any provider that speaks the OpenAI chat
// wire, and the built-in model, which answers on the same wire in process and
// needs no network.
//
// One reply's way: [Provider.Complete] sends the request through go-openai;
// transport.go judges the HTTP answer, and events.go cleans the event stream on
// its way back; assembler.go puts text and tool calls together from their fragments;
// errors.go says in one sentence what went wrong; lacks.go learns from a refusal
// what a model does not take, and the request is made in another way.
package model

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"redline/agent/model/builtin"
)

// Role says who speaks in a [Message].
type Role string

// The roles of the OpenAI chat wire.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of the conversation that a model sees.
type Message struct {
	Role    Role
	Content string
	Calls   []Call // of RoleAssistant: the tools that the model called
	Thought string // of RoleAssistant: [Reply.Thought], which some models want back with their calls
	CallID  string // of RoleTool: the call that Content answers
}

// Call is a model's request to run a tool.
type Call struct {
	ID   string // unique in its reply; made up where the provider sent none
	Name string
	// Arguments is the JSON text that the model wrote, repaired where that was
	// unambiguous. It may still be no JSON at all: the tool then refuses it.
	Arguments string
	// Extra is JSON that came with the call and goes back with it unread, as
	// Gemini's signatures do; "" for nothing.
	Extra string
	// Step describes the step of the plan that the call is, if it was written into a reply as
	// a part of a plan; "" for other calls. It is not sent to the model.
	Step string
}

// Tool describes a tool that a model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema of type object; nil for no parameters
}

// Request is the input for one reply.
type Request struct {
	Messages    []Message
	Tools       []Tool
	Temperature *float64 // nil: the provider's default
	TopP        *float64 // nil: the provider's default
	Penalty     *float64 // on words that came often before, from -2 to 2; nil: the provider's default
	MaxTokens   int      // longest reply, in tokens; 0: the provider's default
	Model       string   // asks another model of the same provider; "": the configured one
	Schema      *Schema  // the shape that the reply's text is to have; nil: any
}

// Schema asks for a reply in JSON of a shape. Some providers ignore it, so check the reply all
// the same.
type Schema struct {
	Name string          // of letters, digits, "_" and "-"
	JSON json.RawMessage // a JSON schema in which every property is required and no others are allowed
}

// Usage counts tokens, as the provider reports them.
type Usage struct {
	Prompt     int
	Cached     int // of Prompt, those that the provider had from an earlier request
	Completion int
	Cost       float64 // what they cost, in the currency of [Config.Prices]; 0 when it is not known
}

// Plus returns the sum of two usages.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Cached + v.Cached, u.Completion + v.Completion, u.Cost + v.Cost}
}

// Minus returns u without v.
func (u Usage) Minus(v Usage) Usage {
	return Usage{u.Prompt - v.Prompt, u.Cached - v.Cached, u.Completion - v.Completion, u.Cost - v.Cost}
}

// Reply is a model's answer to a request.
type Reply struct {
	Text    string
	Calls   []Call // complete ones only, in the order the model wrote them
	Finish  string // the wire's finish_reason: "stop", "tool_calls", "length", …; "" when the reply broke off
	Usage   Usage
	Thought string // what a reasoning model thought before; no part of the answer
	// ToolsInText says that the model takes no tools: the prompt described them in words, and
	// the calls are in Text, as a JSON array.
	ToolsInText bool
}

// Event is a part of a reply that has just arrived: a piece of text, a piece of the model's
// thoughts, or a complete call. Or it is a notice: a sentence about the model for the user.
type Event struct {
	Text    string
	Thought string
	Call    *Call
	Notice  string
}

// Info names a provider. It holds no secrets.
type Info struct {
	Provider string // "builtin", "openai" or, when nothing is named but a recording of another model, "replay"
	Name     string // of the model
	BaseURL  string // without user, password and query; "" for the built-in model
}

// Provider answers requests to models. It is safe for concurrent use.
type Provider interface {
	// Complete asks for one reply. onEvent, which may be nil, is called in
	// order and from this goroutine with every piece of text and thought, and with
	// every call as soon as it is complete. Complete retries for a while if the provider
	// is busy or cannot be reached, but never after a part of the reply has arrived: it
	// returns the part of a reply that broke off, together with the error. The error is
	// ctx.Err() if ctx ended, else an [*Error].
	Complete(ctx context.Context, req Request, onEvent func(Event)) (Reply, error)
	Info() Info
}

// Defaults of [Config].
const (
	DefaultBaseURL = "https://api.openai.com/v1"
	DefaultName    = "gpt-4.1"
	DefaultGiveUp  = 10 * time.Second
	DefaultSilence = time.Minute
)

// Config says where to ask a model, and how long to wait. Its zero value is the built-in
// model.
type Config struct {
	BaseURL string // of an OpenAI-compatible endpoint; "" with a key: DefaultBaseURL
	APIKey  string // "" for endpoints that want none
	// KeyCommand is a program and its arguments that print the key. It is run at the first
	// request, if APIKey is "".
	KeyCommand []string
	// KeyFrom is what errors name as the place of the key, such as a variable; "": OPENAI_API_KEY.
	KeyFrom string
	// BaseFrom is what errors name as the place of the base URL; "": OPENAI_BASE_URL.
	BaseFrom string
	Name     string // of the model; "": DefaultName
	// GiveUp bounds the time in which a request is tried again, counted from
	// its start; 0: DefaultGiveUp.
	GiveUp time.Duration
	// Silence is the longest time without a byte from the provider, before the
	// reply and within it; 0: DefaultSilence. A provider that only keeps the connection
	// alive has five minutes, or twice Silence if that is longer.
	Silence time.Duration
	// KeyHeader is the header that carries the key as it is, such as "api-key";
	// "": Authorization, as a bearer.
	KeyHeader string
	// APIVersion is sent as api-version in the query of each request, as Azure
	// wants it; "": not at all.
	APIVersion string
	Headers    []Header // sent with each request

	// Whether models take tools, streamed replies and the system role.
	Tools, Stream, System Takes

	Models Models           // that are asked for a purpose of their own, see [For]
	Prices map[string]Price // by the model's name

	// Record is a directory that every exchange is written to. Replay is a directory from
	// which requests are answered, without sending them. "" is none; with Replay, Record
	// does nothing. See docs/records.md.
	Record, Replay string

	Refused string // why nothing may be asked, as a part of a sentence; "" if it may

	// Transport carries the requests to BaseURL; nil: HTTP.
	Transport http.RoundTripper
}

// Header is sent with each request to a provider.
type Header struct {
	Name, Value string
	Secret      bool // its value is kept out of errors, replies and recordings
}

// New returns the provider that c names: the built-in model if there is neither a base URL nor
// a key. It opens nothing but a recording. It never fails: Complete reports a bad base URL.
func New(c Config) Provider {
	named := c.BaseURL != "" || c.APIKey != ""
	switch {
	case !named && c.Replay != "":
		c.BaseURL = "http://replay/v1"
		p := newClient(c)
		p.info = recordedInfo(c)
		return p
	case !named:
		return newBuiltin(c)
	}
	return newClient(c)
}

// Address returns where requests go; nil for the built-in model and for what is no address.
func (c Config) Address() *url.URL {
	if c.BaseURL == "" && c.APIKey == "" {
		return nil
	}
	base, _ := parseBase(cmp.Or(c.BaseURL, DefaultBaseURL))
	return base
}

// builtinURL is where the built-in model is asked, in process.
const builtinURL = "http://built-in/v1"

// newBuiltin returns the built-in model: the same client as for any endpoint,
// with an endpoint in process. Of c, what is recorded counts.
func newBuiltin(c Config) Provider {
	p := newClient(Config{BaseURL: builtinURL, Name: builtin.Name, Transport: builtin.Transport{}, Record: c.Record})
	p.info = Info{Provider: "builtin", Name: builtin.Name}
	return p
}

// IsHelp reports whether a reply of the model says what the built-in one can do,
// since that could not read the request: it is an answer, whatever was wanted.
func IsHelp(of Info, reply string) bool { return of.Provider == "builtin" && builtin.IsHelp(reply) }
