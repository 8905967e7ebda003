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

// Pair is one member of an object. A value that is no text is as [Odd] has it: {"*": ask} is {*: ask}.
type Pair struct{ Name, Value string }

// Odd is a value of another kind, such as a list of objects or one with an anchor, an alias or a
// tag, or one that is no YAML. It is as somebody would write it in one line, so that globs such as
// {Makefile,Dockerfile} and !vendor/** are whole in it; "" if it could not be read at all.
type Odd string

// ErrOpen is the error for a text whose first part does not end. It has no members then.
var ErrOpen = errors.New("has no line --- at the end of its first part")

// maxMembers is how many members front matter may have.
const maxMembers = 64

// Read returns the members of a text and what follows them: the whole text, if it has none. Line
// ends become \n. Its error continues a sentence that begins with the file's name, and comes with what
// could be read: all of it if a name is there twice. The caller bounds the size of the text.
func Read(text string) (members []Member, body string, err error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil, text, nil
	}
	head, body, ok := strings.Cut("\n"+rest+"\n", "\n---\n")
	if !ok {
		return nil, text, ErrOpen
	}
	all, bad := parse(head, 0) // its first line is empty, so that its lines are those of the file
	if bad > 0 {
		all, err = byLines(strings.Split(head, "\n"), 0)
	}
	for _, m := range all {
		if slices.ContainsFunc(members, func(o Member) bool { return o.Name == m.Name }) {
			err = cmp.Or(err, fmt.Errorf("has %q twice, in line %d again", phrase.StartBytes(m.Name, 64), m.Line))
		}
		if len(members) == maxMembers {
			return members, body, cmp.Or(err, fmt.Errorf("has more than %d members in its first part", maxMembers))
		}
		members = append(members, m)
	}
	return members, strings.TrimSuffix(body, "\n"), err
}

// Text returns a value as text, the items of a list with commas between them, an object as {a: b}.
func Text(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case Odd:
		return string(value)
	case []string:
		return strings.Join(value, ",")
	case []Pair:
		var parts []string
		for _, p := range value {
			parts = append(parts, strings.TrimSuffix(p.Name+": "+p.Value, ": "))
		}
		return "{" + strings.Join(parts, ",") + "}"
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
	plain := n.Anchor == "" && n.Style&yaml.TaggedStyle == 0
	switch {
	case plain && n.Kind == yaml.SequenceNode:
		list := []string{}
		for _, c := range n.Content {
			text, ok := item(c)
			if !ok {
				return Odd(written(n))
			}
			list = append(list, text)
		}
		return list
	case plain && n.Kind == yaml.MappingNode:
		if pairs, ok := pairs(n); ok {
			return pairs
		}
	}
	return Odd(written(n))
}

// item returns the text of an item of a list. It is also one that people mean as text and YAML does
// not: - fix: the sum, - {a,b}, - !c.
func item(n *yaml.Node) (text string, ok bool) {
	if text, ok := scalar(n); ok {
		return text, true
	}
	switch {
	case n.Anchor != "":
		return "", false
	case n.Kind == yaml.ScalarNode:
		return written(n), true
	case n.Kind != yaml.MappingNode || n.Style&yaml.TaggedStyle != 0:
		return "", false
	case n.Style&yaml.FlowStyle == 0 && len(n.Content) == 2:
		name, isName := scalar(n.Content[0])
		value, isText := scalar(n.Content[1])
		return strings.TrimSpace(name + ": " + value), isName && isText
	}
	_, isObject := pairs(n)
	return written(n), n.Style&yaml.FlowStyle != 0 && !isObject
}

// pairs returns the members of an object, a:b in {a:b} included. {a,b} is none but text: a glob, for
// example.
func pairs(n *yaml.Node) (pairs []Pair, ok bool) {
	pairs, ok = []Pair{}, n.Style&yaml.FlowStyle == 0 || len(n.Content) == 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, isText := scalar(n.Content[i])
		if !isText {
			return nil, false
		}
		value := written(n.Content[i+1])
		if before, after, cut := strings.Cut(name, ":"); cut && value == "" && n.Content[i].Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 {
			name, value = strings.TrimSpace(before), unquote(strings.TrimSpace(after))
		}
		ok = ok || value != ""
		pairs = append(pairs, Pair{name, value})
	}
	return pairs, ok
}

// written returns a node as it could be written in one line.
func written(n *yaml.Node) string {
	var b strings.Builder
	write(&b, n)
	return b.String()
}

func write(b *strings.Builder, n *yaml.Node) {
	if n.Style&yaml.TaggedStyle != 0 && !strings.HasPrefix(n.Tag, "!!") {
		b.WriteString(n.Tag)
		if n.Value != "" || n.Kind != yaml.ScalarNode {
			b.WriteByte(' ')
		}
	}
	switch n.Kind {
	case yaml.AliasNode:
		b.WriteString("*" + n.Value)
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, c := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, c)
		}
		b.WriteByte(']')
	case yaml.MappingNode:
		b.WriteByte('{')
		for i, c := range n.Content {
			switch text, ok := scalar(c); {
			case i > 0 && i%2 == 0:
				b.WriteByte(',')
			case i%2 == 1 && (!ok || text != ""):
				b.WriteString(": ")
			}
			write(b, c)
		}
		b.WriteByte('}')
	default:
		if text, ok := scalar(n); ok {
			b.WriteString(text)
		} else {
			b.WriteString(n.Value)
		}
	}
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

// byLines reads the members one by one; before is how many lines are above them. Each begins at the
// left, or where all of them begin; its other lines are indented more, or items of a list.
func byLines(lines []string, before int) (members []Member, err error) {
	lines = flush(lines)
	for from := 0; from < len(lines); {
		to := from + 1
		for !blank(lines[from]) && to < len(lines) && (blank(lines[to]) || strings.TrimLeft(lines[to], " \t") != lines[to] || isItem(lines[to])) {
			to++
		}
		if !blank(lines[from]) {
			m, e := member(lines[from:to], before+from)
			members, err = append(members, m...), cmp.Or(err, e)
		}
		from = to
	}
	return members, err
}

// member reads the lines of one member; before is how many lines are above it.
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
	if text, ok := block(value, lines[1:]); ok {
		return []Member{{name, text, before + 1}}, nil
	}
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
				if _, bad := parse(name+": x", 0); bad > 0 { // *: false
					name = strconv.Quote(unquote(name))
				}
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
	switch {
	case blank(value):
		return []Member{{name, Odd(""), bad}}, nil
	case value[0] == '[' || value[0] == '{': // a list over several lines
		value = plain(value)
		for _, line := range lines[1:] {
			if !blank(line) {
				value += " " + plain(strings.TrimSpace(line))
			}
		}
		return []Member{{name, inline(value), before + 1}}, nil
	}
	// The value is whole, and what follows are members that are indented by mistake.
	more, err := byLines(lines[1:], before+1)
	first := Member{name, inline(value), before + 1}
	if err != nil {
		first = Member{name, Odd(Text(first.Value)), bad}
	}
	return append([]Member{first}, more...), nil
}

// block reads the text below a | or > whose lines are indented by tabs, or differently; ok is false
// if value is neither.
func block(value string, lines []string) (text string, ok bool) {
	mark, _, _ := strings.Cut(value, " #")
	if mark = strings.TrimRight(mark, "-+0123456789 \t"); mark != "|" && mark != ">" {
		return "", false
	}
	var parts []string
	for _, line := range lines {
		if line != "" && line == strings.TrimLeft(line, " \t") {
			if blank(line) {
				continue // a comment
			}
			return "", false
		}
		parts = append(parts, strings.TrimSpace(line))
	}
	if mark == ">" {
		return strings.Join(strings.Fields(strings.Join(parts, " ")), " "), true
	}
	return strings.TrimSpace(strings.Join(parts, "\n")), true
}

// flush returns lines without the spaces and tabs that all begin with.
func flush(lines []string) []string {
	shared, first := "", true
	for _, line := range lines {
		if blank(line) {
			continue
		}
		space := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if first {
			shared, first = space, false
		}
		for !strings.HasPrefix(space, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	if shared == "" {
		return lines
	}
	var out []string
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(line, shared); ok {
			line = rest
		}
		out = append(out, line)
	}
	return out
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
