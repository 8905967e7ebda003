// Package wordstest lists the texts of the sources that a user can read.
package wordstest

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Text is one text for users.
type Text struct {
	File string // from the root, with slashes
	Kind string // what it is given to: a function, a field, a variable, "return"
	Text string // an ellipsis stands for each part that is computed
}

// String returns the line of the listing: file, kind and text, line breaks escaped.
func (t Text) String() string {
	text := strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\x1b", `\e`).Replace(t.Text)
	return fmt.Sprintf("%s: %s: %s", t.File, t.Kind, text)
}

// Of returns the texts in a file. The extension of its name tells the language.
func Of(name string, source []byte) ([]Text, error) {
	name = filepath.ToSlash(name)
	var found []Text
	var err error
	switch filepath.Ext(name) {
	case ".go":
		found, err = inGo(name, source)
	case ".json":
		found, err = inManifest(name, source)
	case ".ts":
		found = inScript(name, string(source), typescript)
	case ".lua":
		found = inScript(name, string(source), lua)
	case ".el":
		found = inScript(name, string(source), lisp)
	}
	return slices.DeleteFunc(found, func(t Text) bool { return !readable(t.Text) }), err
}

// readable reports whether a text may be a sentence: it has more than one word, and is no code.
func readable(text string) bool {
	return letters.MatchString(text) && strings.Contains(strings.TrimSpace(text), " ") && !code.MatchString(text)
}

var (
	letters = regexp.MustCompile(`\pL{2}`)
	// code matches statements and conditions of SQL, and regular expressions.
	code = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE FROM|CREATE|DROP|ALTER|PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|ATTACH|VACUUM|WITH|FROM|WHERE|AND|ORDER BY|JOIN|LIMIT)\b[ (]|^\w+ = \?|\(\?:|\\[bs][+*]?`)
)

// Lines returns the lines of the listing, sorted, each once.
func Lines(texts []Text) []string {
	lines := make([]string, len(texts))
	for i, t := range texts {
		lines[i] = t.String()
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// names are the members of the manifest with conditions and names of things.
var names = []string{"when", "enablement", "key", "mac", "pattern", "command", "completionEvents", "id"}

// inManifest returns the texts of the manifest of the extension for VS Code: what it
// contributes, and how it describes itself. Left out are conditions and names of things.
func inManifest(name string, source []byte) ([]Text, error) {
	var manifest struct {
		DisplayName, Description string
		Contributes              any
	}
	if err := json.Unmarshal(source, &manifest); err != nil {
		return nil, err
	}
	found := []Text{{name, "displayName", manifest.DisplayName}, {name, "description", manifest.Description}}
	var collect func(v any, kind string)
	collect = func(v any, kind string) {
		switch v := v.(type) {
		case string:
			if !slices.Contains(names, kind) {
				found = append(found, Text{name, kind, v})
			}
		case []any:
			for _, element := range v {
				collect(element, kind)
			}
		case map[string]any:
			for key, element := range v {
				collect(element, key)
			}
		}
	}
	collect(manifest.Contributes, "contributes")
	return found, nil
}
