package recall

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/precise"
	"redline/internal/phrase"
)

// bytesPerToken is about how many bytes a number of tokens are, rather too few.
const bytesPerToken = 3

// Limits of a summary, as parts of the budget of a memory.
const (
	textShare  = 6 // a sixth for the text
	namesShare = 6 // and one for the names
	keptShare  = 2 // half for the exchanges that stay as they are
)

// size is about how many tokens the memory has.
func (m Memory) size() int {
	n := len(m.Summary.Text) + len(strings.Join(m.Summary.Names, ", "))
	for _, e := range m.Exchanges {
		n += len(e.Request) + len(e.Answer)
	}
	return n / bytesPerToken
}

// Older returns how many exchanges, the oldest, have to go into the summary so that
// the memory has at most so many tokens again: 0 while it has. So that this is not
// needed with each turn, only the newest stay that half of them are enough for, and
// always the last one.
func (m Memory) Older(tokens int) int {
	if m.size() <= tokens {
		return 0
	}
	room := tokens / keptShare * bytesPerToken
	first := len(m.Exchanges) // of those that stay
	for first > 0 {
		e := m.Exchanges[first-1]
		if room -= len(e.Request) + len(e.Answer); room < 0 && first < len(m.Exchanges) {
			break
		}
		first--
	}
	return first
}

// Fold returns the memory with its n oldest exchanges in the summary, whose text is
// what a model has made of them, or, when that is "", what is left of them when they
// are shortened. What is precise in them is kept besides, as far as there is room in
// so many tokens.
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
	out.Summary.keep(slices.Concat(m.Summary.Names, namesIn(older)), max(tokens*bytesPerToken/namesShare, minSummary))
	return out
}

// minSummary is what a summary may have however small the budget is, in bytes.
const minSummary = 200

func namesIn(exchanges []Exchange) (names []string) {
	for _, e := range exchanges {
		names = append(names, precise.Words(strings.ToValidUTF8(e.Request+"\n"+e.Answer, "?"), 0)...)
	}
	return names
}

// keep takes the names into the summary, each once and as it was named last, in at
// most so many bytes. Where there is no room the oldest go, and addresses and paths
// after all others.
func (s *Summary) keep(names []string, room int) {
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

// plain is what is left of exchanges without a model: what was there before, and a
// line for each side, the oldest of which go where there is no room.
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

// goneLine stands for the lines of a summary that had no room.
const goneLine = "(what was said before that is not told any more)"

// start is the beginning of a text, on one line.
func start(text string, most int) string {
	text = phrase.OneLine(strings.ToValidUTF8(text, "?"))
	if len(text) <= most {
		return text
	}
	return beginning(text, most-len(" …")) + " …"
}

// String is the summary as a model is told it, "" for none.
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

// Transcript is the summary and the n oldest exchanges as a model is given them to
// summarise, each side in at most so many bytes.
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

// quoted puts every line behind a mark, so that nothing in the text can end it.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", "\n> ")
}
