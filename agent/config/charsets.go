package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/edits/charset"
	"redline/workspace"
)

// setCharsets sets the rules about charsets.
func setCharsets(s *Settings, text string) error {
	wrong := errors.New(`must be a table of globs and charsets, as in { "*.txt" = "latin1" }`)
	var entries map[string]string
	if json.Unmarshal([]byte(text), &entries) != nil {
		return wrong
	}
	var rules []workspace.CharsetRule
	for _, glob := range slices.Sorted(maps.Keys(entries)) {
		c, known := charset.Named(entries[glob])
		switch {
		case !known:
			return fmt.Errorf("names a charset %q, which is none of %s", entries[glob], strings.Join(charset.Names(), ", "))
		case glob == "" || !workspace.ValidGlob(glob):
			return fmt.Errorf("has %q, which is no glob such as \"*.txt\" or \"legacy/**\"", glob)
		}
		rules = append(rules, workspace.CharsetRule{Glob: glob, Charset: c})
	}
	s.Charsets = rules
	return nil
}

func showCharsets(s Settings) string {
	var all []string
	for _, r := range s.Charsets {
		all = append(all, r.Glob+" "+r.Charset.String())
	}
	if len(all) == 0 {
		return "(none)"
	}
	return strings.Join(all, ", ")
}
