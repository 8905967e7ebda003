package agent

import (
	"context"
	"fmt"
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/phrase"
)

// Choice is what a user decides on a plan part by part, and sends as one: what to approve, what to
// reject, and which commands to run. It binds to one revision.
type Choice struct {
	Plan     int      `json:"-"`
	Revision int      `json:"revision"`
	Hash     string   `json:"hash"`
	Approve  Parts    `json:"approve"`
	Reject   Parts    `json:"reject"`
	Run      []string `json:"run"`  // the ids of commands to run, in order
	Drop     []string `json:"drop"` // the ids of commands to reject

	SkipStale bool     `json:"skipStale"`
	Reason    string   `json:"reason"` // of what is rejected
	Way       view.Way `json:"-"`
	Client    string   `json:"-"`

	through  string // see [view.Request]
	handover int64
}

// Parts are parts of a plan.
type Parts struct {
	Whole bool     `json:"plan"`
	Hunks []string `json:"hunks"`
	Files []string `json:"files"` // whole files, by their paths in the plan
}

func (p Parts) none() bool { return !p.Whole && len(p.Hunks)+len(p.Files) == 0 }

// request returns the decision on parts of the choice's plan.
func (c *Choice) request(p Parts) view.Request {
	d := view.Request{
		Plan: c.Plan, Revision: c.Revision, Hash: c.Hash, SkipStale: c.SkipStale,
		NoCommands: true, Reason: c.Reason, Way: c.Way, Client: c.Client, Through: c.through, Handover: c.handover,
	}
	if !p.Whole {
		d.Hunks, d.Files = p.Hunks, p.Files
	}
	return d
}

// Binds refuses a choice on another revision than the one that v shows.
func (c *Choice) Binds(v *view.Plan) error {
	if c.Hash == "" {
		return plan.Refuse(plan.Invalid, "The decision does not say which revision was shown.")
	}
	return c.request(Parts{}).Binds(v.Plan, v.Revision)
}

// Check refuses a choice that cannot be carried out on the plan as v shows it: nothing is done
// before all of it is known to be about what is there.
func (c *Choice) Check(v *view.Plan) error {
	if err := c.Binds(v); err != nil {
		return err
	}
	if c.Approve.none() && c.Reject.none() && len(c.Run)+len(c.Drop) == 0 {
		return plan.Refuse(plan.Invalid, "Nothing is decided yet.")
	}
	if (c.Approve.Whole && !c.Reject.none()) || (c.Reject.Whole && !(c.Approve.none() && len(c.Run) == 0)) {
		return plan.Refuse(plan.Invalid, "The whole plan cannot be approved and rejected at once.")
	}
	for _, parts := range []Parts{c.Approve, c.Reject} {
		if parts.none() {
			continue
		}
		if _, err := view.ScopeOf(v, c.request(parts), plan.HunkPending); err != nil {
			return err
		}
	}
	for _, id := range slices.Concat(c.Approve.Hunks, c.Approve.Files) {
		if slices.Contains(c.Reject.Hunks, id) || slices.Contains(c.Reject.Files, id) {
			return plan.Refuse(plan.Invalid, "%s is approved and rejected at once.", id)
		}
	}
	for _, id := range slices.Concat(c.Run, c.Drop) {
		if o, ok := v.Revision.Operation(id); !ok || !o.IsCommand() {
			return plan.Refuse(plan.Invalid, "Plan %d has no command %s.", v.Plan.Number, id)
		}
		if slices.Contains(c.Run, id) && slices.Contains(c.Drop, id) {
			return plan.Refuse(plan.Invalid, "Command %s is run and rejected at once.", id)
		}
	}
	return nil
}

// Sentences say, for the user, what exactly the choice does to the plan as v shows it.
func (c *Choice) Sentences(v *view.Plan) []string {
	out := []string{}
	if v.Revision.TextOnly && c.Approve.Whole {
		out = append(out, "The model works out the edits of the plan; nothing changes before you have approved those.")
	} else if !c.Approve.none() {
		out = append(out, c.sentencesOf(v, c.Approve, "Changes", "change")...)
	}
	for _, id := range c.Run {
		if o, ok := v.Revision.Operation(id); ok {
			out = append(out, fmt.Sprintf("Runs %s.", plan.CommandIn(o.Command, o.Folder())))
		}
	}
	if c.Reject.Whole {
		return append(out, "Rejects all of the plan that is not decided yet.")
	}
	if !c.Reject.none() {
		out = append(out, c.sentencesOf(v, c.Reject, "Rejects", "change")...)
	}
	for _, id := range c.Drop {
		if o, ok := v.Revision.Operation(id); ok {
			out = append(out, fmt.Sprintf("Does not run %s.", plan.CommandIn(o.Command, o.Folder())))
		}
	}
	return append(out, c.leftIn(v)...)
}

// sentencesOf says what the parts are, a sentence for each file.
func (c *Choice) sentencesOf(v *view.Plan, parts Parts, verb, noun string) (out []string) {
	s, err := view.ScopeOf(v, c.request(parts), plan.HunkPending)
	if err != nil {
		return []string{err.Error()}
	}
	for _, p := range s.Parts {
		f := p.File
		name := f.Change.Path
		what := ""
		switch f.Change.Action {
		case plan.Create:
			what = "creates it"
		case plan.Delete:
			what = "deletes it"
		case plan.Rename:
			if p.Move {
				what = "moves it to " + f.Change.NewPath
			}
		}
		n := phrase.Count(len(p.Hunks), noun)
		if len(p.Hunks) < f.Len() {
			n = fmt.Sprintf("%d of %s", len(p.Hunks), phrase.Count(f.Len(), noun))
		}
		switch {
		case what != "" && len(p.Hunks) > 0 && f.Change.Action == plan.Rename:
			what += ", with " + n
		case what == "":
			what = n
		}
		out = append(out, fmt.Sprintf("%s %s: %s.", verb, name, what))
	}
	return out
}

// leftIn says how much of the plan the choice leaves undecided.
func (c *Choice) leftIn(v *view.Plan) []string {
	if c.Approve.Whole {
		return c.commandsLeftIn(v)
	}
	decided := map[string]bool{}
	for _, parts := range []Parts{c.Approve, c.Reject} {
		if parts.none() {
			continue
		}
		s, err := view.ScopeOf(v, c.request(parts), plan.HunkPending)
		if err != nil {
			return nil
		}
		for _, p := range s.Parts {
			for _, id := range p.IDs() {
				decided[id] = true
			}
		}
	}
	var left []string
	for _, f := range v.Files {
		for _, h := range f.Undecided {
			if !decided[h.ID] {
				left = append(left, h.ID)
			}
		}
	}
	var out []string
	if n := len(left); n > 0 {
		out = append(out, fmt.Sprintf("Leaves %s undecided: the plan waits.", phrase.Count(n, "change")))
	}
	return append(out, c.commandsLeftIn(v)...)
}

// commandsLeftIn says which commands the choice leaves undecided.
func (c *Choice) commandsLeftIn(v *view.Plan) (out []string) {
	for _, id := range v.Plan.Undecided(v.Revision).Commands {
		if o, ok := v.Revision.Operation(id); ok && !slices.Contains(c.Run, id) && !slices.Contains(c.Drop, id) {
			out = append(out, fmt.Sprintf("Leaves undecided: %s.", plan.CommandIn(o.Command, o.Folder())))
		}
	}
	return out
}

// CarryOut carries out a choice: it approves, then rejects, as one decision each, and returns once
// the texts of all files are verified. The commands run afterwards, one after the other, each with
// an approval of its own; done is called when they have ended, with the error of one that failed.
func (a *Agent) CarryOut(ctx context.Context, c Choice, done func(error)) error {
	h, err := a.Board.Find(ctx, c.Plan)
	if err != nil {
		return err
	}
	if err := c.Check(a.Board.Seen(h)); err != nil {
		return err
	}
	if !c.Approve.none() {
		if _, err := a.Approve(context.WithoutCancel(ctx), c.request(c.Approve)); err != nil {
			return err
		}
	}
	if !c.Reject.none() {
		if _, err := a.Reject(ctx, c.request(c.Reject)); err != nil {
			return err
		}
	}
	for _, id := range c.Drop {
		d := c.request(Parts{Whole: true})
		d.Operation, d.NoCommands = id, false
		if _, err := a.Reject(ctx, d); err != nil {
			return err
		}
	}
	if len(c.Run) == 0 {
		done(nil)
		return nil
	}
	a.Session.Spawn(func() { done(a.runChosen(&c)) })
	return nil
}

// runChosen runs the commands of a choice, until one fails.
func (a *Agent) runChosen(c *Choice) error {
	ctx := a.Session.Context()
	for _, id := range c.Run {
		d := c.request(Parts{Whole: true})
		d.Operation, d.NoCommands = id, false
		r, err := a.Approve(ctx, d)
		if err != nil {
			return err
		}
		if r.Turn == "" {
			continue
		}
		if _, err := a.Conversations.Wait(ctx, r.Turn); err != nil {
			return err
		}
		if err := a.Conversations.Failure(r.Turn); err != nil {
			return err
		}
	}
	return nil
}
