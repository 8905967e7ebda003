package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/agent/trial"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// TryKeeping does what [trial.Trials.Try] does, and makes a revision of the plan with what the commands
// change in the files that globs name.
func (ts *Turns) TryKeeping(ctx context.Context, r trial.Request, globs []string) (turn string, err error) {
	h, commands, err := ts.Trials.Prepare(ctx, r)
	if err != nil {
		return "", err
	}
	if h.Revision().TextOnly {
		return "", plan.Refuse(plan.WrongState, "Plan %d is in words, so nothing can be kept in it: approve it first.", r.Plan)
	}
	var lines []string
	for _, c := range commands {
		lines = append(lines, secrets.MaskedCommand(c.Line))
	}
	m := conversation.Message{
		Text:         fmt.Sprintf("/try %d %s (keep %s)", r.Plan, phrase.OneLine(strings.Join(lines, "; ")), strings.Join(globs, ", ")),
		Conversation: h.Plan().Conversation,
	}
	turn, _ = ts.Conversations.Do(conversation.Request{Message: m, Revise: r.Plan}, func(ctx context.Context, t *conversation.Turn) error {
		return ts.tryKeeping(ctx, t, h, commands, globs)
	})
	return turn, nil
}

func (ts *Turns) tryKeeping(ctx context.Context, t *conversation.Turn, h *board.Held, commands []trial.Command, globs []string) (err error) {
	w := ts.begin(t)
	w.turn.about = h
	if w.revising.plan, err = ts.revisions.begin(w.turn, false); err != nil {
		return err
	}
	if h = w.revising.plan; h == nil {
		return plan.Refuse(plan.WrongState, "Plan %d is closed, so nothing can be kept in it.", t.Request.Revise)
	}
	defer w.revising.end()
	d, err := ts.revisions.draftFor(ctx, ts.ws, h)
	if err != nil {
		return err
	}
	k := keeping{work: w, held: h, draft: d, globs: globs}
	for _, c := range commands {
		if err := k.try(ctx, c); err != nil {
			return err
		}
	}
	if len(k.kept) == 0 {
		w.revising.end()
		for _, one := range w.turn.tried.trials() {
			one.Revision = h.Revision().Number
			if _, err := ts.Board.AddTrial(ctx, h, one); err != nil {
				t.Warn("The result of the trial is not kept with the plan: " + phrase.SentenceOf(err))
			}
		}
		return nil
	}
	return k.revise(ctx)
}

// keeping is a turn that keeps in a plan what tried commands change.
type keeping struct {
	*work
	held  *board.Held
	draft *draft.Draft
	globs []string

	said       []string
	programs   []string
	kept       []string       // paths
	notCarried []plan.Refused // what is not kept of these files
}

// try tries a command on what the plan proposes with what is kept so far.
func (k *keeping) try(ctx context.Context, c trial.Command) error {
	result, kept, staged, err := trying{k.work}.kept(ctx, k.draft, tool.Try{Command: c.Line, Cwd: c.Cwd, Keep: k.globs, Step: plan.FirstStep(k.held.Revision().Steps)})
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return plan.Refuse(plan.NotAllowed, "%s", phrase.Sentence(phrase.TrimStop(err.Error())))
	}
	k.said = append(k.said, result.ForUser(k.held.Number()))
	k.said = append(k.said, kept.Sentences()...)
	k.notCarried = append(k.notCarried, kept.NotCarried...)
	var paths []string
	for _, s := range staged {
		paths = append(paths, edits.VisibleLine(s.Path))
	}
	if len(paths) > 0 {
		k.programs = append(k.programs, programOf(c.Line))
		k.kept = append(k.kept, fmt.Sprintf("Kept of what %s changed in a copy: %s.", c.Named(), phrase.And(phrase.FirstOf(paths, maxKeptPaths, "file"))))
		k.said = append(k.said, k.kept[len(k.kept)-1])
	}
	k.turn.Update(func(r *conversation.Result) { r.Answer = strings.Join(k.said, "\n\n") })
	return nil
}

// maxKeptPaths is how many files are named that are kept of one command.
const maxKeptPaths = 10

// revise makes the revision with what is kept.
func (k *keeping) revise(ctx context.Context) error {
	sealed, err := k.draft.Seal(k.revisions.liveText)
	if err != nil {
		return err
	}
	was := k.held.Revision()
	undone := was.Unfinished.Clone()
	undone.Refused = append(k.draft.Refused(false), k.notCarried...)
	k.turn.steps = was.Steps
	k.turn.Update(func(r *conversation.Result) { r.Unfinished = plan.Unfinished{Refused: k.notCarried} })
	slices.Sort(k.programs)
	n := newRevision{turn: k.turn, draft: k.draft, Revision: plan.Revision{
		Author: plan.AuthorInCopy(phrase.And(slices.Compact(k.programs))), Created: k.Session.Now().UTC(), Predicted: was.Predicted, Report: was.Report,
		Description: joined(slices.Concat([]string{was.Description}, k.kept, sealed.Notes)), Steps: was.Steps, Unfinished: undone,
	}}.with(sealed)
	return k.revisions.keep(ctx, k.held, n)
}
