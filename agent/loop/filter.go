package loop

import (
	"slices"
	"strings"
)

// WrittenFilter hides a plan from the user while a reply is streamed: it holds back what may be the
// beginning of a plan, and everything after the beginning of one. The zero value filters one
// reply.
type WrittenFilter struct {
	held  string // the text that is held back
	begun bool   // held begins like a plan
	spoke bool   // more than spaces was shown
}

// Next takes the next piece of a reply and returns the text to show.
func (f *WrittenFilter) Next(piece string) string {
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
		if strings.HasPrefix(f.held[at:], "``") { // a fence begins at its first backtick
			for at+1 < len(f.held) && f.held[at+1] == '`' {
				at++
			}
		}
	}
}

// let releases the first n bytes of the held text, to be shown.
func (f *WrittenFilter) let(n int) string {
	shown := f.held[:n]
	f.held = f.held[n:]
	f.spoke = f.spoke || strings.TrimSpace(shown) != ""
	return shown
}

// Rest returns the text still held back at the end of a reply that was not a plan.
func (f *WrittenFilter) Rest() string {
	rest := f.held
	*f = WrittenFilter{spoke: true}
	return rest
}

// answer says whether something is true of a text that is not complete yet.
type answer int

const (
	no answer = iota
	maybe
	yes
)

// opening says whether a plan begins at the start of text, with the fence or the tag around it.
// alone is true if nothing was shown before: only then do keys count that other JSON also begins
// with.
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

// maxOpening is how many bytes are held back while it is not clear what they are.
const maxOpening = 512

// maxInfo is how many bytes the first line of a fence may have.
const maxInfo = 40

// The first keys of a plan, and those that other JSON also begins with.
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

// and returns no if a is no, else other.
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
