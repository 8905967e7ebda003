package patch

import (
	"strings"

	"redline/internal/lazyregexp"
)

// The lines around the two texts of a search/replace block. Models miscount the marks,
// and mix the names that several tools use.
var (
	opener  = lazyregexp.New(`^(?:<{5,} ?(?:SEARCH|ORIGINAL)|-{5,} ?SEARCH)>?\s*$`)
	divider = lazyregexp.New(`^={5,}\s*$`)
	// A block ends with the signs that match those it begins with, if there is such a
	// line: the text of one kind of block may show the other.
	closer     = lazyregexp.New(`^>{5,} ?(?:REPLACE|UPDATED)>?\s*$`)
	plusCloser = lazyregexp.New(`^\+{5,} ?REPLACE>?\s*$`)
	// conflict is what version control writes around two texts, or a mark
	// of a block that is out of place.
	conflict = lazyregexp.New(`^(<{5,9}|>{5,9}|\|{5,9})( |$)`)
)

// isOpener reports whether a line begins a block with the signs "<".
func isOpener(line string) bool { return strings.HasPrefix(line, "<") && opener().MatchString(line) }

// ends returns a function that recognizes the last line of the block that begins with
// line first. That line has the matching signs or, if there is no such line before the
// next block, those of the other kind.
func (b *blocks) ends(first int) func(line string) bool {
	own, other := closer().MatchString, plusCloser().MatchString
	sign := b.bare(first)[:1]
	if sign == "-" {
		own, other = other, own
	}
	others := 0 // lines with the other signs, up to the next block of either kind
	inOther := false
	for i := first + 1; i < len(b.lines); i++ {
		switch line := b.bare(i); {
		case own(line):
			return own
		case !opener().MatchString(line):
			if !inOther && other(line) {
				others++
			}
			continue
		case !strings.HasPrefix(line, sign):
			inOther = true
			continue
		}
		break
	}
	if others == 1 {
		return other
	}
	return own
}

// mark is the meaning of a line of a search/replace block, however it is written.
type mark int

const (
	noMark mark = iota
	markOpen
	markDivide
	markClose
)

var (
	meantOpen  = lazyregexp.New(`^(?:<{3,}\s*(?:SEARCH|ORIGINAL)\b|<{5,}\s*(?i:SEARCH|ORIGINAL)\b|-{4,}\s*SEARCH\b|---\s*SEARCH>?$)`)
	meantClose = lazyregexp.New(`^(?:>{3,}\s*(?:REPLACE|UPDATED)\b|>{5,}\s*(?i:REPLACE|UPDATED)\b|\+{4,}\s*REPLACE\b|\+\+\+\s*REPLACE>?$)`)
)

// maxMark is how many bytes of a line are read.
const maxMark = 256

// meant returns the mark that a line is meant as: it may be indented, have more signs
// or fewer, or text after it. A line below a title counts as the line between the
// texts.
func meant(line string) mark {
	line = strings.TrimSpace(line)
	if len(line) < 3 {
		return noMark
	}
	line = line[:min(len(line), maxMark)]
	switch line[0] {
	case '<', '-':
		if meantOpen().MatchString(line) {
			return markOpen
		}
	case '=':
		if strings.HasPrefix(line, "===") {
			return markDivide
		}
	case '>', '+':
		if meantClose().MatchString(line) {
			return markClose
		}
	}
	return noMark
}

// isStray reports whether a line outside blocks is meant to begin or end one, but does
// not.
func isStray(line string) bool {
	is := meant(line)
	return is == markOpen || is == markClose
}

// refuseMark refuses a line that is not a valid mark.
func refuseMark(i int, line string) *Refusal {
	return refuseLine(i, "(%s) is no mark of a block as it has to be. Nothing was changed. A block is a line <<<<<<< SEARCH, the text, a line =======, the new text, a line >>>>>>> REPLACE. Each mark begins its line and has nothing else on it; the path stands on the line above the block. Send the block again so.", quoted(strings.TrimSpace(line)))
}
