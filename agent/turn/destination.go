// Package destination tells the user where the texts of a workspace go, if only the environment
// chose that: a key that was set for another program is enough for Redline to ask a provider.

package turn

import (
	"context"
	"fmt"

	"redline/agent/model"
	"redline/agent/session"
	"redline/agent/state"
)

// Choice is a destination that the environment chose, not a setting of the user.
type Choice struct {
	By   string       // the environment variable that chose it; "" if a setting did, then nothing is shown
	Tell func(string) // shows a message to the user; nil: a notice of the session
}

// Announced is a provider that tells the user where texts go before it sends the first one, once
// for each workspace and destination. It is as safe for concurrent use as the provider in it.
type Announced struct {
	model.Provider
	to *announcement
}

type announcement struct {
	session *session.Session
	choice  Choice
	base    string
}

// Announce wraps p in an Announced if the environment chose it, else it returns p.
func Announce(p model.Provider, s *session.Session, c Choice) model.Provider {
	base := p.Info().BaseURL
	if c.By == "" || base == "" {
		return p
	}
	return &Announced{p, &announcement{s, c, base}}
}

// For returns the provider for a purpose, see [model.For].
func (a *Announced) For(purpose model.Purpose) model.Provider {
	return &Announced{model.For(a.Provider, purpose), a.to}
}

// Complete makes a request, see [model.Provider].
func (a *Announced) Complete(ctx context.Context, req model.Request, onEvent func(model.Event)) (model.Reply, error) {
	a.to.tell(ctx)
	return a.Provider.Complete(ctx, req, onEvent)
}

// tell shows the message, unless an earlier session has. If the store fails, only this session
// remembers: a repeated message is better than none.
func (a *announcement) tell(ctx context.Context) {
	if !a.session.First("destination " + a.base) {
		return
	}
	first, err := a.session.Store.FirstDestination(ctx, a.session.Key(), a.base)
	if !first && err == nil {
		return
	}
	if a.choice.Tell != nil {
		a.choice.Tell(a.text())
		return
	}
	a.session.Notify(state.Event{Kind: state.Noticed, Text: a.text()})
}

func (a *announcement) text() string {
	return fmt.Sprintf("What you ask here, and the text of files that it needs, goes to %s, because %s is set in the environment. "+
		`To stay offline put provider = "builtin" under [model] in your settings, or set REDLINE_PROVIDER=builtin; redline setup chooses another provider.`, a.base, a.choice.By)
}
