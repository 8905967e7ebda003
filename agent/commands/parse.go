package commands

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// The parser recurses into nested parts, and for each part of a pipe. So its input is
// bounded: maxLine in bytes, and maxOpened in characters that can begin a nested part.
const (
	maxLine   = 32 << 10
	maxOpened = 1000
)

// openers are the characters that begin a nested part, or join parts that then nest.
const openers = "({[`$<>|&!"

// tooMuch returns why a line is too much for the parser, as a part of a sentence, or "".
func tooMuch(line string) string {
	if len(line) > maxLine {
		return fmt.Sprintf("it is longer than %d KiB", maxLine>>10)
	}
	opened := 0
	for i := range len(line) {
		if strings.IndexByte(openers, line[i]) >= 0 {
			opened++
		}
	}
	if opened > maxOpened {
		return "it is nested too deeply"
	}
	return ""
}

// hidden describes which characters of a line hide what it looks like, or make another shell
// read it differently, as a part of a sentence; "" for none.
func hidden(line string) string {
	switch {
	case !utf8.ValidString(line):
		return "it has bytes that are not UTF-8"
	case edits.VisibleCommand(line) != line:
		return "it has characters that are not visible"
	}
	return ""
}

// parse parses a line as a POSIX shell does, with its comments.
func parse(line string) (*syntax.File, error) { return parseAs(syntax.LangPOSIX, line) }

func parseAs(lang syntax.LangVariant, line string) (file *syntax.File, err error) {
	if why := tooMuch(line); why != "" {
		return nil, errors.New(why)
	}
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("the parser failed: %v", p)
		}
	}()
	return syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
}

// literal returns a word as the program gets it, or why it is known only when the shell runs
// it. A word that only Bash would expand is not literal either, since sh is Bash on some
// systems.
func literal(w *syntax.Word) (text, why string) {
	text, why = literalText(w)
	if why == "" && strings.ContainsFunc(text, unicode.IsControl) {
		return "", "it has control characters"
	}
	return text, why
}

// literalText does what literal does, for a word that may have line ends.
func literalText(w *syntax.Word) (text, why string) {
	var b strings.Builder
	for i, part := range w.Parts {
		text, why := literalPart(part, i == 0)
		if why != "" {
			return b.String(), why
		}
		b.WriteString(text)
	}
	return b.String(), ""
}

// literalPart does what literal does, for a part of a word.
func literalPart(part syntax.WordPart, first bool) (text, why string) {
	switch p := part.(type) {
	case *syntax.Lit:
		if text, ok := unquoted(p.Value, first); ok {
			return text, ""
		}
		return "", "it has a pattern, or something else that the shell expands"
	case *syntax.SglQuoted:
		if !p.Dollar {
			return p.Value, ""
		}
		return "", "it has a kind of quotes that not every shell knows"
	case *syntax.DblQuoted:
		if p.Dollar {
			return "", "it has a kind of quotes that not every shell knows"
		}
		var b strings.Builder
		for _, inner := range p.Parts {
			lit, ok := inner.(*syntax.Lit)
			if !ok {
				return "", "it has a substitution"
			}
			plain, ok := inDoubleQuotes(lit.Value)
			if !ok {
				return "", "it has a substitution"
			}
			b.WriteString(plain)
		}
		return b.String(), ""
	}
	return "", "it has a substitution"
}

// unquoted returns text that has no quotes around it, with its backslashes removed. ok is
// false if a shell could expand or split it.
func unquoted(text string, first bool) (plain string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) || text[i] <= ' ' && text[i] != ' ' || text[i] >= utf8.RuneSelf {
				return "", false
			}
			b.WriteByte(text[i])
		case strings.IndexByte("*?[]{}$`!", c) >= 0, c == '~' && (first && i == 0 || i > 0 && (text[i-1] == ':' || text[i-1] == '=')):
			return "", false
		case c == 0x85 || c == 0xa0: // spaces to the bash of macOS, which examines bytes
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// inDoubleQuotes does what unquoted does, for text in double quotes.
func inDoubleQuotes(text string) (plain string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\", text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		case c == '\\' && i+1 < len(text) && text[i+1] == '\n', c == '$', c == '`':
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// token is an operator, or a word as the program gets it.
type token struct {
	word bool
	text string
}

// scan reads a line without the parser: words, the operators that join commands, line ends
// that separate them, and harmless redirections. ok is false if the line has anything else,
// or anything that some shell may read differently.
func scan(line string) (tokens []token, ok bool) {
	s := &scanner{line: line}
	for s.spaces() && s.at < len(s.line) {
		if !s.next() {
			return nil, false
		}
	}
	// Line ends after the last command separate nothing.
	if n := len(s.tokens); n > 0 && s.tokens[n-1] == operator("\n") {
		s.tokens = s.tokens[:n-1]
	}
	return s.tokens, s.at == len(s.line) && (isASCII(line) || !strings.Contains(line, `\`))
}

type scanner struct {
	line   string
	at     int
	tokens []token
}

func operator(text string) token { return token{text: text} }

// spaces skips spaces, tabs, and escaped line ends where a space could be. It returns false
// at a line end that is escaped elsewhere.
func (s *scanner) spaces() bool {
	for s.at < len(s.line) {
		switch {
		case s.line[s.at] == ' ' || s.line[s.at] == '\t':
			s.at++
		case strings.HasPrefix(s.line[s.at:], "\\\n"):
			if s.at > 0 && strings.IndexByte(" \t\n", s.line[s.at-1]) < 0 {
				return false
			}
			s.at += 2
		default:
			return true
		}
	}
	return true
}

var (
	operators = lazyregexp.New(`^(?:&&|\|\||[;|\n])`)
	joins     = lazyregexp.New(`^([012]?)(>&|<&)[ \t]*([012-])(?:[ \t\n;|&]|$)`)
	drops     = lazyregexp.New(`^([012]?)(>>|>|<)[ \t]*(/dev/null)(?:[ \t\n;|&]|$)`)
	negation  = lazyregexp.New(`^![ \t]`)
)

// next reads one token.
func (s *scanner) next() bool {
	rest := s.line[s.at:]
	if op := operators().FindString(rest); op != "" {
		s.at += len(op)
		if op == "\n" {
			if n := len(s.tokens); n > 0 && (s.tokens[n-1].word || strings.HasPrefix(s.tokens[n-1].text, ">")) {
				s.tokens = append(s.tokens, operator("\n"))
			}
			return true
		}
		s.tokens = append(s.tokens, operator(op))
		return s.at == len(s.line) || strings.IndexByte("&|;", s.line[s.at]) < 0
	}
	for _, redirection := range []func() *regexp.Regexp{joins, drops} {
		if m := redirection().FindStringSubmatch(rest); m != nil {
			s.at += len(m[1]) + len(m[2]) + strings.Index(rest[len(m[1])+len(m[2]):], m[3]) + len(m[3])
			s.tokens = append(s.tokens, operator(redirectionText(m[1], m[2], m[3])))
			return true
		}
	}
	if negation().MatchString(rest) && s.begins() {
		s.at++
		s.tokens = append(s.tokens, operator("!"))
		return true
	}
	return s.word()
}

// redirectionText returns the token text of a redirection: all begin with the same character,
// so that a line end after one differs from one after an operator.
func redirectionText(n, op, to string) string { return ">" + n + op + to }

// begins reports whether a command may begin here with "!".
func (s *scanner) begins() bool {
	if len(s.tokens) == 0 {
		return true
	}
	switch s.tokens[len(s.tokens)-1] {
	case operator("&&"), operator("||"), operator(";"), operator("\n"):
		return true
	}
	return false
}

// word reads a word.
func (s *scanner) word() bool {
	var b strings.Builder
	start := s.at
	for s.at < len(s.line) && strings.IndexByte(" \t\n;&|<>", s.line[s.at]) < 0 {
		switch c := s.line[s.at]; c {
		case '\'':
			end := strings.IndexByte(s.line[s.at+1:], '\'')
			if end < 0 {
				return false
			}
			b.WriteString(s.line[s.at+1 : s.at+1+end])
			s.at += end + 2
		case '"':
			if !s.quoted(&b) {
				return false
			}
		default:
			if c == '#' && s.at == start || strings.IndexByte("()", c) >= 0 {
				return false
			}
			end := s.at + 1
			if c == '\\' {
				end++
			}
			plain, ok := unquoted(s.line[s.at:min(end, len(s.line))], s.at == start)
			if !ok || c == '~' && strings.IndexByte(":=", s.line[s.at-1]) >= 0 {
				return false
			}
			b.WriteString(plain)
			s.at = end
		}
	}
	// digits before a redirection would be a part of it
	if s.at < len(s.line) && strings.IndexByte("<>", s.line[s.at]) >= 0 && strings.Trim(s.line[start:s.at], "0123456789") == "" {
		return false
	}
	s.tokens = append(s.tokens, token{word: true, text: b.String()})
	return true
}

// quoted reads a text in double quotes.
func (s *scanner) quoted(b *strings.Builder) bool {
	for end := s.at + 1; end < len(s.line); end++ {
		switch s.line[end] {
		case '\\':
			end++
		case '"':
			plain, ok := inDoubleQuotes(s.line[s.at+1 : end])
			b.WriteString(plain)
			s.at = end + 1
			return ok
		}
	}
	return false
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// readAlike reports whether the parsed line, printed again, equals the line up to spaces. It
// compares tokens; [scan] reads those of the line, independently of the parser: of `a  'b c' && d`
// the tokens are a, "b c", && and d. So whatever the parser omits, joins or splits differently from
// shells makes a difference.
func readAlike(line string, file *syntax.File) bool {
	tokens, ok := scan(line)
	p := &printer{}
	p.list(file.Stmts)
	return ok && !p.other && len(file.Last) == 0 && slices.Equal(tokens, p.tokens)
}

// printer prints the part of the grammar that rules can allow.
type printer struct {
	tokens []token
	other  bool // the line has syntax that rules cannot allow
}

func (p *printer) add(t token) { p.tokens = append(p.tokens, t) }

func (p *printer) list(stmts []*syntax.Stmt) {
	for i, s := range stmts {
		p.stmt(s)
		switch {
		case s.Semicolon.IsValid():
			p.add(operator(";"))
		case i < len(stmts)-1:
			p.add(operator("\n"))
		}
	}
}

func (p *printer) stmt(s *syntax.Stmt) {
	if !plain(s) || s.Disown || len(s.Comments) > 0 {
		p.other = true
		return
	}
	if s.Negated {
		p.add(operator("!"))
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		p.stmt(c.X)
		p.add(operator(c.Op.String()))
		p.stmt(c.Y)
		p.other = p.other || len(s.Redirs) > 0 || c.X.Semicolon.IsValid() || c.Y.Semicolon.IsValid()
	case *syntax.CallExpr:
		p.call(c, s.Redirs)
	default:
		p.other = true
	}
}

// call prints a simple command, with its redirections in their places.
func (p *printer) call(c *syntax.CallExpr, redirections []*syntax.Redirect) {
	if len(c.Assigns) > 0 {
		p.other = true
	}
	words := c.Args
	for len(words)+len(redirections) > 0 {
		if len(words) == 0 || len(redirections) > 0 && words[0].Pos().After(redirections[0].Pos()) {
			r := redirections[0]
			redirections = redirections[1:]
			n := ""
			if r.N != nil {
				n = r.N.Value
			}
			p.add(operator(redirectionText(n, r.Op.String(), r.Word.Lit())))
			continue
		}
		text, why := literal(words[0])
		p.other = p.other || why != ""
		p.add(token{word: true, text: text})
		words = words[1:]
	}
}
