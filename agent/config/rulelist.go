package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"redline/agent/commands"
)

// ruleLists has the keys that hold rules. In text form, their value is JSON.
var ruleLists = map[string]bool{}

// partly is the error for one bad item of a list. The other items still apply.
type partly struct{ error }

// ruleList returns a key that holds rules on commands: texts, and tables that name a folder.
// A bad rule does not invalidate the others, since some of them may deny.
func ruleList(name string, field func(*Settings) *[]commands.Rule) key {
	ruleLists[name] = true
	return key{
		name:   name,
		values: "a list of texts and of tables with `command` and `folder`",
		set: func(s *Settings, text string) error {
			var values []any
			if json.Unmarshal([]byte(text), &values) != nil {
				return errors.New("must be a list of rules")
			}
			list := []commands.Rule{}
			var wrong []string
			for i, value := range values {
				rule, err := commands.ReadRule(value)
				if err != nil {
					wrong = append(wrong, fmt.Sprintf("rule %d of %s has no effect: it %s", i+1, name, err))
					continue
				}
				list = append(list, rule)
			}
			*field(s) = list
			if wrong != nil {
				return partly{errors.New(strings.Join(wrong, "; "))}
			}
			return nil
		},
		show: func(s Settings) string {
			var shown []string
			for _, r := range *field(&s) {
				shown = append(shown, showRule(r))
			}
			if shown == nil {
				return "(none)"
			}
			return strings.Join(shown, ", ")
		},
	}
}

// showRule formats a rule as in a settings file; a text about the root has no quotes.
func showRule(r commands.Rule) string {
	if r.Folder == "" {
		return r.Command
	}
	return fmt.Sprintf("{ command = %s, folder = %s }", strconv.Quote(r.Command), strconv.Quote(r.Folder))
}
