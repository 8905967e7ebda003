package config

import (
	"errors"
	"strings"
)

// lists names the keys that hold lists.
var lists = map[string]bool{}

// list returns a key that holds a list of texts. item reads one of them and returns its
// normal form.
func list(name string, item func(string) (string, error), field func(*Settings) *[]string) key {
	lists[name] = true
	return key{
		name:   name,
		values: "a list of texts",
		set: func(s *Settings, text string) error {
			items := []string{}
			for one := range strings.SplitSeq(text, separator) {
				if text == "" {
					break
				}
				meant, err := item(one)
				if err != nil {
					return err
				}
				items = append(items, meant)
			}
			*field(s) = items
			return nil
		},
		show: func(s Settings) string {
			if *field(&s) == nil && name == "commands.caches" {
				return "(the usual caches)"
			}
			if len(*field(&s)) == 0 {
				return "(none)"
			}
			return strings.Join(*field(&s), ", ")
		},
	}
}

// separator joins the items of a list into one text.
const separator = "\x00"

// items returns a list of a TOML file as one text.
func items(values []any) (string, error) {
	var all []string
	for _, v := range values {
		one, ok := v.(string)
		if !ok || one == "" || strings.Contains(one, separator) {
			return "", errors.New("must be a list of texts")
		}
		all = append(all, one)
	}
	return strings.Join(all, separator), nil
}
