package model

import (
	"redline/agent/model/builtin"
)

// newBuiltin returns the built-in model: the same client as for any endpoint,
// with an endpoint in process.
func newBuiltin() Provider {
	p := newClient(Config{BaseURL: "http://built-in/v1", Name: builtin.Name, Transport: builtin.Transport{}})
	p.info = Info{Provider: "builtin", Name: builtin.Name}
	return p
}
