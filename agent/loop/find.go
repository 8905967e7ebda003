package loop

import (
	"encoding/json"
	"errors"
	"strings"

	"redline/agent/model"
	"redline/internal/lazyregexp"
)

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

// meant matches the beginning of a plan in the form that the prompt asks for.
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
