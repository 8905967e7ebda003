// Package builtin is the model that needs no network: it understands a small
// set of plain instructions (see [Usage]) and carries them out with the tools
// that a request offers, over several requests, as any other model would.
//
// The instructions are the last user message, without a context block at its
// end. The model keeps nothing between requests: it goes through the
// instructions from their start each time, takes the results of the calls that
// it made before from the messages, and stops at the first call that has no
// result yet.

package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"redline/internal/phrase"
)

// Name is the model's name.
const Name = "builtin"

// Transport is the model as an endpoint in process.
type Transport struct{}

// RoundTrip answers a chat completion request with a stream.
func (Transport) RoundTrip(req *http.Request) (*http.Response, error) {
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
		b.WriteString(WireCallStart(i, c.id, c.name, c.arguments))
	}
	b.WriteString(WireFinish(finish))
	b.WriteString(WireUsage(0, 0)) // the built-in model costs nothing
	b.WriteString(WireDone)
	return b.Bytes()
}

// respond returns either the next calls to make or the closing text.
func respond(ask WireRequest) (text string, calls []call) {
	request, since := lastRequest(ask.Messages)
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

// lastRequest returns the user's last message and the messages after it.
func lastRequest(messages []WireMessage) (request string, since []WireMessage) {
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
