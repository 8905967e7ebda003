package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// builtinName is the model's name.
const builtinName = "builtin"

// builtinTransport is the model that needs no network, as an endpoint in process. It understands a
// small set of plain instructions (see [builtinUsage]) and carries them out with the tools that a
// request offers, over several requests, as any other model would.
//
// The instructions are the last user message, without a context block at its end. The model keeps
// nothing between requests: it goes through the instructions from their start each time, takes the
// results of its earlier calls from the messages, and stops at the first call that has no result
// yet.
type builtinTransport struct{}

// RoundTrip answers a chat completion request with a stream.
func (builtinTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	defer req.Body.Close()
	var ask WireRequest
	if err := json.NewDecoder(req.Body).Decode(&ask); err != nil {
		return nil, fmt.Errorf("the request is no chat completion: %w", err)
	}
	text, calls := respond(ask)
	body := stream(text, calls)
	return &http.Response{
		StatusCode:    http.StatusOK,
		Status:        "200 OK",
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {"text/event-stream"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}, nil
}

// stream writes a reply as events, text in words.
func stream(text string, calls []call) []byte {
	var b bytes.Buffer
	for word := range strings.SplitAfterSeq(text, " ") {
		if word != "" {
			b.WriteString(WireText(word))
		}
	}
	finish := "stop"
	for i, c := range calls {
		finish = "tool_calls"
		b.WriteString(WireCall(i, c.id, c.name, c.arguments))
	}
	b.WriteString(WireFinish(finish))
	b.WriteString(WireUsage(0, 0)) // the built-in model costs nothing
	b.WriteString(WireDone)
	return b.Bytes()
}

// respond returns either the next calls to make or the closing text.
func respond(ask WireRequest) (text string, calls []call) {
	request, since := lastRequest(ask.Messages)
	request = ofComments(request)
	steps, err := parse(request)
	if err != nil {
		return help(err), nil
	}
	if len(ask.Tools) == 0 { // the request asks for a plan in words
		return "I would carry this out as it stands: " + request, nil
	}
	s := newScript(ask.Tools, since)
	var said []string
	for i, step := range steps {
		report, err := step.run(s)
		if errors.Is(err, errWaiting) {
			return "", s.asked
		}
		if report != "" {
			said = append(said, report)
		}
		if err != nil {
			said = append(said, err.Error())
			if left := len(steps) - i - 1; left > 0 {
				said = append(said, fmt.Sprintf("I left out what came after it (%s).", phrase.Count(left, "instruction")))
			}
			break
		}
	}
	return strings.Join(said, "\n"), nil
}

// ofComments returns a request that has comments on lines of a plan as one without the lines that say
// where they are, such as "a.go, line 3 (return a + b):". What it asks for then happens in order.
func ofComments(request string) string {
	parts, comments := strings.Split(request, "\n\n"), 0
	for i, part := range parts {
		if first, rest, ok := strings.Cut(part, "\n"); ok && commentPlace().MatchString(first) {
			parts[i], comments = rest, comments+1
		}
	}
	if comments == 0 {
		return request
	}
	return strings.Join(parts, " then ")
}

// lastRequest returns the user's last message and the messages after it.
func lastRequest(messages []openai.ChatCompletionMessage) (request string, since []openai.ChatCompletionMessage) {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "user" {
			return withoutContext(messages[i].Content), messages[i+1:]
		}
	}
	return "", nil
}

// withoutContext removes the context block from the end of a request: a line of backticks and
// "context", lines, and a line of as many backticks. The block holds no run of backticks of that
// length, so its last line shows where it begins.
func withoutContext(text string) string {
	text = strings.TrimSpace(text)
	fence := text[len(strings.TrimRight(text, "`")):]
	if at := strings.LastIndex("\n"+text, "\n"+fence+"context\n"); at >= 0 && len(fence) >= 3 && strings.HasSuffix(text, "\n"+fence) {
		text = text[:at]
	}
	return strings.TrimSpace(text)
}

// commentPlace matches the line before a comment on a line of a plan.
var commentPlace = lazyregexp.New(`^\S.*, line [0-9]+( of the old text)?( \(.*\))?:$`)

// errWaiting ends a run through the instructions because calls have to be made first.
var errWaiting = errors.New("waiting for tools")

// problem says, for the user, why an instruction could not be carried out.
type problem string

func (p problem) Error() string { return string(p) }

// call is a tool call, with its arguments as JSON text.
type call struct{ id, name, arguments string }

// args are the arguments of a tool call by name.
type args map[string]any

// answered is a call of this turn with the tool's answer.
type answered struct {
	call
	result string
}

// script is one run through the instructions of a request.
type script struct {
	offered map[string]bool // tools, by name
	past    []answered      // the turn's calls so far, in order
	at      int             // how many of them this run has reached again
	asked   []call          // calls to make now
}

// newScript reads this turn's calls from the messages after the user's request.
func newScript(tools []openai.Tool, since []openai.ChatCompletionMessage) *script {
	s := &script{offered: make(map[string]bool)}
	for _, t := range tools {
		s.offered[t.Function.Name] = true
	}
	results := make(map[string]string)
	for _, m := range since {
		if m.Role == "tool" {
			results[m.ToolCallID] = withoutNotes(m.Content)
		}
	}
	for _, m := range since {
		for _, c := range m.ToolCalls {
			result, ok := results[c.ID]
			if !ok {
				result = failed + "the tool did not answer"
			}
			s.past = append(s.past, answered{call{c.ID, c.Function.Name, c.Function.Arguments}, result})
		}
	}
	return s
}

// withoutNotes removes Redline's notes from the start of a tool's answer: lines in brackets,
// followed by an empty line, about what the user has decided meanwhile. No tool's own answer
// begins like that.
func withoutNotes(content string) string {
	notes, answer, ok := strings.Cut(content, "\n\n")
	if !ok || notes == "" { // a file may begin with empty lines
		return content
	}
	for line := range strings.Lines(notes) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "[") || !strings.HasSuffix(line, "]") {
			return content
		}
	}
	return answer
}

// wish is a call that an instruction wants to make.
type wish struct {
	tool string
	args args
}

// do has tools run, all in one reply, and returns their answers. It returns errWaiting if some
// have no answer yet.
func (s *script) do(wishes ...wish) ([]string, error) {
	var results []string
	for _, w := range wishes {
		if !s.offered[w.tool] {
			return nil, s.missing(w.tool)
		}
		arguments, err := json.Marshal(w.args)
		if err != nil {
			return nil, problem(err.Error())
		}
		if s.at == len(s.past) {
			id := fmt.Sprintf("builtin_%d", len(s.past)+len(s.asked)+1)
			s.asked = append(s.asked, call{id, w.tool, string(arguments)})
			continue
		}
		before := s.past[s.at]
		if before.name != w.tool || !sameJSON(before.arguments, string(arguments)) {
			return nil, problem("I lost the thread: what the tools answered before is not in the conversation any more. Ask for less at a time.")
		}
		results = append(results, before.result)
		s.at++
	}
	if len(s.asked) > 0 {
		return nil, errWaiting
	}
	return results, nil
}

// missing says that this request does not offer a tool.
func (s *script) missing(tool string) problem {
	if changes := []string{"edit_file", "write_file", "delete_file", "rename_file", "run_command"}; !s.offersAny(changes) {
		return "This needs a plan, and this mode makes none: send it as an ordinary request."
	}
	return problem(fmt.Sprintf("This needs the tool %s, which is not available for this request.", tool))
}

func (s *script) offersAny(tools []string) bool {
	return slices.ContainsFunc(tools, func(t string) bool { return s.offered[t] })
}

// need returns a problem for the first tool that the request does not offer, before any is used.
func (s *script) need(tools ...string) error {
	for _, t := range tools {
		if !s.offered[t] {
			return s.missing(t)
		}
	}
	return nil
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// failed starts each answer of a tool that could not do its work.
const failed = "error: "

// refusal returns a tool's reason for refusing, from its first line; ok is false if it did not
// refuse.
func refusal(result string) (why string, ok bool) {
	why, ok = strings.CutPrefix(result, failed)
	why, _, _ = strings.Cut(why, "\n")
	return strings.TrimRight(strings.TrimSpace(why), "."), ok
}

// WireRequest is the body of a chat completion request, as the answering side of the wire reads it.
// See https://platform.openai.com/docs/api-reference/chat/create.
type WireRequest = openai.ChatCompletionRequest

// WireDone is the event after the last one.
const WireDone = "data: [DONE]\n\n"

// WireText is the event that adds text to the reply.
func WireText(text string) string {
	return wireDelta(openai.ChatCompletionStreamChoiceDelta{Content: text})
}

// WireCall is the event that begins the reply's call with this index, counted from 0, and gives the
// first piece of its arguments; without an id and a name it adds a further piece.
func WireCall(index int, id, name, arguments string) string {
	return wireDelta(openai.ChatCompletionStreamChoiceDelta{ToolCalls: []openai.ToolCall{
		{Index: &index, ID: id, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: name, Arguments: arguments}},
	}})
}

func wireDelta(d openai.ChatCompletionStreamChoiceDelta) string {
	return wireEvent([]openai.ChatCompletionStreamChoice{{Delta: d}}, nil)
}

// WireFinish is the event that ends the reply's content.
func WireFinish(reason string) string {
	return wireEvent([]openai.ChatCompletionStreamChoice{{FinishReason: openai.FinishReason(reason)}}, nil)
}

// WireUsage is the event that counts the tokens of the request.
func WireUsage(prompt, completion int) string {
	return wireEvent([]openai.ChatCompletionStreamChoice{}, &openai.Usage{PromptTokens: prompt, CompletionTokens: completion, TotalTokens: prompt + completion})
}

func wireEvent(choices []openai.ChatCompletionStreamChoice, u *openai.Usage) string {
	data, err := json.Marshal(openai.ChatCompletionStreamResponse{Object: "chat.completion.chunk", Choices: choices, Usage: u})
	if err != nil {
		panic(fmt.Sprintf("a chunk holds only strings and numbers: %v", err))
	}
	return "data: " + string(data) + "\n\n"
}
