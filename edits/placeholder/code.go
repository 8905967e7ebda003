package placeholder

import (
	"strings"

	"redline/internal/lazyregexp"
)

// tail matches a comment after code.
var tail = lazyregexp.New(`^(.*?(?:[\s{(;,:\[]))(//|/\*|\{/\*|#|--|<!--)\s*(.*?)\s*(?:\*/\}?|-->)?\s*([\s})\];,]*)$`)

// Code that holds only dots or a comment where its contents should be.
var (
	// emptied matches a function whose body is dots.
	emptied = lazyregexp.New(`\)[^(){}"'` + "`" + `]*\{\s*(?:(?:\.\.\.|…)|/\*\s*(?:\.\.\.|…)\s*\*/)\s*\}[;,]?$`)
	// braces matches a block, class or object that contains only dots: no language allows
	// that.
	braces = lazyregexp.New(`(?:^|[\w\s)\]>=:(,])\{\s*(?:\.\.\.|…|/\*\s*(?:\.\.\.|…)\s*\*/)\s*\}`)
	// listed matches a list, or a value in brackets.
	listed = lazyregexp.New(`(?:[=:(,]|\b(?:return|import|const|var|type))\s*[(\[]\s*(?:\.\.\.|…)\s*[)\]]\s*[;,)}\s]*$`)
	// table matches a table or a query in SQL.
	table = lazyregexp.New(`\(\s*(?:\.\.\.|…)\s*\)\s*;?$|\s(?:\.\.\.|…)\s`)
	// inBraces matches a block that contains only a comment.
	inBraces = lazyregexp.New(`\{\s*(?:/\*\s*([^*]*?)\s*\*/|//\s*([^{}]*?))\s*\}[;,()\[\]\s\w]*$`)
	// inTag matches an HTML element and its content.
	inTag = lazyregexp.New(`^<([\w.-]+)(?:\s[^<>]*)?>\s*(?:<!--\s*(.*?)\s*-->|\{?/\*\s*(.*?)\s*\*/\}?|//\s*([^<]*?)|((?:\.\.\.|…).*?))\s*</([\w.-]+)>$`)
	// parts are the names of elements that contain others.
	parts = words("head body html main header footer nav aside section article script style template table thead tbody tfoot tr ul ol dl form fieldset svg select")
	// key matches a member of JSON that stands for others.
	key = lazyregexp.New(`^"(?://\s*)?(?:\.\.\.|…)[^"/]*"\s*:`)
	// quotedText matches a string.
	quotedText = lazyregexp.New(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` + "`[^`]*`")
)

// withCode returns the grade of line i, which also has code. quoted means that the line
// is inside a string of several lines.
func withCode(l language, lines []string, i int, quoted bool) grade {
	line := strings.TrimSpace(lines[i])
	if l.prose {
		return none
	}
	if m := tail().FindStringSubmatch(line); m != nil {
		if s, ok := wordingOf(m[3]); ok && s.words != "" {
			if g := afterCode(s, strings.TrimSpace(m[1]), lines, i); g != none {
				return g
			}
		}
	}
	if !l.bare || isComment(line) {
		return none
	}
	if emptied().MatchString(line) || l.json && key().MatchString(line) {
		return likely
	}
	if g := inElement(line); g != none {
		return g
	}
	if quoted {
		return none
	}
	if m := inBraces().FindStringSubmatch(line); m != nil {
		if s, ok := wordingOf(m[1] + m[2]); ok && s.words != "" {
			return min(s.judge(), likely)
		}
	}
	code := quotedText().ReplaceAllString(line, `""`)
	code, _, _ = strings.Cut(code, " //")
	if braces().MatchString(code) || listed().MatchString(code) || l.sql && table().MatchString(code) {
		return likely
	}
	return none
}

// afterCode returns the grade of a comment after code.
func afterCode(s wording, code string, lines []string, i int) grade {
	switch {
	case code == "pass" || strings.HasSuffix(code, "..."), strings.HasSuffix(code, ": pass"): // Python
		return min(s.judge(), likely)
	case s.dots() && s.judge() == sure:
		return likely
	case strings.HasSuffix(code, "{") || strings.HasSuffix(code, ":"): // in a block with no other content
		if below := nextLine(lines, i); below == "" || depth(below) <= depth(lines[i]) {
			return min(s.judge(), likely)
		}
	}
	return none
}

// nextLine returns the first line below line i that is not blank, "" if there is
// none.
func nextLine(lines []string, i int) string {
	for _, line := range lines[i+1:] {
		if line != "" {
			return line
		}
	}
	return ""
}

// inElement returns the grade of an HTML element.
func inElement(line string) grade {
	m := inTag().FindStringSubmatch(line)
	if m == nil || m[1] != m[6] {
		return none
	}
	if m[5] != "" && !parts[strings.ToLower(m[1])] {
		if s, ok := wordingOf(m[5]); ok && s.lead && s.trail {
			return min(s.judge(), likely)
		}
		return none
	}
	if s, ok := wordingOf(m[2] + m[3] + m[4] + m[5]); ok {
		return min(s.judge(), likely)
	}
	return none
}
