package placeholder

import (
	"strings"
	"unicode/utf8"

	"redline/internal/lazyregexp"
)

// candidate is a line that looks like a placeholder.
type candidate struct {
	Placeholder
	grade grade
}

// maxLine is how long a line with a placeholder may be, in bytes.
const maxLine = 300

// scan returns the lines that look like placeholders, whatever they replace. It skips a
// line unless more reports that the new text has it more often than the old one; more
// takes the line without the spaces around it.
func scan(l language, lines []string, more func(line string) bool) []candidate {
	var out []candidate
	f := fenced{language: l}
	quoted := false // the line begins within a string in backticks
	for i, line := range lines {
		inside := quoted
		quoted = quoted != (strings.Count(line, "`")%2 != 0)
		if f.skip(line) || line == "" || len(line) > maxLine || !more(strings.TrimSpace(line)) || !mayStand(line) {
			continue
		}
		g, alone := judge(l, lines, i, inside || quoted)
		if g != none {
			out = append(out, candidate{Placeholder{Line: i + 1, Text: strings.TrimSpace(line), alone: alone}, g})
		}
	}
	return out
}

// mayStand reports quickly whether a line can be a placeholder: it has dots, or is in a
// comment or brackets and has a word of telling.
func mayStand(line string) bool {
	if strings.Contains(line, "...") || strings.Contains(line, "…") || strings.ContainsAny(line, "⋮⋯") || strings.Contains(line, ". . .") {
		return true
	}
	line = strings.TrimLeft(line, " \t")
	return line != "" && (strings.IndexByte("/#-;%{<([@'\"!rR*_", line[0]) >= 0 || strings.Contains(line, "/*") || strings.Contains(line, "//") || strings.Contains(line, "# ")) && telling().MatchString(line)
}

// telling matches a word that every placeholder in words has.
var telling = lazyregexp.New(`(?i)\b(?:rest|remainder|remaining|remains?|existing|previous|previously|original|current|others?|unchanged|unmodified|untouched|unaltered|intact|identical|preserved?|retain(?:ed)?|same|similar(?:ly)?|else|stays?|omitted|elided|truncated|removed|hidden|skip(?:ped|ping)?|left|leave|keep|kept|abbreviated|shortened|changes?|changed|modif(?:y|ied|ications?)|touch|snip|snipped|continue[sd]?|relevant|as is|as-is|as it was|as they were|before|above|below|after|shown|here|until|code|body|logic|implementation|contents?|lines?|repeat(?:ed)?|etc)\b|[^\x00-\x7f]`)

// judge returns the grade of line i as a placeholder, and whether it contains nothing
// else. quoted means that the line is inside a string of several lines.
func judge(l language, lines []string, i int, quoted bool) (g grade, alone bool) {
	line := strings.TrimSpace(lines[i])
	if l.prose {
		line = withoutEmphasis(line)
	}
	if body, wide, ok := comment(l, line); ok {
		s, ok := wordingOf(body)
		if !ok {
			return none, true
		}
		if strings.ContainsAny(strings.TrimSpace(body)[:min(1, len(strings.TrimSpace(body)))], "\"'`") {
			return none, true // quoted
		}
		if strings.HasPrefix(body, "* ") && s.dots() && s.judge() == sure {
			return sure, true // "/** ... existing code ... */"
		}
		if wide && !s.dots() || (wide || s.words == "") && isComment(body) {
			return none, true
		}
		return inComment(s, wide, lines, i), true
	}
	if g := bare(l, line); g != none && !(i > 0 && strings.HasSuffix(lines[i-1], ",") && dotsOnly(line)) { // else of parameters, a line each
		return g, true
	}
	return withCode(l, lines, i, quoted), false
}

// inComment returns the grade of a comment, given the lines around it: a line of a longer
// comment is an example, or part of a sentence.
func inComment(s wording, wide bool, lines []string, i int) grade {
	g := s.judge()
	above, below := "", ""
	if i > 0 {
		above = strings.TrimSpace(lines[i-1])
	}
	if i+1 < len(lines) {
		below = strings.TrimSpace(lines[i+1])
	}
	a, b := isComment(above), isComment(below)
	switch {
	case wide && (g <= likely || a && b), a && b && (g <= likely || !s.dots()):
		return none
	case s.dots() && g != weak:
		return g
	case a && !strings.ContainsAny(above[len(above)-1:], ".:!?"):
		return none
	case g == likely && (a || b):
		return weak
	}
	return g
}

// bare returns the grade of a line that is no comment.
func bare(l language, line string) grade {
	if first, _ := utf8.DecodeRuneInString(line); !strings.ContainsRune(".[({<…⋮⋯", first) || strings.HasPrefix(line, "..") && !strings.HasPrefix(line, "...") {
		return none
	}
	s, ok := wordingOf(line)
	if !ok || !s.dots() && !s.bracket {
		return none
	}
	if strings.ContainsAny(line, ",;=|\"'`") || s.tight && !strings.Contains(s.words, " ") && s.words != "" {
		return none // code: "...rest,"
	}
	g := s.judge()
	switch {
	case l.prose && strings.Contains(s.words, " for "):
		return none // dots in an example
	case s.words == "" && strings.ContainsAny(line, "{}<>"), s.words == "" && !l.bare:
		return none
	case !s.dots() && !strings.Contains(s.words, " ") && line[0] != '(': // a list with one item
		return none
	case g == weak, l.prose && g == likely && s.bracket && s.words != "":
		if s.bracket && strings.Contains(s.words, " ") {
			return weak
		}
		return none
	case l.prose && g != sure, g == likely && !l.bare:
		return none
	case s.dots() && (s.bracket || s.lead) && !l.prose:
		return g
	}
	return min(g, likely)
}

// withoutEmphasis returns a line of Markdown without the emphasis marks around the whole
// line.
func withoutEmphasis(line string) string {
	inner := strings.Trim(line, "*_")
	if n := (len(line) - len(inner)) / 2; n > 0 && n <= 3 && inner != "" && inner[0] != ' ' && line[:n] == line[len(line)-n:] && len(line) == len(inner)+2*n {
		return inner
	}
	return line
}

// dotsOnly reports whether a line is an ellipsis and nothing else.
func dotsOnly(line string) bool { return line == "..." || line == "…" }
