package chat

import (
	"fmt"
	"strings"

	"redline/internal/lazyregexp"
)

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
