package heap

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"redline/internal/lazyregexp"
)

// keptName is the name under which the context has what the planner forgot.
const keptName = "also in the request"

// maxKept bounds what is kept of one request.
const maxKept = 200

// precise finds what of a request nobody may reword: addresses, text in backticks
// or quotation marks, and words that have something in them which plain words
// have not.
var precise = lazyregexp.New("[a-zA-Z][a-zA-Z0-9+.-]*://[^\\s<>\"'`]+|`[^`\n]+`|\"[^\"\n]+\"|[^\\s`\"]+")

// Precise returns the addresses, names and numbers of a text, each once, in
// order: what has to reach a specialist unchanged.
func Precise(text string) []string {
	var out []string
	for _, word := range precise().FindAllString(text, -1) {
		switch {
		case word[0] == '`' || word[0] == '"':
			word = word[1 : len(word)-1]
		case strings.Contains(word, "://"):
			word = trimAddress(word)
		default:
			word = strings.Trim(word, ".,;:!?()[]{}<>'’“”„‘«»*")
			if !isIdentifier(word) {
				continue
			}
		}
		if word = strings.TrimSpace(word); word != "" && !slices.Contains(out, word) && len(out) < maxKept {
			out = append(out, word)
		}
	}
	return out
}

// trimAddress takes off what belongs to the sentence around an address.
func trimAddress(address string) string {
	for {
		short := strings.TrimRight(address, ".,;:!?*")
		if strings.HasSuffix(short, ")") && !strings.Contains(short, "(") {
			short = strings.TrimSuffix(short, ")")
		}
		if short == address {
			return address
		}
		address = short
	}
}

// isIdentifier tells whether a word names something: it has a digit, a sign that
// words have not, or a capital letter after a small one.
func isIdentifier(word string) bool {
	small := false
	for i, c := range word {
		switch {
		case unicode.IsDigit(c), strings.ContainsRune(`/\_@#=$%:.+~^&|`, c) && len(word) > 1:
			return true
		case c == '-' && i == 0 && len(word) > 1:
			return true
		case unicode.IsUpper(c) && small:
			return true
		}
		small = small || unicode.IsLower(c)
	}
	return false
}

// Keep puts into the context what is precise in a request and occurs nowhere in
// the plan, and returns it.
func (p *Plan) Keep(request string) []string {
	var all strings.Builder
	all.WriteString(p.RefinedTask)
	for _, value := range p.Context {
		all.WriteString("\n" + plainOf(value))
	}
	var lost []string
	for _, word := range Precise(request) {
		if !containsWord(all.String(), word) {
			lost = append(lost, word)
		}
	}
	if lost == nil {
		return nil
	}
	raw, err := json.Marshal(lost)
	if err != nil {
		return nil // strings always marshal
	}
	if p.Context == nil {
		p.Context = map[string]json.RawMessage{}
	}
	p.Context[keptName] = raw
	return lost
}

// plainOf is a JSON value as text in which addresses are as they were written.
func plainOf(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for name, e := range v {
				b.WriteString(name + "\n")
				walk(e)
			}
		}
	}
	walk(v)
	return b.String() + string(raw)
}

// containsWord tells whether a text has a word as a whole: 12 is not in 120, nor
// an address in a longer one.
func containsWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		before, after := text[:i], text[i+len(word):]
		if !joins(before, word, true) && !joins(after, word, false) {
			return true
		}
		at = i + 1
	}
}

// joins tells whether the text next to a word goes on with it.
func joins(next, word string, before bool) bool {
	is := func(c byte) bool {
		return c == '_' || c == '/' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	if next == "" {
		return false
	}
	if before {
		return is(next[len(next)-1]) && is(word[0])
	}
	if strings.Contains(word, "://") && strings.IndexByte("?&=#%", next[0]) >= 0 {
		return true
	}
	return is(next[0]) && is(word[len(word)-1])
}
