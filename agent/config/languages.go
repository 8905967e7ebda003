package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/workspace/language"
)

// LanguageSettings are the table [languages]: which language servers check plans before they are approved. Only
// the user's own file can set them.
type LanguageSettings struct {
	Mode    string            // languages.mode: "ask", "on" or "off"
	Memory  int               // languages.memory_mb: for one server, or for each of its processes
	Servers []language.Custom // languages.NAME
}

// modes are the values of trials.mode and languages.mode, from tight to loose.
var modes = []string{"off", "ask", "on"}

// languageKeys are the settings of the table [languages] that are no tables.
var languageKeys = []key{
	{name: "languages.mode", kind: choice([]string{"ask", "on", "off"}, "ask", noFurther(modes...), func(s *Settings) *string { return &s.Languages.Mode }),
		about: "where language servers may check plans, in an environment like that of a trial: `ask`, only where commands may be tried (`trials.mode`); `on`, everywhere; `off`, nowhere. A policy's `trials.mode` counts too"},
	{name: "languages.memory_mb", kind: whole(64, 4096, atMost, func(s *Settings) *int { return &s.Languages.Memory }),
		about: "MiB of memory that one language server can have; where no cgroup is delegated to you, each of its processes"},
}

// languageServerKeys are the keys of a table [languages.NAME].
var languageServerKeys = []struct {
	name  string
	read  func(c *language.Custom, key string, value any) error
	about string // for the page of settings, as in [key]
}{
	{"command", func(c *language.Custom, key string, value any) (err error) {
		c.Command, err = programOf(key, value)
		return err
	}, "a program and its arguments that speaks LSP on its input and output. The program is a name in PATH, or absolute (`~/` too)"},
	{"files", func(c *language.Custom, key string, value any) (err error) {
		c.Languages, err = endingsOf(key, value)
		return err
	}, "a table of the files that it knows: the end of their names, and LSP's name of the language, such as `{ \".zig\" = \"zig\" }`"},
	{"roots", func(c *language.Custom, key string, value any) (err error) {
		c.Roots, err = textsOf(key, value)
		for _, name := range c.Roots {
			if name == "" || strings.ContainsAny(name, `/\`) {
				return fmt.Errorf("must have names of files as its %s", key)
			}
		}
		return err
	}, "names of files: it works on the nearest folder above a file that has the first of them, else the next. With `[]`, on the workspace's folder"},
	{"settings", func(c *language.Custom, key string, value any) error {
		sections, err := jsonsOf(key, value)
		if err != nil {
			return err
		}
		c.Settings = map[string]map[string]json.RawMessage{}
		for name, text := range sections {
			var values map[string]json.RawMessage
			if json.Unmarshal(text, &values) != nil {
				return fmt.Errorf("must have a table for each section of its %s", key)
			}
			c.Settings[name] = values
		}
		return nil
	}, "a table for each section of its own settings, such as `gopls = { buildFlags = [\"-tags=x\"] }`"},
	{"initialization", func(c *language.Custom, key string, value any) (err error) {
		c.Initialization, err = jsonsOf(key, value)
		return err
	}, "a table of its `initializationOptions`"},
}

// ending matches the end of a file's name.
var ending = lazyregexp.New(`^\.[A-Za-z0-9_+-]+$`)

// endingsOf reads a table of endings of file names and languages.
func endingsOf(key string, value any) (map[string]string, error) {
	table, ok := value.(map[string]any)
	out := map[string]string{}
	for name, id := range table {
		text, isText := id.(string)
		if !isText || text == "" || !ending().MatchString(name) {
			ok = false
		}
		out[name] = text
	}
	if !ok || len(out) == 0 {
		return nil, fmt.Errorf("must have a table as its %s, such as { \".zig\" = \"zig\" }", key)
	}
	return out, nil
}

// jsonsOf reads a table of any values.
func jsonsOf(key string, value any) (map[string]json.RawMessage, error) {
	table, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("must have a table as its %s", key)
	}
	out := map[string]json.RawMessage{}
	for name, one := range table {
		text, err := json.Marshal(one)
		if err != nil {
			return nil, fmt.Errorf("has a value in its %s that JSON does not have", key)
		}
		out[name] = text
	}
	return out, nil
}

func languageServerKeyNames() (names []string) {
	for _, k := range languageServerKeys {
		names = append(names, k.name)
	}
	return names
}

// languageServers reads the table [languages] of the user's own file, with its tables.
func (l *loader) languageServers(entries map[string]any, path string) {
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if _, known := find("languages." + name); known {
			l.table("languages", map[string]any{name: entries[name]}, path)
			continue
		}
		c, err := languageServer(name, entries[name])
		if err != nil {
			l.warn("languages.%s in %s has no effect: it %s.", name, path, err)
			continue
		}
		l.settings.Languages.Servers = append(l.settings.Languages.Servers, c)
		l.settings.origins["languages."+name] = path
	}
}

// languageServer reads one table. The error is a part of a sentence.
func languageServer(name string, value any) (language.Custom, error) {
	c := language.Custom{Name: name}
	entries, ok := value.(map[string]any)
	if !ok {
		return c, fmt.Errorf("must be a table, [languages.%s]", name)
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		i := slices.Index(languageServerKeyNames(), key)
		if i < 0 {
			return c, fmt.Errorf("has a key %q; there are %s", key, phrase.And(languageServerKeyNames()))
		}
		if err := languageServerKeys[i].read(&c, key, entries[key]); err != nil {
			return c, err
		}
	}
	known := slices.ContainsFunc(language.Adapters(), func(a *language.Adapter) bool { return a.Name == name })
	switch {
	case c.Command != nil && (len(c.Command) == 0 || c.Command[0] == ""):
		return c, errors.New("must have a program as its command")
	case !known && (c.Command == nil || c.Languages == nil):
		return c, errors.New("needs a command and files, since Redline does not know a server of this name")
	}
	return c, nil
}

// explainLanguages lists the language servers of the user's settings.
func explainLanguages(s Settings) []Row {
	var rows []Row
	for i := range s.Languages.Servers {
		c := &s.Languages.Servers[i]
		value := "(as Redline starts it)"
		if len(c.Command) > 0 {
			value = c.Command[0]
		}
		rows = append(rows, Row{"languages." + c.Name, value, s.origin("languages." + c.Name)})
	}
	return rows
}
