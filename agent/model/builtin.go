package model

import (
	"redline/agent/model/builtin"
)

// builtinURL is where the built-in model is asked, in process.
const builtinURL = "http://built-in/v1"

// newBuiltin returns the built-in model: the same client as for any endpoint,
// with an endpoint in process. Of c, what is recorded counts.
func newBuiltin(c Config) Provider {
	p := newClient(Config{BaseURL: builtinURL, Name: builtin.Name, Transport: builtin.Transport{}, Record: c.Record})
	p.info = Info{Provider: "builtin", Name: builtin.Name}
	return p
}

// IsHelp reports whether a reply of the model says what the built-in one can do,
// since that could not read the request: it is an answer, whatever was wanted.
func IsHelp(of Info, reply string) bool { return of.Provider == "builtin" && builtin.IsHelp(reply) }
