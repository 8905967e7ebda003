package chat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/internal/frontmatter"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

const (
	// MaxTemplate is how many bytes a template may have.
	MaxTemplate = 64 << 10
	// maxRequest is how many bytes a filled-in template may have.
	maxRequest = 256 << 10
	// Input is the placeholder for the text after the values.
	Input = "input"
)

// Template is a request with placeholders, such as "Write tests for {{name}}". It is data: what it
// makes is an ordinary request in which nothing is a command, and values are inserted unchanged.
type Template struct {
	Description string // one line, "" for none
	Mode        string // the mode of the turn, "" for the default

	pieces []piece
	names  []string // names of the placeholders, in the order of their first use
}

// piece is text or a placeholder.
type piece struct {
	text     string
	name     string // "" for text
	value    string // the default
	required bool   // it has no default
}

// placeholder matches {{name}} and {{name=default}}. With a backslash before it, it is text.
var placeholder = lazyregexp.New(`\\?\{\{[ \t]*([A-Za-z][A-Za-z0-9_-]{0,63})[ \t]*(=[^{}\n]*)?\}\}`)

var nameForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// IsTemplateName reports whether a template can have this name.
func IsTemplateName(name string) bool { return nameForm().MatchString(name) }

// ParseTemplate parses a template. An error continues a sentence that begins with the name of the
// template.
func ParseTemplate(text string) (*Template, error) {
	switch {
	case len(text) > MaxTemplate:
		return nil, fmt.Errorf("has more than %d KiB", MaxTemplate>>10)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return nil, errors.New("is not text in UTF-8")
	}
	members, body, err := frontmatter.Read(text)
	if errors.Is(err, frontmatter.ErrOpen) { // a line that is not understood means nothing
		return nil, err
	}
	t := &Template{}
	for _, m := range members { // others mean nothing, and the last of a name counts
		switch value := frontmatter.Text(m.Value); m.Name {
		case "description":
			t.Description = phrase.OneLine(value)
		case "mode":
			if !slices.Contains(Modes, value) {
				return nil, fmt.Errorf("has the mode %q in line %d, which there is not: use one of %s", value, m.Line, strings.Join(Modes, ", "))
			}
			t.Mode = value
		}
	}
	if body = strings.TrimSpace(body); body == "" {
		return nil, errors.New("is empty: write the request in it")
	}
	at := 0
	for _, m := range placeholder().FindAllStringSubmatchIndex(body, -1) {
		if body[m[0]] == '\\' {
			t.words(body[at:m[0]] + body[m[0]+1:m[1]])
			at = m[1]
			continue
		}
		t.words(body[at:m[0]])
		at = m[1]
		p := piece{name: body[m[2]:m[3]], required: m[4] < 0}
		if !p.required {
			p.value = strings.TrimSpace(body[m[4]+1 : m[5]])
		}
		t.pieces = append(t.pieces, p)
		if !slices.Contains(t.names, p.name) {
			t.names = append(t.names, p.name)
		}
	}
	t.words(body[at:])
	return t, nil
}

func (t *Template) words(s string) {
	if s != "" {
		t.pieces = append(t.pieces, piece{text: s})
	}
}

// Names returns the names of the placeholders in the order of the text, including [Input].
func (t *Template) Names() []string { return t.names }

// MissingValues is the error for placeholders without a value.
type MissingValues struct{ Names []string }

func (m *MissingValues) Error() string { return "needs " + strings.Join(m.Names, " and ") }

// Fill returns the request: each placeholder replaced by its value, or by its default. A
// placeholder in a value is not replaced. The error continues a sentence; it is a [*Missing]
// if values are missing.
func (t *Template) Fill(values map[string]string, input string) (string, error) {
	given := func(name string) (string, bool) {
		if name == Input {
			return input, input != ""
		}
		v, ok := values[name]
		return v, ok
	}
	for name := range values {
		if name == Input || !slices.Contains(t.names, name) {
			return "", t.unknown(name)
		}
	}
	if input != "" && !slices.Contains(t.names, Input) {
		return "", fmt.Errorf("takes no text of its own, only %s", t.takes())
	}
	var b strings.Builder
	missing := &MissingValues{}
	for _, p := range t.pieces {
		text := p.text
		if p.name != "" {
			value, ok := given(p.name)
			switch {
			case ok:
				text = value
			case p.required:
				if text, ok = t.defaultOf(p.name); !ok && !slices.Contains(missing.Names, p.name) {
					missing.Names = append(missing.Names, p.name)
				}
			default:
				text = p.value
			}
		}
		if b.Len()+len(text) > maxRequest {
			return "", fmt.Errorf("would make a request of more than %d KiB", maxRequest>>10)
		}
		b.WriteString(text)
	}
	if len(missing.Names) > 0 {
		return "", missing
	}
	return b.String(), nil
}

// defaultOf returns the default of a placeholder: the first one in the text. ok is false if
// there is none.
func (t *Template) defaultOf(name string) (value string, ok bool) {
	for _, p := range t.pieces {
		if p.name == name && !p.required {
			return p.value, true
		}
	}
	return "", false
}

func (t *Template) unknown(name string) error {
	return fmt.Errorf("has no {{%s}}, only %s; write -- before text that has a = in its first word", name, t.takes())
}

// takes lists the values that can be given.
func (t *Template) takes() string {
	if len(t.names) == 0 {
		return "words as they are"
	}
	return "{{" + strings.Join(t.names, "}}, {{") + "}}"
}

// Usage returns what to write after /template NAME: "file=… test=go … text".
func (t *Template) Usage() string {
	var words []string
	for _, name := range t.names {
		if name != Input {
			value, _ := t.defaultOf(name)
			words = append(words, name+"="+cut(value))
		}
	}
	if slices.Contains(t.names, Input) {
		words = append(words, "text")
	}
	return strings.Join(words, " ")
}

func cut(value string) string {
	if value == "" || strings.ContainsAny(value, " \t") {
		return "…"
	}
	return value
}

// valueWord matches the start of a value: name=.
var valueWord = lazyregexp.New(`^([A-Za-z][A-Za-z0-9_-]{0,63})=`)

// TemplateValues parses what follows the name of a template: words of the form name=value, then text. A
// value with spaces is in single or double quotes, in which a backslash escapes a quote or a
// backslash. The word -- ends the values. An error continues a sentence that begins with the
// text.
func TemplateValues(rest string) (values map[string]string, input string, err error) {
	values = map[string]string{}
	for {
		rest = strings.TrimLeft(rest, " \t\r\n")
		if after, ok := strings.CutPrefix(rest, "--"); ok && (after == "" || strings.ContainsAny(after[:1], " \t\r\n")) {
			return values, strings.TrimSpace(after), nil
		}
		m := valueWord().FindStringSubmatch(rest)
		if m == nil {
			return values, strings.TrimSpace(rest), nil
		}
		name := m[1]
		if _, twice := values[name]; twice {
			return nil, "", fmt.Errorf("gives %s twice", name)
		}
		value, after, ok := cutValue(rest[len(m[0]):])
		if !ok {
			return nil, "", fmt.Errorf("has a quote after %s= that is not closed", name)
		}
		values[name], rest = value, after
	}
}

// cutValue returns the value at the start of s and what follows it.
func cutValue(s string) (value, rest string, ok bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		end := strings.IndexAny(s, " \t\r\n")
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:], true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == s[0] || s[i+1] == '\\'):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}
