package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"redline/agent/commands"
	"redline/agent/model"
	"redline/agent/outside"
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
var keys = slices.Concat(modelKeys, limitKeys, editorKeys, approvalKeys, contextKeys, specialistKeys, uiKeys, fetchKeys, commandKeys, trialKeys, languageKeys, outsideKeys, shareKeys, workspaceKeys)

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

// defaults returns the settings that apply before the user has changed any.
func defaults() Settings {
	s := Settings{LogLevel: "warn", origins: map[string]string{}}
	s.Outside.Agents = outside.Presets()
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

// The functions below return the kinds of settings. usual is the default; at returns the field of
// the settings; tighten says how a policy limits it, nil if none can.

// whole is a whole number of at least low.
func whole[T int | int64](low, usual T, tighten limiter[T], at func(*Settings) *T) kind {
	return kind{
		values: fmt.Sprintf("a whole number, at least %d", low),
		set: func(s *Settings, text string) error {
			n, err := strconv.ParseInt(text, 10, 0)
			if err != nil || T(n) < low {
				return fmt.Errorf("must be a whole number of at least %d", low)
			}
			*at(s) = T(n)
			return nil
		},
		reset: func(s *Settings) { *at(s) = usual },
		show:  func(s Settings) string { return fmt.Sprint(*at(&s)) },
		limit: tighten.of(at),
	}
}

// seconds is a duration. zero allows 0, for no limit.
func seconds(zero bool, usual time.Duration, tighten limiter[time.Duration], at func(*Settings) *time.Duration) kind {
	values := "seconds, more than 0"
	if zero {
		values = "seconds, 0 for no limit"
	}
	return kind{
		values: values,
		set: func(s *Settings, text string) error {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(n) || n > 1e9 || n < 0 || n < 0.001 && !(n == 0 && zero) {
				return fmt.Errorf("must be a number of seconds")
			}
			*at(s) = time.Duration(n * float64(time.Second))
			return nil
		},
		reset: func(s *Settings) { *at(s) = usual },
		show: func(s Settings) string {
			if *at(&s) == 0 {
				return "0 (no limit)"
			}
			return fmt.Sprintf("%g", at(&s).Seconds())
		},
		limit: tighten.of(at),
	}
}

// choice is one of a few words.
func choice(words []string, usual string, tighten limiter[string], at func(*Settings) *string) kind {
	k := kind{
		values: oneOf(words),
		set: func(s *Settings, text string) error {
			if !slices.Contains(words, text) {
				return fmt.Errorf("must be one of: %s", strings.Join(words, ", "))
			}
			*at(s) = text
			return nil
		},
		reset: func(s *Settings) { *at(s) = usual },
		show:  func(s Settings) string { return *at(&s) },
		limit: tighten.of(at),
	}
	if slices.Contains(words, "on") && slices.Contains(words, "off") {
		k.form = asSwitch
	}
	return k
}

// takes says whether models support something.
func takes(at func(*Settings) *string) kind {
	return choice([]string{model.TakesAuto, model.TakesOn, model.TakesOff}, model.TakesAuto, nil, at)
}

// oneOf lists the words of a choice.
func oneOf(words []string) string {
	last := len(words) - 1
	return "`" + strings.Join(words[:last], "`, `") + "` or `" + words[last] + "`"
}

// yes is true or false.
func yes(usual bool, at func(*Settings) *bool) kind {
	return kind{
		values: oneOf([]string{"true", "false"}), form: asSwitch,
		set: func(s *Settings, text string) error {
			on, err := strconv.ParseBool(text)
			if err != nil && text != "on" && text != "off" {
				return fmt.Errorf("must be true or false")
			}
			*at(s) = on || text == "on"
			return nil
		},
		reset: func(s *Settings) { *at(s) = usual },
		show:  func(s Settings) string { return strconv.FormatBool(*at(&s)) },
	}
}

// text is a text. none describes the empty one.
func text(none string, at func(*Settings) *string) kind {
	return kind{
		values: "a text",
		set: func(s *Settings, value string) error {
			*at(s) = strings.TrimSpace(value)
			return nil
		},
		reset: func(s *Settings) { *at(s) = "" },
		show:  func(s Settings) string { return cmp.Or(*at(&s), none) },
	}
}

// list is a list of texts. item reads one of them and returns its normal form.
func list(item func(string) (string, error), tighten limiter[[]string], at func(*Settings) *[]string) kind {
	return kind{
		values: "a list of texts", form: asList,
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
			*at(s) = items
			return nil
		},
		show:  func(s Settings) string { return cmp.Or(strings.Join(*at(&s), ", "), "(none)") },
		limit: tighten.of(at),
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

// partly is the error for one bad item of a list. The other items still apply.
type partly struct{ error }

// ruleList is a list of rules on commands: texts, and tables that name a folder. A bad rule does
// not invalidate the others, since some of them may deny.
func ruleList(name string, tighten limiter[[]commands.Rule], at func(*Settings) *[]commands.Rule) kind {
	return kind{
		values: "a list of texts and of tables with `command` and `folder`", form: asJSON,
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
			*at(s) = list
			if wrong != nil {
				return partly{errors.New(strings.Join(wrong, "; "))}
			}
			return nil
		},
		show: func(s Settings) string {
			var shown []string
			for _, r := range *at(&s) {
				shown = append(shown, showRule(r))
			}
			return cmp.Or(strings.Join(shown, ", "), "(none)")
		},
		limit: tighten.of(at),
	}
}

// showRule formats a rule as in a settings file; a text about the root has no quotes.
func showRule(r commands.Rule) string {
	if r.Folder == "" {
		return r.Command
	}
	return fmt.Sprintf("{ command = %s, folder = %s }", strconv.Quote(r.Command), strconv.Quote(r.Folder))
}
