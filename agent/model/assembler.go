package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// assembler builds a reply from the fragments of a stream.
type assembler struct {
	emit   func(Event)
	begun  func(Call) // called while a call is being written; may be nil
	idBase int        // the first number for made-up call ids
	echo   echoes
	hidden echoes  // removes secrets from the model's thoughts, as echo does from the reply
	beyond *beyond // the parts of the stream that go-openai does not read; nil for none

	thinking thinking
	thought  strings.Builder

	text    strings.Builder
	calls   []*callParts
	done    []Call // how many calls, from the first on, are complete and emitted
	finish  string
	fault   string // the finish reason of a reply that the provider gave up; "" for none
	usage   Usage
	started bool // a fragment has arrived
}

// callParts is a call with the fragments that have arrived.
type callParts struct {
	index     *int // the provider's index of it; nil if it sends none
	id        string
	name      strings.Builder
	arguments strings.Builder
}

// add reads the next chunk of the stream.
func (a *assembler) add(chunk openai.ChatCompletionStreamResponse) {
	if chunk.Usage != nil {
		a.usage = Usage{Prompt: chunk.Usage.PromptTokens, Completion: chunk.Usage.CompletionTokens}
		if details := chunk.Usage.PromptTokensDetails; details != nil {
			a.usage.Cached = details.CachedTokens
		}
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue // other choices of the same request; none were asked for
		}
		a.think(choice.Delta.ReasoningContent)
		a.addText(choice.Delta.Content)
		a.addText(choice.Delta.Refusal)
		for _, fragment := range choice.Delta.ToolCalls {
			a.addCall(fragment)
		}
		a.end(string(choice.FinishReason))
	}
}

// end reads a finish reason; "" for none. Of several the first counts, unless a later one says
// that the reply was cut.
func (a *assembler) end(reason string) {
	finish, failed := finishOf(reason)
	switch {
	case finish == "" || a.finish != "" && !isCut(finish):
	case failed:
		a.fault = finish
	default:
		a.finish = finish
		a.addWritten(a.thinking.unfinished())
		a.release(true)
	}
}

func (a *assembler) addText(piece string) {
	if piece == "" {
		return
	}
	thought, said := a.thinking.next(piece)
	a.addWritten(a.thinking.taken())
	a.think(thought)
	if said == "" {
		return
	}
	a.started = true
	a.giveOut(a.echo.next(said))
}

// think reads a piece of the model's thoughts, which are not part of the reply.
func (a *assembler) think(piece string) {
	if piece == "" {
		return
	}
	if piece = a.hidden.next(piece); piece != "" && a.thought.Len() < maxThought {
		a.thought.WriteString(piece)
		a.emit(Event{Thought: piece})
	}
}

// maxThought is how many bytes of a thought are kept.
const maxThought = 1 << 20

func (a *assembler) giveOut(piece string) {
	if piece == "" {
		return
	}
	a.text.WriteString(piece)
	a.emit(Event{Text: piece})
}

// rest emits what was held back, at the end of the stream.
func (a *assembler) rest() {
	thought, said := a.thinking.rest()
	a.think(thought)
	if said != "" {
		a.giveOut(a.echo.next(said))
	}
	a.giveOut(a.echo.rest())
}

func (a *assembler) addCall(fragment openai.ToolCall) {
	a.started = true
	c := a.callOf(fragment)
	if c == nil {
		c = &callParts{index: fragment.Index}
		a.calls = append(a.calls, c)
		a.release(false)
	}
	c.id = cmp.Or(c.id, fragment.ID)
	if name := fragment.Function.Name; c.arguments.Len() == 0 && (len(name) < 2 || name != c.name.String()) {
		c.name.WriteString(name) // some providers repeat it in every fragment
	}
	before := c.arguments.Len()
	c.arguments.WriteString(fragment.Function.Arguments)
	if before < maxBegun && a.begun != nil {
		a.begun(Call{Name: a.echo.without(toolName(c.name.String())), Arguments: a.echo.without(c.arguments.String())})
	}
}

// maxBegun is how many bytes of a call's arguments are enough to show what it is about. A call
// that writes a file takes long to arrive, and its path comes first.
const maxBegun = 300

// callOf returns the call that a fragment belongs to, or nil if it begins one. It tells calls
// apart by their index, or by their id if the provider sends no index. A fragment with neither
// belongs to the latest call.
func (a *assembler) callOf(fragment openai.ToolCall) *callParts {
	for _, c := range slices.Backward(a.calls) {
		switch {
		case fragment.Index != nil:
			if c.index == nil || *c.index != *fragment.Index {
				continue
			}
		case fragment.ID != "" && c.id != fragment.ID:
			continue
		}
		if beginsAnother(c, fragment) {
			return nil
		}
		return c
	}
	return nil
}

// beginsAnother reports whether a fragment with the index of c begins another call: some
// providers send whole calls, all with the same index.
func beginsAnother(c *callParts, fragment openai.ToolCall) bool {
	if fragment.Function.Name == "" || (fragment.ID != "" && fragment.ID == c.id) {
		return false
	}
	if fragment.ID != "" && c.id != "" {
		return true
	}
	return fragment.Function.Arguments != "" && IsJSONObject(c.arguments.String())
}

// release emits the complete calls, in order: those whose arguments are an object and that
// another call follows, or all of them once the model has finished. Only then does it repair
// arguments, unless the reply was cut at its maximum length.
func (a *assembler) release(finished bool) {
	for len(a.done) < len(a.calls) {
		parts := a.calls[len(a.done)]
		arguments := parts.arguments.String()
		if !finished && (parts == a.calls[len(a.calls)-1] || !IsJSONObject(arguments)) {
			return
		}
		if !isCut(a.finish) {
			arguments = repairArguments(arguments)
		}
		call := Call{ID: a.idOf(parts), Name: a.echo.without(toolName(parts.name.String())), Arguments: a.echo.without(arguments)}
		if a.beyond != nil {
			call.Extra = a.echo.without(a.beyond.extraOf(parts))
		}
		a.done = append(a.done, call)
		a.emit(Event{Call: &call})
	}
}

// extraOf returns the extra JSON of a call, "" for none.
func (b *beyond) extraOf(c *callParts) string {
	if extra, ok := b.extras[c.id]; ok && c.id != "" {
		return extra
	}
	if c.index == nil {
		return ""
	}
	return b.extras["#"+strconv.Itoa(*c.index)]
}

// idOf returns the provider's id of a call, or a new one if it is missing or was used in this
// reply before.
func (a *assembler) idOf(c *callParts) string {
	id := a.echo.without(c.id)
	if id == "" || slices.ContainsFunc(a.done, func(other Call) bool { return other.ID == id }) {
		return fmt.Sprintf("redline_%d", a.idBase+len(a.done)+1)
	}
	return id
}

// reply returns what has arrived of the reply.
func (a *assembler) reply() Reply {
	r := Reply{Text: a.text.String(), Calls: a.done, Finish: a.finish, Usage: a.usage, Thought: a.thought.String()}
	if a.beyond != nil {
		r.Extra = a.echo.without(a.beyond.kept())
	}
	return r
}

// addWritten adds calls that the model has written into its text.
func (a *assembler) addWritten(calls []writtenCall) {
	for _, w := range calls {
		c := &callParts{}
		c.name.WriteString(w.name)
		c.arguments.WriteString(w.arguments)
		a.calls, a.started = append(a.calls, c), true
		a.release(false)
	}
}

// keyRemoved replaces the key where a model wrote the key of its own request.
const keyRemoved = "[key removed]"

// minEcho is how long a key must be, in bytes, to be recognised by its text. Shorter keys, which
// some local servers are given, are words of ordinary replies.
const minEcho = 8

// echo removes a key from what a model writes, so that it is never stored. The zero value
// removes nothing.
type echo struct {
	key  string
	held string // the end of the text so far, which may be the start of the key
}

func newEcho(key string) echo {
	if len(key) < minEcho {
		return echo{}
	}
	return echo{key: key}
}

// without returns a whole text without the key.
func (e *echo) without(text string) string {
	if e.key == "" {
		return text
	}
	return strings.ReplaceAll(text, e.key, keyRemoved)
}

// next reads a fragment of a text and returns what can be passed on by now.
func (e *echo) next(fragment string) string {
	if e.key == "" {
		return fragment
	}
	var out strings.Builder
	text := e.held + fragment
	for {
		before, after, found := strings.Cut(text, e.key)
		if !found {
			break
		}
		out.WriteString(before + keyRemoved)
		text = after
	}
	hold := min(len(text), len(e.key)-1)
	for !strings.HasSuffix(text, e.key[:hold]) {
		hold--
	}
	e.held = text[len(text)-hold:]
	out.WriteString(text[:len(text)-hold])
	return out.String()
}

// rest returns what was held back, once no more fragments come. Most of a key is as secret as
// all of it.
func (e *echo) rest() string {
	held := e.held
	e.held = ""
	if 2*len(held) > len(e.key) {
		return keyRemoved
	}
	return held
}

// echoes removes several secrets.
type echoes []echo

// newEchoes removes the longest first: one may contain another.
func newEchoes(secrets []string) echoes {
	var all echoes
	for _, s := range longestFirst(secrets) {
		if e := newEcho(s); e.key != "" {
			all = append(all, e)
		}
	}
	return all
}

func (es echoes) without(text string) string {
	for i := range es {
		text = es[i].without(text)
	}
	return text
}

func (es echoes) next(fragment string) string {
	for i := range es {
		fragment = es[i].next(fragment)
	}
	return fragment
}

func (es echoes) rest() (rest string) {
	for i := range es {
		rest = es[i].next(rest) + es[i].rest()
	}
	return rest
}
