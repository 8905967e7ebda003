package workspace

import "strings"

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
