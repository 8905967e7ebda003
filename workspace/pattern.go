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

// wildcard is a compiled pattern of gitignore(5), as Git's wildmatch reads it: "*" and "?" do not
// match a slash, "**" does between slashes ("a/**/c" is a/c and a/b/c), and sets may name classes
// ("[[:digit:]]"). Matching
// takes time in proportion to the lengths of pattern and name, however the pattern is written.
type wildcard struct {
	parts []part
	never bool // malformed: it matches nothing
}

// part is one element of a wildcard.
type part struct {
	kind partKind
	one  byte      // of a character
	set  [4]uint64 // of a set: a bit for each byte
}

type partKind uint8

const (
	character partKind = iota
	anyOne             // "?": a byte that is no slash
	oneOf              // a set; never a slash
	star               // any bytes but slashes
	starStar           // any bytes
	levels             // "**/": nothing, or any bytes and then a slash
)

func (p *part) has(c byte) bool { return p.set[c>>6]&(1<<(c&63)) != 0 }

func (p *part) add(from, to byte) {
	for c := int(from); c <= int(to); c++ {
		p.set[c>>6] |= 1 << (c & 63)
	}
}

// compile reads a pattern. With flat set, the names to match have no slashes, and "**" is "*".
func compile(pattern string, flat bool) (w wildcard) {
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; c {
		case '\\':
			if i+1 == len(pattern) {
				return wildcard{never: true}
			}
			w.parts = append(w.parts, part{kind: character, one: pattern[i+1]})
			i += 2
		case '?':
			w.parts = append(w.parts, part{kind: anyOne})
			i++
		case '*':
			end := i + 1
			for end < len(pattern) && pattern[end] == '*' {
				end++
			}
			rest := pattern[end:]
			kind := star
			if end-i > 1 && !flat && (i == 0 || pattern[i-1] == '/') && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)) {
				kind = starStar
				if strings.HasPrefix(rest, "/") {
					kind = levels
					end++
				}
			}
			w.parts = append(w.parts, part{kind: kind})
			i = end
		case '[':
			set, length, ok := compileSet(pattern[i:])
			if !ok {
				return wildcard{never: true}
			}
			w.parts = append(w.parts, set)
			i += length
		default:
			w.parts = append(w.parts, part{kind: character, one: c})
			i++
		}
	}
	return w
}

// compileSet reads the set at the start of a pattern, and returns its length.
func compileSet(pattern string) (set part, length int, ok bool) {
	set.kind = oneOf
	i := 1
	at := func() byte { // 0 after the end, which a name cannot have
		if i < len(pattern) {
			return pattern[i]
		}
		return 0
	}
	negated := at() == '!' || at() == '^'
	if negated {
		i++
	}
	before := byte(0) // the character before, where a range may begin
	for first := true; first || at() != ']'; first = false {
		c := at()
		switch {
		case c == 0:
			return set, 0, false
		case c == '\\':
			i++
			if c = at(); c == 0 {
				return set, 0, false
			}
			set.add(c, c)
		case c == '-' && before != 0 && i+1 < len(pattern) && pattern[i+1] != ']':
			i++
			if c = at(); c == '\\' {
				i++
				if c = at(); c == 0 {
					return set, 0, false
				}
			}
			set.add(before, c)
			c = 0
		case c == '[' && i+1 < len(pattern) && pattern[i+1] == ':':
			end := strings.IndexByte(pattern[i+2:], ']')
			if end < 0 {
				return set, 0, false
			}
			if name, closed := strings.CutSuffix(pattern[i+2:i+2+end], ":"); closed {
				if !set.addClass(name) {
					return set, 0, false
				}
				i += 2 + end
				c = 0
			} else {
				set.add(c, c)
			}
		default:
			set.add(c, c)
		}
		before = c
		i++
	}
	if negated {
		for k := range set.set {
			set.set[k] = ^set.set[k]
		}
	}
	set.set['/'>>6] &^= 1 << ('/' & 63)
	return set, i + 1, true
}

// addClass adds the characters of a class. It returns false for an unknown name.
func (p *part) addClass(name string) bool {
	ranges, ok := map[string]string{
		"alnum": "09AZaz", "alpha": "AZaz", "blank": "\t\t  ", "cntrl": "\x00\x1f\x7f\x7f", "digit": "09", "graph": "!~", "lower": "az",
		"print": " ~", "punct": "!/:@[`{~", "space": "\t\n\r\r  ", "upper": "AZ", "xdigit": "09AFaf",
	}[name]
	for i := 0; i < len(ranges); i += 2 {
		p.add(ranges[i], ranges[i+1])
	}
	return ok
}

// match reports whether the wildcard matches a whole name.
func (w *wildcard) match(name string) bool {
	if w.never {
		return false
	}
	// now[i] says whether the parts from i on may match the rest of the name.
	var space [2][64]bool
	now, next := space[0][:], space[1][:]
	if n := len(w.parts) + 1; n > len(now) {
		now, next = make([]bool, n), make([]bool, n)
	}
	w.reach(now, 0)
	for k := range len(name) {
		c, alive := name[k], false
		clear(next)
		for i := range w.parts {
			if !now[i] {
				continue
			}
			p := &w.parts[i]
			switch {
			case p.kind == levels:
				next[i] = true
				if c == '/' {
					w.reach(next, i+1)
				}
			case p.kind == starStar, p.kind == star && c != '/':
				w.reach(next, i)
			case p.kind == character && p.one == c, p.kind == anyOne && c != '/', p.kind == oneOf && p.has(c):
				w.reach(next, i+1)
			default:
				continue
			}
			alive = true
		}
		if !alive {
			return false
		}
		now, next = next, now
	}
	return now[len(w.parts)]
}

// reach marks part i, and those after it that can be reached without a character.
func (w *wildcard) reach(states []bool, i int) {
	for ; !states[i] || i < len(w.parts) && w.parts[i].kind == levels; i++ {
		states[i] = true
		if i == len(w.parts) || w.parts[i].kind < star {
			return
		}
	}
}

// foldCase makes the part match lower case as it matches either.
func (p *part) foldCase() {
	if p.kind == character && p.one >= 'A' && p.one <= 'Z' {
		p.one += 'a' - 'A'
	}
	for c := byte('A'); c <= 'Z'; c++ {
		if lower := c + 'a' - 'A'; p.has(c) {
			p.add(lower, lower)
		}
	}
}
