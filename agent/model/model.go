// Package model asks language models: any provider that speaks the OpenAI chat
// wire, and the built-in model, which answers on the same wire in process and
// needs no network.
//
// One reply's way: [Provider.Complete] sends the request through go-openai;
// transport.go judges the HTTP answer, and events.go cleans the event stream on
// its way back; chunk.go converts each chunk to the form that go-openai reads; assembler.go puts
// text and tool calls together from their fragments; failure.go reads what a provider says about
// an error, and errors.go says it in one sentence; lacks.go learns from a refusal
// what a model does not take, and the request is made in another way.
package model

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
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
	Calls   []Call // of RoleAssistant: the model's calls
	Thought string // of RoleAssistant: [Reply.Thought], which some models need back with their calls
	Extra   string // of RoleAssistant: [Reply.Extra], which is sent back unread with its calls
	CallID  string // of RoleTool: the call that Content answers
}

// Call is a model's request to run a tool.
type Call struct {
	ID   string // unique in its reply; made up if the provider sent none
	Name string
	// Arguments is the JSON text that the model wrote, repaired if there was only one way to. It
	// may still be invalid JSON: the tool then refuses it.
	Arguments string
	// Extra is JSON that came with the call and is sent back with it unread, such as Gemini's
	// signatures; "" for none.
	Extra string
	// Step describes the plan's step to which the call belongs, if the model wrote the call as
	// part of a plan in its reply; "" for other calls. It is not sent to the model.
	Step string
}

// Tool describes a tool that a model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema of type object; nil for no parameters
	Optional    bool            // if the provider refuses it, the request is made without it
}

// Request asks for one reply.
type Request struct {
	Messages    []Message
	Tools       []Tool
	Temperature *float64 // nil: the provider's default
	TopP        *float64 // nil: the provider's default
	Penalty     *float64 // against words that already occurred often, from -2 to 2; nil: the provider's default
	MaxTokens   int      // the longest reply, in tokens; 0: the provider's default
	Model       string   // another model of the same provider; "": the configured one
	Schema      *Schema  // the form of the reply's text; nil: any
}

// Schema asks for a reply in JSON of this form. Some providers ignore it, so the caller must
// check the reply.
type Schema struct {
	Name string          // of letters, digits, "_" and "-"
	JSON json.RawMessage // a JSON schema in which every property is required and no others are allowed
}

// Usage counts tokens, as the provider reports them.
type Usage struct {
	Prompt     int
	Cached     int // how many of Prompt the provider had cached
	Completion int
	Cost       float64 // the cost, in the currency of [Config.Prices]; 0 if not known
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
	Calls   []Call // only complete ones, in the order in which the model wrote them
	Finish  string // the wire's finish_reason: "stop", "tool_calls", FinishLength, …; "" when the reply broke off
	Usage   Usage
	Thought string // a reasoning model's thoughts; not part of the answer
	// Extra is a JSON object of what the provider wants back with the reply, unread, such as the
	// signatures of its thoughts; "" for none.
	Extra string
	// ToolsInText is true if the model does not accept tools: the prompt described them in
	// words, and the calls are in Text, as a JSON array.
	ToolsInText bool
}

// Event is a part of a reply that has just arrived: a piece of text, a piece of the model's
// thoughts, or a complete call. It can also be a notice: a sentence for the user about the
// model.
type Event struct {
	Text    string
	Thought string
	Call    *Call
	Notice  string
}

// Info describes a provider. It holds no secrets.
type Info struct {
	Provider string // "builtin", "openai" or, if only a recording of another model is set, "replay"
	Name     string // of the model
	BaseURL  string // without user, password and query; "" for the built-in model
}

// Provider answers requests to models. It is safe for concurrent use.
type Provider interface {
	// Complete asks for one reply. It calls onEvent, which may be nil, in order and from this
	// goroutine, with every piece of text and thought and with every complete call. It retries
	// for a while if the provider is busy or cannot be reached, but never after a part of the
	// reply has arrived: then it returns the partial reply together with the error. The error is
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

// Config says where to ask a model, and how long to wait. Its zero value is the built-in model.
type Config struct {
	BaseURL string // of an OpenAI-compatible endpoint; "" with a key: DefaultBaseURL
	APIKey  string // "" for endpoints that need none
	// KeyCommand is a program with arguments that prints the key. It is run at the first
	// request, if APIKey is "".
	KeyCommand []string
	// KeyFrom is the source of the key that errors name, such as a variable; "" means
	// OPENAI_API_KEY.
	KeyFrom string
	// BaseFrom is the source of the base URL that errors name; "" means OPENAI_BASE_URL.
	BaseFrom string
	Name     string // of the model; "": DefaultName
	// GiveUp limits how long a request is retried, counted from its start; 0: DefaultGiveUp. A provider
	// that says when to ask again is waited for, a minute in all or GiveUp if that is longer.
	GiveUp time.Duration
	// Silence is the longest time without a byte from the provider, before the
	// reply and within it; 0: DefaultSilence. A provider that only keeps the connection
	// alive has five minutes, or twice Silence if that is longer.
	Silence time.Duration
	// KeyHeader is the header that has the key as its value, such as "api-key"; "" means
	// Authorization with a bearer token.
	KeyHeader string
	// APIVersion is sent as api-version in the query of each request, for Azure; "" sends none.
	APIVersion string
	Headers    []Header // sent with each request

	// Whether models accept tools, streamed replies and the system role.
	Tools, Stream, System Takes

	Models Models           // other models for some purposes, see [For]
	Prices map[string]Price // by model name

	// Record is a directory to which every exchange is written. Replay is a directory from which
	// requests are answered without sending them. "" means none; with Replay, Record does
	// nothing. See docs/records.md.
	Record, Replay string

	Refused string // why no request may be sent, as a part of a sentence; "" if requests may be sent

	// Transport carries the requests to BaseURL; nil: HTTP.
	Transport http.RoundTripper
}

// Header is sent with each request to a provider.
type Header struct {
	Name, Value string
	Secret      bool // its value is kept out of errors, replies and recordings
}

// New returns the provider that c describes: the built-in model if there is neither a base URL
// nor a key. It opens nothing but a recording. It never fails: Complete reports an invalid base
// URL.
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

// Address returns where requests go; nil for the built-in model and for an invalid address.
func (c Config) Address() *url.URL {
	if c.BaseURL == "" && c.APIKey == "" {
		return nil
	}
	base, _ := parseBase(cmp.Or(c.BaseURL, DefaultBaseURL))
	return base
}

// builtinURL is the address of the built-in model, in process.
const builtinURL = "http://built-in/v1"

// newBuiltin returns the built-in model: the usual client with an endpoint in process. It uses
// only the recording settings of c.
func newBuiltin(c Config) Provider {
	p := newClient(Config{BaseURL: builtinURL, Name: builtinName, Transport: builtinTransport{}, Record: c.Record})
	p.info = Info{Provider: "builtin", Name: builtinName}
	return p
}

// IsHelp reports whether a reply is the built-in model's description of itself, which answers a
// request that it could not read. It counts as an answer, whatever was wanted.
func IsHelp(of Info, reply string) bool {
	return of.Provider == "builtin" && strings.Contains(reply, whoIAm)
}

// Purpose is the kind of work that a model is asked to do.
type Purpose string

// The purposes for which the user can set another model.
const (
	Answering   Purpose = "answer"    // questions; the usual model
	Planning    Purpose = "plan"      // plans in words, and who works on what
	Editing     Purpose = "edit"      // work with tools
	Classifying Purpose = "classify"  // small questions about a message
	Summarising Purpose = "summarise" // summaries of older turns
)

// Models names the model for each purpose; "" means the usual one.
type Models struct {
	Plan, Edit, Classify, Summarise string
}

func (m Models) of(purpose Purpose) string {
	switch purpose {
	case Planning:
		return m.Plan
	case Editing:
		return m.Edit
	case Classifying:
		return m.Classify
	case Summarising:
		return m.Summarise
	}
	return ""
}

// For returns the provider for a purpose. It asks the model that is set for the purpose, or p's
// own if none is. A request that names a model goes to that model.
func For(p Provider, purpose Purpose) Provider {
	if chooses, ok := p.(interface{ For(Purpose) Provider }); ok {
		return chooses.For(purpose)
	}
	return p
}

// For returns the provider for a purpose, see the function For.
func (p *client) For(purpose Purpose) Provider {
	name := p.models.of(purpose)
	if name == "" || name == p.info.Name {
		return p
	}
	return &another{p, name}
}

// another is a provider that asks another model than its usual one.
type another struct {
	*client
	name string
}

func (a *another) Info() Info {
	info := a.client.Info()
	info.Name = a.name
	return info
}

func (a *another) Complete(ctx context.Context, req Request, onEvent func(Event)) (Reply, error) {
	req.Model = cmp.Or(req.Model, a.name)
	return a.client.Complete(ctx, req, onEvent)
}
