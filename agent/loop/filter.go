package loop

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/internal/lazyregexp"
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

// span is a place in a reply, as byte offsets.
type span struct{ start, end int }

// value is a JSON array or object in a reply.
type value struct {
	span
	raw json.RawMessage // repaired if needed
}

// maxWork limits the bytes read at places that look like JSON but are not, as a multiple of the
// reply's length.
const maxWork = 4

// meant matches the beginning of a plan in the form that the prompt asks for: [{"action": "tool".
var meant = lazyregexp.New(`^(?:\[\s*)?\{\s*["']?(?:action["']?\s*:\s*["'](?:tool|final|call)|tool["']?\s*:)`)

// find returns the outermost JSON arrays and objects in a reply, in order. It does not search
// inside them, since a string may hold anything. broken is true if a value that begins like a
// plan cannot be read; find stops there, unless past is true.
func find(reply string, past bool) (values []value, broken bool) {
	work := maxWork*len(reply) + 1<<20 // bytes
	for at := 0; at < len(reply) && work > 0; {
		skip := strings.IndexAny(reply[at:], "[{")
		if skip < 0 {
			break
		}
		at += skip
		if !mayBegin(reply[at:]) {
			at++
			continue
		}
		raw, length := decode(reply[at:])
		if raw == nil {
			if !past && opening(reply[at:], false) == yes && meant().MatchString(reply[at:]) {
				return values, true
			}
			work -= length + 256 // each beginning costs extra
			at++
			continue
		}
		values = append(values, value{span{at, at + length}, raw})
		at += length
	}
	return values, false
}

// mayBegin reports quickly whether an array of objects, or an object, may begin at the start
// of text.
func mayBegin(text string) bool {
	rest := skipBlanks(text[1:])
	switch {
	case rest == "":
		return false
	case text[0] == '[':
		return rest[0] == '{'
	}
	return rest[0] == '"' || rest[0] == '\''
}

// decode returns the JSON value at the start of text, and its length in text. If there is no
// value, or more than one way to read it, raw is nil and length says how far decode read. It
// repairs only values that begin like a plan.
func decode(text string) (raw json.RawMessage, length int) {
	d := json.NewDecoder(strings.NewReader(text))
	err := d.Decode(&raw)
	if err == nil {
		return raw, int(d.InputOffset())
	}
	looked := len(text)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		looked = int(syntax.Offset)
	}
	if opening(text, true) != yes {
		return nil, looked
	}
	end, whole := extent(text)
	if !whole {
		return nil, looked + end
	}
	repaired, ok := model.RepairJSON(text[:end])
	if !ok {
		return nil, looked + end
	}
	return json.RawMessage(repaired), end
}

// extent returns the end of the bracket at the start of text. If the bracket is not closed, the
// text may be half of a plan: whole is false, and end says how far extent read.
func extent(text string) (end int, whole bool) {
	var closers []byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '[':
			closers = append(closers, ']')
		case '{':
			closers = append(closers, '}')
		case ']', '}':
			if closers[len(closers)-1] != c {
				return i, false
			}
			if closers = closers[:len(closers)-1]; len(closers) == 0 {
				return i + 1, true
			}
		case '"', '\'':
			end := closing(text, i)
			if end < 0 {
				return len(text), false
			}
			i = end
		}
	}
	return len(text), false
}

// closing returns the offset where the string whose quote is at start ends, -1 if it does not
// end.
func closing(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case text[start]:
			return i
		case '\\':
			i++
		}
	}
	return -1
}
