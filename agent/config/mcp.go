package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"redline/agent/toolset"
	"redline/workspace/secrets"
)

// toolServers reads the tables [mcp.NAME] of the user's own file. It ignores a bad one with a
// warning that quotes no value.
func (l *loader) toolServers(tables any, path string) {
	named, ok := tables.(map[string]any)
	if !ok {
		l.warn("mcp in %s has no effect: it must be a table for each tool server, [mcp.NAME].", path)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		entries, ok := named[name].(map[string]any)
		if !ok {
			l.warn("mcp.%s in %s has no effect: it must be a table, [mcp.%s].", name, path, name)
			continue
		}
		s, err := l.toolServer(name, entries)
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			l.warn("mcp.%s in %s has no effect: it %s.", name, path, err)
			continue
		}
		l.settings.ToolServers = append(l.settings.ToolServers, s)
		l.settings.origins["mcp."+name] = path
	}
}

// toolServer reads one table. The error is a part of a sentence.
func (l *loader) toolServer(name string, entries map[string]any) (toolset.Server, error) {
	s := toolset.Server{Name: name}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		var err error
		switch value := entries[key]; key {
		case "command":
			s.Command, err = textOf(key, value)
		case "url":
			s.URL, err = textOf(key, value)
		case "args":
			s.Args, err = textsOf(key, value)
		case "read_only":
			s.ReadOnly, err = textsOf(key, value)
		case "env":
			s.Env, err = l.values(&s, key, value)
		case "headers":
			s.Headers, err = l.values(&s, key, value)
		case "timeout_seconds":
			s.Timeout, err = secondsOf(key, value)
		case "start_seconds":
			s.StartTimeout, err = secondsOf(key, value)
		default:
			err = fmt.Errorf("has a key %q; there are command, args, env, url, headers, read_only, timeout_seconds and start_seconds", key)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

func textOf(key string, value any) (string, error) {
	text, ok := value.(string)
	if !ok || strings.ContainsRune(text, 0) {
		return "", fmt.Errorf("must have a text as its %s", key)
	}
	return text, nil
}

// textsOf returns a list that is never nil, since an empty list differs from a missing one.
func textsOf(key string, value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("must have a list of texts as its %s", key)
	}
	out := []string{}
	for _, one := range list {
		text, err := textOf(key, one)
		if err != nil {
			return nil, fmt.Errorf("must have a list of texts as its %s", key)
		}
		out = append(out, text)
	}
	return out, nil
}

func secondsOf(key string, value any) (time.Duration, error) {
	var n float64
	switch v := value.(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	}
	if !(n >= 0.001 && n <= 3600) {
		return 0, fmt.Errorf("must have a number of seconds of at most 3600 as its %s", key)
	}
	return time.Duration(n * float64(time.Second)), nil
}

// values reads a table of names and texts. A text $NAME is replaced with the value of that
// variable.
func (l *loader) values(s *toolset.Server, key string, value any) (map[string]string, error) {
	table, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("must have a table of names and texts as its %s", key)
	}
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		text, ok := table[name].(string)
		switch {
		case !ok || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return nil, fmt.Errorf("must have a text of one line for each name in its %s", key)
		case key == "env" && !variableName().MatchString(name), key == "headers" && !headerName().MatchString(name):
			return nil, fmt.Errorf("has a name in its %s that cannot be one", key)
		}
		from := variable().FindStringSubmatch(text)
		if from != nil {
			held, ok := l.lookup(from[1])
			if !ok {
				return nil, fmt.Errorf("needs the environment variable %s, which is not set", from[1])
			}
			text = strings.TrimSpace(held)
		}
		out[name] = text
		if from != nil || key == "headers" || secrets.Named(name) {
			s.Secrets = append(s.Secrets, text)
		}
	}
	return out, nil
}

// explainToolServers lists the tool servers, without arguments, variables and headers, since
// these may be secret.
func explainToolServers(s Settings) []Row {
	var rows []Row
	for i := range s.ToolServers {
		server := &s.ToolServers[i]
		rows = append(rows, Row{"mcp." + server.Name, server.About(), s.origin("mcp." + server.Name)})
	}
	return rows
}
