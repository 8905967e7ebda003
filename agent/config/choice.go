package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"redline/internal/lazyregexp"
	"redline/internal/smallfile"
)

// Choice is a model that the user has chosen, to be written into their settings file.
type Choice struct {
	Provider   string
	BaseURL    string   // "" for the provider's own
	Model      string   // "" for the provider's usual one
	KeyEnv     string   // the environment variable of the key, "" for the provider's own
	KeyCommand []string // the command that prints the key, nil for none
}

// entries returns the settings of [model] that the choice sets, in the order in which they are written.
func (c Choice) entries() []entry {
	var all []entry
	add := func(name, value string) {
		if value != "" {
			all = append(all, entry{name, quoted(value), value})
		}
	}
	add("provider", c.Provider)
	add("base_url", c.BaseURL)
	add("name", c.Model)
	add("api_key_env", c.KeyEnv)
	if len(c.KeyCommand) > 0 {
		var words []string
		var values []any
		for _, w := range c.KeyCommand {
			words, values = append(words, quoted(w)), append(values, w)
		}
		all = append(all, entry{"api_key_command", "[" + strings.Join(words, ", ") + "]", values})
	}
	return all
}

// entry is one setting: its name, its value as TOML text, and its decoded value.
type entry struct {
	name, toml string
	value      any
}

// Lines returns the lines to add to a settings file for this choice.
func (c Choice) Lines() string {
	var b strings.Builder
	b.WriteString("[model]\n")
	for _, e := range c.entries() {
		b.WriteString(e.name + " = " + e.toml + "\n")
	}
	return b.String()
}

// ErrNotEdited is the error for a settings file that cannot be edited line by line. Such a file
// is not changed.
var ErrNotEdited = errors.New("it is written in a way that Redline does not edit")

// Write puts the choice into the settings file at path, and keeps everything else in it,
// comments too. It creates a missing file, readable only by its user. It comments out settings
// that belong to another provider than the new one. Its errors are parts of a sentence; after an
// error the file is unchanged.
func (c Choice) Write(path string) error { return rewrite(path, c.edit) }

// UseOutside makes an outside agent the one that does each request, in the settings file at path. It
// keeps everything else in the file, as [Choice.Write] does.
func UseOutside(path, name string) error {
	return rewrite(path, func(text string) (string, error) { return editTable(text, "outside", useOutside(name), nil) })
}

// OutsideLines returns the lines that [UseOutside] writes.
func OutsideLines(name string) string {
	var b strings.Builder
	b.WriteString("[outside]\n")
	for _, e := range useOutside(name) {
		b.WriteString(e.name + " = " + e.toml + "\n")
	}
	return b.String()
}

func useOutside(name string) []entry { return []entry{{"default", quoted(name), name}} }

// rewrite replaces the text of a settings file by what edit makes of it.
func rewrite(path string, edit func(text string) (string, error)) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the file may be a link into a repository of dotfiles; the link stays
	}
	data, err := read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	text, err := edit(string(data))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return withoutPath(err)
	}
	return withoutPath(smallfile.Replace(path, []byte(text), func(f *os.File) error { return errors.Join(f.Chmod(mode), f.Sync()) }))
}

// edit returns the text of a settings file with the choice in it.
func (c Choice) edit(text string) (string, error) {
	return editTable(text, "model", c.entries(), c.gone)
}

// editTable returns the text of a settings file with entries of a table in it, and without those that gone
// names, nil for none. It reads the result again, and fails if that says anything but the old settings and
// the change.
func editTable(text, table string, entries []entry, goneOf func(old map[string]any) []string) (string, error) {
	before, err := parse([]byte(text))
	if err != nil {
		return "", err
	}
	old, isTable := before[table].(map[string]any)
	if before[table] != nil && !isTable {
		return "", ErrNotEdited
	}
	text, marked := strings.CutPrefix(text, mark)
	statements := statementsOf(text)
	var gone []string
	if goneOf != nil {
		gone = goneOf(old)
	}
	var out []statement
	written := map[string]bool{}
	last := -1 // the last line of the table that is not blank
	for _, s := range statements {
		if s.table == table && s.name != "" {
			i := slices.IndexFunc(entries, func(e entry) bool { return e.name == s.name })
			switch {
			case i >= 0:
				s.lines = []string{withValue(s.lines, entries[i])}
				written[s.name] = true
			case slices.Contains(gone, s.name):
				for j := range s.lines {
					s.lines[j] = "#" + s.lines[j]
				}
			}
		}
		out = append(out, s)
		if s.table == table && strings.TrimSpace(strings.Join(s.lines, "")) != "" {
			last = len(out) - 1
		}
	}
	var missing []statement
	for _, e := range entries {
		if !written[e.name] {
			missing = append(missing, statement{lines: []string{e.name + " = " + e.toml}, table: table})
		}
	}
	if last < 0 && len(missing) > 0 {
		if len(out) > 0 && strings.TrimSpace(out[len(out)-1].lines[0]) != "" {
			out = append(out, statement{lines: []string{""}})
		}
		out = append(out, statement{lines: []string{"[" + table + "]"}})
		last = len(out) - 1
	}
	if len(missing) > 0 {
		out = slices.Insert(out, placeFor(table, out, last), missing...)
	}
	result := joined(out, text)
	if marked {
		result = mark + result
	}
	return result, verify(table, entries, before, old, gone, result)
}

// placeFor returns where new settings of a table go: after the last of its settings, or its
// header.
func placeFor(table string, all []statement, last int) int {
	for i := last; i >= 0; i-- {
		if all[i].table == table && (all[i].name != "" || all[i].opens) || all[i].lines[0] == "["+table+"]" {
			return i + 1
		}
	}
	return last + 1
}

// gone returns the names of the settings of [model] that the choice replaces: those that it sets
// and, with another provider, those about the old one.
func (c Choice) gone(old map[string]any) []string {
	kept := []string{"tools", "stream", "system", "headers", "api_version", "plan", "edit", "classify", "summarise"}
	other := old["provider"] != c.Provider || fmt.Sprint(cmp.Or[any](old["base_url"], "")) != c.BaseURL
	var gone []string
	for _, k := range keysOf("model") {
		name := strings.TrimPrefix(k.name, "model.")
		if !k.ofProvider {
			continue
		}
		if slices.ContainsFunc(c.entries(), func(e entry) bool { return e.name == name }) || !other && slices.Contains(kept, name) {
			continue
		}
		gone = append(gone, name)
	}
	return gone
}

// verify reads the result and compares it with what it should say.
func verify(table string, entries []entry, before, old map[string]any, gone []string, result string) error {
	want := map[string]any{}
	for name, value := range old {
		if !slices.Contains(gone, name) {
			want[name] = value
		}
	}
	for _, e := range entries {
		want[e.name] = e.value
	}
	after, err := parse([]byte(result))
	if err != nil {
		return ErrNotEdited
	}
	got, _ := after[table].(map[string]any)
	delete(after, table)
	rest := map[string]any{}
	for name, value := range before {
		if name != table {
			rest[name] = value
		}
	}
	if len(after) != len(rest) || len(rest) > 0 && !reflect.DeepEqual(after, rest) || len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
		return ErrNotEdited
	}
	return nil
}

var (
	header    = lazyregexp.New(`^\s*\[\[?\s*(.*?)\s*\]\]?\s*(?:#.*)?$`)
	bareEntry = lazyregexp.New(`^\s*([A-Za-z0-9_-]+)\s*=`)
)

// statement is a piece of a settings file: a setting with all its lines, or a line without a
// setting.
type statement struct {
	lines []string
	name  string // the setting's name as written
	table string // the table that the lines are in
	opens bool   // it is a table header
}

// statementsOf splits the text of a settings file. A value may span several lines: it ends where
// its lines are valid TOML by themselves.
func statementsOf(text string) []statement {
	var all []statement
	table := ""
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	if text == "" {
		lines = nil
	}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if of := header().FindStringSubmatch(line); of != nil {
			table = strings.Trim(of[1], `"'`)
			all = append(all, statement{lines: []string{line}, table: table, opens: true})
			continue
		}
		s := statement{lines: []string{line}, table: table}
		if of := bareEntry().FindStringSubmatch(line); of != nil {
			s.name = of[1]
		}
		if trimmed := strings.TrimSpace(line); trimmed != "" && !strings.HasPrefix(trimmed, "#") {
			for end := i + 1; end < len(lines) && !isTOML(s.lines); end++ {
				s.lines = append(s.lines, lines[end])
				i = end
			}
		}
		all = append(all, s)
	}
	return all
}

func isTOML(lines []string) bool {
	_, err := parse([]byte(strings.Join(lines, "\n")))
	return err == nil
}

// withValue returns the line of a setting with another value, and the comment after it if there
// is one.
func withValue(lines []string, e entry) string {
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	comment := ""
	last := lines[len(lines)-1]
	for at := range last {
		if last[at] == '#' && isTOML(append(slices.Clone(lines[:len(lines)-1]), last[:at])) {
			comment = " " + strings.TrimRight(last[at:], " \t")
			break
		}
	}
	return indent + e.name + " = " + e.toml + comment
}

// joined joins statements with the line ends of the old text.
func joined(all []statement, old string) string {
	end := "\n"
	if strings.Contains(old, "\r\n") {
		end = "\r\n"
	}
	var b strings.Builder
	for _, s := range all {
		for _, line := range s.lines {
			b.WriteString(line + end)
		}
	}
	return b.String()
}

// quoted formats a text as a TOML string. JSON's escapes are valid in TOML, except for those
// that Go adds.
func quoted(text string) string {
	if !strings.ContainsAny(text, "'\n\r\t") && strings.Contains(text, `\`) {
		return "'" + text + "'" // a Windows path
	}
	q := strconv.Quote(text)
	return strings.NewReplacer(`\x`, `\u00`, `\a`, `\u0007`, `\v`, `\u000b`).Replace(q)
}
