package model

import "strings"

// harmony reads a reply in the format of OpenAI's open models, if their server passes it on as
// it is: messages on channels, of which only "final" is for the user. A message to a function is
// a call.
type harmony struct {
	held    string // text that may be the start of a token
	part    harmonyPart
	header  strings.Builder
	callee  string          // the function that the message is for; "" for none
	written strings.Builder // its arguments
	calls   []writtenCall
}

// writtenCall is a call that a model has written into its text, in its own format.
type writtenCall struct{ name, arguments string }

type harmonyPart int

const (
	harmonyOutside harmonyPart = iota // between messages: text of the reply
	harmonyHeader
	harmonyThought
	harmonyFinal
	harmonyCall
)

// harmonyStarts are the tokens that such a reply begins with.
var harmonyStarts = []string{"<|channel|>", "<|start|>assistant"}

var harmonyTokens = []string{"<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|return|>", "<|call|>"}

// next splits a fragment, together with the text that was held back, into thoughts and reply.
func (h *harmony) next(fragment string) (thought, said string) {
	text := h.held + fragment
	h.held = ""
	var thoughts, reply strings.Builder
	for text != "" {
		at := strings.IndexByte(text, '<')
		if at < 0 {
			h.put(text, &thoughts, &reply)
			break
		}
		h.put(text[:at], &thoughts, &reply)
		text = text[at:]
		token, partly := "", false
		for _, t := range harmonyTokens {
			if strings.HasPrefix(text, t) {
				token = t
			}
			partly = partly || strings.HasPrefix(t, text)
		}
		switch {
		case token != "":
			h.take(token)
			text = text[len(token):]
		case partly:
			h.held, text = text, ""
		default:
			h.put(text[:1], &thoughts, &reply)
			text = text[1:]
		}
	}
	return thoughts.String(), reply.String()
}

// put adds text to the part that it is in.
func (h *harmony) put(text string, thought, said *strings.Builder) {
	switch h.part {
	case harmonyHeader:
		h.header.WriteString(text)
	case harmonyThought:
		thought.WriteString(text)
	case harmonyCall:
		h.written.WriteString(text)
	default:
		said.WriteString(text)
	}
}

// take reads a token.
func (h *harmony) take(token string) {
	switch token {
	case "<|start|>", "<|channel|>":
		h.endCall()
		h.part = harmonyHeader
		h.header.WriteString(" ") // after <|start|> the callee may stand before the channel
		if token == "<|start|>" {
			h.header.Reset()
		}
	case "<|constrain|>":
		h.header.WriteString(" ")
	case "<|message|>":
		h.part = h.addressed(strings.Fields(h.header.String()))
		h.header.Reset()
	default:
		h.endCall()
		h.part = harmonyOutside
	}
}

// addressed returns the part that a header begins, and keeps the function that it names.
func (h *harmony) addressed(header []string) harmonyPart {
	part := harmonyThought
	for _, word := range header {
		if word == "final" {
			part = harmonyFinal
		}
		at := strings.Index(word, "to=")
		if at < 0 {
			continue
		}
		if h.callee = toolName(word[at+len("to="):]); h.callee != "" {
			return harmonyCall
		}
	}
	return part
}

// endCall completes the call that is being written.
func (h *harmony) endCall() {
	if h.part == harmonyCall {
		h.calls = append(h.calls, writtenCall{h.callee, h.written.String()})
		h.part = harmonyOutside
	}
	h.callee = ""
	h.written.Reset()
}

// rest returns what was held back, once no more fragments come.
func (h *harmony) rest() (thought, said string) {
	held := h.held
	h.held = ""
	switch h.part {
	case harmonyThought:
		return held, ""
	case harmonyOutside, harmonyFinal:
		return "", held
	}
	return "", ""
}
