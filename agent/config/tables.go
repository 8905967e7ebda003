package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"redline/agent/model"
	"redline/internal/lazyregexp"
)

// tables has the keys that hold a table. In text form, their value is JSON.
var tables = map[string]bool{"model.headers": true, "model.prices": true}

// switches has the keys for which true means "on" and false "off".
var switches = map[string]bool{}

var (
	headerName = lazyregexp.New("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$")
	variable   = lazyregexp.New(`^\$([A-Za-z_][A-Za-z0-9_]*)$`)
)

// taken are the headers that every request already has.
var taken = []string{"host", "content-length", "content-type", "transfer-encoding", "connection"}

// setHeaders sets the headers to send with each request. Its errors quote no value.
func setHeaders(s *Settings, text string) error {
	var entries map[string]any
	if json.Unmarshal([]byte(text), &entries) != nil {
		return fmt.Errorf(`must be a table of names and texts, as in { "X-Title" = "Redline" }`)
	}
	var headers []model.Header
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		value, ok := entries[name].(string)
		switch {
		case !headerName().MatchString(name):
			return fmt.Errorf("has a name that is none of a header")
		case slices.Contains(taken, strings.ToLower(name)):
			return fmt.Errorf("cannot set %s", name)
		case !ok || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return fmt.Errorf("must hold the value of %s as a text of one line", name)
		}
		headers = append(headers, model.Header{Name: name, Value: value})
	}
	s.Headers = headers
	return nil
}

func showHeaders(s Settings) string {
	if len(s.Headers) == 0 {
		return "(none)"
	}
	var names []string
	for _, h := range s.Headers {
		names = append(names, h.Name)
	}
	return strings.Join(names, ", ") + " (values not shown)"
}

// resolveHeaders replaces header values that refer to variables with the variables' content.
func (l *loader) resolveHeaders() {
	var headers []model.Header
	for _, h := range l.settings.Headers {
		if of := variable().FindStringSubmatch(h.Value); of != nil {
			value, ok := l.lookup(of[1])
			if !ok {
				l.warn("The header %s is not sent: its value is to come from the environment variable %s, which is not set.", h.Name, of[1])
				continue
			}
			h.Value, h.Secret = strings.TrimSpace(value), true
		}
		headers = append(headers, h)
	}
	l.settings.Headers = headers
}

// setPrices sets the prices of a million tokens of a model: for the prompt, for the completion,
// and for the cached part of the prompt.
func setPrices(s *Settings, text string) error {
	wrong := fmt.Errorf(`must be a table of models and numbers, as in { "gpt-4.1" = [2, 8, 0.5] }`)
	var entries map[string][]float64
	if json.Unmarshal([]byte(text), &entries) != nil {
		return wrong
	}
	prices := map[string]model.Price{}
	for name, of := range entries {
		if len(of) < 2 || len(of) > 3 || slices.ContainsFunc(of, func(f float64) bool { return f < 0 || f > 1e6 || math.IsNaN(f) }) {
			return wrong
		}
		p := model.Price{Prompt: of[0], Completion: of[1], Cached: of[0]}
		if len(of) == 3 {
			p.Cached = of[2]
		}
		prices[name] = p
	}
	s.Prices = prices
	return nil
}

func showPrices(s Settings) string {
	if len(s.Prices) == 0 {
		return "(none)"
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	var rows []string
	for _, name := range slices.Sorted(maps.Keys(s.Prices)) {
		p := s.Prices[name]
		rows = append(rows, fmt.Sprintf("%s = [%s, %s, %s]", name, number(p.Prompt), number(p.Completion), number(p.Cached)))
	}
	return strings.Join(rows, ", ")
}

// setKeyHeader sets the name of the header that carries the key.
func setKeyHeader(s *Settings, text string) error {
	if !headerName().MatchString(text) || slices.Contains(taken, strings.ToLower(text)) {
		return fmt.Errorf("must be the name of a header, such as api-key")
	}
	s.KeyHeader = text
	return nil
}

// text returns a key that holds a text. none describes the empty value.
func text(name, none string, field func(*Settings) *string) key {
	return key{
		name:   name,
		values: "a text",
		set: func(s *Settings, value string) error {
			*field(s) = strings.TrimSpace(value)
			return nil
		},
		show: func(s Settings) string {
			if value := *field(&s); value != "" {
				return value
			}
			return none
		},
	}
}
