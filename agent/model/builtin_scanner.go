package model

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
