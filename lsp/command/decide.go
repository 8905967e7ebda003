package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent"
	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/internal/wire"
	"redline/lsp/backend"
	"redline/lsp/summary"
)

// DecideArgs is the argument of the commands that decide: the plan, the revision that was
// shown, and the scope. If several scopes are given the narrowest counts. The comments say
// which commands use a member; the others accept it too, so that actions can offer one
// argument for all. docs/reference/commands.md is made from the comments.
type DecideArgs struct {
	// approve, reject, undo: the number of the plan
	Plan int `json:"plan"`

	// approve, reject, undo: refused if the plan is at another revision now
	Revision int `json:"revision,omitempty"`

	// approve, reject, undo: refused if the plan has another approval hash now
	Hash string `json:"hash,omitempty"`

	// approve, reject, undo: only this file
	Path *string `json:"path,omitempty"`

	// approve, reject, undo: only this hunk
	Hunk *string `json:"hunk,omitempty"`

	// approve, reject, undo: only these hunks, in one decision; hunk is then one more of them
	Hunks []string `json:"hunks,omitempty"`

	// approve, reject: only this operation: the hunks that it had a part in, or the command
	// undo: only the hunks that this operation had a part in
	Operation *string `json:"operation,omitempty"`

	// approve: leave out the hunks whose text was changed, instead of refusing all
	// undo: leave out the hunks whose new lines were changed since, instead of refusing all
	SkipStale bool `json:"skipStale,omitempty"`

	// approve: true runs the commands too, false runs none, also none that your own rules allow; left out, those that your rules allow run
	AllowCommands *bool `json:"allowCommands,omitempty"`

	// approve, undo: the files that the editor does not show are saved, see `editor.attached` in [settings.md](settings.md)
	Saved bool `json:"saved,omitempty"`

	// reject: why; the model is told
	Reason string `json:"reason,omitempty"`
}

// DecisionOn returns the argument of a decision on a whole plan, bound to the revision that is
// shown.
func DecisionOn(p *view.Plan) DecideArgs {
	return DecideArgs{Plan: p.Plan.Number, Revision: p.Revision.Number, Hash: p.Revision.Hash}
}

// decisionOf makes a decision from the argument of a command. It refuses an empty scope, which
// would mean the whole plan.
func decisionOf(command string, args DecideArgs, client string) (view.Request, error) {
	if err := needsPlan(command, args.Plan); err != nil {
		return view.Request{}, err
	}
	d := view.Request{
		Plan: args.Plan, Revision: args.Revision, Hash: args.Hash,
		SkipStale: args.SkipStale, Saved: args.Saved, Reason: args.Reason, Way: view.ByChoice, Client: client,
	}
	if allow := args.AllowCommands; allow != nil {
		d.AllowCommands, d.NoCommands = *allow, !*allow
	}
	for _, scope := range []struct {
		name  string
		given *string
		use   func(string)
	}{
		{"path", args.Path, func(v string) { d.Paths = []string{v} }},
		{"hunk", args.Hunk, func(v string) { d.Hunks = []string{v} }},
		{"operation", args.Operation, func(v string) { d.Operation = v }},
	} {
		if scope.given == nil {
			continue
		}
		if *scope.given == "" {
			return d, backend.InvalidParams(fmt.Sprintf("%s: %q is empty: leave it out to mean the whole plan.", command, scope.name))
		}
		scope.use(*scope.given)
	}
	if args.Hunks != nil && (len(args.Hunks) == 0 || slices.Contains(args.Hunks, "")) {
		return d, backend.InvalidParams(fmt.Sprintf("%s: %q is empty: leave it out to mean the whole plan.", command, "hunks"))
	}
	d.Hunks = append(d.Hunks, args.Hunks...)
	return d, nil
}

// needsPlan refuses an argument that names no plan.
func needsPlan(command string, plan int) error {
	if plan < 1 {
		return backend.InvalidParams(command + `: "plan" must be the number of a plan, 1 or more.`)
	}
	return nil
}

// decide returns the work of a command that decides. A decision without a revision is bound to
// the one that the client was shown last; if the client was never shown the plan, it is refused.
// An undo reverts what was applied, whichever revision is shown.
func (r *Runner) decide(command string, args DecideArgs, work func(context.Context, *agent.Agent, view.Request) (any, error)) (wire.Run, error) {
	d, err := decisionOf(command, args, r.ClientName)
	if err != nil {
		return nil, err
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		switch {
		case command == Review && !r.Review:
			return nil, &plan.Refusal{Kind: plan.NotAllowed,
				Reason: "This editor has no review of its own that Redline knows of: approve or reject the changes one by one, or look at the preview. If it has one, set editor.review to \"always\" in your settings."}
		case command != Undo && !r.Shown.Bind(&d):
			if _, err := a.Board.PlanState(ctx, d.Plan); err != nil {
				return nil, err
			}
			return nil, &plan.Refusal{Kind: plan.HashMismatch,
				Reason: fmt.Sprintf("Plan %d has not been shown here yet: look at it first, then decide.", d.Plan)}
		}
		return work(ctx, a, d)
	}), nil
}

// noteShown records that the client sees the plan's revision in the answer.
func (r *Runner) noteShown(p state.Plan) {
	if p.Plan == 0 {
		return // a draft cannot be decided on
	}
	if plan.State(p.State).Open() {
		r.Shown.Note(p.Plan, p.Revision, p.Hash)
	} else { // the audit log recorded it before the decision
		r.Shown.Remember(p.Plan, p.Revision, p.Hash)
	}
}

// planResult returns the result of a command that answers with a plan: the plan with its
// ranges.
func (r *Runner) planResult(p state.Plan, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	r.noteShown(p)
	return r.Positions.Plan(&p), nil
}

// tellOutcome shows the outcome of a decision, and returns its result. If the agent answers before
// the execution has ended, an event brings the outcome later.
func (r *Runner) tellOutcome(result state.Result, err error) (any, error) {
	switch {
	case err != nil:
		return nil, err
	case result.InWords(): // a message follows at the end of its turn
		r.Window.Info(fmt.Sprintf("plan %d is being worked out: you will see the edits before anything changes.", result.Plan))
	case result.Outcome == nil: // only commands run: a message follows at the end of their turn
	case !result.Outcome.Ended:
		r.Window.Info(fmt.Sprintf("plan %d is still being %s: the editor has not answered yet.", result.Plan, summary.PastTense(result.Outcome.Verdict)))
	default:
		r.Window.Tell(summary.Outcome(r.Workspace, result.Plan, result.Outcome))
	}
	return result, nil
}

// Approve applies what the argument names. It answers when the texts are verified, or after five
// seconds with the state executing.
func (r *Runner) Approve(args DecideArgs) (wire.Run, error) {
	return r.decide(Approve, args, func(ctx context.Context, a *agent.Agent, d view.Request) (any, error) {
		return r.tellOutcome(a.Approve(ctx, d))
	})
}

// Reject rejects what the argument names. Its result is the plan.
func (r *Runner) Reject(args DecideArgs) (wire.Run, error) {
	return r.decide(Reject, args, func(ctx context.Context, a *agent.Agent, d view.Request) (any, error) {
		return r.planResult(a.Reject(ctx, d))
	})
}

// undo reverts what was applied from a plan, a file or a hunk.
func (r *Runner) undo(args DecideArgs) (wire.Run, error) {
	return r.decide(Undo, args, func(ctx context.Context, a *agent.Agent, d view.Request) (any, error) {
		return r.tellOutcome(a.Undo(ctx, d))
	})
}

// ReviewArgs is the argument of redline.review. Revision and Hash bind it to what was shown, as
// an approval.
type ReviewArgs struct {
	Plan      int    `json:"plan"`                // the number of the plan
	Revision  int    `json:"revision,omitempty"`  // refused if the plan is at another revision now
	Hash      string `json:"hash,omitempty"`      // refused if the plan has another approval hash now
	SkipStale bool   `json:"skipStale,omitempty"` // leave out the hunks whose text was changed, instead of refusing all
	Saved     bool   `json:"saved,omitempty"`     // the files that the editor does not show are saved, see `editor.attached` in [settings.md](settings.md)
}

// review opens a plan in the editor's own review of edits. It answers when the review has
// ended, or after five seconds with the state executing.
func (r *Runner) review(args ReviewArgs) (wire.Run, error) {
	all := DecideArgs{Plan: args.Plan, Revision: args.Revision, Hash: args.Hash, SkipStale: args.SkipStale, Saved: args.Saved}
	return r.decide(Review, all, func(ctx context.Context, a *agent.Agent, d view.Request) (any, error) {
		return r.tellOutcome(a.Review(ctx, d))
	})
}

type stageArgs struct {
	Plan    int      `json:"plan"`              // the number of the plan
	Remove  []string `json:"remove,omitempty"`  // operations to take out
	Restore []string `json:"restore,omitempty"` // operations to put back that were taken out, see `takenOut` of the [plan](state.md#a-plan)
	Order   []string `json:"order,omitempty"`   // operations that change places among themselves
	Clear   bool     `json:"clear,omitempty"`   // take all operations out
}

// stage makes a revision of a plan without some operations, with some that were taken out, or with
// some of them in another order. If the argument asks for none of it, it returns the plan unchanged.
func (r *Runner) stage(args stageArgs) (wire.Run, error) {
	if err := needsPlan(Stage, args.Plan); err != nil {
		return nil, err
	}
	switch {
	case args.Remove != nil && len(args.Remove) == 0:
		return nil, backend.InvalidParams(Stage + `: "remove" must name an operation, or be left out.`)
	case args.Restore != nil && len(args.Restore) == 0:
		return nil, backend.InvalidParams(Stage + `: "restore" must name an operation, or be left out.`)
	case args.Order != nil && len(args.Order) == 0:
		return nil, backend.InvalidParams(Stage + `: "order" must name operations, or be left out.`)
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		return r.planResult(a.Stage(ctx, decide.Staging{Plan: args.Plan, Remove: args.Remove, Restore: args.Restore, Order: args.Order, Clear: args.Clear}))
	}), nil
}

// EditArgs is the argument of redline.edit.
type EditArgs struct {
	Plan     int     `json:"plan"`           // the number of the plan
	Revision int     `json:"revision"`       // refused if the plan is at another revision now
	Hash     string  `json:"hash,omitempty"` // refused if the plan has another approval hash now
	Path     string  `json:"path"`           // the file, by its `path` in the plan
	Text     string  `json:"text"`           // the whole text that the plan should propose for it
	Was      *string `json:"was,omitempty"`  // the text that you were shown and edited, in `redline:/plan/N/proposed/PATH`; what is proposed now when absent
}

// edit makes a revision of a plan by the user, with another proposed text of one file. If the text is
// unchanged, it returns the plan unchanged.
func (r *Runner) edit(args EditArgs) (wire.Run, error) {
	if err := needsPlan(Edit, args.Plan); err != nil {
		return nil, err
	}
	switch {
	case args.Revision < 1:
		return nil, backend.InvalidParams(Edit + `: "revision" must be the number of the revision that was edited, 1 or more.`)
	case args.Path == "":
		return nil, backend.InvalidParams(Edit + `: "path" must name a file of the plan.`)
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		return r.planResult(a.EditText(ctx, decide.TextEdit{Plan: args.Plan, Revision: args.Revision, Hash: args.Hash, Path: args.Path, Text: args.Text, Was: args.Was}))
	}), nil
}

// ReworkArgs is the argument of redline.rework.
type ReworkArgs struct {
	Plan     int    `json:"plan"`               // the number of the plan
	Feedback string `json:"feedback,omitempty"` // what should be different; without it and without `trial`: what has failed, or else the errors that the plan adds
	Trial    string `json:"trial,omitempty"`    // the id of a trial that has failed: its command, its verdict and its output are feedback too
}

// rework asks the agent for another revision of a plan, and answers at once.
func (r *Runner) rework(args ReworkArgs) (wire.Run, error) {
	if err := needsPlan(Rework, args.Plan); err != nil {
		return nil, err
	}
	return r.Backend.RunInOrder(func(ctx context.Context, a *agent.Agent) (any, error) {
		if args.Trial != "" || strings.TrimSpace(args.Feedback) == "" {
			turn, conversation, err := a.Turns.Mend(ctx, args.Plan, args.Trial, args.Feedback, r.ClientName)
			return Sent{turn, conversation}, err
		}
		turn, conversation, err := a.Turns.Rework(ctx, args.Plan, args.Feedback, r.ClientName)
		return Sent{turn, conversation}, err
	}), nil
}

type rollbackArgs struct {
	Plan     int `json:"plan"`     // the number of the plan
	Revision int `json:"revision"` // the revision whose content the new one has
}

// rollback makes a revision with the content of an earlier one.
func (r *Runner) rollback(args rollbackArgs) (wire.Run, error) {
	if err := needsPlan(Rollback, args.Plan); err != nil {
		return nil, err
	}
	if args.Revision < 1 {
		return nil, backend.InvalidParams(Rollback + `: "revision" must be the number of a revision, 1 or more.`)
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		return r.planResult(a.Rollback(ctx, args.Plan, args.Revision, ""))
	}), nil
}

// TryArgs is the argument of redline.try.
type TryArgs struct {
	Plan    int     `json:"plan"`              // the number of the plan
	Command *string `json:"command,omitempty"` // the command line; the plan's own commands in order when absent, or else the one that was tried last
	Cwd     string  `json:"cwd,omitempty"`     // the folder that the command runs in, a path like those of files; the workspace's root when absent

	Keep []string `json:"keep,omitempty"` // what the command changes in the files that these globs name becomes a revision of the plan
}

// tryTurn is the result of redline.try.
type tryTurn struct {
	Turn string `json:"turn"`
}

// try tries commands on what a plan proposes, and answers at once. The trial is a turn: it has
// progress, and can be cancelled.
func (r *Runner) try(args TryArgs) (wire.Run, error) {
	if err := needsPlan(Try, args.Plan); err != nil {
		return nil, err
	}
	request := trial.Request{Plan: args.Plan, Cwd: args.Cwd}
	switch {
	case args.Command != nil && strings.TrimSpace(*args.Command) == "":
		return nil, backend.InvalidParams(Try + `: "command" is empty: leave it out to mean the plan's own commands.`)
	case args.Command != nil:
		request.Commands = []string{*args.Command}
	case args.Cwd != "":
		return nil, backend.InvalidParams(Try + `: "cwd" is the folder of "command": name the command too.`)
	}
	return r.Backend.RunInOrder(func(ctx context.Context, a *agent.Agent) (any, error) {
		if len(args.Keep) > 0 {
			turn, err := a.Turns.TryKeeping(ctx, request, args.Keep)
			return tryTurn{turn}, err
		}
		turn, err := a.Trials.Try(ctx, request)
		return tryTurn{turn}, err
	}), nil
}

// AllowTrialsArgs is the argument of redline.allowTrials.
type AllowTrialsArgs struct {
	Forbid bool `json:"forbid,omitempty"` // take it back instead
}

// trialsAllowed is the result of redline.allowTrials.
type trialsAllowed struct {
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"` // why not
}

// allowTrials records that the user allows trials of commands in this workspace, or no
// longer does.
func (r *Runner) allowTrials(args AllowTrialsArgs) (wire.Run, error) {
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		change := a.Trials.Allow
		if args.Forbid {
			change = a.Trials.Forbid
		}
		if err := change(ctx); err != nil {
			return nil, err
		}
		switch err := a.Trials.Allowed(ctx); {
		case err == nil:
			r.Window.Info("commands may be tried in this workspace before you approve: in isolation, and they change nothing of yours.")
			return trialsAllowed{Allowed: true}, nil
		case args.Forbid:
			r.Window.Info("commands are not tried in this workspace.")
			return trialsAllowed{Reason: err.Error()}, nil
		default:
			r.Window.Warn(fmt.Sprintf("commands are not tried here: %s.", err))
			return trialsAllowed{Reason: err.Error()}, nil
		}
	}), nil
}
