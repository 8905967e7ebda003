package match

import (
	"strconv"
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
	"redline/internal/lazyregexp"
)

// StepNumbers is the step for a text that was copied with the line numbers that a tool shows
// in front of each line: `12 | foo`, `12→foo`, `12: foo`. They must be on every line, in
// order, and be the numbers of the lines in the file. The text behind them must be there
// once, but for line ends.
const StepNumbers = "line numbers"

// numberedLine matches a line with its number in front.
var numberedLine = lazyregexp.New(`^[ \t]*([1-9][0-9]{0,8})( ?\||→|:|\t)(.*)$`)

// numbering is a text whose lines all have a number in front.
type numbering struct {
	sign    string
	numbers []int
	lines   []string // without the numbers, with their line ends
	spaced  bool     // a space follows each number, unless the line ends there
}

// numberingOf reads a text with numbers. ok is false if a line has none, or another sign
// behind it, or if the numbers do not rise.
func numberingOf(text string) (n numbering, ok bool) {
	n.spaced = true
	for i, line := range linetext.Split(linetext.WithoutBOM(text)) {
		m := numberedLine().FindStringSubmatch(linetext.Content(line))
		if m == nil || i > 0 && m[2] != n.sign {
			return numbering{}, false
		}
		number, err := strconv.Atoi(m[1])
		if err != nil || i > 0 && number <= n.numbers[i-1] {
			return numbering{}, false
		}
		n.sign = m[2]
		n.numbers = append(n.numbers, number)
		n.lines = append(n.lines, m[3]+linetext.End(line))
		n.spaced = n.spaced && (m[3] == "" || m[3][0] == ' ')
	}
	return n, len(n.lines) > 0
}

// text returns the text without numbers; spaced means without the space behind each.
func (n *numbering) text(spaced bool) string {
	if !spaced {
		return strings.Join(n.lines, "")
	}
	var b strings.Builder
	for _, line := range n.lines {
		b.WriteString(strings.TrimPrefix(line, " "))
	}
	return b.String()
}

// replaceByNumbers is the step. ok is false if it does not find a place.
func replaceByNumbers(text, old, new string, w Where) (es []edits.Edit, m Match, err error, ok bool) {
	was, ok := numberingOf(old)
	if !ok || was.numbers[len(was.numbers)-1]-was.numbers[0] != len(was.numbers)-1 {
		return nil, Match{}, nil, false
	}
	now, numbered := numberingOf(new)
	if numbered {
		last := was.numbers[len(was.numbers)-1]
		if now.sign != was.sign || now.numbers[0] < was.numbers[0] || now.numbers[0] > last+1 {
			return nil, Match{}, nil, false
		}
	} else if hasNumber(new, was.sign) {
		return nil, Match{}, nil, false // some of its lines have numbers
	}
	w.Narrow, w.Lines = nil, true
	for _, spaced := range []bool{true, false} {
		if spaced && (!was.spaced || numbered && !now.spaced) {
			continue
		}
		bare := new
		if numbered {
			bare = now.text(spaced)
		}
		asked := was.text(spaced)
		if linetext.End(old) == "" { // the line ends behind both stay
			asked, bare = asked+"\n", bare+"\n"
		}
		if strings.TrimSpace(asked) == "" {
			continue
		}
		found, step, err := find(text, asked, w, false)
		if err != nil || len(found.Spans) != 1 || step.name != StepExact && step.name != StepLineEndings ||
			edits.LineOf(text, found.Spans[0].Start)+1 != was.numbers[0] {
			continue
		}
		es, m, err := replace(text, asked, bare, w)
		m.Step = StepNumbers
		return es, m, err, true
	}
	return nil, Match{}, nil, false
}

// hasNumber reports whether a line of a text has a number and this sign in front.
func hasNumber(text, sign string) bool {
	for _, line := range linetext.Split(text) {
		if m := numberedLine().FindStringSubmatch(linetext.Content(line)); m != nil && m[2] == sign {
			return true
		}
	}
	return false
}

// WithoutNumbers returns a whole text without the line numbers that were copied into it: all of its lines
// have one, from 1 on, and behind them most lines are those of base, the text that it replaces, which has no
// such numbers.
func WithoutNumbers(base, text string) (string, bool) {
	n, ok := numberingOf(text)
	if !ok || n.sign == ":" || n.numbers[0] != 1 || n.numbers[len(n.numbers)-1] != len(n.numbers) || hasNumber(base, n.sign) {
		return "", false
	}
	had := map[string]bool{}
	for _, line := range linetext.Split(base) {
		had[linetext.TrimBlanks(linetext.Content(line))] = true
	}
	bare := n.text(n.spaced)
	same, all := 0, 0
	for _, line := range linetext.Split(bare) {
		if line = linetext.TrimBlanks(linetext.Content(line)); line != "" {
			if all++; had[line] {
				same++
			}
		}
	}
	return bare, same > 0 && 2*same > all
}
