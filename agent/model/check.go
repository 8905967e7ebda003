package model

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"redline/internal/phrase"
)

// Report says whether a model has what Redline needs. It is the result of one small question
// with a tool.
type Report struct {
	Answer    string   // its answer, in one line; "" if it gave none
	Tools     bool     // it called the tool
	Streaming bool     // its reply arrived in pieces
	Context   int      // how many tokens it can read at once; 0 if not known
	Warnings  []string // what it lacks and what to do about it, one sentence each
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
