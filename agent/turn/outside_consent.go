package turn

import (
	"context"
	"errors"

	"redline/agent/outside"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/phrase"
	"redline/workspace"
)

// place is a folder of the workspace as consent is bound to it.
type place struct {
	folder string // without links
	owner  int
}

// placesOf returns the places of folders as they are now.
func placesOf(dirs []string) (places []place) {
	for _, dir := range dirs {
		folder, owner := workspace.OwnerOf(dir)
		places = append(places, place{folder, owner})
	}
	return places
}

func inWords(places []place) string {
	var names []string
	for _, p := range places {
		names = append(names, p.folder)
	}
	return phrase.And(names)
}

// allowed reports whether the user has allowed an agent this reach in each of these places.
func (o *Outsiders) allowed(ctx context.Context, agent string, reach outside.Reach, places []place) (bool, error) {
	for _, at := range places {
		if allowed, err := o.store.OutsideAllowed(ctx, at.folder, agent, reach.Key(), at.owner); err != nil || !allowed {
			return false, err
		}
	}
	return len(places) > 0, nil
}

// Allow records that an outside agent may work on this workspace, with what it may reach now. It returns
// what that is, in words.
func (o *Outsiders) Allow(ctx context.Context, name string) (words string, err error) {
	a, p, err := o.find(name)
	if err != nil {
		return "", err
	}
	places := placesOf(o.folders())
	return a.Words(a.Reach(p), inWords(places)), o.allow(ctx, a.Name, a.Reach(p), places)
}

// Forbid takes back what the user has allowed an agent in this workspace, whatever it may reach now, and
// whether or not it is still installed.
func (o *Outsiders) Forbid(ctx context.Context, name string) error {
	for _, at := range placesOf(o.folders()) {
		if err := o.store.ForbidOutside(ctx, at.folder, name); err != nil {
			return err
		}
	}
	return nil
}

func (o *Outsiders) allow(ctx context.Context, agent string, reach outside.Reach, places []place) error {
	for _, at := range places {
		if err := o.store.AllowOutside(ctx, at.folder, agent, reach.Key(), at.owner); err != nil {
			return err
		}
	}
	return nil
}

// The answers to the question whether an outside agent may work here.
const (
	allowAgent = "Allow"
	notNow     = "Not now"
)

// mayWork asks the user, once for each workspace, program and reach, whether an outside agent may work.
// Where nobody can answer it is refused. What is allowed is what the question named, whatever the workspace has
// become meanwhile.
func (w *work) mayWork(ctx context.Context, a outside.Agent, reach outside.Reach) error {
	places := placesOf(w.Outsiders.folders())
	allowed, err := w.Outsiders.allowed(ctx, a.Name, reach, places)
	if err != nil || allowed {
		return err
	}
	words := a.Words(reach, inWords(places))
	if ed := w.Session.Editor(); ed != nil {
		w.turn.Notify(outsideStep(w, a.Name, "asks whether "+a.Name+" may work here", ""))
		answer, err := ed.Ask(ctx, state.Question{Conversation: w.turn.Conversation.ID, Text: words + " Allow that in this workspace?", Options: []string{allowAgent, notNow}})
		if err != nil {
			return err
		}
		switch answer.Choice {
		case allowAgent:
			return w.Outsiders.allow(ctx, a.Name, reach, places)
		case notNow:
			return plan.Refuse(plan.NotAllowed, "%s does not work here: you have not allowed it.", a.Name)
		}
	}
	return plan.Refuse(plan.NotAllowed, "%s may not work in this workspace yet. %s To allow that, run `redline outside allow %s` here.", a.Name, words, a.Name)
}

// mayWorkIn refuses a copy with a folder in which the agent was not allowed: after the question, folders may
// have been added, and links may lead elsewhere.
func (o *outsideTurn) mayWorkIn(ctx context.Context) func(folders []string) error {
	return func(folders []string) error {
		allowed, err := o.Outsiders.allowed(ctx, o.agent.Name, o.agent.Reach(o.program), placesOf(folders))
		if err == nil && !allowed {
			err = errors.New("the workspace is another than when it was allowed: ask again")
		}
		return err
	}
}
