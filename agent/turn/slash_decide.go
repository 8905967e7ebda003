package turn

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/view"
)

// decide approves, rejects, undoes, rolls back or lists revisions, and returns the answer.
func (cs *Commands) decide(ctx context.Context, t *conversation.Turn, n int, s chat.Slash) (string, error) {
	d := view.Request{Plan: n, Client: "chat", Saved: s.Saved, Way: view.ByChoice}
	if t.Request.Shown == nil { // no editor shows plans: it was an argument of redline run
		d.Way = view.ByCommandLine
	}
	if shown := t.Request.Shown; shown != nil && (s.Name == "approve" || s.Name == "reject") {
		var ok bool
		if d.Revision, d.Hash, ok = shown(n); !ok {
			return "", plan.Refuse(plan.HashMismatch, "Plan %d has not been shown here yet: look at it first, then decide.", n)
		}
	}
	switch s.Name {
	case "approve":
		d.Hunks = s.Args
		if i := slices.IndexFunc(s.Args, func(id string) bool { return strings.HasPrefix(id, "o") }); i >= 0 {
			if len(s.Args) > 1 {
				return "", plan.Refuse(plan.Invalid, "%s is an operation: decide on one at a time, without hunks.", s.Args[i])
			}
			d.Hunks, d.Operation = nil, s.Args[i]
		}
		r, err := cs.Decisions.Approve(ctx, d)
		noteDecided(t, plan.VerdictApprove, err)
		if err == nil && r.Turn != "" {
			return strings.TrimSuffix(r.Line("approved"), ".") + fmt.Sprintf(". Its commands run as turn %s.", r.Turn), nil
		}
		return r.Line("approved"), err
	case "undo":
		r, err := cs.Decisions.Undo(ctx, d)
		noteDecided(t, plan.VerdictUndo, err)
		return r.Line("undone"), err
	case "reject":
		d.Reason = s.Rest
		p, err := cs.Decisions.Reject(ctx, d)
		return fmt.Sprintf("Plan %d %s.", n, plan.State(p.State).Predicate()), err
	case "rollback":
		to, err := strconv.Atoi(s.Args[0])
		if err != nil {
			return "", plan.Refuse(plan.Invalid, "There is no revision %s.", s.Args[0])
		}
		p, err := cs.Decisions.Rollback(ctx, n, to)
		return fmt.Sprintf("Plan %d is at revision %d, which has the content of revision %d.", n, p.Revision, to), err
	}
	p, err := cs.Board.PlanState(ctx, n)
	var b strings.Builder
	for _, r := range p.Revisions {
		note := ""
		if r.Note != "" {
			note = ": " + r.Note
		}
		fmt.Fprintf(&b, "- revision %d by %s, %s%s\n", r.Revision, r.Author, r.Created, note)
	}
	return strings.TrimSuffix(b.String(), "\n"), err
}

// noteDecided records what a turn has decided, for the event at its end.
func noteDecided(t *conversation.Turn, v plan.Verdict, err error) {
	if err == nil {
		t.Update(func(r *conversation.Result) { r.Decided = v })
	}
}
