// Package outside has the programs, outside of Redline, that can do the work of a turn in a copy of
// the workspace: which there are, where they are found, what they may reach, and how one is talked
// to. It starts none.
package outside

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/workspace/network"
	"redline/workspace/world"
)

// Agent is a program that does the work of turns in a copy of the workspace.
type Agent struct {
	Name    string
	Command []string // a program and its arguments, one process a turn; [RequestArg] stands for the request, else that goes to stdin
	ACP     []string // a program and its arguments that speaks the Agent Client Protocol on stdin and stdout
	State   []string // absolute files and folders that are copied into the copy
	Keep    []string // absolute, in State: what is written back at the end; a folder ends with "/"
	Env     []string // names of variables that it gets
	Set     []string // variables that its preset sets, as NAME=VALUE
	Network []string // hosts, each with a port or for 443; or [NoNetwork] or [HostNetwork] alone

	Meta map[string]any // what its preset says in the _meta of a session of ACP; nil for nothing

	Memory    int // MiB
	Processes int // and threads, at a time
	Timeout   time.Duration

	Preset bool // nothing of it is from the user's settings
	Plain  bool // its copies are plain ones: nothing keeps it from the rest of the machine
}

// RequestArg is the argument of a command that stands for the request.
const RequestArg = "{request}"

// The values of [Agent].Network that are no hosts.
const (
	NoNetwork   = "none"
	HostNetwork = "host" // the network of this machine, without a bound
)

// The usual bounds. Programs in Node.js and their children need more than a trial does.
const (
	UsualMemory    = 8192
	UsualProcesses = 2000
	UsualTimeout   = time.Hour
)

// Reserved are the names that no agent has, since they are settings of all.
var Reserved = []string{"default", "check", "model"}

var agentName = lazyregexp.New(`^[a-z0-9]+([_-][a-z0-9]+)*$`)

// maxName is the length of a name, in bytes.
const maxName = 24

// Check returns what is wrong with an agent, as a part of a sentence that begins with its name.
func (a *Agent) Check() error {
	switch {
	case len(a.Name) > maxName || !agentName().MatchString(a.Name):
		return fmt.Errorf("must have a name of at most %d small letters and digits, with single - or _", maxName)
	case slices.Contains(Reserved, a.Name):
		return errors.New("has a name that means something else")
	case len(a.Command) == 0 && len(a.ACP) == 0:
		return errors.New("needs a command, or acp: a program and its arguments")
	}
	for _, argv := range [][]string{a.Command, a.ACP} {
		if err := checkWords(argv); err != nil {
			return err
		}
	}
	if at := slices.Index(a.Command, RequestArg); at >= 0 && !slices.Contains(a.Command[:at], "--") {
		return errors.New(`must have "--" before "{request}" in its command, or a request could be read as a flag`)
	}
	for _, keep := range a.Keep {
		if !slices.ContainsFunc(a.State, func(state string) bool { return within(keep, state) }) {
			return fmt.Errorf("keeps %s, which is in none of its state", phrase.Clip(keep, 100))
		}
		home, _ := os.UserHomeDir()
		if err := world.MayKeep(keep, home); err != nil {
			return fmt.Errorf("may not keep %s: %w", phrase.Clip(keep, 100), err)
		}
	}
	return checkNetwork(a.Network)
}

func checkWords(argv []string) error {
	switch {
	case len(argv) == 0:
	case argv[0] == "" || strings.HasPrefix(argv[0], "-"):
		return errors.New("must name a program first in its command")
	case strings.ContainsRune(argv[0], filepath.Separator) && !filepath.IsAbs(argv[0]):
		return errors.New("must name its program by a name in PATH or by an absolute path")
	}
	return nil
}

func checkNetwork(words []string) error {
	if _, err := network.Parse(words); err != nil {
		return fmt.Errorf("cannot have this network: %w", err)
	}
	return nil
}

// within reports whether a name is a folder or in it.
func within(name, folder string) bool {
	rel, err := filepath.Rel(filepath.Clean(folder), filepath.Clean(name))
	return err == nil && filepath.IsLocal(rel)
}

// Offline reports whether the agent has no network.
func (a *Agent) Offline() bool { return len(a.Network) == 0 || a.Network[0] == NoNetwork }

// OnHost reports whether the agent has the network of this machine.
func (a *Agent) OnHost() bool { return len(a.Network) == 1 && a.Network[0] == HostNetwork }

// NetworkWords says what the agent can reach: "no network", "the network of this machine" or hosts.
func (a *Agent) NetworkWords() string {
	switch {
	case a.Offline():
		return "no network"
	case a.OnHost():
		return "the network of this machine, with its own services"
	}
	return phrase.And(a.Network)
}

// Narrow limits an agent to what another one allows, by a policy. ok is false if it is another program.
func (a Agent) Narrow(to Agent) (narrowed Agent, ok bool) {
	if a.Name != to.Name {
		return a, false
	}
	if !slices.Equal(a.Command, to.Command) {
		a.Command = nil
	}
	if !slices.Equal(a.ACP, to.ACP) {
		a.ACP = nil
	}
	a.State, a.Keep, a.Env = among(a.State, to.State), among(a.Keep, to.Keep), among(a.Env, to.Env)
	own, err := network.Parse(a.Network)
	most, wrong := network.Parse(to.Network)
	if err != nil || wrong != nil {
		own, most = network.Access{}, network.Access{}
	}
	a.Network = own.Narrow(most).Words()
	a.Keep = slices.DeleteFunc(a.Keep, func(keep string) bool {
		return !slices.ContainsFunc(a.State, func(state string) bool { return within(keep, state) })
	})
	a.Memory, a.Processes, a.Timeout = min(a.Memory, to.Memory), min(a.Processes, to.Processes), min(a.Timeout, to.Timeout)
	return a, len(a.Command)+len(a.ACP) > 0
}

// among returns the texts that are allowed.
func among(texts, allowed []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !slices.Contains(allowed, text) })
}
