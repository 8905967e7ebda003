package gitrepo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/workspace/secrets"
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

// withoutSettings are the folders of a repository that contain many files but no settings
// and no addresses.
var withoutSettings = []string{"objects", "refs", "info", "lfs", "rr-cache"}

// ofObjects are files of a repository that name objects, and nothing else.
var ofObjects = []string{"HEAD", "index", "packed-refs", "shallow"}

// maxLogs is how many reflogs are read.
const maxLogs = 1000

// Settings returns the files of the repository, its worktrees and its submodules that may
// contain credentials: a map from the names of settings and reflogs to their text without
// them. secret lists other files and folders of the repository that are secret by their
// names or their text.
func (r Repository) Settings() (cleaned map[string]string, secret []string) {
	cleaned = map[string]string{}
	logs := 0
	for _, dir := range r.Folders() {
		_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // a command cannot read it either
			case e.IsDir() && slices.Contains(withoutSettings, e.Name()) && !isLog(dir, name):
				return filepath.SkipDir
			case secrets.Name(name, e.IsDir()):
				secret = append(secret, name)
			case !e.Type().IsRegular():
			case e.Name() == "config" || e.Name() == "config.worktree":
				if text, changed := clean(name); changed {
					cleaned[name] = text
				}
			case isLog(dir, name):
				logs++
				text, changed, ok := cleanLog(name)
				switch {
				case !ok || logs > maxLogs:
					secret = append(secret, name)
				case changed:
					cleaned[name] = text
				}
			case !slices.Contains(ofObjects, e.Name()) && filepath.Ext(name) != ".sample":
				if text, err := readText(name); err == nil && (secrets.Text(name, text) || secrets.WithoutUsers(text) != text) {
					secret = append(secret, name)
				}
			}
			return nil
		})
	}
	return cleaned, secret
}

// isLog reports whether a file of a repository is a reflog.
func isLog(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "logs")
}

// cleanLog returns a reflog without the credentials of addresses, and whether it had any: a
// pull from an address names it as it was given. ok is false if it cannot be read.
func cleanLog(name string) (text string, changed, ok bool) {
	was, err := readText(name)
	if err != nil {
		return "", false, false
	}
	var b strings.Builder
	for line := range strings.Lines(was) {
		public := withoutUser(line)
		if about, _, found := strings.Cut(public, "\t"); found && secrets.Text("log", public) {
			public = about + "\t\n"
		}
		b.WriteString(public)
	}
	return b.String(), b.String() != was, true
}

// harmless are the sections of a repository's settings that commands may read, since Git
// needs them without a network. Sections about servers, credentials and mail programs are
// not among them.
var harmless = strings.Fields(`core extensions remote branch submodule user author committer init diff merge filter index feature
	gc pack push pull rebase status log format color column advice i18n apply am blame grep notes rerere sequence worktree include`)

// revealing are parts of setting names that indicate credentials.
var revealing = strings.Fields("token password passwd secret credential extraheader cookie")

// clean returns the settings of a file without credentials, and whether it left any out.
// If it does not understand the file, it returns the settings before the mistake.
func clean(name string) (text string, changed bool) {
	text, err := readText(name)
	if err != nil {
		return "", true
	}
	entries, err := parse(text)
	kept, changed := withoutCredentials(entries)
	if err == nil && !changed && !secrets.Text("config", text) { // credentials could also be in a comment
		return text, false
	}
	return format(kept), true
}

func withoutCredentials(entries []entry) (kept []entry, changed bool) {
	for _, e := range entries {
		if !slices.Contains(harmless, e.section) || slices.ContainsFunc(revealing, func(part string) bool { return strings.Contains(e.key, part) }) {
			changed = true
			continue
		}
		public := e
		public.sub, public.value = withoutUser(e.sub), withoutUser(e.value)
		if secrets.Text("config", public.key+" = "+public.value) {
			changed = true
			continue
		}
		changed = changed || public != e
		kept = append(kept, public)
	}
	return kept, changed
}

// withoutUser removes the user and the query from URLs in a value.
func withoutUser(value string) string {
	return secrets.WithoutQueries(secrets.WithoutUsers(value), "")
}
