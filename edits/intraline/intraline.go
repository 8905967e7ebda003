// Package intraline finds the lines of a change that have become others, and the words that
// differ in them.
package intraline

import (
	"unicode"
	"unicode/utf8"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// Of returns the parts of a change's lines that differ: gone has the spans removed from its
// old text, come those added in its new text, in order, none with a line end in it. They
// begin and end at words, or at single characters outside words, and never divide a
// character as a reader sees it, such as a letter with its accents or a joined emoji.
// Lines that have little in common, or were only removed or added, have no spans: they
// differ as a whole.
func Of(old, new string) (gone, come []edits.Span) {
	xs, ys := offsetsOf(linetext.Split(old)), offsetsOf(linetext.Split(new))
	for _, row := range Rows(old, new) {
		for _, c := range row.Changes {
			if c.Old.Len() > 0 {
				gone = append(gone, c.Old.Moved(xs[row.Old]))
			}
			if c.New.Len() > 0 {
				come = append(come, c.New.Moved(ys[row.New]))
			}
		}
	}
	return gone, come
}

// offsetsOf returns where each of the pieces starts in their text.
func offsetsOf(pieces []string) []int {
	offsets, at := make([]int, len(pieces)), 0
	for i, piece := range pieces {
		offsets[i], at = at, at+len(piece)
	}
	return offsets
}

// clusters splits a line into words, runs of spaces and other characters.
func clusters(line string) []string {
	out := make([]string, 0, len(line)/4+1)
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
