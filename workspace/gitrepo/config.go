package gitrepo

import (
	"errors"
	"os"
	"strings"
)

// entry is one setting in a configuration file of Git (git-config(1)).
type entry struct {
	section  string // the section, in lower case
	sub      string // the subsection, as written; "" for none
	key      string // the key, in lower case
	value    string
	implicit bool // without a value, which means true
}

func (e entry) is(section, key string) bool {
	return e.section == section && e.sub == "" && e.key == key
}

// maxConfig is the size limit for a configuration file, in bytes.
const maxConfig = 1 << 20

var errConfig = errors.New("it is no file of Git's settings")

// readFile returns the settings of a file, as far as it can be read.
func readFile(name string) []entry {
	text, err := readText(name)
	if err != nil {
		return nil
	}
	entries, _ := parse(text) // on an error, the entries before the first mistake
	return entries
}

func readText(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxConfig {
		return "", errConfig
	}
	text, err := os.ReadFile(name)
	return string(text), err
}

// parse parses settings (git-config(1)). On an error it also returns the settings before the mistake:
//
//	[remote "origin"]  ; a section and a subsection
//		url = "https://example.com/a" # what is between quotes may have any character
//		prune
func parse(text string) (entries []entry, err error) {
	p := &parser{rest: strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")}
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\n\v\f")
		switch {
		case p.rest == "":
			return entries, nil
		case p.rest[0] == '#' || p.rest[0] == ';':
			p.line()
		case p.rest[0] == '[':
			err = p.header()
		default:
			var e entry
			if e, err = p.entry(); err == nil {
				entries = append(entries, e)
			}
		}
		if err != nil {
			return entries, err
		}
	}
}

type parser struct {
	rest         string
	section, sub string
}

// line consumes the rest of the line.
func (p *parser) line() (line string) {
	line, p.rest, _ = strings.Cut(p.rest, "\n")
	return line
}

// word consumes letters, digits, hyphens, and the characters in more.
func (p *parser) word(more string) string {
	n := 0
	for n < len(p.rest) && (isLetter(p.rest[n]) || strings.IndexByte("0123456789-"+more, p.rest[n]) >= 0) {
		n++
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	return strings.ToLower(word)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// header parses the line of a section: [core], [branch.main] or [branch "main"].
func (p *parser) header() error {
	p.rest = p.rest[1:]
	p.section, p.sub, _ = strings.Cut(p.word("."), ".")
	p.rest = strings.TrimLeft(p.rest, " \t")
	if quoted, ok := strings.CutPrefix(p.rest, `"`); ok {
		p.rest = quoted
		var sub strings.Builder
		for p.rest != "" && p.rest[0] != '"' && p.rest[0] != '\n' {
			if p.rest[0] == '\\' && len(p.rest) > 1 {
				p.rest = p.rest[1:]
			}
			sub.WriteByte(p.rest[0])
			p.rest = p.rest[1:]
		}
		p.sub = sub.String()
		if p.rest, ok = strings.CutPrefix(p.rest, `"`); !ok {
			return errConfig
		}
	}
	var ok bool
	if p.rest, ok = strings.CutPrefix(p.rest, "]"); !ok || p.section == "" {
		return errConfig
	}
	return nil
}

func (p *parser) entry() (entry, error) {
	e := entry{section: p.section, sub: p.sub, key: p.word("")}
	if e.key == "" || e.section == "" {
		return e, errConfig
	}
	p.rest = strings.TrimLeft(p.rest, " \t")
	switch {
	case p.rest == "" || strings.IndexByte("\n#;", p.rest[0]) >= 0:
		e.implicit = true
		p.line()
		return e, nil
	case p.rest[0] != '=':
		return e, errConfig
	}
	p.rest = strings.TrimLeft(p.rest[1:], " \t")
	var err error
	e.value, err = p.value()
	return e, err
}

// escapes are the characters that may follow a backslash in a value, besides the end of a
// line.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'b': '\b', '"': '"', '\\': '\\'}

// value parses a value and the end of its line.
func (p *parser) value() (string, error) {
	var v strings.Builder
	quoted, solid := false, 0 // solid is the length without the spaces at the end
	for ; p.rest != ""; p.rest = p.rest[1:] {
		c := p.rest[0]
		switch {
		case c == '\n':
			if quoted {
				return "", errConfig
			}
			p.rest = p.rest[1:]
			return v.String()[:solid], nil
		case !quoted && (c == '#' || c == ';'):
			p.line()
			return v.String()[:solid], nil
		case c == '"':
			quoted = !quoted
			continue
		case c == '\\' && len(p.rest) > 1:
			p.rest = p.rest[1:]
			if p.rest[0] == '\n' {
				continue
			}
			means, ok := escapes[p.rest[0]]
			if !ok {
				return "", errConfig
			}
			v.WriteByte(means)
			solid = v.Len()
			continue
		}
		v.WriteByte(c)
		if quoted || c != ' ' && c != '\t' {
			solid = v.Len()
		}
	}
	if quoted {
		return "", errConfig
	}
	return v.String()[:solid], nil
}

// format formats settings.
func format(entries []entry) string {
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)
	var b strings.Builder
	var section, sub string
	for _, e := range entries {
		if b.Len() == 0 || e.section != section || e.sub != sub {
			section, sub = e.section, e.sub
			b.WriteString("[" + section)
			if sub != "" {
				b.WriteString(` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sub) + `"`)
			}
			b.WriteString("]\n")
		}
		b.WriteString("\t" + e.key)
		if !e.implicit {
			b.WriteString(` = "` + quote.Replace(e.value) + `"`)
		}
		b.WriteString("\n")
	}
	return b.String()
}
