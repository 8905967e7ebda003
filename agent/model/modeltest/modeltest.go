// Package modeltest is an endpoint that answers from a script: for tests, benchmarks and the demo.
// It speaks the OpenAI chat wire, and what agents of others speak: OpenAI's responses, Anthropic's
// messages and Gemini's generateContent. A request's path chooses. The endpoint is reached in
// process, as an http.RoundTripper, or over the loopback interface. Text and arguments come in
// several fragments where the protocol has such.
package modeltest

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// Usage is what every complete reply reports, in tokens.
const (
	UsagePrompt     = 100
	UsageCompletion = 10
)

// FinishNone ends a reply without a finish reason.
const FinishNone = "none"

// Reply is one answer of the script. The zero value is an empty one.
type Reply struct {
	Status int // HTTP status; 0: 200
	Header http.Header
	Body   string // sent if Status means failure
	Parts  []Part // sent as a stream otherwise
	// Finish is the finish_reason; "": "tool_calls" if the reply has calls,
	// else "stop".
	Finish string
	// For lets the reply answer only a request that contains this text, for requests made at the
	// same time, which come in any order. "": any request.
	For string
}

// Part is a piece of a streamed reply: [Text], [Long], [Call], [Raw], [Wait],
// [Endless] or [Cut].
type Part struct {
	kind partKind
	text string // or the name of a call or of what is waited for
	args string
}

type partKind int

const (
	textPart partKind = iota
	callPart
	rawPart
	waitPart
	cutPart
	longPart
	endlessPart
)

// Text is a piece of the answer's text.
func Text(text string) Part { return Part{kind: textPart, text: text} }

// Long is a piece of the answer's text that is repeated up to a size in bytes. Its fragments are
// large.
func Long(size int, text string) Part {
	repeated := strings.Repeat(text, size/max(1, len(text))+1)
	return Part{kind: longPart, text: strings.ToValidUTF8(repeated[:size], "")}
}

// Endless is a piece of the answer's text that is repeated every few milliseconds until the
// client stops reading. Nothing after it is sent.
func Endless(text string) Part { return Part{kind: endlessPart, text: text} }

// Call is a tool call with its arguments as JSON text, which is sent unchanged.
func Call(name, arguments string) Part { return Part{kind: callPart, text: name, args: arguments} }

// Raw is a piece of the response body that is sent unchanged.
func Raw(bytes string) Part { return Part{kind: rawPart, text: bytes} }

// Wait holds the stream until [Server.Release] is called with the name.
func Wait(name string) Part { return Part{kind: waitPart, text: name} }

// Cut breaks the connection: nothing after it is sent.
func Cut() Part { return Part{kind: cutPart} }

// Stream is a reply made of parts.
func Stream(parts ...Part) Reply { return Reply{Parts: parts} }

// Fail is a reply with a status that means failure.
func Fail(status int, body string) Reply { return Reply{Status: status, Body: body} }

// piece is sent in one write.
type piece struct {
	kind partKind // rawPart, waitPart, endlessPart or cutPart
	text string
}

// pieces splits a reply into pieces, in the form of a stream; ids of calls start with prefix.
func (r Reply) pieces(in stream, prefix string) []piece {
	if r.Status != 0 && r.Status/100 != 2 {
		return []piece{{rawPart, r.Body}}
	}
	var out []piece
	send := func(events []string) {
		for _, event := range events {
			out = append(out, piece{rawPart, event})
		}
	}
	send(in.begin())
	calls := 0
	for _, p := range r.Parts {
		switch p.kind {
		case textPart:
			for _, fragment := range split(p.text) {
				send(in.text(fragment))
			}
		case longPart:
			for rest := p.text; rest != ""; {
				end := min(len(rest), 16<<10)
				for end < len(rest) && !utf8.RuneStart(rest[end]) {
					end++
				}
				send(in.text(rest[:end]))
				rest = rest[end:]
			}
		case callPart:
			send(in.call(fmt.Sprintf("%s_%d", prefix, calls), p.text, p.args))
			calls++
		case cutPart:
			return append(out, piece{kind: cutPart})
		case endlessPart:
			return append(out, piece{p.kind, strings.Join(in.text(p.text), "")})
		default:
			out = append(out, piece{p.kind, p.text})
		}
	}
	if r.Finish != FinishNone {
		send(in.end(r.Finish))
	}
	return out
}

// split splits text between characters into at least three fragments, if it has as many, of at
// most 40 bytes each.
func split(text string) []string {
	size := max(1, min(40, len(text)/3))
	var fragments []string
	for text != "" {
		end := min(size, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		fragments = append(fragments, text[:end])
		text = text[end:]
	}
	return fragments
}
