package workspace

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/edits"
)

// lineFinder finds the lines that match a query.
type lineFinder struct {
	re       *regexp.Regexp // nil: a line with one of the literals matches
	literals []fixed        // a line without any of them does not match; nil: any line may
}

// maxExpression is the longest regular expression accepted, in bytes: longer ones take long
// to compile.
const maxExpression = 2000

func newLineFinder(q Query) (lineFinder, error) {
	switch {
	case q.Pattern == "":
		return lineFinder{}, refuse("", "the search pattern is empty; give some text to look for")
	case strings.ContainsAny(q.Pattern, "\r\n"):
		return lineFinder{}, refuse("", "the search pattern has several lines; search for one line at a time")
	}
	if (q.Regexp || q.IgnoreCase) && len(q.Pattern) > maxExpression {
		return lineFinder{}, refuse("", "the search pattern has more than %d bytes; search for a shorter part of it", maxExpression)
	}
	if !q.Regexp && !q.IgnoreCase {
		return lineFinder{literals: []fixed{newFixed(q.Pattern, false)}}, nil
	}
	expr := q.Pattern
	if !q.Regexp {
		expr = regexp.QuoteMeta(expr)
	}
	if q.IgnoreCase {
		expr = "(?i:" + expr + ")"
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return lineFinder{}, refuse("", "the search pattern is not a regular expression (%v); correct it or search for plain text", err)
	}
	n := lineFinder{re: re}
	if parsed, err := syntax.Parse(expr, syntax.Perl); err == nil {
		n.literals = required(parsed.Simplify())
	}
	return n, nil
}

// match returns the index of the first match in line, or -1. If there are literals, line
// has one of them, the first at literal.
func (n *lineFinder) match(ctx context.Context, line []byte, literal int) int {
	if n.re == nil {
		return literal
	}
	if len(line) > checkEvery {
		if at := n.re.FindReaderIndex(&runes{ctx: ctx, left: line}); at != nil {
			return at[0]
		}
		return -1
	}
	if at := n.re.FindIndex(line); at != nil {
		return at[0]
	}
	return -1
}

// checkEvery is the number of bytes after which a search checks for cancellation: often
// enough for the slowest expressions too.
const checkEvery = 64 << 10

// runes reads a long line until ctx ends.
type runes struct {
	ctx  context.Context
	left []byte
	read int // since the last check of ctx
}

// ReadRune implements [io.RuneReader].
func (r *runes) ReadRune() (c rune, size int, err error) {
	if r.read >= checkEvery {
		if r.read = 0; r.ctx.Err() != nil {
			return 0, 0, r.ctx.Err()
		}
	}
	if len(r.left) == 0 {
		return 0, 0, io.EOF
	}
	c, size = utf8.DecodeRune(r.left)
	r.left = r.left[size:]
	r.read += size
	return c, size, nil
}

// each calls found for each matching line of data, in order, with its number, from 1, its
// place in data without the line end, and the index of the match in it, until found returns
// false or ctx ends.
func (n *lineFinder) each(ctx context.Context, data []byte, found func(number int, line edits.Span, at int) bool) {
	next := make([]int, len(n.literals)) // the next index of each literal, -1 if not searched yet
	for i := range next {
		next[i] = -1
	}
	number, counted, checked := 1, 0, 0
	for pos := 0; pos < len(data); {
		if pos-checked >= checkEvery {
			if checked = pos; ctx.Err() != nil {
				return
			}
		}
		at := n.candidate(data, pos, next)
		if at < 0 {
			return
		}
		start := pos
		if n.literals != nil {
			start = pos + bytes.LastIndexByte(data[pos:at], '\n') + 1
		}
		end := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i
		}
		line := bytes.TrimSuffix(data[start:end], []byte{'\r'})
		if m := n.match(ctx, line, at-start); m >= 0 {
			number += bytes.Count(data[counted:start], []byte{'\n'})
			counted = start
			if !found(number, edits.Span{Start: start, End: start + len(line)}, m) {
				return
			}
		}
		pos = end + 1
	}
}

// candidate returns an index at or after pos in the next line that may match, or -1. next
// caches the positions of the literals.
func (n *lineFinder) candidate(data []byte, pos int, next []int) int {
	if n.literals == nil {
		return pos
	}
	first := len(data)
	for i, l := range n.literals {
		if next[i] < pos {
			next[i] = len(data)
			if at := l.index(data[pos:]); at >= 0 {
				next[i] = pos + at
			}
		}
		first = min(first, next[i])
	}
	if first == len(data) {
		return -1
	}
	return first
}

// maxLiterals is the most texts to look for at once before a regular expression runs.
const maxLiterals = 8

// fixed is a text, or one byte of a set, that every match contains.
type fixed struct {
	set    *[256]bool // nil for a text
	text   string     // in lower case if fold is set
	fold   bool       // ASCII letters may be upper or lower case
	anchor int        // if fold is set: the index of the byte of text to look for first
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

// index returns the index of the first occurrence in data, or -1.
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

// after returns the index of c in data from start on, or the length of data.
func after(data []byte, c byte, start int) int {
	if at := bytes.IndexByte(data[start:], c); at >= 0 {
		return start + at
	}
	return len(data)
}

// equalFold compares data with lower, ignoring the case of ASCII letters in data.
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

// rarity ranks bytes by how rare they are in text and code.
func rarity(c byte) int {
	if at := strings.IndexByte(" etaoinsrlcdupmhgfby.,()_=-w\t\"v:;/k0x1jqz", c); at >= 0 {
		return at
	}
	return 100
}

// required returns texts at least one of which is in every match of re, nil if none are
// worth looking for.
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

// rareSet returns the first bytes of the characters of a class, given as pairs of first and
// last, nil if nearly every line has one.
func rareSet(class []rune) *[256]bool {
	var set [256]bool
	for i := 0; i+1 < len(class); i += 2 {
		if class[i+1] >= utf8.RuneSelf {
			return nil // some of these match bytes that are not text
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

// better reports whether to look for the literals a rather than b: the shortest of them is
// longer, or there are fewer.
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

// certain returns the longest part of runes that can be compared byte by byte: all of them,
// unless case is folded. Then it excludes letters that fold to one beyond ASCII (k and the
// Kelvin sign), and those beyond ASCII that have case.
func certain(runes []rune, fold bool) (text string, folds, ok bool) {
	var best, now []byte
	for _, r := range runes {
		if r == utf8.RuneError || fold && !plainFold(r) {
			now = now[:0]
			if r == utf8.RuneError {
				continue // matches bytes that are not text
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

// plainFold reports whether folding the case of r stays in ASCII, or changes nothing.
func plainFold(r rune) bool {
	if r < utf8.RuneSelf {
		return !strings.ContainsRune("kKsS", r)
	}
	return unicode.SimpleFold(r) == r
}
