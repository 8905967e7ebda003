package workspace

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLiterals is how many texts are looked for at once before a regular
// expression is.
const maxLiterals = 8

// fixed is a text that a match has in it, or one byte of a set.
type fixed struct {
	set    *[256]bool // nil for a text
	text   string     // of a folding one in lower case
	fold   bool       // ASCII letters may be upper or lower case
	anchor int        // of a folding one: the byte of text to look for first
}

func newFixed(text string, fold bool) fixed {
	l := fixed{text: text, fold: fold}
	if !fold {
		return l
	}
	for i := range len(text) {
		if rarity(text[i]) > rarity(text[l.anchor]) {
			l.anchor = i
		}
	}
	return l
}

// index returns where in data the text is first, or -1.
func (l fixed) index(data []byte) int {
	if l.set != nil {
		return slices.IndexFunc(data, func(c byte) bool { return l.set[c] })
	}
	if !l.fold {
		return bytes.Index(data, []byte(l.text))
	}
	low, high := l.text[l.anchor], l.text[l.anchor]
	if low >= 'a' && low <= 'z' {
		high -= 'a' - 'A'
	}
	nextLow, nextHigh := after(data, low, 0), len(data)
	if high != low {
		nextHigh = after(data, high, 0)
	}
	for {
		at := min(nextLow, nextHigh)
		if at == len(data) {
			return -1
		}
		if start := at - l.anchor; start >= 0 && start+len(l.text) <= len(data) && equalFold(data[start:start+len(l.text)], l.text) {
			return start
		}
		if at == nextLow {
			nextLow = after(data, low, at+1)
		} else {
			nextHigh = after(data, high, at+1)
		}
	}
}

// after returns where c is in data from start on, or the length of data.
func after(data []byte, c byte, start int) int {
	if at := bytes.IndexByte(data[start:], c); at >= 0 {
		return start + at
	}
	return len(data)
}

// equalFold compares, with ASCII letters in data taken as lower case.
func equalFold(data []byte, lower string) bool {
	for i, c := range data {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// rarity orders bytes by how seldom they are in text and code.
func rarity(c byte) int {
	if at := strings.IndexByte(" etaoinsrlcdupmhgfby.,()_=-w\t\"v:;/k0x1jqz", c); at >= 0 {
		return at
	}
	return 100
}

// required returns texts of which every match of re has at least one, nil when
// there are none that are worth looking for.
func required(re *syntax.Regexp) []fixed {
	switch re.Op {
	case syntax.OpLiteral:
		if text, fold, ok := certain(re.Rune, re.Flags&syntax.FoldCase != 0); ok {
			return []fixed{newFixed(text, fold)}
		}
	case syntax.OpCharClass:
		if set := rareSet(re.Rune); set != nil {
			return []fixed{{set: set}}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []fixed
		for _, sub := range re.Sub {
			if found := required(sub); better(found, best) {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		var all []fixed
		for _, sub := range re.Sub {
			found := required(sub)
			if found == nil || len(all)+len(found) > maxLiterals {
				return nil
			}
			all = append(all, found...)
		}
		return all
	}
	return nil
}

// rareSet returns the bytes that the characters of a class begin with, given as
// pairs of first and last, nil when they are in nearly every line.
func rareSet(class []rune) *[256]bool {
	var set [256]bool
	for i := 0; i+1 < len(class); i += 2 {
		if class[i+1] >= utf8.RuneSelf {
			return nil // bytes that are no text match some of these
		}
		for c := class[i]; c <= class[i+1]; c++ {
			set[c] = true
		}
	}
	if set[' '] || set['e'] || set['t'] || set['a'] {
		return nil
	}
	return &set
}

// better tells whether literals a are to be looked for rather than b: the
// shortest of them is longer, or there are fewer.
func better(a, b []fixed) bool {
	if a == nil || b == nil {
		return a != nil
	}
	if x, y := shortest(a), shortest(b); x != y {
		return x > y
	}
	return len(a) < len(b)
}

func shortest(list []fixed) int {
	n := len(list[0].text)
	for _, l := range list {
		n = min(n, len(l.text))
	}
	return n
}

// certain returns the longest part of runes that bytes can be compared with: all
// of them, unless case is folded. Then letters that are the same as one beyond
// ASCII are none (k and the Kelvin sign), and of those beyond ASCII only what has
// no case.
func certain(runes []rune, fold bool) (text string, folds, ok bool) {
	var best, now []byte
	for _, r := range runes {
		if r == utf8.RuneError || fold && !plainFold(r) {
			now = now[:0]
			if r == utf8.RuneError {
				continue // matches bytes that are no text
			}
			continue
		}
		if fold {
			r = unicode.ToLower(r)
		}
		now = utf8.AppendRune(now, r)
		if len(now) > len(best) {
			best = append(best[:0], now...)
		}
	}
	return string(best), fold, len(best) > 0
}

// plainFold tells whether folding the case of r stays in ASCII, or changes
// nothing.
func plainFold(r rune) bool {
	if r < utf8.RuneSelf {
		return !strings.ContainsRune("kKsS", r)
	}
	return unicode.SimpleFold(r) == r
}
