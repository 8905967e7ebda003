package written

import (
	"encoding/json"
	"errors"
	"strings"

	"redline/agent/jsontext"
	"redline/internal/lazyregexp"
)

// span is a place in a reply, in bytes.
type span struct{ start, end int }

// value is a JSON array or object that stands in a reply.
type value struct {
	span
	raw json.RawMessage // repaired, if it needed that
}

// maxWork bounds how often a reply is read for nothing, at places that look like
// JSON and are none.
const maxWork = 4

// meant is how a plan begins that was written as the prompt asks for.
var meant = lazyregexp.New(`^(?:\[\s*)?\{\s*["']?(?:action["']?\s*:\s*["'](?:tool|final|call)|tool["']?\s*:)`)

// find returns the outermost JSON arrays and objects in a reply, in order. What
// is in one is looked for nowhere else: a string may hold anything. broken tells
// that one which begins as a plan does cannot be read; what comes behind it is not
// looked at.
func find(reply string) (values []value, broken bool) {
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
			if opening(reply[at:], false) == yes && meant().MatchString(reply[at:]) {
				return values, true
			}
			work -= length + 256 // to begin costs something too
			at++
			continue
		}
		values = append(values, value{span{at, at + length}, raw})
		at += length
	}
	return values, false
}

// mayBegin tells quickly whether an array of objects, or an object, may begin
// where text does.
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

// decode returns the JSON value that text begins with, and its length in text. If
// there is none that can be read in one way only, raw is nil and length how far it
// was looked at. Only what begins as a plan is worth a repair.
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
	repaired, ok := jsontext.Repair(text[:end])
	if !ok {
		return nil, looked + end
	}
	return json.RawMessage(repaired), end
}

// extent returns where the bracket that text begins with is closed, with all that
// is opened within. Where it is not, it may be half of a plan: whole is false, and
// end is how far it was looked for.
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

// closing returns where the string that begins at start with its quote ends, -1
// if it does not.
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
