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
	"strings"
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
func (c Choice) Write(path string) error {
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
	text, err := c.edit(string(data))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return withoutPath(err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".config-*.toml")
	if err != nil {
		return withoutPath(err)
	}
	_, err = temporary.WriteString(text)
	err = errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return withoutPath(err)
}

// edit returns the text of a settings file with the choice in it. It reads the result again, and
// fails if that says anything but the old settings and the choice.
func (c Choice) edit(text string) (string, error) {
	before, err := parse([]byte(text))
	if err != nil {
		return "", err
	}
	old, isTable := before["model"].(map[string]any)
	if before["model"] != nil && !isTable {
		return "", ErrNotEdited
	}
	text, marked := strings.CutPrefix(text, mark)
	statements := statementsOf(text)
	entries := c.entries()
	gone := c.gone(old)
	var out []statement
	written := map[string]bool{}
	last := -1 // the last line of [model] that is not blank
	for _, s := range statements {
		if s.table == "model" && s.name != "" {
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
		if s.table == "model" && strings.TrimSpace(strings.Join(s.lines, "")) != "" {
			last = len(out) - 1
		}
	}
	var missing []statement
	for _, e := range entries {
		if !written[e.name] {
			missing = append(missing, statement{lines: []string{e.name + " = " + e.toml}, table: "model"})
		}
	}
	if last < 0 && len(missing) > 0 {
		if len(out) > 0 && strings.TrimSpace(out[len(out)-1].lines[0]) != "" {
			out = append(out, statement{lines: []string{""}})
		}
		out = append(out, statement{lines: []string{"[model]"}})
		last = len(out) - 1
	}
	if len(missing) > 0 {
		out = slices.Insert(out, c.placeFor(out, last), missing...)
	}
	result := joined(out, text)
	if marked {
		result = mark + result
	}
	return result, c.verify(before, old, gone, result)
}

// placeFor returns where new settings of [model] go: after the last of its settings, or its
// header.
func (c Choice) placeFor(all []statement, last int) int {
	for i := last; i >= 0; i-- {
		if all[i].table == "model" && (all[i].name != "" || all[i].opens) || all[i].lines[0] == "[model]" {
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
func (c Choice) verify(before, old map[string]any, gone []string, result string) error {
	want := map[string]any{}
	for name, value := range old {
		if !slices.Contains(gone, name) {
			want[name] = value
		}
	}
	for _, e := range c.entries() {
		want[e.name] = e.value
	}
	after, err := parse([]byte(result))
	if err != nil {
		return ErrNotEdited
	}
	got, _ := after["model"].(map[string]any)
	delete(after, "model")
	rest := map[string]any{}
	for table, value := range before {
		if table != "model" {
			rest[table] = value
		}
	}
	if len(after) != len(rest) || len(rest) > 0 && !reflect.DeepEqual(after, rest) || len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
		return ErrNotEdited
	}
	return nil
}
