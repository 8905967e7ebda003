package specialists

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/internal/phrase"
)

// member is one member of the front matter of an agent file. Its value is a string, a
// []string or a []pair.
type member struct {
	name  string
	value any
	line  int // line number, from 1
}

// pair is one member of an object.
type pair struct{ name, value string }

// maxMembers is how many members front matter may have.
const maxMembers = 64

// frontMatter splits an agent file into the members of its front matter, which stands between
// two lines of ---, and the text after it. It reads the part of YAML that such files use: text
// with or without quotes, lists, objects of texts, and blocks after | and >. Its error continues
// a sentence that begins with the file's name.
func frontMatter(text string) (members []member, body string, err error) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil, text, nil
	}
	head, body, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if head, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
			return nil, "", errors.New("has no line --- at the end of its first part")
		}
	}
	r := &reader{lines: strings.Split(strings.TrimPrefix(head, "\n"), "\n")}
	for r.at < len(r.lines) {
		if blank(r.lines[r.at]) {
			r.at++
			continue
		}
		m, err := r.member()
		switch {
		case err != nil:
			return nil, "", err
		case slices.ContainsFunc(members, func(o member) bool { return o.name == m.name }):
			return nil, "", fmt.Errorf("has %s twice", quoted(m.name))
		case len(members) == maxMembers:
			return nil, "", fmt.Errorf("has more than %d members in its first part", maxMembers)
		}
		members = append(members, m)
	}
	return members, body, nil
}

// reader reads the lines of front matter.
type reader struct {
	lines []string
	at    int // index of the next line
}

// blank reports whether a line is empty or has only a comment.
func blank(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

func (r *reader) bad() error {
	return fmt.Errorf("has a line %d that is not understood; write NAME: VALUE", r.at+2) // after the line ---
}

func (r *reader) member() (member, error) {
	name, value, ok := keyOf(r.lines[r.at])
	if !ok || r.lines[r.at] != strings.TrimLeft(r.lines[r.at], " \t") {
		return member{}, r.bad()
	}
	m := member{name: name, line: r.at + 2}
	var err error
	switch {
	case value == "|", value == ">", value == "|-", value == ">-":
		r.at++
		m.value = r.block(map[byte]string{'|': "\n", '>': " "}[value[0]])
	case value != "":
		if m.value, ok = inline(value); !ok {
			return member{}, r.bad()
		}
		r.at++
	default:
		r.at++
		m.value, err = r.below()
	}
	return m, err
}

// keyOf splits "NAME: VALUE".
func keyOf(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(line, ":")
	name = unquote(strings.TrimSpace(name))
	ok = ok && name != "" && len(name) <= 64 && (value == "" || value[0] == ' ' || value[0] == '\t')
	return name, strings.TrimSpace(comment(value)), ok
}

// comment removes a comment from the end of a value.
func comment(value string) string {
	trimmed := strings.TrimSpace(value)
	if strings.HasPrefix(trimmed, `"`) || strings.HasPrefix(trimmed, "'") {
		if end := strings.IndexByte(trimmed[1:], trimmed[0]); end >= 0 && blank(trimmed[end+2:]) {
			return trimmed[:end+2]
		}
		return value
	}
	if i := strings.Index(value, " #"); i >= 0 {
		return value[:i]
	}
	return value
}

// block returns the indented lines that follow, joined.
func (r *reader) block(by string) string {
	var lines []string
	for ; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		if line != "" && line == strings.TrimLeft(line, " \t") {
			break
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.TrimSpace(strings.Join(lines, by))
}

// below reads a list or an object from the lines that follow, "" if there is none.
func (r *reader) below() (any, error) {
	var list []string
	var pairs []pair
	for ; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		if blank(line) {
			continue
		}
		trimmed := strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(trimmed+" ", "- ")
		if !isItem && trimmed == strings.TrimRight(line, " \t") {
			break // the next member
		}
		name, value, isPair := keyOf(trimmed)
		switch {
		case isItem && pairs == nil:
			list = append(list, unquote(strings.TrimSpace(comment(item))))
		case !isItem && isPair && value != "" && list == nil:
			pairs = append(pairs, pair{name, unquote(value)})
		default:
			return nil, r.bad()
		}
	}
	switch {
	case pairs != nil:
		return pairs, nil
	case list != nil:
		return list, nil
	}
	return "", nil
}

// inline reads a value on the line of its name.
func inline(value string) (any, bool) {
	inner, isList := between(value, '[', ']')
	if isList {
		list := []string{}
		for _, item := range items(inner) {
			list = append(list, unquote(item))
		}
		return list, true
	}
	if inner, ok := between(value, '{', '}'); ok {
		pairs := []pair{}
		for _, item := range items(inner) {
			name, v, ok := strings.Cut(item, ":")
			if !ok {
				return nil, false
			}
			pairs = append(pairs, pair{unquote(strings.TrimSpace(name)), unquote(strings.TrimSpace(v))})
		}
		return pairs, true
	}
	if strings.ContainsAny(value[:1], "[{&*!%@`") {
		return nil, false
	}
	return unquote(value), true
}

func between(value string, open, end byte) (string, bool) {
	if len(value) < 2 || value[0] != open || value[len(value)-1] != end {
		return "", false
	}
	return value[1 : len(value)-1], true
}

// items splits the text between brackets at the commas. It expects no comma in quotes, since no
// value has one.
func items(inner string) []string {
	var out []string
	for item := range strings.SplitSeq(inner, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

func unquote(value string) string {
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}

// quoted quotes a name from an agent file for a message, at most 64 bytes of it.
func quoted(name string) string { return fmt.Sprintf("%q", phrase.StartBytes(name, 64)) }
