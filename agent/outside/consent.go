package outside

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// Reach is what an agent may reach. The user allows it once for each workspace.
type Reach struct {
	Program string   `json:"program"` // the real path
	As      string   `json:"as"`      // the name that it is started by: one program may be many, as a tool's shims are
	Args    []string `json:"args"`    // a program such as node does what they say
	Network []string `json:"network"`
	State   []string `json:"state"`
	Keep    []string `json:"keep"`
	Env     []string `json:"env"`
	Plain   bool     `json:"plain,omitempty"` // the copy is a plain one
}

// Reach returns what an agent may reach if a program does its work.
func (a *Agent) Reach(p Program) Reach {
	sorted := func(texts []string) []string { return slices.Sorted(slices.Values(texts)) }
	return Reach{p.Real, filepath.Base(p.Argv[0]), p.Argv[1:], sorted(a.Network), sorted(a.State), sorted(a.Keep), sorted(a.Env), a.Plain}
}

// Key identifies what was allowed: two agents that may reach the same have the same key.
func (r Reach) Key() string {
	text, _ := json.Marshal(r) // of texts alone
	return string(text)
}

// Words says what an agent works on and may reach, for the question whether it may.
func (a *Agent) Words(r Reach, folder string) string {
	var b strings.Builder
	program := phrase.Clip(secrets.MaskedCommand(strings.Join(append([]string{r.Program}, r.Args...), " ")), 300)
	if a.Plain {
		fmt.Fprintf(&b, "%s (`%s`) works in a plain copy of %s (trials.isolation). Nothing keeps it there: it can read what you can, secrets too, and its writes elsewhere are limited to caches and its own files, or on this system not at all. It has the whole network of this machine, so your texts can go anywhere. ", a.Name, program, folder)
	} else {
		fmt.Fprintf(&b, "%s (`%s`) works on a copy of %s, and reads all of it but secrets: nothing changes before you approve. ", a.Name, program, folder)
	}
	switch {
	case a.Plain:
	case a.Offline():
		b.WriteString("It has no network. ")
	case a.OnHost():
		b.WriteString("It has the whole network of this machine, with the services on it, so your texts can go anywhere. ")
	default:
		fmt.Fprintf(&b, "Your texts go to %s. ", phrase.And(a.Network))
	}
	switch {
	case len(a.State) == 0:
	case a.Plain:
		fmt.Fprintf(&b, "It uses and changes your own %s. ", phrase.And(a.State))
	default:
		fmt.Fprintf(&b, "It gets a copy of %s", phrase.And(a.State))
		if len(a.Keep) > 0 {
			fmt.Fprintf(&b, " and may change %s", phrase.And(a.Keep))
		}
		b.WriteString(". ")
	}
	if len(a.Env) > 0 {
		fmt.Fprintf(&b, "It gets the variables %s where they are set. ", phrase.And(a.Env))
	}
	return strings.TrimSpace(b.String())
}
