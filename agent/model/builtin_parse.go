package model

import (
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
	parse func(*scanner) (instruction, error)
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
		{"delete", `delete FILE`, parseDelete},
		{"move", `move A to B`, parseMove},
		{"run", `run COMMAND`, parseRun},
		{"try", `try COMMAND`, parseTry},
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
		in, err := v.parse(s)
		if err != nil {
			return nil, fmt.Errorf("%w; write: %s", err, v.usage)
		}
		return in, nil
	}
	return nil, errNoInstruction
}

// identifier matches a name that "rename" accepts.
var identifier = lazyregexp.New(`^[\p{L}_$][\p{L}\p{M}\p{N}_$]*$`)

func parseRename(s *scanner) (instruction, error) {
	from, err := s.identifier()
	if err != nil {
		return nil, err
	}
	if err := s.expect("to"); err != nil {
		return nil, err
	}
	to, err := s.identifier()
	if err != nil {
		return nil, err
	}
	glob, err := s.glob()
	if err != nil {
		return nil, err
	}
	if from == to {
		return nil, errors.New("both names are the same")
	}
	return renameOf(from, to, glob), nil
}

func parseReplace(s *scanner) (instruction, error) {
	var (
		from string
		re   *regexp.Regexp
		err  error
	)
	if s.skipBlanks(); strings.HasPrefix(s.rest, "/") {
		re, err = s.pattern()
	} else {
		from, err = s.quoted()
	}
	if err != nil {
		return nil, err
	}
	if err := s.expect("with"); err != nil {
		return nil, err
	}
	to, err := s.quoted()
	if err != nil {
		return nil, err
	}
	glob, err := s.glob()
	if err != nil {
		return nil, err
	}
	switch {
	case re != nil:
		return replacePattern(re, to, glob), nil
	case from == to:
		return nil, errors.New("both texts are the same")
	case strings.Trim(from, "\r\n") == "":
		return nil, errors.New("there is no text to look for")
	}
	return replaceOf(from, to, glob), nil
}

func parseInsert(s *scanner) (instruction, error) {
	text, err := s.quoted()
	if err != nil {
		return nil, err
	}
	after := s.keyword("after")
	if !after && !s.keyword("before") {
		return nil, errors.New(`expected "before" or "after"` + s.instead())
	}
	anchor, err := s.quoted()
	if err != nil {
		return nil, err
	}
	if err := s.expect("in"); err != nil {
		return nil, err
	}
	name, err := s.name()
	if err != nil {
		return nil, err
	}
	if text == "" || anchor == "" {
		return nil, errors.New("an empty text cannot be inserted or looked for")
	}
	return insert{text: text, after: after, anchor: anchor, file: name}, nil
}

func parseCreate(s *scanner) (instruction, error) {
	name, err := s.name()
	if err != nil {
		return nil, err
	}
	if err := s.expect("with"); err != nil {
		return nil, err
	}
	text, err := s.quoted()
	if err != nil {
		return nil, err
	}
	return create{name, text}, nil
}

func parseDelete(s *scanner) (instruction, error) {
	name, err := s.name()
	if err != nil {
		return nil, err
	}
	return remove{name}, nil
}

func parseMove(s *scanner) (instruction, error) {
	from, err := s.name()
	if err != nil {
		return nil, err
	}
	if err := s.expect("to"); err != nil {
		return nil, err
	}
	to, err := s.name()
	if err != nil {
		return nil, err
	}
	return move{from, to}, nil
}

// parseRun reads a command: everything up to the first "then" outside of quotes after which
// there are only further instructions, since a command may contain the word too. It has then
// read those instructions as well. To bound the time for any text, the search ends after
// [maxInstructions] such words, and after as many nested commands.
func parseRun(s *scanner) (instruction, error) {
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
				return commandOf(line)
			}
		}
	}
	s.rest = ""
	return commandOf(line)
}

// parseTry reads a command to try, like parseRun.
func parseTry(s *scanner) (instruction, error) {
	i, err := parseRun(s)
	if c, ok := i.(command); ok {
		return attempt(c), err
	}
	return i, err
}

// commandOf removes the `…` that Markdown writes around a command.
func commandOf(line string) (instruction, error) {
	line = strings.TrimSpace(line)
	if len(line) > 1 && line[0] == '`' && strings.Index(line[1:], "`") == len(line)-2 {
		line = strings.TrimSpace(line[1 : len(line)-1])
	}
	if line == "" {
		return nil, errors.New("the command is missing")
	}
	return command{line}, nil
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

// scanner reads a request from its start.
type scanner struct {
	rest   string        // what is not read yet
	behind []instruction // instructions after a command, which had to be read to find its end
	depth  int           // how many commands this scanner is nested in
}

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
func (s *scanner) expect(word string) error {
	if !s.keyword(word) {
		return fmt.Errorf("expected %q%s", word, s.instead())
	}
	return nil
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
func (s *scanner) quoted() (string, error) {
	s.skipBlanks()
	if !strings.HasPrefix(s.rest, `"`) {
		return "", errors.New("expected a text in double quotes" + s.instead())
	}
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; c {
		case '"':
			s.rest = s.rest[i+1:]
			return b.String(), nil
		case '\\':
			i++
			if i == len(s.rest) {
				return "", errors.New("a quoted text does not end")
			}
			text, ok := escapes[s.rest[i]]
			if !ok {
				return "", errors.New(`in a quoted text I know only \" \\ \n \t; write \\ for a backslash`)
			}
			b.WriteString(text)
		default:
			b.WriteByte(c)
		}
	}
	return "", errors.New("a quoted text does not end")
}

// pattern reads a regular expression between slashes; `\/` is a slash in it.
func (s *scanner) pattern() (*regexp.Regexp, error) {
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '/':
			s.rest = s.rest[i+1:]
			if b.Len() == 0 {
				return nil, errors.New("the regular expression is empty")
			}
			re, err := regexp.Compile(b.String())
			if err != nil {
				return nil, fmt.Errorf("the regular expression is not valid (%s)", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
			}
			return re, nil
		case c == '\\' && i+1 < len(s.rest):
			if i++; s.rest[i] != '/' {
				b.WriteByte('\\')
			}
			b.WriteByte(s.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return nil, errors.New("the regular expression does not end with a slash")
}

// word reads up to the next space, or a quoted word: "…" or `…`.
func (s *scanner) word() (string, error) {
	s.skipBlanks()
	switch {
	case strings.HasPrefix(s.rest, `"`):
		return s.quoted()
	case strings.HasPrefix(s.rest, "`"):
		text, rest, ok := strings.Cut(s.rest[1:], "`")
		if !ok {
			return "", errors.New("a name in backquotes does not end")
		}
		s.rest = rest
		return text, nil
	}
	end := strings.IndexFunc(s.rest, unicode.IsSpace)
	if end < 0 {
		end = len(s.rest)
	}
	word := strings.TrimRight(s.rest[:end], ",;")
	if strings.ContainsAny(word, "\"`") {
		return "", fmt.Errorf("there is a quote within %q", word)
	}
	s.rest = s.rest[len(word):]
	return word, nil
}

// name reads the path of a file.
func (s *scanner) name() (string, error) {
	name, err := s.word()
	if err == nil && name == "" {
		err = errors.New("expected a file's name" + s.instead())
	}
	return name, err
}

// identifier reads a name from a program's text.
func (s *scanner) identifier() (string, error) {
	name, err := s.word()
	if err != nil {
		return "", err
	}
	name = strings.TrimRight(name, ".!?")
	switch {
	case name == "":
		return "", errors.New("expected a name" + s.instead())
	case !identifier().MatchString(name):
		return "", fmt.Errorf(`%q is not an identifier; for other text there is: replace "A" with "B"`, name)
	}
	return name, nil
}

// glob reads "in GLOB", if it comes next; a glob that ends in a slash means a folder with all
// its files.
func (s *scanner) glob() (string, error) {
	if !s.keyword("in") {
		return "", nil
	}
	glob, err := s.name()
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	return glob, err
}
