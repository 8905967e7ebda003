package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"redline/agent/rules"
)

// ruleLists names the keys that hold rules. Their value as text is its JSON.
var ruleLists = map[string]bool{}

// partly is the error for one bad item of a list; the other items still count.
type partly struct{ error }

// ruleList is a key that holds rules on commands: texts, and tables that name a
// folder. One that cannot be read does not take the others with it, since among them
// may be some that deny.
func ruleList(name string, field func(*Settings) *[]rules.Rule) key {
	ruleLists[name] = true
	return key{
		name:   name,
		values: "a list of texts and of tables with `command` and `folder`",
		set: func(s *Settings, text string) error {
			var values []any
			if json.Unmarshal([]byte(text), &values) != nil {
				return errors.New("must be a list of rules")
			}
			list := []rules.Rule{}
			var wrong []string
			for i, value := range values {
				rule, err := rules.ReadRule(value)
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

// showRule returns a rule as a settings file has it; one about the root without its
// quotes.
func showRule(r rules.Rule) string {
	if r.Folder == "" {
		return r.Command
	}
	return fmt.Sprintf("{ command = %s, folder = %s }", strconv.Quote(r.Command), strconv.Quote(r.Folder))
}
