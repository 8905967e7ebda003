package model

import "strings"

// thinking separates the thoughts at the start of a reply, such as those between <think> and
// </think>, from the reply. Later marks are part of the reply, since they may be in code. The
// zero value is ready to use.
type thinking struct {
	state   thinkState
	held    string  // text that may be the start of a mark
	mark    string  // the mark that ends the thought
	harmony harmony // reads the reply in state thinkHarmony
}

type thinkState int

const (
	thinkMaybe   thinkState = iota // only spaces and line ends have come so far
	thinkInside                    // between the marks
	thinkAfter                     // skips the spaces after the closing mark
	thinkHarmony                   // in the format that has a channel for thoughts
	thinkOver
)

// thinkMarks are pairs of marks that open and close a thought, in lower case.
var thinkMarks = [][2]string{
	{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<thought>", "</thought>"}, {"<thoughts>", "</thoughts>"},
	{"<reasoning>", "</reasoning>"}, {"<seed:think>", "</seed:think>"}, {"<mm:think>", "</mm:think>"},
	{"<|channel>thought", "<channel|>"},            // Gemma's
	{"[think]", "[/think]"},                        // Magistral's
	{"<|start_thinking|>", "<|end_thinking|>"},     // Command's
	{"<|begin_of_thought|>", "<|end_of_thought|>"}, //
	{"◁think▷", "◁/think▷"},                        // Kimi's
}

// next splits a fragment, together with the text that was held back, into thoughts and reply.
func (t *thinking) next(fragment string) (thought, said string) {
	switch t.state {
	case thinkOver:
		return "", fragment
	case thinkHarmony:
		return t.harmony.next(fragment)
	}
	text := t.held + fragment
	t.held = ""
	if t.state == thinkMaybe {
		if text = t.begin(text); t.state == thinkMaybe {
			return "", ""
		}
	}
	switch t.state {
	case thinkOver:
		return "", text
	case thinkHarmony:
		return t.harmony.next(text)
	case thinkInside:
		at, end := findMark(text, t.mark)
		if at < 0 {
			t.held = text[end:]
			return text[:end], ""
		}
		thought, text, t.state = text[:at], text[end:], thinkAfter
	}
	if said = strings.TrimLeft(text, " \t\r\n"); said != "" {
		t.state = thinkOver
	}
	return thought, said
}

// begin reads the start of a reply. Once it is clear whether it is a thought, begin sets the
// state and returns the text after the opening mark; before that it holds the text back.
func (t *thinking) begin(text string) string {
	start := strings.TrimLeft(text, " \t\r\n")
	for _, mark := range thinkMarks {
		if hasStart(start, mark[0]) {
			t.state, t.mark = thinkInside, mark[1]
			return start[len(mark[0]):]
		}
	}
	for _, mark := range harmonyStarts {
		if strings.HasPrefix(start, mark) {
			t.state = thinkHarmony
			return start
		}
	}
	for _, mark := range thinkMarks {
		if hasStart(mark[0], start) { // or only spaces
			t.held = text
			return ""
		}
	}
	for _, mark := range harmonyStarts {
		if strings.HasPrefix(mark, start) {
			t.held = text
			return ""
		}
	}
	t.state = thinkOver
	return text
}

// hasStart reports whether a text begins with a mark, whatever the case of its letters.
func hasStart(text, mark string) bool {
	return len(text) >= len(mark) && strings.EqualFold(text[:len(mark)], mark)
}

// findMark returns where a mark begins and ends in a text, whatever the case of its letters. If
// it is not there, at is -1, and the text from end on may be its start.
func findMark(text, mark string) (at, end int) {
	for i := range len(text) {
		if text[i] != mark[0] {
			continue
		}
		rest := text[i:]
		if hasStart(rest, mark) {
			return i, i + len(mark)
		}
		if hasStart(mark, rest) {
			return -1, i
		}
	}
	return -1, len(text)
}

// rest returns what was held back, once no more fragments come.
func (t *thinking) rest() (thought, said string) {
	held := t.held
	t.held = ""
	switch t.state {
	case thinkInside:
		return held, ""
	case thinkHarmony:
		return t.harmony.rest()
	}
	return "", held
}

// taken returns the calls that were complete in the text so far, each once.
func (t *thinking) taken() []writtenCall {
	calls := t.harmony.calls
	t.harmony.calls = nil
	return calls
}

// unfinished returns the calls that the end of the reply completes.
func (t *thinking) unfinished() []writtenCall {
	t.harmony.endCall()
	return t.taken()
}

// harmony reads a reply in the format of OpenAI's open models, if their server passes it on as
// it is: messages on channels. The user sees only "final". A message to a function is
// a call. See https://developers.openai.com/cookbook/articles/openai-harmony.
//
//	<|channel|>analysis<|message|>I need the file.<|end|>
//	<|start|>assistant<|channel|>commentary to=functions.read_file<|message|>{"path":"a.go"}<|call|>
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
		_, after, ok := strings.Cut(word, "to=")
		if !ok {
			continue
		}
		if h.callee = toolName(after); h.callee != "" {
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
