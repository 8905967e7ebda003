package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"redline/agent/outside"
	"redline/internal/phrase"
)

// OutsideSettings are the table [outside]: programs that do the work of turns in a copy. Only the user's
// own file can set them.
type OutsideSettings struct {
	Default string // outside.default: the agent of every request that names none, "" for Redline's own model
	Check   bool   // outside.check
	Agents  []outside.Agent
}

// outsideKeys are the settings of the table [outside] that are no tables.
var outsideKeys = []key{
	{name: "outside.default", kind: text("(none: the model)", func(s *Settings) *string { return &s.Outside.Default }),
		about: "the outside agent that does the work of each request that names none", example: `"codex"`},
	{name: "outside.check", kind: checks(),
		about: "`true`: when an outside agent has made a plan, Redline tries the project's tests on it in a fresh copy. A policy can set `true`"},
}

func checks() kind {
	at := func(s *Settings) *bool { return &s.Outside.Check }
	k := yes(false, at)
	k.limit = &limit{"at least", "`true` counts", func(s *Settings, p Settings) { *at(s) = *at(s) || *at(&p) }}
	return k
}

// agentKeys are the keys of a table [outside.NAME].
var agentKeys = []struct {
	name  string
	read  func(a *outside.Agent, key string, value any) error
	about string // for the page of settings, as in [key]
}{
	{"acp", func(a *outside.Agent, key string, value any) (err error) {
		a.ACP, err = programOf(key, value)
		return err
	}, "a program and its arguments that speaks the [Agent Client Protocol](https://agentclientprotocol.com) on its input and output; used if it is installed, else the command"},
	{"command", func(a *outside.Agent, key string, value any) (err error) {
		a.Command, err = programOf(key, value)
		return err
	}, "a program and its arguments that does one request. The program is a name in PATH, or absolute (`~/` too). The request is its input, or the argument `{request}`, which must stand behind `--`. What it prints last is the plan's description"},
	{"state", paths(func(a *outside.Agent) *[]string { return &a.State }),
		"files and folders of its own that are copied into the copy: absolute, or beginning with `~/`"},
	{"keep", paths(func(a *outside.Agent) *[]string { return &a.Keep }),
		"what of them is written back at the end, such as tokens and sessions; a folder ends with `/`, and of it come only credentials, sessions, history and logs. Never what its configuration reads as code"},
	{"env", func(a *outside.Agent, key string, value any) error {
		names, err := textsOf(key, value)
		for _, name := range names {
			if err == nil && !variableName().MatchString(name) {
				err = fmt.Errorf("must have names of variables as its %s", key)
			}
		}
		a.Env = names
		return err
	}, "names of variables that it gets"},
	{"network", func(a *outside.Agent, key string, value any) (err error) {
		if one, ok := value.(string); ok {
			value = []any{one}
		}
		a.Network, err = textsOf(key, value)
		return err
	}, "`\"none\"`; hosts such as `[\"api.openai.com\", \"proxy.example:8443\"]`, which it reaches by a proxy; or `\"host\"`, the whole network of this machine. Without it none, or the preset's"},
	{"memory_mb", number(func(a *outside.Agent) *int { return &a.Memory }), fmt.Sprintf("MiB of memory; %d", outside.UsualMemory)},
	{"processes", number(func(a *outside.Agent) *int { return &a.Processes }), fmt.Sprintf("processes and threads at a time; %d", outside.UsualProcesses)},
	{"timeout_seconds", func(a *outside.Agent, key string, value any) error {
		n := 0
		err := number(func(*outside.Agent) *int { return &n })(a, key, value)
		a.Timeout = time.Duration(n) * time.Second
		return err
	}, fmt.Sprintf("how long one turn may take; %g", outside.UsualTimeout.Seconds())},
}

// programOf reads a program and its arguments. The program's name may begin with ~/.
func programOf(key string, value any) ([]string, error) {
	argv, err := textsOf(key, value)
	if err == nil && len(argv) > 0 && strings.HasPrefix(argv[0], "~/") {
		argv[0], err = absoluteFolder(argv[0])
	}
	return argv, err
}

// number reads a whole number above 0.
func number(at func(*outside.Agent) *int) func(*outside.Agent, string, any) error {
	return func(a *outside.Agent, key string, value any) error {
		n, ok := value.(int64)
		if !ok || n < 1 || n > math.MaxInt32 {
			return fmt.Errorf("must have a whole number of at least 1 as its %s", key)
		}
		*at(a) = int(n)
		return nil
	}
}

// paths reads a list of files and folders.
func paths(at func(*outside.Agent) *[]string) func(*outside.Agent, string, any) error {
	return func(a *outside.Agent, key string, value any) error {
		names, err := textsOf(key, value)
		for i, name := range names {
			dir, wrong := absoluteFolder(name)
			if wrong != nil {
				return fmt.Errorf("must have absolute names, or names that begin with ~/, as its %s", key)
			}
			if strings.HasSuffix(name, "/") && key == "keep" {
				dir += "/"
			}
			names[i] = dir
		}
		*at(a) = names
		return err
	}
}

func agentKeyNames() (names []string) {
	for _, k := range agentKeys {
		names = append(names, k.name)
	}
	return names
}

// outsideAgents reads the table [outside] of the user's own file, with its tables. A bad table has no
// effect, also not as the preset of its name.
func (l *loader) outsideAgents(entries map[string]any, path string) {
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if _, known := find("outside." + name); known {
			l.table("outside", map[string]any{name: entries[name]}, path)
			continue
		}
		a, err := l.outsideAgent(name, entries[name])
		l.settings.Outside.Agents = slices.DeleteFunc(l.settings.Outside.Agents, func(of outside.Agent) bool { return of.Name == name })
		if err != nil {
			l.warn("outside.%s in %s has no effect: it %s.", name, path, err)
			continue
		}
		l.settings.Outside.Agents = append(l.settings.Outside.Agents, a)
		l.settings.origins["outside."+name] = path
	}
	slices.SortFunc(l.settings.Outside.Agents, func(a, b outside.Agent) int { return strings.Compare(a.Name, b.Name) })
}

// outsideAgent reads one table, over the preset of its name if there is one. The error is a part of a
// sentence.
func (l *loader) outsideAgent(name string, value any) (outside.Agent, error) {
	a := outside.Agent{Name: name, Memory: outside.UsualMemory, Processes: outside.UsualProcesses, Timeout: outside.UsualTimeout}
	entries, ok := value.(map[string]any)
	if !ok {
		return a, fmt.Errorf("must be a table, [outside.%s]", name)
	}
	if i := slices.IndexFunc(l.settings.Outside.Agents, func(of outside.Agent) bool { return of.Name == name }); i >= 0 {
		a = l.settings.Outside.Agents[i]
		a.Preset = false
	}
	_, hasACP := entries["acp"]
	_, hasCommand := entries["command"]
	if hasACP || hasCommand { // not the preset's other way
		a.ACP, a.Command = nil, nil
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		i := slices.Index(agentKeyNames(), key)
		if i < 0 {
			return a, fmt.Errorf("has a key %q; there are %s", key, phrase.And(agentKeyNames()))
		}
		if err := agentKeys[i].read(&a, key, entries[key]); err != nil {
			return a, err
		}
	}
	return a, a.Check()
}

// keepAgents keeps the outside agents that the policy has, with no more than it allows.
func (p policy) keepAgents(s *Settings) {
	var kept []outside.Agent
	for i := range s.Outside.Agents {
		a := s.Outside.Agents[i]
		at := slices.IndexFunc(p.values.Outside.Agents, func(of outside.Agent) bool { return of.Name == a.Name })
		if at < 0 || p.values.Outside.Agents[at].Preset {
			continue
		}
		if narrowed, ok := a.Narrow(p.values.Outside.Agents[at]); ok {
			kept = append(kept, narrowed)
		}
	}
	s.Outside.Agents = kept
}

// explainAgents lists the outside agents of the user's settings.
func explainAgents(s Settings) []Row {
	var rows []Row
	for i := range s.Outside.Agents {
		if a := &s.Outside.Agents[i]; !a.Preset {
			argv := a.ACP
			if len(argv) == 0 {
				argv = a.Command
			}
			rows = append(rows, Row{"outside." + a.Name, argv[0] + ", " + a.NetworkWords(), s.origin("outside." + a.Name)})
		}
	}
	return rows
}

// OutsideAgent returns the outside agent with a name. The error says which there are.
func (s Settings) OutsideAgent(name string) (outside.Agent, error) {
	var names []string
	for i := range s.Outside.Agents {
		if s.Outside.Agents[i].Name == name {
			return s.Outside.Agents[i], nil
		}
		names = append(names, s.Outside.Agents[i].Name)
	}
	switch {
	case s.policy.outside:
		return outside.Agent{}, fmt.Errorf("the policy in %s does not allow the outside agent %s", s.policy.file, name)
	case names == nil:
		return outside.Agent{}, fmt.Errorf("there is no outside agent %s", name)
	}
	return outside.Agent{}, fmt.Errorf("there is no outside agent %s: there are %s; [outside.%s] in your settings adds it", name, phrase.And(names), name)
}
