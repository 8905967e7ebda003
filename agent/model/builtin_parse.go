package model

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/internal/lazyregexp"
)

// verb is one form of instruction.
type verb struct {
	name  string
	usage string
	parse func(*scanner) instruction // what went wrong is in the scanner
}

// verbs returns the forms that the model understands. It is a function, because parsing a
// command looks for further instructions after it.
func verbs() []verb {
	return []verb{
		{"rename", `rename OLD to NEW [in GLOB]`, parseRename},
		{"replace", `replace "A" with "B" [in GLOB]`, parseReplace},
		{"replace", `replace /REGULAR EXPRESSION/ with "B" [in GLOB]`, nil},
		{"insert", `insert "TEXT" before|after "TEXT" in FILE`, parseInsert},
		{"create", `create FILE with "TEXT"`, parseCreate},
		{"delete", `delete FILE`, func(s *scanner) instruction { return remove{s.name()} }},
		{"move", `move A to B`, parseMove},
		{"run", `run COMMAND`, func(s *scanner) instruction { return parseCommand(s) }},
		{"try", `try COMMAND`, func(s *scanner) instruction { return attempt(parseCommand(s)) }},
	}
}

// builtinUsage lists the forms of instruction that the model understands. They can be
// joined by "then". Letter case does not matter in the words in small letters;
// texts are quoted ("…", with \" \\ \n \t); names may be quoted, "…" or `…`.
func builtinUsage() []string {
	var forms []string
	for _, v := range verbs() {
		forms = append(forms, v.usage)
	}
	return forms
}

// errNoInstruction means that a request starts with none of the verbs.
var errNoInstruction = errors.New("this is none of them")

// maxInstructions is how many instructions one request may have.
const maxInstructions = 50

// parse reads a whole request.
func parse(text string) ([]instruction, error) {
	all, err := (&scanner{rest: strings.TrimSpace(text)}).instructions()
	if err == nil && len(all) > maxInstructions {
		return nil, fmt.Errorf("these are more than %d instructions", maxInstructions)
	}
	return all, err
}

// instructions reads all remaining instructions.
func (s *scanner) instructions() ([]instruction, error) {
	var all []instruction
	for {
		in, err := s.instruction()
		if err != nil {
			if len(all) > 0 && errors.Is(err, errNoInstruction) {
				return nil, fmt.Errorf("after %q comes no instruction but %q", "then", s.glimpse())
			}
			return nil, err
		}
		all = append(append(all, in), s.behind...)
		if s.skipBlanks(); s.rest == "" {
			return all, nil
		}
		s.rest = strings.TrimLeft(s.rest, ",;")
		if !s.keyword("then") {
			return nil, fmt.Errorf("%q after an instruction is none itself; join instructions with %q", s.glimpse(), "then")
		}
	}
}

// instruction reads one instruction.
func (s *scanner) instruction() (instruction, error) {
	for _, v := range verbs() {
		if v.parse == nil || !s.keyword(v.name) {
			continue
		}
		in := v.parse(s)
		if s.err != nil {
			return nil, fmt.Errorf("%w; write: %s", s.err, v.usage)
		}
		return in, nil
	}
	return nil, errNoInstruction
}

// identifier matches a name that "rename" accepts.
var identifier = lazyregexp.New(`^[\p{L}_$][\p{L}\p{M}\p{N}_$]*$`)

func parseRename(s *scanner) instruction {
	from := s.identifier()
	s.expect("to")
	to, glob := s.identifier(), s.glob()
	if from == to {
		s.fail(errors.New("both names are the same"))
	}
	return symbol{from, to, renameOf(from, to, glob)}
}

func parseReplace(s *scanner) instruction {
	var from string
	var re *regexp.Regexp
	if s.skipBlanks(); strings.HasPrefix(s.rest, "/") {
		re = s.pattern()
	} else {
		from = s.quoted()
	}
	s.expect("with")
	to, glob := s.quoted(), s.glob()
	switch {
	case re != nil:
		return replacePattern(re, to, glob)
	case from == to:
		s.fail(errors.New("both texts are the same"))
	case strings.Trim(from, "\r\n") == "":
		s.fail(errors.New("there is no text to look for"))
	}
	return replaceOf(from, to, glob)
}

func parseInsert(s *scanner) instruction {
	text := s.quoted()
	after := s.keyword("after")
	if !after && !s.keyword("before") {
		s.fail(errors.New(`expected "before" or "after"` + s.instead()))
	}
	anchor := s.quoted()
	s.expect("in")
	name := s.name()
	if text == "" || anchor == "" {
		s.fail(errors.New("an empty text cannot be inserted or looked for"))
	}
	return insert{text: text, after: after, anchor: anchor, file: name}
}

func parseCreate(s *scanner) instruction {
	name := s.name()
	s.expect("with")
	return create{name, s.quoted()}
}

func parseMove(s *scanner) instruction {
	from := s.name()
	s.expect("to")
	return move{from, s.name()}
}

// parseCommand reads a command: everything up to the first "then" outside of quotes after which
// there are only further instructions, since a command may contain the word too. It has then
// read those instructions as well. To bound the time for any text, the search ends after
// [maxInstructions] such words, and after as many nested commands.
func parseCommand(s *scanner) command {
	line := s.rest
	quote, tried := rune(0), s.depth
	for i, r := range s.rest {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && strings.ContainsRune("\"'`", r):
			quote = r
		case quote == 0 && unicode.IsSpace(r):
			behind := &scanner{rest: s.rest[i:], depth: s.depth + 1}
			if tried == maxInstructions || !behind.keyword("then") {
				continue
			}
			tried++
			if all, err := behind.instructions(); err == nil {
				line = strings.TrimRight(s.rest[:i], ",; \t\r\n")
				s.behind, s.rest = all, ""
				return s.command(line)
			}
		}
	}
	s.rest = ""
	return s.command(line)
}

// command removes the `…` that Markdown writes around a command.
func (s *scanner) command(line string) command {
	line = strings.TrimSpace(line)
	if len(line) > 1 && line[0] == '`' && strings.Index(line[1:], "`") == len(line)-2 {
		line = strings.TrimSpace(line[1 : len(line)-1])
	}
	if line == "" {
		s.fail(errors.New("the command is missing"))
	}
	return command{line}
}

// whoIAm begins each text about what the built-in model can do.
const whoIAm = "I am Redline's built-in model. I work without a network and understand only these instructions"

// help answers a request that could not be read.
func help(err error) string {
	var b strings.Builder
	if !errors.Is(err, errNoInstruction) {
		fmt.Fprintf(&b, "I could not read this: %v.\n\n", err)
	}
	b.WriteString(whoIAm + ", which \"then\" can join:\n")
	for _, form := range builtinUsage() {
		fmt.Fprintf(&b, "- %s\n", form)
	}
	b.WriteString("\nFor anything else, connect a real model: run `redline setup` in a terminal, or *Redline: Set Up a Model…* in VS Code. " +
		"Or set OPENAI_API_KEY, or OPENAI_BASE_URL to any OpenAI-compatible endpoint (both if it wants a key), " +
		"and REDLINE_MODEL to the model's name. Then start Redline again.")
	return b.String()
}

// scanner reads a request from its start. What it reads after a failure does not count.
type scanner struct {
	rest   string        // what is not read yet
	behind []instruction // instructions after a command, which had to be read to find its end
	depth  int           // how many commands this scanner is nested in
	err    error         // the first failure
}

// fail notes what is wrong, unless something was wrong before.
func (s *scanner) fail(err error) { s.err = cmp.Or(s.err, err) }

func (s *scanner) skipBlanks() {
	s.rest = strings.TrimLeftFunc(s.rest, unicode.IsSpace)
}

// keyword reads a word, in any letter case, if it comes next.
func (s *scanner) keyword(word string) bool {
	s.skipBlanks()
	if len(s.rest) < len(word) || !strings.EqualFold(s.rest[:len(word)], word) {
		return false
	}
	after, _ := utf8.DecodeRuneInString(s.rest[len(word):])
	if len(s.rest) > len(word) && !unicode.IsSpace(after) && !strings.ContainsRune("\"`", after) {
		return false
	}
	s.rest = s.rest[len(word):]
	return true
}

// expect reads a word that must come next.
func (s *scanner) expect(word string) {
	if !s.keyword(word) {
		s.fail(fmt.Errorf("expected %q%s", word, s.instead()))
	}
}

// instead describes what was found in place of something expected.
func (s *scanner) instead() string {
	if s.rest == "" {
		return " at the end"
	}
	return fmt.Sprintf(", not %q", s.glimpse())
}

// glimpse returns the start of the remaining text.
func (s *scanner) glimpse() string {
	const most = 20
	if runes := []rune(s.rest[:min(len(s.rest), most*utf8.UTFMax)]); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s.rest
}

// escapes are the escape sequences of a quoted text.
var escapes = map[byte]string{'"': `"`, '\\': `\`, 'n': "\n", 't': "\t"}

// quoted reads a text in double quotes.
func (s *scanner) quoted() string {
	s.skipBlanks()
	if !strings.HasPrefix(s.rest, `"`) {
		s.fail(errors.New("expected a text in double quotes" + s.instead()))
		return ""
	}
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; c {
		case '"':
			s.rest = s.rest[i+1:]
			return b.String()
		case '\\':
			i++
			if i == len(s.rest) {
				break
			}
			text, ok := escapes[s.rest[i]]
			if !ok {
				s.fail(errors.New(`in a quoted text I know only \" \\ \n \t; write \\ for a backslash`))
			}
			b.WriteString(text)
		default:
			b.WriteByte(c)
		}
	}
	s.fail(errors.New("a quoted text does not end"))
	return ""
}

// pattern reads a regular expression between slashes; `\/` is a slash in it.
func (s *scanner) pattern() *regexp.Regexp {
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '/':
			s.rest = s.rest[i+1:]
			if b.Len() == 0 {
				s.fail(errors.New("the regular expression is empty"))
			}
			re, err := regexp.Compile(b.String())
			if err != nil {
				s.fail(fmt.Errorf("the regular expression is not valid (%s)", strings.TrimPrefix(err.Error(), "error parsing regexp: ")))
			}
			return re
		case c == '\\' && i+1 < len(s.rest):
			if i++; s.rest[i] != '/' {
				b.WriteByte('\\')
			}
			b.WriteByte(s.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	s.fail(errors.New("the regular expression does not end with a slash"))
	return nil
}

// word reads up to the next space, or a quoted word: "…" or `…`.
func (s *scanner) word() string {
	s.skipBlanks()
	switch {
	case strings.HasPrefix(s.rest, `"`):
		return s.quoted()
	case strings.HasPrefix(s.rest, "`"):
		text, rest, ok := strings.Cut(s.rest[1:], "`")
		if !ok {
			s.fail(errors.New("a name in backquotes does not end"))
		}
		s.rest = rest
		return text
	}
	end := strings.IndexFunc(s.rest, unicode.IsSpace)
	if end < 0 {
		end = len(s.rest)
	}
	word := strings.TrimRight(s.rest[:end], ",;")
	if strings.ContainsAny(word, "\"`") {
		s.fail(fmt.Errorf("there is a quote within %q", word))
	}
	s.rest = s.rest[len(word):]
	return word
}

// name reads the path of a file.
func (s *scanner) name() string {
	name := s.word()
	if name == "" {
		s.fail(errors.New("expected a file's name" + s.instead()))
	}
	return name
}

// identifier reads a name from a program's text.
func (s *scanner) identifier() string {
	name := strings.TrimRight(s.word(), ".!?")
	switch {
	case name == "":
		s.fail(errors.New("expected a name" + s.instead()))
	case !identifier().MatchString(name):
		s.fail(fmt.Errorf(`%q is not an identifier; for other text there is: replace "A" with "B"`, name))
	}
	return name
}

// glob reads "in GLOB", if it comes next; a glob that ends in a slash means a folder with all
// its files.
func (s *scanner) glob() string {
	if !s.keyword("in") {
		return ""
	}
	glob := s.name()
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	return glob
}
