package workspace

import (
	"strings"
)

// pattern is one line of a file in gitignore syntax (git's gitignore(5)). Matching follows Git to
// the letter, also where its manual is silent.
type pattern struct {
	glob     string   // what stands before the first special character; of a suffix, what follows "*"
	rest     wildcard // general: what follows glob
	negated  bool     // "!": what matches is not ignored after all
	dirOnly  bool     // ends with a slash: matches folders only
	anchored bool     // has another slash: relative to the folder of the file, not at any depth
	kind     patternKind
}

// patternKind selects a faster matcher for simple patterns.
type patternKind int

const (
	general patternKind = iota
	literal             // glob has no special characters
	suffix              // "*" and then glob, nothing else special
)

// parsePatterns reads a file in gitignore syntax. Like git, it skips lines that are not
// patterns.
func parsePatterns(text string) []pattern {
	var patterns []pattern
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		line, _, _ = strings.Cut(line, "\x00")
		if p, ok := parsePattern(line); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

func parsePattern(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line = withoutSpaces(line)
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" || len(line) > maxGlob {
		return p, false
	}
	const special = `*?[\`
	first := strings.IndexAny(line, special)
	switch rest, star := strings.CutPrefix(line, "*"); {
	case first < 0:
		p.glob, p.kind = line, literal
	case star && !p.anchored && !strings.ContainsAny(rest, special):
		p.glob, p.kind = rest, suffix
	case !p.anchored:
		p.rest = compile(line, true)
	default: // Git cuts what is literal off: the rest of "a**" begins with two stars
		p.glob, p.rest = line[:first], compile(line[first:], false)
	}
	return p, !p.rest.never
}

// withoutSpaces returns a line without the spaces at its end, unless a backslash is before them.
func withoutSpaces(line string) string {
	end := 0 // after the last character that counts
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

// matches reports whether p matches rel, a name relative to the folder of p's file. base is
// the last part of rel.
func (p *pattern) matches(rel, base string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	if !p.anchored {
		rel = base
	}
	switch p.kind {
	case literal:
		return rel == p.glob
	case suffix:
		return strings.HasSuffix(rel, p.glob)
	}
	rest, ok := strings.CutPrefix(rel, p.glob)
	return ok && p.rest.match(rest)
}

// decide returns whether patterns ignore rel: the last match counts. found is false if none
// matches.
func decide(patterns []pattern, rel string, isDir bool) (ignored, found bool) {
	base := rel[strings.LastIndexByte(rel, '/')+1:]
	for i := len(patterns) - 1; i >= 0; i-- {
		if patterns[i].matches(rel, base, isDir) {
			return !patterns[i].negated, true
		}
	}
	return false, false
}
