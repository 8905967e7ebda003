package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// key is one setting, and all that there is to say about it. Settings are read and explained by
// it; the page of settings, the template of a settings file and the page on policies are made
// from it.
type key struct {
	name string // "table.key"
	kind

	about   string // its purpose; begins in lower case, ends without a full stop, has code in backquotes
	see     string // a page in docs/ with more, perhaps with an anchor; "" for none
	example string // a TOML value, for a setting without a default

	env        string                  // the environment variable that overrides the file, "" for none
	ofProvider bool                    // it applies to one provider only
	editor     func(value string) bool // reports whether an editor may send this value; nil: none
}

// kind is what a setting holds.
type kind struct {
	values string                               // the accepted values, in a few words
	form   form                                 // which other values than texts and numbers TOML has for it
	set    func(s *Settings, text string) error // the error is a part of a sentence: "must be …"
	reset  func(s *Settings)                    // sets the default; nil if that is the zero value
	show   func(s Settings) string
	limit  *limit // how a policy tightens it; nil: a policy cannot
}

// shownAs returns the kind with other words for its values, shown in another way.
func (k kind) shownAs(values string, show func(s Settings) string) kind {
	k.values, k.show = values, show
	return k
}

// keys lists the settings in the order in which they are explained.
var keys = slices.Concat(modelKeys, limitKeys, editorKeys, approvalKeys, contextKeys, heapKeys, uiKeys, fetchKeys, commandKeys, trialKeys, workspaceKeys)

// reserved has tables, and keys of known tables, that have a meaning elsewhere or are reserved
// for one, and so cause no warning. If a table has keys above, only its other names are
// reserved.
var reserved = map[string]bool{
	"approval": true, "mcp": true,
}

func find(name string) (key, bool) {
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
	if i < 0 {
		return key{}, false
	}
	return keys[i], true
}

// defaults returns the settings of a user who has set nothing.
func defaults() Settings {
	s := Settings{LogLevel: "warn", origins: map[string]string{}}
	for _, k := range keys {
		if k.reset != nil {
			k.reset(&s)
		}
	}
	return s
}

// tablesInOrder are the tables of the settings file.
func tablesInOrder() []string {
	var names []string
	seen := map[string]bool{}
	for _, k := range keys {
		if table, _, _ := strings.Cut(k.name, "."); !seen[table] {
			seen[table] = true
			names = append(names, table)
		}
	}
	return names
}

// keysOf are the settings of a table.
func keysOf(table string) []key {
	var of []key
	for _, k := range keys {
		if strings.HasPrefix(k.name, table+".") {
			of = append(of, k)
		}
	}
	return of
}

// form is what TOML has for a setting, besides texts and numbers.
type form int

const (
	asText   form = iota
	asSwitch      // true means "on" and false "off"
	asList        // a list of texts, joined with [separator]
	asJSON        // a list, as JSON
	asTable       // a table, as JSON
)

// text formats a value of a TOML file as text, as in a flag or a variable.
func (f form) text(value any) (string, error) {
	switch v := value.(type) {
	case string, int64, float64:
		return fmt.Sprint(value), nil
	case bool:
		if f == asSwitch {
			return map[bool]string{true: "on", false: "off"}[v], nil
		}
	case []any:
		if f == asList {
			return items(v)
		}
		if f == asJSON {
			doc, err := json.Marshal(v)
			if err != nil {
				return "", errors.New("holds something that is neither a text nor a table")
			}
			return string(doc), nil
		}
	case map[string]any:
		if doc, err := json.Marshal(v); f == asTable && err == nil {
			return string(doc), nil
		}
	}
	return "", errors.New("must be a text or a number, or true or false")
}
