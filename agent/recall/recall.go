// Package recall is what a conversation remembers of its turns: the last exchanges
// as they were, and of those before them a summary. These are plain values.
//
// An exchange is a message and its answer, without tool results. The store keeps them, so
// each turn first asks it for what came since: everything in a new session, else what other
// sessions have added ([Memory.Joined]). What could not be stored yet is in this memory
// alone, with Seq 0. Before a model is told the memory, it must fit: [Memory.Older] says how
// many exchanges have to go, a model may summarise them, and [Memory.Fold] puts the summary
// in their place. It keeps what is precise in them apart, so that no model's words lose it.
package recall

import (
	"strings"
	"time"

	"redline/agent/model"
)

// Exchange is what was said in one turn.
type Exchange struct {
	Seq     int64     // in the store, growing; 0 while it is not stored
	At      time.Time // UTC, when the turn had its answer
	Request string    // the user's message
	Answer  string
}

// MaxMessage is how much of one message is remembered, in bytes.
const MaxMessage = 64 << 10

// Summary stands for the exchanges of a conversation that are not kept as they
// were. Its zero value stands for none.
type Summary struct {
	Text  string   `json:"text,omitempty"`
	Names []string `json:"names,omitempty"` // what is precise in those exchanges, oldest first, whether or not Text has it
	Left  int      `json:"left,omitempty"`  // how many such words had no room
	Turns int      `json:"turns,omitempty"` // how many exchanges it stands for
}

// Memory is what a conversation remembers. Its zero value is that of a new one.
type Memory struct {
	Summary   Summary
	Upto      int64      // the Seq of the last exchange that Summary stands for, 0 for none
	Exchanges []Exchange // oldest first
}

// Empty tells whether nothing was said yet.
func (m Memory) Empty() bool { return m.Summary.Turns == 0 && len(m.Exchanges) == 0 }

// Messages is the memory as the conversation's model is told it, in about so many
// tokens: the summary behind the words that introduce it, then the exchanges. A side
// that is too long for the budget by itself is shortened; shortened counts those.
func (m Memory) Messages(introduction string, tokens int) (out []model.Message, shortened int) {
	if text := m.Summary.String(); text != "" {
		out = append(out, model.Message{Role: model.RoleUser, Content: strings.TrimSpace(introduction) + "\n\n" + quoted(text)})
	}
	most := MaxMessage
	if m.size() > tokens {
		most = max(tokens*bytesPerToken/4, minSummary)
	}
	say := func(role model.Role, text string) {
		short := Shorten(text, most)
		if len(short) < len(text) {
			shortened++
		}
		out = append(out, model.Message{Role: role, Content: short})
	}
	for _, e := range m.Exchanges {
		say(model.RoleUser, e.Request)
		say(model.RoleAssistant, e.Answer)
	}
	return out, shortened
}

// Last is the Seq of the newest exchange that is stored, 0 for none.
func (m Memory) Last() int64 {
	last := m.Upto
	for _, e := range m.Exchanges {
		last = max(last, e.Seq)
	}
	return last
}

// Joined is the memory with what the store has beyond it: exchanges after
// [Memory.Last], and without those that the store has not any more. What is not
// stored yet stays last.
func (m Memory) Joined(stored Memory) Memory {
	out := Memory{Summary: m.Summary, Upto: m.Upto}
	if stored.Upto > m.Upto { // another session has summarised more
		out.Summary, out.Upto = stored.Summary, stored.Upto
	}
	var waiting []Exchange
	for _, e := range m.Exchanges {
		switch {
		case e.Seq == 0:
			waiting = append(waiting, e)
		case e.Seq > out.Upto:
			out.Exchanges = append(out.Exchanges, e)
		}
	}
	last := m.Last()
	for _, e := range stored.Exchanges {
		if e.Seq > last && e.Seq > out.Upto {
			out.Exchanges = append(out.Exchanges, e)
		}
	}
	out.Exchanges = append(out.Exchanges, waiting...)
	return out
}
