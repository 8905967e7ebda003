package linetext

import (
	"path"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

// Code knows which lines of a text end in code, and not in a string or a comment of several lines.
type Code struct {
	inside [][2]int // where the strings and comments of several lines are, in order
	known  int      // what is behind it may be anything
}

// CodeOf reads the text of the file at name. It returns nil unless it knows every kind of string
// that the language of the file has.
func CodeOf(name, text string) *Code {
	end := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if strings.HasPrefix(text, "<?") || strings.HasPrefix(text, "<!") {
		return nil // XML in a file whose name says otherwise, as in the .ts of translators
	}
	if end == "yaml" || end == "yml" {
		return yamlCode(text)
	}
	for _, l := range lexes {
		if strings.Contains(" "+l.ends+" ", " "+end+" ") && end != "" {
			r := codeReader{lexis: l, text: text, code: Code{known: len(text)}}
			for r.at < len(text) {
				r.next()
			}
			return &r.code
		}
	}
	return nil
}

// At reports whether a line ends in code at an offset, which is behind its last character that is
// no space.
func (c *Code) At(offset int) bool {
	if c == nil || offset > c.known {
		return false
	}
	i, _ := slices.BinarySearchFunc(c.inside, offset, func(span [2]int, offset int) int { return span[1] - offset })
	for i < len(c.inside) && c.inside[i][1] == offset {
		i++
	}
	return i == len(c.inside) || offset <= c.inside[i][0]
}

// lexis says how strings and comments of some languages look.
type lexis struct {
	ends    string    // of their files' names
	line    string    // the start of a comment to the end of the line
	block   [2]string // the marks of a comment of several lines
	nested  bool      // such comments can have others inside
	strings []literal // those with longer marks first
	stops   []string  // after one of these, nothing is known
	special func(*codeReader) bool
}

// literal is a kind of string.
type literal struct {
	mark    string // at both ends
	escapes bool   // a backslash takes the next character
	lines   bool   // can have several lines, and its end is certain
	hole    string // begins code inside
}

// inShell is the hole of a string in a shell.
const inShell = "$(, ${ and a backtick"

var (
	double = literal{mark: `"`, escapes: true}
	single = literal{mark: "'", escapes: true}
)

// lexes leaves out every language with strings that it cannot be sure of.
var lexes = []lexis{
	{ends: "go", line: "//", block: [2]string{"/*", "*/"}, strings: []literal{double, single, {mark: "`", lines: true}}},
	{ends: "c h m cc cpp cxx hh hpp hxx proto", line: "//", block: [2]string{"/*", "*/"}, strings: []literal{double, single}, stops: []string{`R"`}, special: digits},
	{ends: "java", line: "//", block: [2]string{"/*", "*/"}, strings: []literal{{mark: `"""`, escapes: true, lines: true}, double, single}},
	{ends: "cs", line: "//", block: [2]string{"/*", "*/"}, strings: []literal{double, single}, stops: []string{`"""`, `@"`, `$"`, `@$`}},
	{ends: "kt kts", line: "//", block: [2]string{"/*", "*/"}, nested: true, strings: []literal{{mark: `"`, escapes: true, hole: "${"}, single}, stops: []string{`"""`}},
	{ends: "rs", line: "//", block: [2]string{"/*", "*/"}, nested: true, strings: []literal{{mark: `"`, escapes: true, lines: true}}, special: rust},
	{ends: "js jsx mjs cjs ts tsx mts cts", line: "//", block: [2]string{"/*", "*/"}, strings: []literal{double, single, {mark: "`", escapes: true, hole: "${"}}, special: regex},
	{ends: "py pyi", line: "#", strings: []literal{{mark: `"""`, escapes: true, lines: true}, {mark: "'''", escapes: true, lines: true}, double, single}, special: formatted},
	{ends: "rb rake gemspec", line: "#", strings: []literal{{mark: `"`, escapes: true, hole: "#{"}, {mark: "'", escapes: true}}, stops: rubyStops, special: appends},
	{ends: "css", block: [2]string{"/*", "*/"}, strings: []literal{double, single}},
	{ends: "scss less", line: "//", block: [2]string{"/*", "*/"}, strings: []literal{double, single}, stops: []string{"`"}},
	{ends: "json jsonc json5", line: "//", block: [2]string{"/*", "*/"}, strings: []literal{double, single}},
	{ends: "toml", line: "#", strings: []literal{{mark: `"""`, escapes: true, lines: true}, {mark: "'''", lines: true}, double, {mark: "'"}}},
	{ends: "sh bash zsh", line: "#", strings: []literal{{mark: `"`, escapes: true, hole: inShell}, {mark: "'"}}, stops: []string{"<<", "$'"}, special: shell},
}

// rubyStops are what may begin a string, a regular expression or a comment of several lines in Ruby, or is
// a quotation mark that begins none.
var rubyStops = []string{"%", "/", "`", "=begin", "__END__", `?"`, "?'", "?#", `$"`, "$'"}

// codeReader reads a text from its start to its end.
type codeReader struct {
	lexis
	text string
	at   int
	code Code
}

// next reads one string, comment or character.
func (r *codeReader) next() {
	rest := r.text[r.at:]
	for _, stop := range r.stops {
		if strings.HasPrefix(rest, stop) {
			r.stop(r.at)
			return
		}
	}
	if r.special != nil && r.special(r) {
		return
	}
	if r.line != "" && strings.HasPrefix(rest, r.line) {
		if strings.HasPrefix(rest, "///") || strings.HasPrefix(rest, "//!") { // documentation in Markdown, where two spaces break a line
			r.code.inside = append(r.code.inside, [2]int{r.at, r.at + len(r.restOfLine()) + 1})
		}
		r.at += len(r.restOfLine())
		return
	}
	if r.block[0] != "" && strings.HasPrefix(rest, r.block[0]) {
		r.comment()
		return
	}
	for _, l := range r.strings {
		if strings.HasPrefix(rest, l.mark) {
			r.literal(l)
			return
		}
	}
	r.at++
}

// stop notes that nothing is known behind an offset.
func (r *codeReader) stop(offset int) {
	r.code.known, r.at = min(r.code.known, offset), len(r.text)
}

// restOfLine returns the text up to the next line end.
func (r *codeReader) restOfLine() string {
	if i := strings.IndexAny(r.text[r.at:], "\r\n"); i >= 0 {
		return r.text[r.at : r.at+i]
	}
	return r.text[r.at:]
}

// comment reads a comment that has an end.
func (r *codeReader) comment() {
	start, depth := r.at, 0
	for r.at < len(r.text) {
		switch rest := r.text[r.at:]; {
		case strings.HasPrefix(rest, r.block[0]) && (depth == 0 || r.nested):
			depth++
			r.at += len(r.block[0])
		case strings.HasPrefix(rest, r.block[1]):
			depth--
			r.at += len(r.block[1])
		default:
			r.at++
		}
		if depth == 0 {
			r.code.inside = append(r.code.inside, [2]int{start, r.at})
			return
		}
	}
	r.stop(start)
}

// literal reads a string. One that ends with its line, or does not end, stops the reading.
func (r *codeReader) literal(l literal) {
	start := r.at
	for r.at += len(l.mark); r.at < len(r.text); {
		rest := r.text[r.at:]
		switch {
		case strings.HasPrefix(rest, l.mark):
			r.at += len(l.mark)
			if strings.ContainsAny(r.text[start:r.at], "\r\n") {
				r.code.inside = append(r.code.inside, [2]int{start, r.at})
			}
			return
		case l.escapes && rest[0] == '\\':
			r.at += 2
		case l.hole == inShell && strings.HasPrefix(rest, "$("):
			r.command(start)
		case (rest[0] == '\n' || rest[0] == '\r') && !l.lines,
			l.hole != "" && r.opensHole(l) && !plainHole(r.restOfLine()):
			r.stop(start)
			return
		default:
			r.at++
		}
	}
	r.stop(start)
}

// opensHole reports whether code begins here inside a string.
func (r *codeReader) opensHole(l literal) bool {
	c := r.text[r.at]
	if l.hole == inShell {
		return c == '`' || strings.HasPrefix(r.text[r.at:], "${")
	}
	return strings.HasPrefix(r.text[r.at:], l.hole)
}

// command reads a "$(command)" of one line inside a string that starts at an offset.
func (r *codeReader) command(start int) {
	depth := 1
	for r.at += len("$("); r.at < len(r.text); {
		rest := r.text[r.at:]
		switch c := rest[0]; {
		case strings.IndexByte("\n\r`\\#", c) >= 0, strings.HasPrefix(rest, "<<"), strings.HasPrefix(rest, "case"):
			r.stop(start)
			return
		case c == '"' || c == '\'':
			r.literal(r.strings[strings.IndexByte(`"'`, c)])
			continue
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if r.at++; depth == 0 {
			return
		}
	}
	r.stop(start)
}

// plainHole reports whether the code that a line begins with inside of a string has no string.
func plainHole(line string) bool {
	end := strings.IndexAny(line, "})")
	return end > 0 && !strings.ContainsAny(line[:end], "\"'`\\") && strings.Count(line[:end], "{")+strings.Count(line[:end], "(") == 1
}

// before returns the character before here, 0 at the start.
func (r *codeReader) before() byte {
	if r.at == 0 {
		return 0
	}
	return r.text[r.at-1]
}

// digits skips the apostrophe of 1'000.
func digits(r *codeReader) bool {
	if r.text[r.at] != '\'' {
		return false
	}
	start := r.at
	for start > 0 && (isWordByte(r.text[start-1]) || r.text[start-1] == '\'') {
		start--
	}
	if start == r.at || r.text[start] < '0' || r.text[start] > '9' {
		return false
	}
	r.at++
	return true
}

// rust reads raw strings, characters and lifetimes.
func rust(r *codeReader) bool {
	rest := r.text[r.at:]
	switch prefix := rawPrefix(); {
	case rest[0] == 'r' && prefix.MatchString(rest) && (!isWordByte(r.before()) || r.before() == 'b' || r.before() == 'c'):
		mark := prefix.FindString(rest)
		i := strings.Index(rest[len(mark):], `"`+mark[1:len(mark)-1])
		if i < 0 {
			r.stop(r.at)
			return true
		}
		end := r.at + len(mark) + i + len(mark) - 1
		r.code.inside = append(r.code.inside, [2]int{r.at, end})
		r.at = end
		return true
	case rest[0] == '\'':
		if m := character().FindString(rest); m != "" {
			r.at += len(m)
		} else {
			r.at++
		}
		return true
	}
	return false
}

var (
	rawPrefix = lazyregexp.New(`^r#*"`)
	character = lazyregexp.New(`^'(?:\\(?:[^u\r\n]|u\{[^}\r\n]*\})[0-9a-fA-F]?[0-9a-fA-F]?|[^\\'\r\n])'`)
)

// regex passes a line with a "/", which may begin a regular expression, or be text between tags.
func regex(r *codeReader) bool {
	line := r.restOfLine()
	switch {
	case !strings.HasPrefix(line, "/") || strings.HasPrefix(line, "/*"):
		return false
	case strings.HasPrefix(line, "//") && r.before() != ':':
		return false
	case strings.ContainsAny(line, "\"'`") || strings.Contains(line, "/*"):
		r.stop(r.at)
	default:
		r.at += len(line)
	}
	return true
}

// formatted stops at an f-string with a string inside.
func formatted(r *codeReader) bool {
	m := fString().FindString(r.text[r.at:])
	if m == "" || isWordByte(r.before()) {
		return false
	}
	r.at += len(m) - 1
	for _, l := range r.strings {
		if strings.HasPrefix(r.text[r.at:], l.mark) {
			l.hole = "{"
			r.literal(l)
			break
		}
	}
	return true
}

var fString = lazyregexp.New(`^(?i:r?[ft]r?)['"]`)

// appends passes the operator "<<" of Ruby, and stops where a text of several lines may begin instead,
// which has its name right behind it.
func appends(r *codeReader) bool {
	after, is := strings.CutPrefix(r.text[r.at:], "<<")
	switch {
	case !is:
		return false
	case after != "" && strings.IndexByte(" \t=", after[0]) >= 0:
		r.at += len("<<")
	default:
		r.stop(r.at)
	}
	return true
}

// shell reads what a backslash takes, and a "#" that begins no comment.
func shell(r *codeReader) bool {
	switch c := r.before(); {
	case r.text[r.at] == '\\':
		r.at = min(r.at+2, len(r.text))
		return true
	case r.text[r.at] == '#' && c != 0 && strings.IndexByte(" \t\r\n;", c) < 0:
		r.at++
		return true
	}
	return false
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

var (
	// blockScalar matches a line of YAML below which the text of a value begins.
	blockScalar = lazyregexp.New(`(?:^|\s)[|>][-+0-9]*\s*(?:\s#.*)?$`)
	// ownScalar matches such a line that also has what the value belongs to.
	ownScalar = lazyregexp.New(`^ *(?:[-?:] |[^-\s].*:\s)`)
	// dashes matches what is before the first key of a list item.
	dashes = lazyregexp.New(`^( *(?:- +)+)\w[\w./-]*:\s`)
)

// yamlCode returns where the values of several lines are that keep their spaces. In quotes and
// without, YAML drops those at a line's end.
func yamlCode(text string) *Code {
	c := &Code{known: len(text)}
	for at := 0; at < len(text); {
		line := Split(text[at:min(len(text), at+lineLength(text[at:]))])[0]
		if !blockScalar().MatchString(Content(line)) {
			at += len(line)
			continue
		}
		if !ownScalar().MatchString(line) {
			c.known = at
			return c
		}
		start, depth := at+len(line)-len(End(line)), indentOf(line)
		if m := dashes().FindStringSubmatch(line); m != nil {
			depth = len(m[1])
		}
		for at += len(line); at < len(text); {
			below := text[at : at+lineLength(text[at:])]
			if strings.TrimSpace(below) != "" && indentOf(below) <= depth {
				break
			}
			at += len(below)
		}
		c.inside = append(c.inside, [2]int{start, at})
	}
	return c
}

// lineLength returns the length of the first line of a text, with its end.
func lineLength(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

// indentOf returns how many spaces a line begins with.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
