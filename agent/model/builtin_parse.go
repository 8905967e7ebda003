package model

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

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
