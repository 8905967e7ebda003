package workspace

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"redline/internal/phrase"
)

// pattern is one line of a file in gitignore syntax (git's gitignore(5)). Matching follows Git to
// the letter, also where its manual is silent.
type pattern struct {
	glob     string   // what stands before the first special character; of a suffix, what follows "*"
	rest     wildcard // general: what follows glob
	negated  bool     // "!": what matches is not ignored after all
	dirOnly  bool     // ends with a slash: matches folders only
	anchored bool     // has another slash: relative to the folder of the file, not at any depth
	fold     bool     // upper and lower case are the same
	kind     patternKind
}

// patternKind selects a faster matcher for simple patterns.
type patternKind int

const (
	general patternKind = iota
	literal             // glob has no special characters
	suffix              // "*" and then glob, nothing else special
)

// parsePatterns reads a file in gitignore syntax, such as "/target/", "*.log" or "!keep.log". Like
// git, it skips lines that are not patterns. With fold set, upper and lower case are the same in them.
func parsePatterns(text string, fold bool) []pattern {
	var patterns []pattern
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		line, _, _ = strings.Cut(line, "\x00")
		if p, ok := parsePattern(line); ok {
			if fold {
				p.foldCase()
			}
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
	if p.fold {
		rel = lower(rel)
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

// foldCase makes the pattern the same in upper and lower case, of the letters of ASCII as for git.
func (p *pattern) foldCase() {
	p.fold, p.glob = true, lower(p.glob)
	for i := range p.rest.parts {
		p.rest.parts[i].foldCase()
	}
}

// lower returns a text with the letters of ASCII in lower case.
func lower(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= 'A' && r <= 'Z' }) {
		return text
	}
	data := []byte(text)
	for i, c := range data {
		if c >= 'A' && c <= 'Z' {
			data[i] += 'a' - 'A'
		}
	}
	return string(data)
}

// IgnoreFile holds the patterns of one file in gitignore syntax. The zero value has none.
type IgnoreFile struct{ patterns []pattern }

// ParseIgnore reads a file in gitignore syntax, whose names have upper and lower case. Like git, it
// skips lines that are not patterns.
func ParseIgnore(text string) IgnoreFile { return IgnoreFile{parsePatterns(text, false)} }

// Decides returns whether the file ignores name, relative to the file's folder. found is false if
// it says nothing about name.
func (f IgnoreFile) Decides(name string, isDir bool) (ignored, found bool) {
	return decide(f.patterns, name, isDir)
}

// The bounds of a glob: a matcher tries every way through its braces.
const (
	maxGlob     = 1000 // bytes
	maxGlobWays = 1000
)

// ValidGlob reports whether glob is a doublestar pattern that can be matched quickly: it
// has at most 1000 bytes and expands its braces in at most 1000 ways. "{a,b}/{c,d}" has four.
func ValidGlob(glob string) bool {
	if len(glob) > maxGlob {
		return false
	}
	ways, escaped := 1, false
	var open []int // for each open brace, its choices so far
	for i := range len(glob) {
		switch c := glob[i]; {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '{':
			open = append(open, 1)
		case c == ',' && len(open) > 0:
			open[len(open)-1]++
		case c == '}' && len(open) > 0:
			if ways *= open[len(open)-1]; ways > maxGlobWays {
				return false
			}
			open = open[:len(open)-1]
		}
		if len(open) > 10 {
			return false
		}
	}
	return doublestar.ValidatePattern(glob)
}

// clipName shortens a name for a message.
func clipName(name string) string { return phrase.StartBytes(name, 100) }

// MatchGlob reports whether a path, or a name, matches a glob. An invalid glob matches
// nothing.
func MatchGlob(glob, path string) bool {
	if strings.Contains(glob, "{") && !ValidGlob(glob) || len(glob) > maxGlob {
		return false
	}
	ok, err := doublestar.Match(glob, path)
	return ok && err == nil
}
