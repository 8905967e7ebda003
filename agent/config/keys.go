package config

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"redline/agent/model"
)

// key is one setting of the user's file.
type key struct {
	name string // "table.key"
	env  string // the environment variable that goes before the file, "" for none
	set  func(s *Settings, text string) error
	show func(s Settings) string
}

// keys lists the settings in the order in which they are explained.
var keys = []key{
	{"model.base_url", "OPENAI_BASE_URL", setBaseURL, showBaseURL},
	{"model.name", "REDLINE_MODEL", setModelName, showModelName},
	{"model.api_key_env", "", setAPIKeyEnv, func(s Settings) string { return s.APIKeyEnv }},
	whole("limits.requests", 1, func(s *Settings) *int { return &s.Requests }),
	whole("limits.steps", 1, func(s *Settings) *int { return &s.Steps }),
	whole("limits.repeats", 1, func(s *Settings) *int { return &s.Repeats }),
	seconds("limits.wall_seconds", true, func(s *Settings) *time.Duration { return &s.Wall }),
	seconds("limits.provider_give_up_seconds", false, func(s *Settings) *time.Duration { return &s.GiveUp }),
	seconds("limits.provider_silence_seconds", false, func(s *Settings) *time.Duration { return &s.Silence }),
	whole("limits.max_file", 1, func(s *Settings) *int64 { return &s.MaxFile }),
	seconds("editor.apply_timeout_seconds", false, func(s *Settings) *time.Duration { return &s.ApplyTimeout }),
	choice("editor.review", []string{"auto", "always", "never"}, func(s *Settings) *string { return &s.Review }),
}

// reserved has the tables, and the keys of known tables, that have a meaning
// elsewhere or are to get one; they are taken without a word.
var reserved = map[string]bool{
	"approval": true, "commands": true, "context": true, "ui": true, "heap": true, "fetch": true, "mcp": true,
	"model.plan": true, "model.edit": true, "model.classify": true, "editor.attached": true,
}

func find(name string) (key, bool) {
	for _, k := range keys {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

// whole is a key that holds a whole number of at least low.
func whole[T int | int64](name string, low T, field func(*Settings) *T) key {
	return key{
		name: name,
		set: func(s *Settings, text string) error {
			n, err := strconv.ParseInt(text, 10, 0)
			if err != nil || T(n) < low {
				return fmt.Errorf("must be a whole number of at least %d", low)
			}
			*field(s) = T(n)
			return nil
		},
		show: func(s Settings) string { return fmt.Sprint(*field(&s)) },
	}
}

// seconds is a key that holds a length of time; zero is allowed if it means
// that there is no limit.
func seconds(name string, zero bool, field func(*Settings) *time.Duration) key {
	return key{
		name: name,
		set: func(s *Settings, text string) error {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(n) || n > 1e9 || n < 0 || n < 0.001 && !(n == 0 && zero) {
				return fmt.Errorf("must be a number of seconds")
			}
			*field(s) = time.Duration(n * float64(time.Second))
			return nil
		},
		show: func(s Settings) string {
			if *field(&s) == 0 {
				return "0 (no limit)"
			}
			return fmt.Sprintf("%g", field(&s).Seconds())
		},
	}
}

// choice is a key that holds one of a few words.
func choice(name string, words []string, field func(*Settings) *string) key {
	return key{
		name: name,
		set: func(s *Settings, text string) error {
			if !slices.Contains(words, text) {
				return fmt.Errorf("must be one of: %s", strings.Join(words, ", "))
			}
			*field(s) = text
			return nil
		},
		show: func(s Settings) string { return *field(&s) },
	}
}

func setBaseURL(s *Settings, text string) error {
	s.BaseURL = strings.TrimSpace(text) // that it is an address at all, the provider checks and says
	return nil
}

// showBaseURL leaves out what of an address may be secret.
func showBaseURL(s Settings) string {
	if s.BaseURL == "" {
		if s.APIKey != "" {
			return model.DefaultBaseURL
		}
		return "(none: the built-in model)"
	}
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return "(not an address)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func setModelName(s *Settings, text string) error {
	s.ModelName = strings.TrimSpace(text)
	return nil
}

func showModelName(s Settings) string {
	switch {
	case s.BaseURL == "" && s.APIKey == "":
		return "builtin"
	case s.ModelName == "":
		return model.DefaultName
	}
	return s.ModelName
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// setAPIKeyEnv takes the name of a variable. A key that was written there by
// mistake must not be shown, so the error does not repeat it.
func setAPIKeyEnv(s *Settings, text string) error {
	if !variableName.MatchString(text) || len(text) > 64 {
		return fmt.Errorf("must be the name of an environment variable, not the key itself")
	}
	s.APIKeyEnv = text
	return nil
}
