package decide

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace"
)

// checked is a decision that has passed its checks and can be carried out.
type checked struct {
	board.Intent
	execution *board.Execution // set once it has begun, if it includes edits
	held      *board.Held
	record    *plan.Decision
	changes   []edits.Change // one for each part
	commands  Approval       // the approved commands
	next      *plan.Plan     // the plan while it is carried out
	events    []plan.Event   // the events that led to next
}

// edits reports whether the decision includes edits, not only commands.
func (c *checked) edits() bool { return len(c.Parts)+len(c.Made) > 0 }

// handoverWithin is how long a decision that another process has handed over waits for the editor.
// The editor itself is given up long before.
const handoverWithin = time.Hour

// decide checks a decision on a plan, stores it, runs its commands and makes its changes through
// the editor. It waits for the result; see [board.Execution.Await]. It unlocks the plan.
func (ds *Decisions) decide(ctx context.Context, s *seen, d view.Request, check func(*seen, view.Request) (*checked, error)) (r state.Result, err error) {
	x, err := ds.begin(ctx, s, d, check)
	if err != nil {
		return state.Result{}, err
	}
	h := s.Held
	if left := x.commands.LeftBehind(h.Number()); left != "" {
		ds.session.Notify(state.Event{Kind: state.Noticed, Conversation: x.next.Conversation, PlanNumber: h.Number(), Text: left})
	}
	turn := ""
	if !x.commands.None() {
		turn = ds.executors.Launch(h, x.commands)
		defer ds.board.Announce(h, "")
	}
	if x.edits() {
		if d.Handover != 0 {
			x.execution.Report()
		}
		ds.board.Announce(h, "")
		ds.session.Spawn(func() {
			err := session.Contain(func() error { return ds.execute(x) })
			ds.session.LogPanic("an execution panicked", err, zap.Int("plan", h.Number()))
			x.execution.End(err)
		})
		within := ds.options.AnswerWithin
		if d.Handover != 0 { // it is only over with its result, and no editor blocks meanwhile
			within = handoverWithin
		}
		r, err = x.execution.Await(ctx, within)
	} else {
		r = ds.board.ResultOf(h)
	}
	r.Turn = turn
	return r, err
}

// begin checks a decision and stores it, with the intent to carry it out if it includes edits.
func (ds *Decisions) begin(ctx context.Context, s *seen, d view.Request, check func(*seen, view.Request) (*checked, error)) (*checked, error) {
	defer s.Unlock()
	x, err := check(s, d)
	if err == nil {
		err = x.textsAsShown()
	}
	if err == nil {
		err = ds.busyElsewhere(x)
	}
	if err == nil {
		err = ds.unseen(x, d)
	}
	if err != nil {
		return nil, err
	}
	if !x.edits() {
		x.next.Updated = ds.now().UTC()
		return x, s.Save(ctx, x.next, x.record, x.events...)
	}
	for i, p := range x.Parts {
		if !p.File.Outside && !x.Undoes() {
			noteFolders(ds.ws, x.next, s.view.Revision, x.changes[i])
			noteDeletion(ds.ws, x.next, p.File.Change)
		}
	}
	x.execution, err = s.Begin(ctx, x.Intent, x.next, x.record, x.events...)
	x.commands.After = x.execution
	return x, err
}

// noteFolders records in p the folders that a creation or a move has to make, and those above it
// that another file of the plan has made: an undo removes them if they are empty.
func noteFolders(ws *workspace.Workspace, p *plan.Plan, r *plan.Revision, c edits.Change) {
	path := c.Path
	switch c.Kind {
	case edits.Rename:
		path = c.NewPath
	case edits.Create:
	default:
		return
	}
	folders := ws.MissingFolders(path)
	for _, m := range p.Progress.Files {
		for _, folder := range m.Folders {
			if strings.HasPrefix(path, folder+"/") && !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	p.Progress.MarkFolders(r.Number, c.Path, innermostFirst(folders))
}

// noteDeletion records the mode, the byte order mark and the charset of a file that is to be deleted, which an
// undo restores.
func noteDeletion(ws *workspace.Workspace, p *plan.Plan, c *plan.Change) {
	if c.Action != plan.Delete {
		return
	}
	if file, err := ws.Read(c.Path); err == nil && file.Mode != 0 { // 0: the file is only in an editor
		p.Progress.MarkDeleted(c.Hunks[0].ID, plan.Form{Mode: uint32(file.Mode.Perm()), BOM: file.BOM, Charset: ws.CharsetOf(c.Path)})
	}
}

// execute sends the changes to the editor and records the outcome of each file. If the editor
// refuses a file of an approval, execute reverts the files before it.
func (ds *Decisions) execute(x *checked) error {
	if x.Reviews() {
		return ds.executeReview(x)
	}
	if len(x.changes) == 0 {
		return ds.record(x, nil)
	}
	outcomes, err := ds.session.Editor().Apply(ds.root, x.changes, func(n int) { x.execution.Landed(n) })
	if err != nil {
		ds.log.Warn("the editor went away while a plan was carried out", zap.Int("plan", x.held.Number()), zap.Error(err))
	}
	failure := first(outcomes, edits.Refused, edits.Half)
	if failure == nil && len(outcomes) < len(x.changes) && first(outcomes, edits.Unknown) == nil {
		failure = &edits.Applied{Path: x.changes[len(outcomes)].Path, Status: edits.Refused, Reason: "the editor went away before it was asked"}
	}
	if failure != nil && x.Verdict == plan.VerdictApprove {
		return ds.takeBack(x, outcomes, *failure)
	}
	if err := ds.record(x, outcomes); err != nil {
		return err
	}
	if failure != nil {
		return x.halfUndone(outcomes, *failure)
	}
	return nil
}

// first returns the first change with one of the wanted statuses, nil for none.
func first(outcomes []edits.Applied, wanted ...edits.Status) *edits.Applied {
	for i := range outcomes {
		if slices.Contains(wanted, outcomes[i].Status) {
			return &outcomes[i]
		}
	}
	return nil
}

// record stores the outcome of each part and moves the plan to its next state. takingBack lists
// the indices of the parts that the editor was asked to revert and has not answered for.
func (ds *Decisions) record(x *checked, outcomes []edits.Applied, takingBack ...int) error {
	tx := ds.board.Lock(x.held)
	defer tx.Unlock()
	next := tx.Held.Plan().Clone()
	stays := first(outcomes, edits.Done) != nil // some change of a refused approval stays applied
	waiting := false
	for i, p := range x.Parts {
		o := edits.Applied{Status: edits.Refused, Reason: "it was not begun"}
		if i < len(outcomes) {
			o = outcomes[i]
		}
		p.NoteOutcome(next, x.Verdict, o, stays)
		if slices.Contains(takingBack, i) {
			noteTakingBack(next, p)
		}
		if p.File.Outside {
			continue // nothing is left open, since another undo reads the text
		}
		next.Progress.MarkUnsaved(next.Current, p.File.Change.Path, view.OnlyUnsaved(ds.ws, next, p.File))
		waiting = waiting || o.Status == edits.Unknown
	}
	return tx.Conclude(x.execution, next, waiting)
}

// takeBack reverts the files of an approval that were changed before the editor refused one,
// because an approval changes all of its files or none. It sends a request for each file, so
// that a file that cannot be reverted does not block the others.
func (ds *Decisions) takeBack(x *checked, outcomes []edits.Applied, failure edits.Applied) error {
	landed := x.held.Plan().Clone() // as if only the changed files were approved
	for i, o := range outcomes {
		if o.Status == edits.Done {
			x.Parts[i].Mark(landed, plan.HunkApplied, "")
		}
	}
	asked := len(outcomes)
	for len(outcomes) < len(x.Parts) {
		outcomes = append(outcomes, edits.Applied{Status: edits.Refused, Reason: fmt.Sprintf("it was not begun, because %s could not be changed", failure.Path)})
	}
	var left, unsure []string
	var open []int // indices of parts whose revert the editor has not answered
	for i, o := range slices.Backward(outcomes) {
		path, part := x.changes[i].Path, x.Parts[i]
		switch o.Status {
		case edits.Unknown, edits.Unverified:
			unsure = append(unsure, path)
			continue
		case edits.Refused, edits.Half:
			continue
		}
		switch stays, status := ds.takeBackOne(x.held, landed, part); {
		case status == edits.Unknown || status == edits.Unverified:
			outcomes[i] = edits.Applied{Status: status, Reason: "it is not known yet whether it was taken back"}
			unsure, open = append(unsure, path), append(open, i)
		case status == edits.Half:
			outcomes[i] = edits.Applied{Status: status, Reason: "the editor took back only a part of it: look at it, and undo the rest in the editor"}
			left = append(left, path)
		case status == edits.Done && len(stays) == 0:
			outcomes[i] = edits.Applied{Status: edits.Refused, Reason: fmt.Sprintf("it was taken back, because %s could not be changed", failure.Path)}
			x.execution.TakenBack(i, outcomes[i].Reason)
		case status == edits.Done:
			outcomes[i] = partlyTaken(part, stays)
			left = append(left, fmt.Sprintf("%s (%s)", path, phrase.Named("hunk", stays)))
		default:
			left = append(left, fmt.Sprintf("%s (%s)", path, phrase.Named("hunk", part.IDs())))
		}
	}
	if err := ds.record(x, outcomes, open...); err != nil {
		return err
	}
	text := ""
	switch {
	case len(left) > 0:
		text = fmt.Sprintf(" Still changed, because it could not be taken back: %s.", strings.Join(left, ", "))
	case len(unsure) > 0:
	case failure.Status != edits.Half:
		text = " Nothing of this approval stays applied."
	case asked > 1:
		text = " The other files of this approval are as they were."
	}
	return applyFailed(failure, text, unsure)
}

// takeBackOne reverts the changes to one file. stays lists the ids of the hunks that the user
// has changed since; they are not reverted. status is the editor's answer, or Refused if there
// was nothing to ask for.
func (ds *Decisions) takeBackOne(h *board.Held, landed *plan.Plan, p view.Part) (stays []string, status edits.Status) {
	p.File = ds.board.PlacedAs(h, p.File, landed)
	c, stays := backward(landed, p)
	if p = p.Without(stays); p.Empty() {
		return stays, edits.Refused
	}
	defer ds.presence.WhileTakingBack(c.Path)()
	outcomes, err := ds.session.Editor().Apply(ds.root, []edits.Change{c}, nil)
	switch {
	case len(outcomes) == 1:
		return stays, outcomes[0].Status
	case err != nil:
		return stays, edits.Unknown
	}
	return stays, edits.Refused
}

// partlyTaken returns the outcome of a part that was reverted except for the hunks in stays.
func partlyTaken(p view.Part, stays []string) edits.Applied {
	o := edits.Applied{Status: edits.Unverified, Reason: "it could not be taken back completely, because it has changed since"}
	for _, i := range p.Hunks {
		l := edits.Absent
		if slices.Contains(stays, p.File.Change.Hunks[i].ID) {
			l = edits.Landed
		}
		o.Landings = append(o.Landings, l)
	}
	return o
}

// noteTakingBack records that a part was applied, and that the editor was asked to revert it and
// has not answered: the text will show the outcome.
func noteTakingBack(next *plan.Plan, p view.Part) {
	path := p.File.Change.Path
	m := next.Progress.File(next.Current, path)
	p.Mark(next, plan.HunkApplied, "")
	next.Progress.MarkSent(next.Current, path, p.Sent(plan.VerdictUndo))
	next.Progress.MarkFile(next.Current, path, m.Status, m.Reason)
}

// halfUndone returns the refusal of an undo after the editor refused a file. It says which files
// were undone: they stay undone, and another undo continues with the rest.
func (x *checked) halfUndone(outcomes []edits.Applied, failure edits.Applied) error {
	var done, left, unsure []string
	for i, c := range x.changes {
		switch {
		case i >= len(outcomes) || outcomes[i].Status == edits.Refused:
			left = append(left, c.Path)
		case outcomes[i].Status == edits.Done:
			done = append(done, c.Path)
		case outcomes[i].Status != edits.Half: // the failure describes a half-made change
			unsure = append(unsure, c.Path)
		}
	}
	text := ""
	if len(done) > 0 {
		text = fmt.Sprintf(" Taken back: %s.", strings.Join(done, ", "))
		if len(left) > 0 {
			text += fmt.Sprintf(" Still applied: %s; undo the plan again for the rest.", strings.Join(left, ", "))
		}
	}
	return applyFailed(failure, text, unsure)
}

// applyFailed returns the refusal of a decision after the editor did not make a change. text
// describes the other files, except for those in unsure, whose state is unknown.
func applyFailed(failure edits.Applied, text string, unsure []string) error {
	what := failure.Path
	if failure.Status != edits.Half {
		what += " was not changed"
	}
	text = fmt.Sprintf("%s: %s.%s", what, phrase.TrimStop(failure.Reason), text)
	if len(unsure) > 0 {
		text += fmt.Sprintf(" It is not known whether %s was changed: look at it.", strings.Join(unsure, ", "))
	}
	return &plan.Refusal{Kind: plan.ApplyFailed, Reason: text}
}
