// Package intraline finds the words that differ in changed lines.
package intraline

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"znkr.io/diff"

	"redline/edits"
	"redline/edits/internal/linetext"
	"redline/edits/internal/pair"
)

// Of returns the parts of a hunk's lines that differ: gone has the spans removed from its
// old text, come those added in its new text, in order, none with a line end in it. They
// begin and end at words, or at single characters outside words, and never divide a
// character as a reader sees it, such as a letter with its accents or a joined emoji.
// Lines that have little in common, or were only removed or added, have no spans: they
// differ as a whole.
func Of(old, new string) (gone, come []edits.Span) {
	x, y := linetext.Split(old), linetext.Split(new)
	xs, ys := offsetsOf(x), offsetsOf(y)
	pair.Changed(linetext.Contents(x), linetext.Contents(y), func(i, j int) {
		g, c := wordDiff(linetext.Content(x[i]), linetext.Content(y[j]))
		for _, s := range g {
			gone = append(gone, s.Moved(xs[i]))
		}
		for _, s := range c {
			come = append(come, s.Moved(ys[j]))
		}
	})
	return gone, come
}

// offsetsOf returns where each of the lines starts in their text.
func offsetsOf(lines []string) []int {
	offsets, at := make([]int, len(lines)), 0
	for i, line := range lines {
		offsets[i], at = at, at+len(line)
	}
	return offsets
}

// maxWords limits the comparison of two lines: the product of their numbers of words. A
// longer line was written by a program.
const maxWords = 1 << 22

// wordDiff returns the parts of two lines that differ, or none if nearly everything does.
func wordDiff(old, new string) (gone, come []edits.Span) {
	x, y := clusters(old), clusters(new)
	if len(x)*len(y) > maxWords {
		return nil, nil
	}
	xs, ys := offsetsOf(x), offsetsOf(y)
	put := func(spans []edits.Span, line string, s edits.Span) []edits.Span {
		if n := len(spans); n > 0 && strings.TrimSpace(line[spans[n-1].End:s.Start]) == "" {
			spans[n-1].End = s.End // a space between two differences is not worth showing
			return spans
		}
		return append(spans, s)
	}
	for _, h := range diff.Hunks(x, y, diff.Context(0)) {
		if h.EndX > h.PosX {
			gone = put(gone, old, edits.Span{Start: xs[h.PosX], End: xs[h.EndX-1] + len(x[h.EndX-1])})
		}
		if h.EndY > h.PosY {
			come = put(come, new, edits.Span{Start: ys[h.PosY], End: ys[h.EndY-1] + len(y[h.EndY-1])})
		}
	}
	if 3*shared(old, gone) < visible(old) || 3*shared(new, come) < visible(new) {
		return nil, nil
	}
	return gone, come
}

// shared returns how many bytes of a line are in none of the spans. Spaces do not
// count.
func shared(line string, spans []edits.Span) int {
	n := visible(line)
	for _, s := range spans {
		n -= visible(s.Of(line))
	}
	return n
}

// visible returns how many bytes of s are not spaces.
func visible(s string) int {
	n := 0
	for _, field := range strings.Fields(s) {
		n += len(field)
	}
	return n
}

// clusters splits a line into words, runs of spaces and other characters.
func clusters(line string) []string {
	var out []string
	start, last, joins := 0, other, false
	for i, r := range line {
		now := kindOf(r)
		joined := i > 0 && (now == extends || joins || now == last && now != other)
		if i > 0 && !joined {
			out = append(out, line[start:i])
			start = i
		}
		if now != extends {
			last = now
		}
		joins = r == zeroWidthJoiner
	}
	if start < len(line) {
		out = append(out, line[start:])
	}
	return out
}

// kind is how a character joins others.
type kind uint8

const (
	other   kind = iota // stands by itself
	letter              // letters and digits, in one word with those beside it
	blank               // in one run with those beside it
	flag                // a regional indicator: two make a flag
	extends             // belongs to the character before it
)

const zeroWidthJoiner = '\u200d'

// kindOf returns the kind of a character. It implements enough of extended grapheme
// clusters (Unicode Standard Annex #29) not to divide those that people write: marks,
// variation selectors, joined emoji, skin tones, flags.
func kindOf(r rune) kind {
	switch {
	case r == ' ' || r == '\t':
		return blank
	case r < utf8.RuneSelf && (r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'):
		return letter
	case r < utf8.RuneSelf:
		return other
	case r == zeroWidthJoiner, r >= 0x1F3FB && r <= 0x1F3FF, r >= 0xE0020 && r <= 0xE007F, unicode.Is(unicode.M, r):
		return extends
	case r >= 0x1F1E6 && r <= 0x1F1FF:
		return flag
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return other // written without spaces between words
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return letter
	case unicode.IsSpace(r):
		return blank
	}
	return other
}
