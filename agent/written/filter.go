package written

import (
	"slices"
	"strings"
)

// Filter keeps a plan from the eyes of whoever reads a reply as it comes: it holds
// back what may be the beginning of one, and all behind it once it is clear that
// one has begun. The zero value is ready, for one reply.
type Filter struct {
	held  string
	begun bool // held begins as a plan does
	spoke bool // something was let through that is more than blanks
}

// Next takes the next piece of a reply and returns what can be shown.
func (f *Filter) Next(piece string) string {
	f.held += piece
	if f.begun {
		return ""
	}
	for at := 0; ; at++ {
		skip := strings.IndexAny(f.held[at:], "[{`~<")
		if skip < 0 {
			return f.let(len(f.held))
		}
		at += skip
		alone := !f.spoke && strings.TrimSpace(f.held[:at]) == ""
		switch is := opening(f.held[at:], alone); {
		case is == yes:
			f.begun = true
			return f.let(at)
		case is == maybe && len(f.held)-at < maxOpening:
			return f.let(at)
		}
		if strings.HasPrefix(f.held[at:], "``") { // a fence is looked at from its start only
			for at+1 < len(f.held) && f.held[at+1] == '`' {
				at++
			}
		}
	}
}

// let shows the first n bytes of what is held.
func (f *Filter) let(n int) string {
	shown := f.held[:n]
	f.held = f.held[n:]
	f.spoke = f.spoke || strings.TrimSpace(shown) != ""
	return shown
}

// Rest returns what is held back when the reply is over, for a reply that was no
// plan after all.
func (f *Filter) Rest() string {
	rest := f.held
	*f = Filter{spoke: true}
	return rest
}

// answer is whether something is so that is not all there yet.
type answer int

const (
	no answer = iota
	maybe
	yes
)

// opening tells whether a plan begins where text does, with the fence or the tag
// around it. Words that other JSON begins with too count only alone: where nothing
// was said before.
func opening(text string, alone bool) answer {
	if text[0] == '<' {
		if rest, ok := strings.CutPrefix(text, openTag); ok {
			if rest = skipBlanks(rest); rest == "" {
				return maybe
			}
			return partly(strings.ContainsAny(rest[:1], "[{")).and(opening(rest, true))
		}
		return partly(strings.HasPrefix(openTag, text))
	}
	if text[0] == '`' || text[0] == '~' {
		fence := text[:1] + text[:1] + text[:1]
		if !strings.HasPrefix(text, fence) {
			return partly(strings.HasPrefix(fence, text))
		}
		info, rest, whole := strings.Cut(text, "\n")
		if !whole {
			return partly(len(info) < maxInfo)
		}
		if len(info) >= maxInfo {
			return no
		}
		text = skipBlanks(rest)
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = skipBlanks(inner)
	}
	switch {
	case text == "":
		return maybe
	case text[0] != '{':
		return no
	}
	text = skipBlanks(text[1:])
	if text == "" {
		return maybe
	}
	quote := text[:1]
	if quote != `"` && quote != `'` {
		return no
	}
	key, rest, closed := strings.Cut(text[1:], quote)
	if !closed {
		return partly(beginsKey(key, alone))
	}
	rest = skipBlanks(rest)
	switch {
	case !isKey(key, alone):
		return no
	case rest == "":
		return maybe
	case rest[0] == ':':
		return yes
	}
	return no
}

// maxOpening bounds what is held back before it is clear what it is, in bytes.
const maxOpening = 512

// maxInfo bounds what stands behind the marks of a fence, in bytes.
const maxInfo = 40

// The first words of a plan, and those that other JSON begins with too.
var (
	ownKeys   = []string{"action", "tool", "tool_name"}
	otherKeys = slices.Concat([]string{"type", "id", "name", "function", "goal"}, noteNames, listNames, argNames)
)

func isKey(word string, alone bool) bool {
	return anyKey(alone, func(key string) bool { return key == word })
}

func beginsKey(word string, alone bool) bool {
	return anyKey(alone, func(key string) bool { return strings.HasPrefix(key, word) })
}

func anyKey(alone bool, is func(key string) bool) bool {
	return slices.ContainsFunc(ownKeys, is) || alone && slices.ContainsFunc(otherKeys, is)
}

// and is the other answer where a may be so, else no.
func (a answer) and(other answer) answer {
	if a == no {
		return no
	}
	return other
}

func partly(is bool) answer {
	if is {
		return maybe
	}
	return no
}

func skipBlanks(text string) string { return strings.TrimLeft(text, " \t\r\n") }
