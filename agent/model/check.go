package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// Report says whether a model has what Redline needs. It is the result of one small question
// with a tool.
type Report struct {
	Answer    string   `json:"answer"`    // its answer, in one line; "" if it gave none
	Tools     bool     `json:"tools"`     // it called the tool
	Streaming bool     `json:"streaming"` // its reply arrived in pieces
	Context   int      `json:"context"`   // how many tokens it can read at once; 0 if not known
	Warnings  []string `json:"warnings"`  // what it lacks and what to do about it, one sentence each
}

// OK reports whether the model has everything that is needed, as far as is known.
func (r Report) OK() bool { return len(r.Warnings) == 0 }

const (
	// MinWindow is the shortest context that Redline can work in, in tokens: its instructions,
	// the tools, [brief.DefaultTokens] of context and earlier messages.
	MinWindow = 16 << 10
	// GoodWindow is the context that users should give a local model, in tokens.
	GoodWindow = 32 << 10

	maxReply  = 512 // tokens of a reply from a user's own server
	maxAnswer = 200 // bytes of the answer that go into a report
	maxBabble = 600 // bytes of text after which Check stops reading: a small model may never end

	// checkGiveUp and checkSilence suit a user who waits: a local model may have to be loaded.
	checkGiveUp  = 5 * time.Second
	checkSilence = 3 * time.Minute
)

// The question and its tool. The tool has the answer, so a model that takes tools must call it.
const (
	checkTool     = "read_file"
	checkSchema   = `{"type":"object","properties":{"path":{"type":"string","description":"the path of the file"}},"required":["path"]}`
	checkCall     = `{"path":"hello.txt"}`
	checkQuestion = "What does the file hello.txt say? Read it with the tool read_file, then answer in one short sentence."
	checkFile     = "Hello from Redline."
)

// Check asks the model of c one small question with a tool, and then how much it can read at
// once. Its error is an [*Error] or ctx's if the model could not be asked at all.
func Check(ctx context.Context, c Config) (Report, error) {
	seen := &watched{base: c.Transport}
	if seen.base == nil {
		seen.base = newHTTP(checkGiveUp)
	}
	c.Transport, c.GiveUp, c.Silence, c.Record, c.Replay = seen, checkGiveUp, max(c.Silence, checkSilence), "", ""
	p := newClient(c)
	req := Request{
		Messages: []Message{{Role: RoleUser, Content: checkQuestion}},
		Tools:    []Tool{{Name: checkTool, Description: "Read a text file of the project.", Parameters: json.RawMessage(checkSchema)}},
	}
	if p.base != nil && isNear(p.base) { // a small model may write a call that never ends
		req.MaxTokens = maxReply
	}
	first, err := p.brief(ctx, req)
	if err != nil {
		return Report{}, err
	}
	lacking := p.can.of(p.info.Name)
	r := Report{Tools: len(first.Calls) > 0 && !first.ToolsInText, Streaming: seen.streamed.Load() && !lacking.stream}
	answer := first.Text
	if r.Tools {
		// What a small model writes besides may be longer than it can read.
		call := first.Calls[0]
		call.Arguments = checkCall
		req.Messages = append(req.Messages,
			Message{Role: RoleAssistant, Content: phrase.StartBytes(first.Text, maxAnswer), Calls: []Call{call}, Thought: first.Thought, Extra: first.Extra},
			Message{Role: RoleTool, CallID: call.ID, Content: checkFile})
		second, err := p.brief(ctx, req)
		if err != nil {
			return Report{}, err
		}
		answer = cmp.Or(second.Text, answer)
	}
	if !first.ToolsInText { // otherwise it is an array of calls
		r.Answer = phrase.StartBytes(strings.Join(strings.Fields(answer), " "), maxAnswer)
	}
	w := p.window(ctx)
	r.Context = w.tokens
	r.Warnings = r.warnings(p.info.Name, w, first)
	return r, nil
}

// brief asks for a reply. If the reply becomes too long, it returns the beginning.
func (p *client) brief(ctx context.Context, req Request) (Reply, error) {
	listening, stop := context.WithCancel(ctx)
	defer stop()
	said := 0
	reply, err := p.Complete(listening, req, func(e Event) {
		if said += len(e.Text); said > maxBabble {
			stop()
		}
	})
	if said > maxBabble && ctx.Err() == nil {
		err = nil
	}
	return reply, err
}

// warnings says what the model lacks.
func (r Report) warnings(name string, w window, first Reply) []string {
	var all []string
	switch {
	case first.ToolsInText:
		all = append(all, fmt.Sprintf("The model %q takes no tools, so its edits may be worse: choose a model with tools%s.", name, w.server.withTools()))
	case !r.Tools:
		all = append(all, fmt.Sprintf("The model %q did not call the tool that it was asked to call, so it may stage no edits: choose a larger model, or one made for tools.", name))
	}
	if !r.Streaming {
		all = append(all, fmt.Sprintf("The model %q does not stream its replies, so you see each one only when it is complete.", name))
	}
	switch {
	case r.Context > 0 && r.Context < MinWindow:
		all = append(all, fmt.Sprintf("It reads %s tokens at once and Redline needs %s or more: %s.", thousands(r.Context), thousands(MinWindow), w.server.longer()))
	case r.Context == 0 && w.server == ollama:
		all = append(all, fmt.Sprintf("Ollama does not say how many tokens the model reads at once, and its default is too few for Redline: %s.", ollama.longer()))
	}
	return all
}

// longer says how to give a server a longer context, as a part of a sentence.
func (s server) longer() string {
	switch s {
	case ollama:
		return fmt.Sprintf("start Ollama with OLLAMA_CONTEXT_LENGTH=%d, or make a model of your own with the line PARAMETER num_ctx %d in a Modelfile", GoodWindow, GoodWindow)
	case llamaServer:
		return fmt.Sprintf("start llama-server with -c %d, and with --parallel 1, since its slots share it", GoodWindow)
	case lmStudio:
		return fmt.Sprintf("load the model with a context length of %d in LM Studio", GoodWindow)
	}
	return "choose a model with a longer context"
}

// withTools says how to make a server accept tools, "" if nothing is needed.
func (s server) withTools() string {
	if s == llamaServer {
		return ", and start llama-server with --jinja"
	}
	return ""
}

// thousands formats a number with separators: 32,768.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// watched notes whether an answer was streamed.
type watched struct {
	base     http.RoundTripper
	streamed atomic.Bool
}

func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := w.base.RoundTrip(r)
	if err == nil && response.StatusCode/100 == 2 && strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		w.streamed.Store(true)
	}
	return response, err
}

// listed is one model in an endpoint's list. Only the id is always there.
type listed struct {
	ID       string `json:"id"`
	Window   int    `json:"context_length"` // of OpenRouter
	MaxModel int    `json:"max_model_len"`  // of vLLM
}

// otherWork matches the names of models that do not chat: those for embedding, hearing,
// speaking, drawing or judging.
var otherWork = lazyregexp.New(`(?i)embed|whisper|\btts\b|dall-e|moderation|gpt-image|sora|transcribe|realtime|-audio\b|audio-preview|davinci-00|babbage-00|rerank`)

// List asks an endpoint for its models and returns their names in its order, without those that
// do not chat. It ignores c.Name. Its error is an [*Error], or ctx's.
func List(ctx context.Context, c Config) ([]string, error) {
	all, err := newClient(c).list(ctx)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, m := range all {
		if name := strings.TrimSpace(m.ID); name != "" && !otherWork().MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

func (p *client) list(ctx context.Context) ([]listed, error) {
	var answer struct {
		Data []listed `json:"data"`
	}
	address := p.under("models")
	if err := p.document(ctx, http.MethodGet, address, nil, &answer); err != nil {
		return nil, err
	}
	if answer.Data == nil {
		e := p.failed(KindBroken)
		e.Detail = "its answer is no list of models"
		return nil, e
	}
	return answer.Data, nil
}

// Reach asks the endpoint of c for its list of models, in the same way as for a reply, and
// returns the HTTP status. It returns an error if there was no answer; the error and its text
// hold no secrets.
func Reach(ctx context.Context, c Config) (status int, err error) {
	p := newClient(c)
	response, end, err := p.plain(ctx, http.MethodGet, p.under("models"), nil)
	if err != nil {
		return 0, err
	}
	end()
	return response.StatusCode, nil
}

// maxPlain is how many bytes are read of the answer to a request made by plain. A list can have
// hundreds of models.
const maxPlain = 16 << 20

// under returns a path below the base URL, or nil if there is none.
func (p *client) under(path ...string) *url.URL {
	if p.base == nil {
		return nil
	}
	return p.base.JoinPath(path...)
}

// plain sends a request other than one for a reply, with the same key and headers. The caller
// must call end. Its errors are an [*Error] or the context's.
func (p *client) plain(ctx context.Context, method string, address *url.URL, body []byte) (response *http.Response, end func(), err error) {
	if p.broken != nil {
		return nil, nil, p.broken
	}
	key, err := p.key(ctx)
	if err != nil {
		return nil, nil, err
	}
	c := p.config
	to := *address
	query := p.base.Query()
	if c.APIVersion != "" {
		query.Set("api-version", c.APIVersion)
	}
	to.RawQuery, to.Fragment = query.Encode(), ""
	request, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, p.failed(KindMisconfigured)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	if to.Hostname() == "api.anthropic.com" { // there only chat completions accept a bearer token
		request.Header.Set("x-api-key", key)
		request.Header.Set("anthropic-version", "2023-06-01")
	}
	setHeaders(request, c.headers(key))
	via, close := c.Transport, func() {}
	if via == nil {
		own := newHTTP(p.giveUp)
		via, close = own, own.CloseIdleConnections
	}
	response, err = via.RoundTrip(request)
	if err != nil {
		defer close()
		if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, nil, ctx.Err()
		}
		return nil, nil, (&transport{scrub: p.scrub, failed: p.failed}).unreachable(err)
	}
	return response, func() { response.Body.Close(); close() }, nil
}

// document sends a request as [client.plain] does, and decodes the JSON of its answer into v.
func (p *client) document(ctx context.Context, method string, address *url.URL, body []byte, v any) error {
	response, end, err := p.plain(ctx, method, address, body)
	if err != nil {
		return err
	}
	defer end()
	t := &transport{scrub: p.scrub, failed: p.failed}
	if response.StatusCode/100 != 2 {
		return t.refused(response)
	}
	if strings.Contains(response.Header.Get("Content-Type"), "html") {
		return p.failed(KindWebPage)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxPlain)).Decode(v); err != nil {
		e := p.failed(KindBroken)
		e.Detail = "its answer is not the JSON that was asked for"
		return e
	}
	return nil
}
