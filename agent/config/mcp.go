package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"redline/agent/toolset"
	"redline/internal/phrase"
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

// serverKeys are the keys of a table [mcp.NAME].
var serverKeys = []struct {
	name  string
	read  func(l *loader, s *toolset.Server, key string, value any) error
	about string // for the page of settings, as in [key]
}{
	{"command", one(textOf, func(s *toolset.Server) *string { return &s.Command }),
		"a program, found in PATH or named by an absolute path"},
	{"args", one(textsOf, func(s *toolset.Server) *[]string { return &s.Args }),
		"its arguments; `${workspace}` stands for the first workspace folder"},
	{"env", func(l *loader, s *toolset.Server, key string, value any) (err error) {
		s.Env, err = l.values(s, key, value)
		return err
	}, "a table of variables that it gets; `\"$NAME\"` stands for what that variable holds"},
	{"url", one(textOf, func(s *toolset.Server) *string { return &s.URL }),
		"instead of a program: an http or https address (streamable HTTP)"},
	{"headers", func(l *loader, s *toolset.Server, key string, value any) (err error) {
		s.Headers, err = l.values(s, key, value)
		return err
	}, "a table of headers of each request there; `\"$NAME\"` likewise"},
	{"read_only", one(textsOf, func(s *toolset.Server) *[]string { return &s.ReadOnly }),
		"the tools that change nothing and may be called at once, `[]` for none; without it, those that the server has always declared read-only (`readOnlyHint`)"},
	{"timeout_seconds", one(secondsOf, func(s *toolset.Server) *time.Duration { return &s.Timeout }),
		fmt.Sprintf("how long one call may take; %g, at most %d", toolset.DefaultServerTimeout.Seconds(), maxServerSeconds)},
	{"start_seconds", one(secondsOf, func(s *toolset.Server) *time.Duration { return &s.StartTimeout }),
		fmt.Sprintf("how long the server may take until it has started and listed its tools; %g, at most %d", toolset.DefaultStartTimeout.Seconds(), maxServerSeconds)},
}

// one reads the value of a key into a field.
func one[T any](read func(key string, value any) (T, error), at func(*toolset.Server) *T) func(*loader, *toolset.Server, string, any) error {
	return func(_ *loader, s *toolset.Server, key string, value any) (err error) {
		*at(s), err = read(key, value)
		return err
	}
}

// toolServer reads one table. The error is a part of a sentence.
func (l *loader) toolServer(name string, entries map[string]any) (toolset.Server, error) {
	s := toolset.Server{Name: name}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		i := slices.Index(serverKeyNames(), key)
		if i < 0 {
			return s, fmt.Errorf("has a key %q; there are %s", key, phrase.And(serverKeyNames()))
		}
		if err := serverKeys[i].read(l, &s, key, entries[key]); err != nil {
			return s, err
		}
	}
	return s, nil
}

func serverKeyNames() []string {
	var names []string
	for _, k := range serverKeys {
		names = append(names, k.name)
	}
	return names
}

// maxServerSeconds is the most that a call of a tool server, or its start, may be given.
const maxServerSeconds = 3600

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
	if !(n >= 0.001 && n <= maxServerSeconds) {
		return 0, fmt.Errorf("must have a number of seconds of at most %d as its %s", maxServerSeconds, key)
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

// FetchSettings are the table [fetch]: what the model may get from the network. Only the
// user's own file can set them.
type FetchSettings struct {
	Hosts   []toolset.Host // fetch.hosts: hosts with public addresses
	Private []toolset.Host // fetch.private_hosts: hosts with any address
	Timeout time.Duration  // fetch.timeout_seconds: per fetch
	KB      int            // fetch.max_kb: size limit of a text, in KiB
}

// fetchKeys are the settings of the table [fetch]: what the model may get from the network.
var fetchKeys = []key{
	{name: "fetch.hosts", kind: hosts(func(s *Settings) *[]toolset.Host { return &s.Fetch.Hosts }),
		about: "hosts that the model may read pages of; `*.` stands for every name below. Only at public addresses, by https and its usual port; `host:8443` and `http://host` say otherwise", see: "../tool-servers.md#reading-from-the-network", example: `["go.dev", "*.python.org"]`},
	{name: "fetch.private_hosts", kind: hosts(func(s *Settings) *[]toolset.Host { return &s.Fetch.Private }),
		about: "the same for hosts of your own network or machine", see: "../tool-servers.md#reading-from-the-network", example: `["localhost:8080"]`},
	{name: "fetch.timeout_seconds", kind: seconds(false, 15*time.Second, atMost, func(s *Settings) *time.Duration { return &s.Fetch.Timeout }),
		about: "how long one fetch may take, redirects and all"},
	{name: "fetch.max_kb", kind: whole(1, 128, atMost, func(s *Settings) *int { return &s.Fetch.KB }),
		about: "KiB of one text; the rest is cut off, and the model can see that"},
}

// FetchConfig returns what the model may fetch.
func (s Settings) FetchConfig() toolset.FetchOptions {
	return toolset.FetchOptions{Hosts: s.Fetch.Hosts, Private: s.Fetch.Private, MaxBytes: int64(s.Fetch.KB) << 10, Timeout: s.Fetch.Timeout}
}

// hosts is a list of host names.
func hosts(at func(*Settings) *[]toolset.Host) kind {
	return kind{
		values: "a list of hosts", form: asList,
		set: func(s *Settings, text string) error {
			list, err := toolset.ParseHosts(strings.ReplaceAll(text, separator, "\n"))
			if err == nil {
				*at(s) = list
			}
			return err
		},
		show: func(s Settings) string {
			var names []string
			for _, h := range *at(&s) {
				names = append(names, h.String())
			}
			return cmp.Or(strings.Join(names, ", "), "(none)")
		},
		limit: limiter[[]toolset.Host](hostsAmong).of(at),
	}
}
