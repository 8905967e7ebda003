package decide

import (
	"context"
	"slices"
	"strings"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
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

// decide checks a decision on a plan, stores it, runs its commands and makes its changes through
// the editor. It waits for the result; see [board.Board.Await].
func (ds *Decisions) decide(ctx context.Context, h *board.Held, d view.Request, check func(*board.Tx, view.Request) (*checked, error)) (r state.Result, err error) {
	x, err := ds.begin(ctx, h, d, check)
	if err != nil {
		return state.Result{}, err
	}
	if left := x.commands.LeftBehind(h.Number()); left != "" {
		ds.session.Notify(state.Event{Kind: state.Noticed, Conversation: x.next.Conversation, PlanNumber: h.Number(), Text: left})
	}
	turn := ""
	if !x.commands.None() {
		turn = ds.executors.Launch(h, x.commands)
		defer ds.board.Announce(h, "")
	}
	if x.edits() {
		ds.board.Announce(h, "")
		ds.session.Spawn(func() {
			err := session.Contain(func() error { return ds.execute(x) })
			ds.session.LogPanic("an execution panicked", err, zap.Int("plan", h.Number()))
			ds.board.Ended(h, x.execution, err)
		})
		r, err = ds.board.Await(ctx, h, x.execution, ds.options.AnswerWithin)
	} else {
		ds.board.RefreshPreview(h)
		r = ds.board.ResultOf(h)
	}
	r.Turn = turn
	return r, err
}

// begin checks a decision and stores it, with the intent to carry it out if it includes edits.
func (ds *Decisions) begin(ctx context.Context, h *board.Held, d view.Request, check func(*board.Tx, view.Request) (*checked, error)) (*checked, error) {
	tx := ds.board.Lock(h)
	defer tx.Unlock()
	x, err := check(tx, d)
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
		return x, tx.Save(ctx, x.next, x.record, x.events...)
	}
	for i, p := range x.Parts {
		if !p.File.Outside && !x.Undoes() {
			noteFolders(ds.ws, x.next, h.Revision(), x.changes[i])
			noteDeletion(ds.ws, x.next, p.File.Change)
		}
	}
	x.execution, err = tx.Begin(ctx, x.Intent, x.next, x.record, x.events...)
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

// noteDeletion records the mode and the byte order mark of a file that is to be deleted, which an
// undo restores.
func noteDeletion(ws *workspace.Workspace, p *plan.Plan, c *plan.Change) {
	if c.Action != plan.Delete {
		return
	}
	if file, err := ws.Read(c.Path); err == nil && file.Mode != 0 { // 0: the file is only in an editor
		p.Progress.MarkDeleted(c.Hunks[0].ID, plan.Form{Mode: uint32(file.Mode.Perm()), BOM: file.BOM})
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
	outcomes, err := ds.session.Editor().Apply(ds.root, x.changes, func(n int) { ds.board.Landed(x.held, x.execution, n) })
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
