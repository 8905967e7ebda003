package decide

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/edits/charset"
	"redline/internal/phrase"
)

// Approve applies what the decision names. It returns once the text of every file is verified, or
// after [Options.AnswerWithin] with the state executing. A [*plan.Refusal] of the kind
// apply_failed says which files have their changes; any other means that nothing was changed.
func (ds *Decisions) Approve(ctx context.Context, d view.Request) (state.Result, error) {
	s, d, err := ds.openApproval(ctx, d)
	switch {
	case err != nil:
		return state.Result{}, err
	case s.view.Revision.TextOnly:
		s.Unlock() // a conversation is locked before its plan
		return ds.options.Words(ctx, s.Held, d)
	}
	return ds.decide(ctx, s, d, ds.checkApproval)
}

// Settled returns an approval bound to the current revision of its plan. It refuses what Approve
// would refuse of the plan as a whole.
func (ds *Decisions) Settled(ctx context.Context, d view.Request) (view.Request, error) {
	s, d, err := ds.openApproval(ctx, d)
	if err == nil {
		s.Unlock()
	}
	return d, err
}

// openApproval opens the plan of an approval, and binds the approval to its current revision. It
// refuses a plan that cannot be approved now, and a plan whose preview the user has edited: what
// the preview says would not be applied. Every approval comes through here, so it also refuses one
// in a forbidden way.
func (ds *Decisions) openApproval(ctx context.Context, d view.Request) (*seen, view.Request, error) {
	if err := ds.options.Forbidden.Check(d.Plan, d.Way); err != nil {
		return nil, d, err
	}
	s, err := ds.open(ctx, plan.Execute, d)
	if err != nil {
		return nil, d, err
	}
	settled := false
	defer s.UnlockUnless(&settled)
	d.Hash = s.view.Revision.Hash
	err = ds.settlePreview(ctx, s.Tx)
	settled = err == nil
	return s, d, err
}

// checkApproval checks an approval and plans its changes.
func (ds *Decisions) checkApproval(opened *seen, d view.Request) (*checked, error) {
	v, l := opened.view, opened.files
	s, err := view.ScopeOf(v, d, plan.HunkPending)
	if err != nil {
		return nil, err
	}
	open, made := view.WithoutMade(s.Parts)
	fits, stale, why := view.Fitting(open)
	all := slices.Concat(fits, made)
	if len(stale) > 0 && !d.SkipStale {
		return nil, view.StaleRefusal(v.Plan.Number, stale, why, len(all) > 0)
	}
	commands, err := ds.executors.Approves(v, d, s, all)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && commands.None() {
		return nil, nothingToApprove(v, d, s, stale, why)
	}
	x := &checked{
		Intent: board.Intent{Verdict: plan.VerdictApprove, Parts: fits, Made: made},
		held:   opened.Held, commands: commands, next: v.Plan.Clone(),
	}
	for _, p := range x.Parts {
		if err := inItsCharset(l, v.Plan.Number, p); err != nil {
			return nil, err
		}
		x.changes = append(x.changes, forward(p))
	}
	commands.Mark(x.next)
	switch {
	case x.edits():
		x.events = []plan.Event{plan.Execute}
	case x.next.State == plan.AwaitingApproval: // only the commands; each is an execution of its own
		x.events = []plan.Event{plan.UserReviewing}
	}
	if err := apply(x.next, x.events...); err != nil {
		return nil, err
	}
	view.NoteMade(v, l, x.next)
	for _, p := range x.Parts {
		for _, id := range p.IDs() {
			x.next.Progress.MarkHunk(id, plan.HunkApproved, "")
		}
	}
	x.record = view.RecordDecision(v.Plan, v.Revision, d, plan.VerdictApprove, all, ds.now())
	x.record.Stale, x.record.Commands, x.record.Trials = stale, commands.ByDecision(), view.CurrentTrials(ds.ws, v)
	return x, nil
}

// inItsCharset refuses to write a file in another charset than the one that the plan was made for.
func inItsCharset(l *board.ReadAhead, n int, p view.Part) error {
	c := p.File.Change
	file, err := l.File(p.File.Path)
	if err != nil || file.Buffer != nil || !file.Exists || c.Action == plan.Delete || charset.ASCII(file.Text) && !file.Charset.IsUTF16() || file.Charset == c.Charset {
		return nil // the editor writes what it shows
	}
	return &plan.Refusal{Kind: plan.Stale, Hunks: p.IDs(), Reason: fmt.Sprintf("Plan %d cannot be approved as shown, because %s is read as %s now, and was as %s. Rework the plan.", n, p.File.Path, file.Charset, c.Charset)}
}

// nothingToApprove returns the refusal of an approval that leaves no part and no command. stale
// lists the ids of hunks that no longer fit the text; why says what is wrong with the first of
// them.
func nothingToApprove(v *view.Plan, d view.Request, s view.Scope, stale []string, why string) error {
	left := v.Plan.Runnable(v.Revision)
	switch {
	case len(stale) > 0:
		return view.StaleRefusal(v.Plan.Number, stale, why, false)
	case s.Whole && len(left) > 0 && !d.AllowCommands:
		return plan.Refuse(plan.NotAllowed, "All that is left of plan %d to approve is %s: approve it by itself, or allow commands.", v.Plan.Number, phrase.Named("command", left))
	}
	return nothingLeft(v)
}

// nothingLeft returns the refusal of a decision that names nothing undecided.
func nothingLeft(v *view.Plan) error {
	for _, f := range v.Files {
		if v.Mark(f).Status == plan.FileUnverified {
			return plan.Refuse(plan.Busy, "Redline cannot see whether %s was changed: open or save it in your editor, then decide again.", f.Change.Path)
		}
	}
	return plan.Refuse(plan.WrongState, "Everything that you named in plan %d is already decided.", v.Plan.Number)
}

// forward returns the change that applies a part of a plan to the file's current text. The part
// must fit the text.
func forward(p view.Part) edits.Change {
	f := p.File
	c := edits.Change{Path: f.Path, Base: f.Live.Text(), Charset: f.Change.Charset, AsShown: true}
	switch f.Change.Action {
	case plan.Create:
		return edits.Change{Path: c.Path, Kind: edits.Create, Text: f.Proposed, Mode: f.Change.ModeAfter(), BOM: f.Change.BOM, Charset: f.Change.Charset, AsShown: true}
	case plan.Delete:
		c.Kind = edits.Delete
		return c
	}
	if p.Move {
		c.Kind, c.NewPath = edits.Rename, f.Change.NewPath
	}
	for _, i := range p.Hunks {
		span, _ := f.Placement.At(i)
		hunk := f.Change.Hunks[i]
		c.Edits = append(c.Edits, edits.Edit{Span: span, New: f.Proposed[hunk.New.Start:hunk.New.End]})
	}
	return c
}

// Reject rejects what the decision names. It changes no file. Rejecting the last undecided part
// ends the plan.
func (ds *Decisions) Reject(ctx context.Context, d view.Request) (state.Plan, error) {
	s, err := ds.open(ctx, plan.Reject, d)
	if p := ds.board.UnreadablePlan(d.Plan); err != nil && p != nil {
		return ds.rejectUnreadable(ctx, p, d)
	}
	if err != nil {
		return state.Plan{}, err
	}
	defer s.Unlock()
	return ds.announced(s.Held, ds.reject(ctx, s, d))
}

// reject checks and stores a rejection. It records changes that the user has made by hand as
// applied, since they are in the text.
func (ds *Decisions) reject(ctx context.Context, s *seen, d view.Request) error {
	v, l := s.view, s.files
	named, err := view.ScopeOf(v, d, plan.HunkPending)
	if err != nil {
		return err
	}
	if status := v.Plan.Progress.Command(d.Operation).Status; len(named.Commands) == 1 && !named.Whole &&
		(status == plan.CommandSucceeded || status == plan.CommandRejected) {
		return plan.Refuse(plan.WrongState, "Command %s of plan %d is %s already.", d.Operation, v.Plan.Number, status)
	}
	open, made := view.WithoutMade(named.Parts)
	switch {
	case len(named.Parts)+len(named.Commands) == 0 && !(named.Whole && v.Plan.Undecided(v.Revision).None()):
		return nothingLeft(v)
	case len(named.Parts)+len(named.Commands) == 0: // nothing is left: the rejection ends the plan
	case len(open)+len(named.Commands) == 0:
		return plan.Refuse(plan.WrongState, "What this names in plan %d is in the text of %s already: undo it there if you do not want it.", v.Plan.Number, made[0].File.Change.Path)
	}
	next := v.Plan.Clone()
	view.NoteMade(v, l, next)
	for _, p := range open {
		p.Mark(next, plan.HunkRejected, d.Reason)
		if !view.MayHaveAny(next, p.File.Change) { // so nothing of it has to be saved
			next.Progress.MarkUnsaved(v.Revision.Number, p.File.Change.Path, false)
		}
	}
	for _, id := range named.Commands {
		next.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandRejected, Reason: d.Reason})
	}
	next.SkipUnmet(v.Revision)
	event, ok := next.AfterReject(v.Revision)
	if s.Staging() && event != plan.UserReviewing { // the turn may add more operations
		event, ok = plan.UserReviewing, next.State == plan.AwaitingApproval
	}
	var events []plan.Event
	if ok {
		events = append(events, event)
	}
	if err := apply(next, events...); err != nil {
		return err
	}
	next.Updated = ds.now().UTC()
	record := view.RecordDecision(v.Plan, v.Revision, d, plan.VerdictReject, open, ds.now())
	if !next.State.Open() { // no later record would name them
		record.Trials = next.TrialIDs()
	}
	return s.Save(ctx, next, record, events...)
}

// rejectUnreadable stores the rejection of a plan that cannot be read.
func (ds *Decisions) rejectUnreadable(ctx context.Context, p *plan.Plan, d view.Request) (state.Plan, error) {
	switch {
	case len(d.Paths)+len(d.Hunks)+len(d.Files) > 0 || d.Operation != "":
		return state.Plan{}, plan.Refuse(plan.WrongState, "Plan %d cannot be read (%s): only the whole of it can be rejected.", p.Number, p.Unreadable)
	case !p.State.Open():
		return state.Plan{}, plan.Refuse(plan.WrongState, "Plan %d cannot be read (%s), and is %s already.", p.Number, p.Unreadable, p.State)
	}
	reason := strings.TrimPrefix(fmt.Sprintf("%s; it could not be read", d.Reason), "; ")
	done, err := ds.board.Discard(ctx, p, &plan.Decision{
		Plan: p.Number, Revision: p.Current, Verdict: plan.VerdictReject, Reason: reason,
		Who: cmp.Or(d.Who, "user"), Client: d.Client, At: ds.now().UTC(), Trials: p.TrialIDs(),
	})
	if err != nil {
		return state.Plan{}, err
	}
	return board.UnreadableState(done), nil
}

// Review puts what the decision names into the editor's own review, where the user accepts
// changes one by one. Review checks and records this like an approval. What the user accepts is
// applied; the rest stays pending. It returns like [Decisions.Approve].
func (ds *Decisions) Review(ctx context.Context, d view.Request) (state.Result, error) {
	s, d, err := ds.openApproval(ctx, d)
	if err != nil {
		return state.Result{}, err
	}
	return ds.decide(ctx, s, d, func(s *seen, d view.Request) (*checked, error) {
		x, err := ds.checkApproval(s, d)
		if err == nil && len(x.Parts) > 0 { // otherwise the user has made all of it by hand
			x.Verdict, x.record.Verdict = plan.VerdictReview, plan.VerdictReview
		}
		return x, err
	})
}

// Pending returns the undecided parts of a plan as changes to the current texts, for an editor
// that shows them itself, and the ids of the stale hunks, which it leaves out. It decides
// nothing.
func (ds *Decisions) Pending(ctx context.Context, n int) (changes []edits.Change, stale []string, err error) {
	opened, err := ds.open(ctx, plan.Execute, view.Request{Plan: n})
	if err != nil {
		return nil, nil, err
	}
	defer opened.Unlock()
	s, err := view.ScopeOf(opened.view, view.Request{}, plan.HunkPending)
	if err != nil {
		return nil, nil, err
	}
	open, _ := view.WithoutMade(s.Parts)
	fits, stale, _ := view.Fitting(open)
	for _, p := range fits {
		changes = append(changes, forward(p))
	}
	return changes, stale, nil
}

// executeReview asks the user to review the changes, and records which of them were accepted.
func (ds *Decisions) executeReview(x *checked) error {
	proposals := make([]state.Proposal, len(x.Parts))
	for i, p := range x.Parts {
		proposals[i].Change = x.changes[i]
		for _, k := range p.Hunks {
			hunk := p.File.Change.Hunks[k]
			proposals[i].Hunks = append(proposals[i].Hunks, state.ProposedHunk{ID: hunk.ID, Added: hunk.Added, Removed: hunk.Removed})
		}
	}
	outcomes, err := ds.session.Editor().Review(ds.root, x.held.Number(), proposals)
	if err != nil {
		ds.log.Warn("the editor went away while a plan was reviewed", zap.Int("plan", x.held.Number()), zap.Error(err))
	}
	for len(outcomes) < len(x.Parts) {
		outcomes = append(outcomes, edits.Applied{Status: edits.Unknown})
	}
	return ds.record(x, outcomes)
}
