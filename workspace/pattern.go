package workspace

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pattern is one line of a file in gitignore syntax (git's gitignore(5)).
type pattern struct {
	glob     string
	negated  bool // "!": what matches is not ignored after all
	dirOnly  bool // ends with a slash: matches folders only
	anchored bool // has another slash: relative to the folder of the file, not at any depth
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
		if p, ok := parsePattern(strings.TrimRight(line, "\r\n")); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

func parsePattern(line string) (p pattern, ok bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" || len(line) > maxGlob {
		return p, false
	}
	special := func(s string) bool { return strings.ContainsAny(s, `*?[\`) }
	switch rest, star := strings.CutPrefix(line, "*"); {
	case !special(line):
		p.glob, p.kind = line, literal
	case star && !special(rest) && !p.anchored:
		p.glob, p.kind = rest, suffix
	default:
		if strings.HasSuffix(line, "/**") { // the content, not the folder itself
			line += "/*"
		}
		p.glob = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line) // git gives braces no meaning
		if !doublestar.ValidatePattern(p.glob) {
			return p, false
		}
	}
	return p, true
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
	ok, err := doublestar.Match(p.glob, rel)
	return ok && err == nil
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
