// Package frontmatter reads the members at the start of a Markdown file, which are YAML between
// two lines of ---:
//
//	---
//	description: writes SQL
//	tools: [read, edit]
//	---
//	You write migrations.
//
// Such files are written by people, who quote less than YAML demands. A member that is no YAML is
// therefore read by its line: description: fix: the sum, globs: **/*.ts, a list in which tabs
// indent the items.
package frontmatter

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"redline/internal/phrase"
)

// Member is one member. Its value is a string, a []string, a []Pair or [Odd].
type Member struct {
	Name  string
	Value any
	Line  int // in the file, from 1
}

// Pair is one member of an object.
type Pair struct{ Name, Value string }

// Odd is a value of another kind, such as a list of objects or one with an anchor, an alias or a
// tag, or one that is no YAML; then as it is written.
type Odd string

// maxMembers is how many members front matter may have.
const maxMembers = 64

// Read returns the members of a text and what follows them: the whole text, if it has none. Line
// ends become \n. Its error continues a sentence that begins with the file's name, and comes with what
// could be read. The caller bounds the size of the text.
func Read(text string) (members []Member, body string, err error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil, text, nil
	}
	head, body, ok := strings.Cut("\n"+rest+"\n", "\n---\n")
	if !ok {
		return nil, text, errors.New("has no line --- at the end of its first part")
	}
	all, bad := parse(head, 0) // its first line is empty, so that its lines are those of the file
	if bad > 0 {
		all, err = byLines(strings.Split(head, "\n"))
	}
	for _, m := range all {
		switch {
		case slices.ContainsFunc(members, func(o Member) bool { return o.Name == m.Name }):
			err = cmp.Or(err, fmt.Errorf("has %q twice, in line %d again", phrase.StartBytes(m.Name, 64), m.Line))
		case len(members) == maxMembers:
			return members, body, cmp.Or(err, fmt.Errorf("has more than %d members in its first part", maxMembers))
		default:
			members = append(members, m)
		}
	}
	return members, strings.TrimSuffix(body, "\n"), err
}

// Text returns a value as text, the items of a list with commas between them.
func Text(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case Odd:
		return string(value)
	case []string:
		return strings.Join(value, ",")
	}
	return ""
}

// NotUnderstood is the error about a line.
func NotUnderstood(line int) error {
	return fmt.Errorf("has a line %d that is not understood; write NAME: VALUE", line)
}

// parse reads an object in YAML below other lines of the file; bad is the line that is none, 0 if
// there is no such. It reads nodes, so that it expands no alias; the library bounds the depth.
func parse(head string, above int) (members []Member, bad int) {
	loader, err := yaml.NewLoader(strings.NewReader(head))
	var document, next yaml.Node
	if err == nil {
		err = loader.Load(&document)
	}
	if errors.Is(err, io.EOF) {
		return nil, 0
	}
	if e, ok := errors.AsType[*yaml.LoadError](err); ok {
		return nil, above + max(e.Mark.Line, 1)
	}
	if err != nil || len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode || !errors.Is(loader.Load(&next), io.EOF) {
		return nil, above + 1
	}
	object := document.Content[0].Content
	for i := 0; i < len(object); i += 2 {
		name, ok := scalar(object[i])
		if !ok || name == "" {
			return nil, above + object[i].Line
		}
		members = append(members, Member{name, value(object[i+1]), above + object[i].Line})
	}
	return members, 0
}

// value returns the value of a node.
func value(n *yaml.Node) any {
	if text, ok := scalar(n); ok {
		return text
	}
	list, pairs := []string{}, []Pair{}
	for i, c := range n.Content {
		text, ok := scalar(c)
		switch {
		case !ok || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0:
			return Odd("")
		case n.Kind == yaml.MappingNode && i%2 == 1:
			pairs = append(pairs, Pair{list[i-1], text})
		}
		list = append(list, text)
	}
	switch n.Kind {
	case yaml.SequenceNode:
		return list
	case yaml.MappingNode:
		return pairs
	}
	return Odd(n.Value)
}

// scalar returns the text of a node that has one and nothing else.
func scalar(n *yaml.Node) (text string, ok bool) {
	switch {
	case n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0:
		return "", false
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return strings.TrimSpace(n.Value), true
	case n.Tag == "!!null":
		return "", true
	}
	return n.Value, true
}

// byLines reads the members one by one. Each begins at the left; its other lines are indented, or
// items of a list.
func byLines(lines []string) (members []Member, err error) {
	for from := 0; from < len(lines); {
		to := from + 1
		for !blank(lines[from]) && to < len(lines) && (blank(lines[to]) || strings.TrimLeft(lines[to], " \t") != lines[to] || isItem(lines[to])) {
			to++
		}
		if !blank(lines[from]) {
			m, e := member(lines[from:to], from)
			members, err = append(members, m...), cmp.Or(err, e)
		}
		from = to
	}
	return members, err
}

// member reads the lines of one member, of which before are above it.
func member(lines []string, before int) ([]Member, error) {
	members, bad := parse(strings.Join(lines, "\n"), before)
	if bad == 0 {
		return members, nil
	}
	name, value, ok := strings.Cut(lines[0], ":")
	if name = unquote(strings.TrimSpace(name)); !ok || name == "" || lines[0] != strings.TrimLeft(lines[0], " \t") {
		return nil, NotUnderstood(before + 1)
	}
	value = strings.TrimSpace(value)
	if !slices.ContainsFunc(lines[1:], func(l string) bool { return !blank(l) }) {
		return []Member{{name, inline(value), before + 1}}, nil
	}
	if blank(value) { // below it: what is no YAML in quotes, and with spaces before
		below := []string{lines[0]}
		for _, line := range lines[1:] {
			begins := ""
			text := strings.TrimSpace(line)
			if isItem(text) {
				begins, text = "- ", strings.TrimSpace(text[1:])
			} else if name, rest, ok := strings.Cut(text, ": "); ok {
				begins, text = name+": ", strings.TrimSpace(rest)
			}
			if _, bad := parse("x: "+text, 0); bad > 0 {
				text = strconv.Quote(plain(text))
			}
			below = append(below, "  "+begins+text)
		}
		if again, worse := parse(strings.Join(below, "\n"), before); worse == 0 {
			return again, nil
		}
	}
	return []Member{{name, Odd(value), bad}}, nil
}

// inline reads a value that is no YAML: a list, or the text.
func inline(value string) any {
	if inner, ok := strings.CutPrefix(value, "["); ok && strings.HasSuffix(inner, "]") {
		list := []string{}
		for item := range strings.SplitSeq(strings.TrimSuffix(inner, "]"), ",") {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, unquote(item))
			}
		}
		return list
	}
	if value != "" && strings.ContainsAny(value[:1], "[{&*!%@`") {
		return Odd(value)
	}
	return plain(value)
}

// plain returns a text without its quotes, and without a comment after it.
func plain(value string) string {
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		if end := strings.LastIndexByte(value, value[0]); end > 0 && blank(value[end+1:]) {
			return value[1:end]
		}
		return value
	}
	value, _, _ = strings.Cut(value, " #")
	return strings.TrimSpace(value)
}

func unquote(value string) string {
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}

// blank reports whether a line is empty or has only a comment.
func blank(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

func isItem(line string) bool { return line == "-" || strings.HasPrefix(line, "- ") }
