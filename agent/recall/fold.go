package recall

import (
	"fmt"
	"slices"
	"strings"

	"redline/internal/phrase"
)

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
