package wordstest

import (
	"regexp"
	"strings"
)

// language says how a language writes comments and strings, as far as finding its strings
// needs it.
type language struct {
	comment  []delimiter // the text between is skipped
	quote    []delimiter // the text between is a string
	pattern  bool        // a slash after an operator begins a regular expression
	question bool        // ?x is a character
}

type delimiter struct {
	begin, end string
	escapes    bool // a backslash takes the next character with it
}

var (
	typescript = language{
		comment: []delimiter{{"//", "\n", false}, {"/*", "*/", false}},
		quote:   []delimiter{{`"`, `"`, true}, {"'", "'", true}, {"`", "`", true}},
		pattern: true,
	}
	lua = language{
		comment: []delimiter{{"--[[", "]]", false}, {"--", "\n", false}},
		quote:   []delimiter{{`"`, `"`, true}, {"'", "'", true}, {"[[", "]]", false}},
	}
	lisp = language{
		comment:  []delimiter{{";", "\n", false}},
		quote:    []delimiter{{`"`, `"`, true}},
		question: true,
	}
)

// inScript returns the strings of a source. It does not parse the source.
func inScript(name, source string, l language) []Text {
	var found []Text
	var before strings.Builder // the source without its comments
	for rest := source; rest != ""; {
		n := 1
		if d := begun(l.comment, rest); d != nil {
			_, after := until(rest[len(d.begin):], *d)
			rest = after
			before.WriteByte('\n')
			continue
		}
		if d := begun(l.quote, rest); d != nil {
			text, after := until(rest[len(d.begin):], *d)
			if kind, read := given(before.String()); read {
				found = append(found, Text{name, kind, unescape(text, *d)})
			}
			before.WriteString(`""`)
			rest = after
			continue
		}
		switch previous := before.String(); {
		case l.question && rest[0] == '?' && strings.ContainsAny(last(previous), " ('\n"):
			n += len(character.FindString(rest[1:]))
		case l.pattern && rest[0] == '/' && strings.ContainsAny(last(strings.TrimRight(previous, " ")), "(,=:[!&|?{};"):
			n = len(expression.FindString(rest))
		}
		before.WriteString(rest[:n])
		rest = rest[n:]
	}
	return found
}

var (
	character  = regexp.MustCompile(`^(\\.|.)`)
	expression = regexp.MustCompile(`^/(\\.|\[(\\.|[^\]\\\n])*\]|[^/\\\n])*/|^/`)
	computed   = regexp.MustCompile(`\$\{[^}]*\}+`)
	giver      = regexp.MustCompile(`(?s)([\w.-]+)["']?\s*[?]?[(:=]*\s*(?:\{|\[|\()?\s*$`)
	unsaid     = regexp.MustCompile(`^(require|import|from|test|match|replace|cmd|gsub|find|string-match-p|string-match)$`)
)

func last(text string) string {
	if text == "" {
		return "\n"
	}
	return text[len(text)-1:]
}

func begun(all []delimiter, text string) *delimiter {
	for i := range all {
		if strings.HasPrefix(text, all[i].begin) {
			return &all[i]
		}
	}
	return nil
}

// until returns the text up to the end of what d began, and the rest after that end.
func until(text string, d delimiter) (inside, rest string) {
	for i := 0; i < len(text); i++ {
		if d.escapes && text[i] == '\\' {
			i++
			continue
		}
		if strings.HasPrefix(text[i:], d.end) {
			return text[:i], text[i+len(d.end):]
		}
	}
	return text, ""
}

func unescape(text string, d delimiter) string {
	if d.begin == "`" {
		text = computed.ReplaceAllString(text, "…")
	}
	if d.escapes {
		text = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, "'", "\\`", "`").Replace(text)
	}
	return text
}

// given returns what receives a string that follows this source, and whether users read it.
func given(before string) (kind string, read bool) {
	before = before[max(0, len(before)-200):]
	m := giver.FindStringSubmatch(before)
	if m == nil {
		return "text", true
	}
	name := m[1][strings.LastIndexAny(m[1], ".")+1:]
	return name, !unsaid.MatchString(name)
}
