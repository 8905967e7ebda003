package language

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// Adapters returns the adapters of the servers that Redline knows. Of two for the same kind of file, the first one
// whose program is installed is used.
//
// To add one: write a file NAME.go with a function that returns it, and with its rule for when the
// server's reports are complete; test that with the real server; have .ci/install-languages install
// the server; name the function here.
func Adapters() []*Adapter {
	return []*Adapter{Gopls(), Pyright(), TypeScript(), RustAnalyzer(), Clangd()}
}

// Custom is what a user's settings say about a server, a known one or another. The zero value of a
// field changes nothing.
type Custom struct {
	Name           string                                // of an adapter
	Command        []string                              // its program and arguments
	Languages      map[string]string                     // see [Adapter]
	Roots          []string                              // see [Adapter]
	Settings       map[string]map[string]json.RawMessage // by sections
	Initialization map[string]json.RawMessage
}

// With returns the adapters with what the user's settings say. Servers that have no adapter come first. Those are asked
// about symbols only, since nobody knows when what they have reported is complete.
func With(adapters []*Adapter, customs []Custom) []*Adapter {
	all := slices.Clone(adapters)
	var others []*Adapter
	for _, c := range customs {
		if i := slices.IndexFunc(all, func(a *Adapter) bool { return a.Name == c.Name }); i >= 0 {
			all[i] = all[i].with(c)
		} else {
			others = append(others, (&Adapter{Name: c.Name, settle: settleUnknown, incomplete: true}).with(c))
		}
	}
	return slices.Concat(others, all)
}

// with returns a copy with what the user's settings say. What the adapter itself needs comes first: its rule depends on it.
func (a *Adapter) with(c Custom) *Adapter {
	b := *a
	if len(c.Command) > 0 {
		b.Command = c.Command
	}
	if len(c.Languages) > 0 {
		b.Languages = c.Languages
	}
	if c.Roots != nil {
		b.Roots = c.Roots
	}
	if len(c.Initialization) > 0 {
		b.Initialization = merged(a.Initialization, c.Initialization)
	}
	if len(c.Settings) > 0 {
		b.Settings = maps.Clone(a.Settings)
		if b.Settings == nil {
			b.Settings = map[string]json.RawMessage{}
		}
		for section, values := range c.Settings {
			b.Settings[section] = merged(a.Settings[section], values)
		}
	}
	return &b
}

// merged returns an object with what another has besides, also in the objects of it.
func merged(own json.RawMessage, more map[string]json.RawMessage) json.RawMessage {
	all := maps.Clone(more)
	var mine map[string]json.RawMessage
	if own != nil && json.Unmarshal(own, &mine) != nil {
		return own // it is no object
	}
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	for key, value := range mine {
		var theirs map[string]json.RawMessage
		if json.Unmarshal(all[key], &theirs) == nil {
			value = merged(value, theirs)
		}
		all[key] = value
	}
	text, err := json.Marshal(all)
	if err != nil {
		return own
	}
	return text
}

// Knows returns the language id of a file, "" if the server is not for it.
func (a *Adapter) Knows(path string) string { return a.language(path) }

// errIncomplete is why a server's problems are not known.
var errIncomplete = errors.New("it does not say when it has reported everything")

// settleUnknown waits until a server without an adapter does nothing that it has reported.
func settleUnknown(ctx context.Context, c *Client) error {
	h := &c.heard
	return h.until(ctx, func() bool { return len(h.works) == 0 })
}

// problemsKnown returns why the problems of a server cannot be known, nil if they can.
func (a *Adapter) problemsKnown() error {
	if a.incomplete {
		return errIncomplete
	}
	return nil
}
