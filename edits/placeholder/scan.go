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

// scan returns the lines that look like placeholders, whatever they replace.
func scan(l language, lines []string) []candidate {
	var out []candidate
	f := fenced{language: l}
	for i, line := range lines {
		if f.skip(line) || line == "" || len(line) > maxLine || !mayStand(line) {
			continue
		}
		g, alone := judge(l, lines, i)
		if g != none {
			out = append(out, candidate{Placeholder{Line: i + 1, Text: strings.TrimSpace(line), alone: alone}, g})
		}
	}
	return out
}

// mayStand tells quickly whether a line can be a placeholder: it has dots, or is
// in a comment or brackets and has a word without which none is said.
func mayStand(line string) bool {
	if strings.Contains(line, "...") || strings.Contains(line, "…") || strings.ContainsAny(line, "⋮⋯") || strings.Contains(line, ". . .") {
		return true
	}
	line = strings.TrimLeft(line, " \t")
	return line != "" && len(line) <= maxWords+20 && (strings.IndexByte("/#-;%{<([@'\"!rR", line[0]) >= 0 || strings.HasPrefix(line, "pass ")) && telling().MatchString(line)
}

var telling = lazyregexp.New(`(?i)\b(?:rest|remainder|remaining|remains?|existing|unchanged|unmodified|untouched|unaltered|intact|same|else|stays?|omitted|elided|truncated|removed|hidden|skipped|left out|abbreviated|shortened|changes?|changed|snip|snipped|continues|as is|as-is|as it was|as they were|not modified|not shown|nothing else|same)\b`)

// judge tells how sure it is that line i stands for lines that are left out,
// and whether nothing else is in it.
func judge(l language, lines []string, i int) (g grade, alone bool) {
	line := strings.TrimSpace(lines[i])
	if body, wide, ok := comment(l, line); ok {
		s, ok := wordingOf(body)
		if !ok {
			return none, true
		}
		if strings.ContainsAny(strings.TrimSpace(body)[:min(1, len(strings.TrimSpace(body)))], "\"'`") {
			return none, true // quoted
		}
		if wide && !s.dots() || (wide || s.words == "") && isComment(body) {
			return none, true
		}
		return inComment(s, wide, lines, i), true
	}
	if g := bare(l, line); g != none && !(i > 0 && strings.HasSuffix(lines[i-1], ",") && dotsOnly(line)) { // else of parameters, a line each
		return g, true
	}
	return afterCode(l, line), false
}

// inComment is how sure it is of a comment, among the lines around it: a line
// of a longer comment is an example, or part of a sentence.
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
	case wide && (g == likely || a && b), a && b && (g == likely || !s.dots()):
		return none
	case s.dots():
		return g
	case g == likely && (a || b), a && !strings.ContainsAny(above[len(above)-1:], ".:!?"):
		return none
	}
	return g
}

// bare is how sure it is of a line that is no comment.
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
		return none // of an example
	case s.words == "" && strings.ContainsAny(line, "{}<>"), s.words == "" && !l.bare:
		return none
	case !s.dots() && !strings.Contains(s.words, " ") && line[0] != '(': // a list of one
		return none
	case l.prose && g != sure, g == likely && !l.bare:
		return none
	case s.dots() && (s.bracket || s.lead) && !l.prose:
		return g
	}
	return min(g, likely)
}

// dotsOnly tells whether a line is an ellipsis and nothing else.
func dotsOnly(line string) bool { return line == "..." || line == "…" }

// tail is a comment after code.
var tail = lazyregexp.New(`^(.*?(?:[\s{(;,:\[]))(//|/\*|\{/\*|#|--|<!--)\s*(.*?)\s*(?:\*/\}?|-->)?\s*([\s})\];,]*)$`)

// emptied is a function whose body is dots.
var emptied = lazyregexp.New(`\)[^(){}"'` + "`" + `]*\{\s*(?:(?:\.\.\.|…)|/\*\s*(?:\.\.\.|…)\s*\*/)\s*\}[;,]?$`)

// afterCode is how sure it is of a line that has code besides.
func afterCode(l language, line string) grade {
	if l.prose {
		return none
	}
	if m := tail().FindStringSubmatch(line); m != nil {
		if s, ok := wordingOf(m[3]); ok && s.words != "" {
			if code := strings.TrimSpace(m[1]); code == "pass" || strings.HasSuffix(code, "...") { // Python
				return min(s.judge(), likely)
			}
			if s.dots() && s.judge() == sure {
				return likely
			}
		}
	}
	if l.bare && !isComment(line) && emptied().MatchString(line) {
		return likely
	}
	return none
}
