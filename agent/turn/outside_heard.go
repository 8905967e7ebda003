package turn

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"redline/agent/model"
	"redline/agent/outside"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// heard passes on what an agent says by ACP while it works, as the events and the steps of the trace that a turn
// of Redline's own model has.
type heard struct {
	o     *outsideTurn
	clean *strings.Replacer // removes the agent's secrets
	names *strings.Replacer // shortens the names of files

	word   string // the last word of its answer so far: it may be the beginning of a secret
	idea   string // the last word of its thoughts so far
	sent   int    // bytes of its thoughts that were sent
	doing  string
	step   string
	steps  int
	begun  []string // ids of calls, in order
	calls  map[string]outside.Tool
	denied map[string]bool // calls that it may not make
	usage  outside.Usage
}

var _ outside.Sink = (*heard)(nil)

// secretsOf returns the values that an agent has and that what it says does not show: of its variables, and the
// tokens in its state.
func secretsOf(a *outside.Agent) (values []string) {
	for _, name := range a.Env {
		values = append(values, os.Getenv(name))
	}
	return append(values, secrets.TokensIn(slices.Concat(a.Keep, a.State))...)
}

func newHeard(o *outsideTurn) *heard {
	var names []string
	for _, dir := range o.Outsiders.folders() {
		names = append(names, strings.TrimSuffix(dir, string(os.PathSeparator))+string(os.PathSeparator), "")
	}
	return &heard{o: o, clean: secrets.Replacer(secretsOf(&o.agent)), names: strings.NewReplacer(names...), calls: map[string]outside.Tool{}, denied: map[string]bool{}}
}

// maxWord is how much of a text without a space is held back, in bytes.
const maxWord = 4 << 10

// Text implements [outside.Sink].
func (h *heard) Text(text string) {
	h.flushThought()
	h.does("model", h.o.agent.Name+" is answering")
	h.say(whole(&h.word, text))
}

// whole returns the whole words of a text that continues with a piece, and holds back the last word.
func whole(word *string, piece string) string {
	text := *word + piece
	end := len(strings.TrimRightFunc(text, func(c rune) bool { return !unicode.IsSpace(c) }))
	if len(text)-end > maxWord {
		end = len(text)
	}
	*word = text[end:]
	return text[:end]
}

func (h *heard) say(text string) {
	if text != "" {
		h.o.turn.Notify(state.Event{Kind: state.TokenArrived, Text: secrets.Masked(h.clean.Replace(text))})
	}
}

// flush passes on the last words.
func (h *heard) flush() {
	h.flushThought()
	word := h.word
	h.word = ""
	h.say(word)
}

func (h *heard) flushThought() {
	idea := h.idea
	h.idea = ""
	h.think(idea)
}

// Thought implements [outside.Sink].
func (h *heard) Thought(text string) {
	h.does("model", h.o.agent.Name+" is thinking")
	h.think(whole(&h.idea, text))
}

func (h *heard) think(text string) {
	if room := state.MaxThought - h.sent; text != "" && room > 0 {
		h.sent += len(text)
		h.o.turn.NotifyOnly(state.Event{Kind: state.ModelThinks, Text: phrase.StartBytes(secrets.Masked(h.clean.Replace(text)), room)})
	}
}

// does tells what the agent does now, unless that has been told.
func (h *heard) does(name, text string) {
	if doing := name + " " + text; doing != h.doing {
		h.doing = doing
		h.o.turn.Notify(state.Event{Kind: state.Doing, Name: name, Text: text})
	}
}

// maxOwnSteps is how often an agent can say which step of its plan it does.
const maxOwnSteps = 500

// Steps implements [outside.Sink].
func (h *heard) Steps(all []outside.Step) {
	var list strings.Builder
	now, done := "", 0
	for i, s := range all {
		mark := " "
		switch s.State {
		case "completed":
			mark = "x"
			done++
		case "in_progress":
			if mark = "-"; now == "" {
				now = fmt.Sprintf("step %d of %d: %s", i+1, len(all), s.Text)
			}
		}
		fmt.Fprintf(&list, "[%s] %s\n", mark, s.Text)
	}
	if now == "" {
		now = fmt.Sprintf("%d of %s done", done, phrase.Count(len(all), "step"))
	}
	if len(all) == 0 || now == h.step || h.steps == maxOwnSteps {
		return
	}
	h.step, h.doing = now, ""
	h.steps++
	h.flush()
	h.o.detailed(h.short(now), h.short(list.String()))
}

// short returns an agent's words without secrets, and with paths of the workspace.
func (h *heard) short(text string) string {
	return secrets.Masked(h.names.Replace(h.clean.Replace(text)))
}

// Tool implements [outside.Sink].
func (h *heard) Tool(t outside.Tool) {
	was, known := h.calls[t.ID]
	if t.Title = h.short(t.Title); t.Kind == "" {
		t.Kind = "other"
	}
	h.calls[t.ID] = t
	if over(was) {
		return
	}
	if !known {
		h.begun = append(h.begun, t.ID)
	}
	if t.Title == "" && !over(t) {
		return // a later update has it
	}
	if was.Title == "" {
		h.flush()
		h.o.turn.Record(trace.Step{Kind: trace.Tool, Name: t.Kind, Summary: t.Title})
	}
	if over(t) {
		h.called(t)
		return
	}
	h.does(t.Kind, t.Title)
}

// over reports whether a call has ended.
func over(t outside.Tool) bool { return t.State == "completed" || t.State == "failed" }

// called passes on a call that has ended.
func (h *heard) called(t outside.Tool) {
	summary := t.Title
	switch {
	case h.denied[t.ID]:
		summary += " (not allowed)"
	case t.State == "failed":
		summary += " (failed)"
	}
	h.doing = ""
	h.o.turn.Notify(state.Event{Kind: state.ToolCalled, Name: t.Kind, Summary: strings.TrimSpace(summary)})
}

// Asked implements [outside.Sink].
func (h *heard) Asked(t outside.Tool, refused string) {
	answer := "allowed: "
	if refused != "" {
		answer = "not allowed, since " + refused + ": "
		h.denied[t.ID] = true
	}
	h.o.turn.Record(trace.Step{Kind: trace.Outside, Name: h.o.agent.Name, Summary: answer + strings.TrimSpace(t.Kind+" "+h.short(t.Title))})
}

// Usage implements [outside.Sink].
func (h *heard) Usage(u outside.Usage) { h.usage = u }

// end passes on what is left once the agent has ended.
func (h *heard) end() {
	h.flush()
	for _, id := range h.begun {
		if t := h.calls[id]; !over(t) && t.Title != "" {
			h.called(t)
		}
	}
	if u := h.usage; u.Input+u.Output > 0 || u.Cost > 0 {
		h.o.turn.charge(model.Usage{Prompt: int(u.Input), Completion: int(u.Output), Cost: u.Cost})
	}
}

// maxRan is how many commands of an agent a plan's description names.
const maxRan = 10

// ranInWords says which commands the agent ran, for the plan's description: Markdown, "" for none.
func (h *heard) ranInWords() string {
	var ran []string
	for _, id := range h.begun {
		t := h.calls[id]
		if t.Kind != "execute" || t.Title == "" || h.denied[id] {
			continue
		}
		text := "`" + strings.ReplaceAll(phrase.Clip(strings.Trim(t.Title, "`"), 100), "`", "'") + "`"
		if t.State == "failed" {
			text += " (failed)"
		}
		ran = append(ran, text)
	}
	if len(ran) == 0 {
		return ""
	}
	return "It ran " + phrase.And(phrase.FirstOf(ran, maxRan, "command")) + "."
}
