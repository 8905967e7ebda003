// Package recall has the memory of a conversation: its last exchanges in full, and a summary
// of those before. These are plain values.
//
// An exchange is a message and its answer, without tool results. The store has them, so each
// turn first reads what is new there: everything in a new session, else what other sessions
// have added ([Memory.Joined]). An exchange that could not be stored yet is only in this
// memory, with Seq 0. The memory must fit in a request: [Memory.Older] says how many
// exchanges have to go, a model may summarise them, and [Memory.Fold] replaces them by the
// summary. It keeps their precise words (addresses, names, numbers) apart, so that no
// summary loses them.
package recall

import (
	"strings"
	"time"

	"redline/agent/model"
)

// Exchange is the message and the answer of one turn.
type Exchange struct {
	Seq     int64     // its number in the store, ascending; 0 if it is not stored yet
	At      time.Time // when the turn had its answer, in UTC
	Request string    // the user's message
	Answer  string
}

// MaxMessage is how many bytes of one message are remembered.
const MaxMessage = 64 << 10

// Summary replaces the oldest exchanges of a conversation. The zero value replaces none.
type Summary struct {
	Text  string   `json:"text,omitempty"`
	Names []string `json:"names,omitempty"` // the precise words of those exchanges, oldest first, whether or not Text has them
	Left  int      `json:"left,omitempty"`  // how many such words did not fit
	Turns int      `json:"turns,omitempty"` // how many exchanges it replaces
}

// Memory is what a conversation remembers. The zero value is empty.
type Memory struct {
	Summary   Summary
	Upto      int64      // the Seq of the last exchange that Summary replaces, 0 for none
	Exchanges []Exchange // oldest first
}

// Empty reports whether nothing was said yet.
func (m Memory) Empty() bool { return m.Summary.Turns == 0 && len(m.Exchanges) == 0 }

// Messages returns the memory as messages for the model, in about this many tokens: the
// summary after its introduction, then the exchanges. It shortens a message or answer that
// is too long for the budget; shortened counts these.
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

// Last returns the Seq of the newest stored exchange, 0 for none.
func (m Memory) Last() int64 {
	last := m.Upto
	for _, e := range m.Exchanges {
		last = max(last, e.Seq)
	}
	return last
}

// Joined returns the memory with the exchanges that the store has after [Memory.Last], and
// with the store's summary if that replaces more. Exchanges that are not stored yet stay
// last.
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
