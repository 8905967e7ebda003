package turn

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/phrase"
)

// decide approves, rejects, undoes, rolls back or lists revisions, and returns the answer.
func (cs slashCommands) decide(ctx context.Context, t *conversation.Turn, n int, s chat.Slash) (string, error) {
	d := view.Request{Plan: n, Client: cmp.Or(t.Request.Client, "chat"), Saved: s.Saved, Way: view.ByChoice}
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
		p, err := cs.Decisions.Rollback(ctx, n, to, "")
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

// choose changes what the user has chosen for a conversation if the command names something, and
// returns all that is chosen.
func (cs slashCommands) choose(ctx context.Context, t *conversation.Turn, s chat.Slash, set func(name string) error) (conversation.Choices, error) {
	if len(s.Args) > 0 {
		err := typedNow(&t.Request, s.Name, "")
		if err == nil {
			err = set(s.Args[0])
		}
		if err != nil {
			return conversation.Choices{}, err
		}
	}
	chosen, err := cs.Conversations.Choices(ctx, t.Conversation)
	if err == nil {
		cs.Session.First(chosen.Told(t.Conversation))
	}
	return chosen, err
}

// agent changes the primary agent of a conversation if the command names one, and answers which
// it is.
func (cs slashCommands) agent(ctx context.Context, t *conversation.Turn, s chat.Slash) (string, error) {
	chosen, err := cs.choose(ctx, t, s, func(name string) error {
		a, err := cs.agentNamed(name)
		if err == nil {
			cs.Conversations.ChooseAgent(t.Conversation, a)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	switch {
	case chosen.Agent.Name == "" && len(s.Args) > 0:
		return "This conversation has no agent, from the next message on.", nil
	case chosen.Agent.Name == "":
		return "This conversation has no agent.\n\n" + cs.Agents.ListPrimary(), nil
	case len(s.Args) == 0:
		return fmt.Sprintf("This conversation has the agent %s; /agent none goes back.\n\n%s", chosen.Agent.Name, cs.Agents.ListPrimary()), nil
	}
	answer := fmt.Sprintf("This conversation has the agent %s, from the next message on; /agent none goes back.", chosen.Agent.Name)
	if a, err := cs.Agents.Primary(chosen.Agent.Name); err == nil {
		if not := Denied(a); not != nil {
			answer += fmt.Sprintf(" It may not %s.", strings.Join(not, " or "))
		}
	}
	if chosen.Agent.Repository {
		answer += " The repository describes it, so it chooses no model and has no tools that your settings have to allow."
	}
	return answer, nil
}

// mode changes the mode of a conversation's messages if the command names one, and answers which
// it is.
func (cs slashCommands) mode(ctx context.Context, t *conversation.Turn, s chat.Slash) (string, error) {
	when := ""
	chosen, err := cs.choose(ctx, t, s, func(mode string) error {
		if mode == "auto" {
			mode = ""
		}
		cs.Conversations.ChooseMode(t.Conversation, mode)
		when = ", from the next message on"
		return nil
	})
	if err != nil {
		return "", err
	}
	if chosen.Mode == "" {
		return fmt.Sprintf("This conversation has the mode auto%s: each message goes the way that its words ask for.", when), nil
	}
	return fmt.Sprintf("This conversation has the mode %s%s; /mode auto goes back.", chosen.Mode, when), nil
}

// typedNow refuses a command that decides, or changes what later messages may do, unless the user has
// just typed it: a repository can contain a chat file. again ends the sentence.
func typedNow(r *conversation.Request, command, again string) error {
	if r.Decides {
		return nil
	}
	return plan.Refuse(plan.NotAllowed, "%q was in the chat file before it was opened: type the command again%s.", "/"+command, again)
}

// importPlan makes a new plan from a plan file of the user's, anywhere on this machine. Nothing
// of the plan is decided. A refusal quotes nothing from the file.
func (cs slashCommands) importPlan(ctx context.Context, s chat.Slash) (string, error) {
	name := s.Args[0]
	data, err := decide.ReadDocument(cs.fileNamed(name), phrase.OneLine(name))
	if err != nil {
		return "", err
	}
	p, news, err := cs.Sharing.Import(ctx, phrase.OneLine(name), data, decide.From{})
	if err != nil {
		return "", err
	}
	if !news.Created {
		return fmt.Sprintf("Plan %d is here already. %s", p.Plan, news.Sentence()), nil
	}
	said := ""
	if n := len(p.Commands); n > 0 {
		said = fmt.Sprintf(" It has %s to run, only if you allow that.", phrase.Count(n, "command"))
	}
	return fmt.Sprintf("Plan %d is a new plan from %s, and nothing of it is decided: see it, then /approve %d or /reject %d.%s", p.Plan, phrase.OneLine(name), p.Plan, p.Plan, said), nil
}

// fileNamed returns the path of a file that the user named: absolute, from their home folder, or
// from the first folder of the workspace.
func (cs slashCommands) fileNamed(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if folders := cs.Session.Workspace.Folders(); !filepath.IsAbs(name) && len(folders) > 0 {
		return filepath.Join(folders[0].Dir, filepath.FromSlash(name))
	}
	return name
}
