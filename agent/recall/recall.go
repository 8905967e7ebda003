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
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"redline/agent/model"
	"redline/internal/phrase"
)

// Exchange is the message and the answer of one turn.
type Exchange struct {
	Seq     int64     // its number in the store, ascending; 0 if it is not stored yet
	At      time.Time // when the turn had its answer, in UTC
	Request string    // the user's message
	Answer  string
	Read    string // what the turn has read of files, see [Read.Encode]
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

// Empty reports whether there was no exchange yet.
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

// maxName is how many bytes a listed name may have.
const maxName = 500

// maxRead is how many bytes of a text are searched for names: searching a reply of megabytes
// would delay the end of its turn by seconds.
const maxRead = 512 << 10

// Shorten returns text in at most max bytes, which must be at least 100. It cuts a longer
// text after its beginning, and adds how much is left out and which addresses, names and
// numbers that part has; those that do not fit are counted. It searches for names only in
// the first maxRead bytes. The result is valid UTF-8.
func Shorten(text string, max int) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) <= max {
		return text
	}
	searched := text
	if len(text) > maxRead {
		searched = beginning(text, maxRead)
	}
	names := Words(searched, 0)
	var short string
	for _, share := range []int{2, 4, 8, 0} { // room for the beginning
		head := ""
		if share > 0 {
			head = beginning(text, max/share)
		}
		var whole bool
		if short, whole = withNames(head, len(text)-len(head), names, max); whole {
			break
		}
	}
	return short
}

// beginning returns at most max bytes of a text, in whole words.
func beginning(text string, max int) string {
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	words := strings.TrimRightFunc(text[:max], func(c rune) bool { return !unicode.IsSpace(c) })
	return strings.TrimRightFunc(words, unicode.IsSpace)
}

// withNames returns head, the beginning of a text of which left bytes are left out, and the
// names that head does not have, in at most max bytes together. whole reports whether all
// names fit.
func withNames(head string, left int, names []string, max int) (text string, whole bool) {
	const end = "]"
	text = strings.TrimLeft(fmt.Sprintf("%s [… %d bytes are left out", head, left), " ")
	most := max - len(end) - len("; 1000000 more names too")
	lost := 0
	for i, name := range missing(head, names) {
		before := ", "
		if i == lost {
			before = ", in which there are: "
		}
		if len(name) > maxName || len(text)+len(before)+len(name) > most {
			lost++
			continue
		}
		text += before + name
	}
	if lost > 0 {
		text += fmt.Sprintf("; %d more names too", lost)
	}
	return text + end, lost == 0
}

// missing returns the names that are not in a text.
func missing(text string, names []string) (out []string) {
	for _, name := range names {
		if !HasWord(text, name) {
			out = append(out, name)
		}
	}
	return out
}

// bytesPerToken estimates the bytes of a token, rather too low.
const bytesPerToken = 3

// Shares of the budget of a memory.
const (
	textShare  = 6 // a sixth for the text of the summary
	namesShare = 6 // a sixth for its names
	keptShare  = 2 // half for the exchanges that stay whole
)

// size estimates the tokens of the memory.
func (m Memory) size() int {
	n := len(m.Summary.Text) + len(strings.Join(m.Summary.Names, ", "))
	for _, e := range m.Exchanges {
		n += len(e.Request) + len(e.Answer)
	}
	return n / bytesPerToken
}

// Older returns how many of the oldest exchanges must go into the summary so that the memory has
// at most this many tokens; 0 if it fits already. It keeps only the newest exchanges that fit in
// half of the tokens, so that not every turn needs a summary, and always the last one.
func (m Memory) Older(tokens int) int {
	if m.size() <= tokens {
		return 0
	}
	room := tokens / keptShare * bytesPerToken
	first := len(m.Exchanges) // the first one that stays
	for first > 0 {
		e := m.Exchanges[first-1]
		if room -= len(e.Request) + len(e.Answer); room < 0 && first < len(m.Exchanges) {
			break
		}
		first--
	}
	return first
}

// Fold returns the memory with its n oldest exchanges in the summary. text is a model's
// summary of them; if it is "", Fold shortens them instead. Fold also adds the precise words
// of the exchanges to the summary's names, as far as they fit in the budget of tokens.
func (m Memory) Fold(n int, text string, tokens int) Memory {
	older := m.Exchanges[:n]
	out := Memory{Upto: m.Upto, Exchanges: slices.Clone(m.Exchanges[n:])}
	for _, e := range older {
		out.Upto = max(out.Upto, e.Seq)
	}
	room := max(tokens*bytesPerToken/textShare, minSummary)
	if text = strings.TrimSpace(text); text == "" {
		text = plain(m.Summary, older, room)
	}
	out.Summary = Summary{Text: Shorten(text, room), Turns: m.Summary.Turns + n, Left: m.Summary.Left}
	out.Summary.addNames(slices.Concat(m.Summary.Names, namesIn(older)), max(tokens*bytesPerToken/namesShare, minSummary))
	return out
}

// minSummary is how many bytes a summary may have, however small the budget is.
const minSummary = 200

// namesIn returns the precise words of exchanges.
func namesIn(exchanges []Exchange) (names []string) {
	for _, e := range exchanges {
		names = append(names, Words(strings.ToValidUTF8(e.Request+"\n"+e.Answer, "?"), 0)...)
	}
	return names
}

// addNames adds names to the summary, each once, at the place where it was last named, in at
// most room bytes. If they do not fit, it drops the oldest, but addresses and paths last.
func (s *Summary) addNames(names []string, room int) {
	found := map[string]bool{}
	var all []string // newest first
	for _, name := range slices.Backward(names) {
		if !found[name] {
			found[name] = true
			all = append(all, name)
		}
	}
	stays := map[string]bool{}
	for _, places := range []bool{true, false} {
		for _, name := range all {
			if strings.Contains(name, "/") != places {
				continue
			}
			if len(name) > maxName || len(name)+2 > room {
				s.Left++
				continue
			}
			room -= len(name) + 2
			stays[name] = true
		}
	}
	for _, name := range slices.Backward(all) {
		if stays[name] {
			s.Names = append(s.Names, name)
		}
	}
}

// plain returns a summary made without a model: the earlier summary, and one line for each
// message and answer. It drops the oldest lines that do not fit.
func plain(before Summary, older []Exchange, room int) string {
	var lines []string
	if before.Text != "" {
		lines = strings.Split(before.Text, "\n")
	}
	each := min(max(room/(2*len(older)+1), 60), 300)
	for _, e := range older {
		lines = append(lines, "user: "+start(e.Request, each), "Redline: "+start(e.Answer, each))
	}
	size, first := 0, len(lines)
	for first > 0 && size+len(lines[first-1])+1 <= room-len(goneLine) {
		first--
		size += len(lines[first]) + 1
	}
	if first > 0 {
		lines = append([]string{goneLine}, lines[first:]...)
	}
	return strings.Join(lines, "\n")
}

// goneLine replaces the lines of a summary that do not fit.
const goneLine = "(what was said before that is not told any more)"

// start returns the beginning of a text, on one line.
func start(text string, most int) string {
	text = phrase.OneLine(strings.ToValidUTF8(text, "?"))
	if len(text) <= most {
		return text
	}
	return beginning(text, most-len(" …")) + " …"
}

// String formats the summary for a model, "" for none.
func (s Summary) String() string {
	if s.Turns == 0 {
		return ""
	}
	text := s.Text
	if also := missing(text, s.Names); len(also) > 0 {
		text += "\n\nAlso named: " + strings.Join(also, ", ")
	}
	if s.Left > 0 {
		text += fmt.Sprintf("\n\n%d other names had no room.", s.Left)
	}
	return strings.TrimSpace(text)
}

// Transcript returns the summary and the n oldest exchanges for a model to summarise, with
// at most most bytes of each message and answer.
func (m Memory) Transcript(n, most int) string {
	var b strings.Builder
	if text := m.Summary.String(); text != "" {
		fmt.Fprintf(&b, "Summary until then:\n%s\n", quoted(text))
	}
	for _, e := range m.Exchanges[:n] {
		fmt.Fprintf(&b, "\nUser:\n%s\nRedline:\n%s\n", quoted(Shorten(e.Request, most)), quoted(Shorten(e.Answer, most)))
	}
	return strings.TrimSpace(b.String())
}

// quoted puts "> " before every line, so that nothing in the text can end the quotation.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", "\n> ")
}
