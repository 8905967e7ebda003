// Package destination tells the user where the texts of a workspace go, if only the environment has
// chosen that: a key that was set for another program is enough for Redline to ask a provider.
package destination

import (
	"context"
	"fmt"

	"redline/agent/event"
	"redline/agent/model"
	"redline/agent/session"
)

// Choice is a destination that no setting of the user's has named.
type Choice struct {
	By   string       // the environment variable that has chosen it; "": nothing is told
	Tell func(string) // tells the user; nil: as a notice of the session
}

// Announced is a provider that tells the user where texts go before the first one does, once for
// each workspace and destination. It is as safe for concurrent use as the provider in it.
type Announced struct {
	model.Provider
	to *announcement
}

type announcement struct {
	session *session.Session
	choice  Choice
	base    string
}

// Announce returns the provider, which tells of itself if c says what has chosen it.
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

// tell tells the user, unless they know. If the store fails, the session remembers it: to hear it
// again is better than never.
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
	a.session.Notify(event.Event{Kind: event.Noticed, Text: a.text()})
}

func (a *announcement) text() string {
	return fmt.Sprintf("What you ask here, and the text of files that it needs, goes to %s, because %s is set in the environment. "+
		`To stay offline put provider = "builtin" under [model] in your settings, or set REDLINE_PROVIDER=builtin; redline setup chooses another provider.`, a.base, a.choice.By)
}
