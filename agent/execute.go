package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"redline/agent/backlog"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/state"
	"redline/agent/store"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace"
)

// answerWithin is how long a decision waits for its execution. Some editors
// block until a command is answered, or drop the answer after 20 s.
const answerWithin = 5 * time.Second

// patience is how long an editor that does not answer may still be asking its
// user. After that the next decision goes by what is in the text.
const patience = time.Minute

// execution is one approval or undo being carried out.
type execution struct {
	id       int64 // of its record in the store
	verdict  plan.Verdict
	review   bool // the user picks from the parts in the editor's own review
	parts    []part
	commands []string          // ids of the commands that are approved with the parts, or of the one that runs
	rules    map[string]string // of the commands that the user's own rules allow: which
	left     string            // what to tell the user of commands that are approved and cannot be run yet, "" for nothing
	made     []part            // what is named besides, and was made or taken back by hand: nobody is asked for it
	changes  []edits.Change    // one for each part
	next     *plan.Plan        // the plan while it is carried out
	events   []plan.Event      // that have led to next
	begun    time.Time         // when the editor was asked
	done     chan struct{}     // closed when the editor has answered for all files, or not
	result   state.Result
	err      error
	waiting  bool // the editor has not answered for a file: the text will settle it
	ended    bool // the editor has answered for all files, or the text has settled them
	late     bool // it has not ended when its decision was answered: an event tells what came of it
	tally    tally
	noted    bool // what came of it is stored, or will be; guarded by the plan's lock
}

// overdue tells whether the editor has had its time. A clock that was set back
// makes that begin anew. The caller holds Board.mu.
func (x *execution) overdue(now time.Time) bool {
	if now.Before(x.begun) {
		x.begun = now
	}
	return now.Sub(x.begun) > patience
}

// ready tells whether the event is possible and nothing is being carried out.
func (h *heldPlan) ready(e plan.Event) error {
	if x := h.execution; x != nil {
		if x.review && !x.waiting {
			return refusal.New(refusal.Busy, "Plan %d is open in your editor's review: finish that, or dismiss it, first.", h.plan().Number)
		}
		if x.waiting {
			return refusal.New(refusal.Busy, "The editor has not answered yet for plan %d: what is in its text, or saving the file, will settle it.", h.plan().Number)
		}
		if len(x.parts)+len(x.made) == 0 && len(x.commands) > 0 {
			return refusal.New(refusal.Busy, "Plan %d is running a command: wait until it has ended, or cancel it.", h.plan().Number)
		}
		return refusal.New(refusal.Busy, "Plan %d is being carried out: wait until it has ended.", h.plan().Number)
	}
	if _, err := h.plan().State.Next(e); err != nil {
		return refusal.New(refusal.WrongState, "Plan %d: %s", h.plan().Number, err)
	}
	return nil
}

// begin stores a decision with the intent to carry it out, before anything is
// sent. The caller has locked the plan.
func (ds *Decisions) begin(ctx context.Context, h *heldPlan, x *execution, d *plan.Decision) error {
	paths := make([]string, len(x.parts))
	for i, p := range x.parts {
		paths[i] = p.file.Change.Path
		if !p.file.outside {
			if x.verdict != plan.VerdictUndo {
				ds.noteFolders(x.next, h.revision(), x.changes[i])
				ds.noteDeletion(x.next, p.file.Change)
			}
			x.next.Progress.MarkSent(h.revision().Number, paths[i], p.sent(x.asked()))
		}
	}
	x.begun, x.done = ds.now(), make(chan struct{})
	x.next.Updated = x.begun.UTC()
	id, err := ds.store.Begin(ctx, ds.workspaceKey(), x.next, d, paths)
	if errors.Is(err, store.ErrNotAsShown) {
		ds.readAgain(ctx, h.plan().Number)
		return notAsShown(h.plan().Number)
	}
	if err != nil {
		return ds.board.kept(h.plan().Number, err)
	}
	x.id = id
	ds.board.mu.Lock()
	h.execution, h.looked, x.tally = x, true, ds.board.newTally(h, x)
	ds.board.mu.Unlock()
	ds.board.swap(h, x.next, x.events...)
	return nil
}

// noteDeletion notes what the file of a deletion is besides its text, since an
// undo brings it back as it was.
func (ds *Decisions) noteDeletion(p *plan.Plan, c *plan.Change) {
	if c.Action != plan.Delete {
		return
	}
	if file, err := ds.ws.Read(c.Path); err == nil && file.Mode != 0 { // 0: it is in an editor only
		p.Progress.MarkDeleted(c.Hunks[0].ID, plan.Form{Mode: uint32(file.Mode.Perm()), BOM: file.BOM})
	}
}

// carryOut has the editor make the changes and waits for the end, at most
// five seconds; the execution goes on by itself after that.
func (ds *Decisions) carryOut(ctx context.Context, h *heldPlan, x *execution) (state.Result, error) {
	ds.board.announce(h, "")
	ds.spawn(func() {
		err := contained(func() error { return ds.execute(h, x) })
		ds.session.LogPanic("an execution panicked", err, planField(x.next.Number))
		unlock := ds.board.lock(h)
		lost := !x.noted
		unlock()
		ds.board.mu.Lock()
		x.err = err
		if (lost || !x.waiting) && h.execution == x {
			h.execution = nil
		}
		ds.board.mu.Unlock()
		if lost { // as after the end of a process, the text tells what came of it
			ds.store.Forsake(x.id)
			if err := ds.board.fresh(ds.root); err != nil {
				ds.log.Error("what came of an execution could not be recorded", planField(x.next.Number), errorField(err))
			} else {
				ds.board.reconcileLogged(ds.root, h, evidence{asked: true})
			}
		}
		ds.board.mu.Lock()
		x.ended, x.late = lost || !x.waiting, x.late || x.waiting
		x.result = ds.board.resultOf(h, x)
		ds.board.tellLate(h, x)
		ds.board.changed(h)
		ds.board.mu.Unlock()
		close(x.done)
		ds.board.renewPreview(h)
		ds.board.announce(h, "")
	})
	timer := time.NewTimer(answerWithin)
	defer timer.Stop()
	select {
	case <-x.done:
		return x.result, x.err
	case <-timer.C:
	case <-ctx.Done():
		ds.board.mu.Lock()
		x.late = true
		ds.board.tellLate(h, x)
		ended := x.ended // just now; else it goes on all the same
		ds.board.mu.Unlock()
		if ended {
			ds.board.announce(h, "")
		}
		return state.Result{}, ctx.Err()
	}
	ds.board.mu.Lock()
	defer ds.board.mu.Unlock()
	if x.ended { // just now
		return x.result, x.err
	}
	x.late = true
	return ds.board.resultOf(h, x), nil
}

// tellLate has the next event about the plan tell what came of an execution that has
// ended after its decision was answered. The caller holds Board.mu.
func (b *Board) tellLate(h *heldPlan, x *execution) {
	if x.ended && x.late {
		h.outcome = b.outcomeOf(h, x)
	}
}

// execute sends the changes, takes the earlier ones back when a later one is
// refused, and records what came of each file.
func (ds *Decisions) execute(h *heldPlan, x *execution) error {
	if x.review {
		return ds.executeReview(h, x)
	}
	if len(x.changes) == 0 {
		return ds.record(h, x, nil)
	}
	outcomes, err := ds.session.Editor().Apply(ds.root, x.changes)
	if err != nil {
		ds.log.Warn("the editor went away while a plan was carried out", planField(x.next.Number), errorField(err))
	}
	failure := firstFailure(outcomes)
	if failure == nil && len(outcomes) < len(x.changes) && firstUnknown(outcomes) == nil {
		failure = &edits.Applied{Path: x.changes[len(outcomes)].Path, Status: edits.Refused, Reason: "the editor went away before it was asked"}
	}
	if failure != nil && x.verdict == plan.VerdictApprove {
		return ds.takeBack(h, x, outcomes, *failure)
	}
	if err := ds.record(h, x, outcomes); err != nil {
		return err
	}
	if failure != nil {
		return x.halfUndone(outcomes, *failure)
	}
	return nil
}

// halfUndone is the refusal of an undo of which a file was refused: what is
// where. The files before it stay taken back, and another undo goes on.
func (x *execution) halfUndone(outcomes []edits.Applied, failure edits.Applied) error {
	var done, left, unsure []string
	for i, c := range x.changes {
		switch {
		case i >= len(outcomes) || outcomes[i].Status == edits.Refused:
			left = append(left, c.Path)
		case outcomes[i].Status == edits.Done:
			done = append(done, c.Path)
		case outcomes[i].Status == edits.Half: // the failure says what is there
		default:
			unsure = append(unsure, c.Path)
		}
	}
	text := notChanged(failure)
	if len(done) > 0 {
		text += fmt.Sprintf(" Taken back: %s.", strings.Join(done, ", "))
		if len(left) > 0 {
			text += fmt.Sprintf(" Still applied: %s; undo the plan again for the rest.", strings.Join(left, ", "))
		}
	}
	if len(unsure) > 0 {
		text += fmt.Sprintf(" It cannot be seen what became of %s: look at it.", strings.Join(unsure, ", "))
	}
	return &refusal.Error{Kind: refusal.ApplyFailed, Reason: text}
}

// notChanged says of a file that it does not have its change, and why.
func notChanged(failure edits.Applied) string {
	if failure.Status == edits.Half {
		return failure.Path + ": " + phrase.TrimStop(failure.Reason) + "."
	}
	return fmt.Sprintf("%s was not changed: %s.", failure.Path, phrase.TrimStop(failure.Reason))
}

// firstFailure returns the first change that the editor refused, or made by
// half, nil for none.
func firstFailure(outcomes []edits.Applied) *edits.Applied {
	return first(outcomes, edits.Refused, edits.Half)
}

// firstUnknown returns the first change that the editor did not answer.
func firstUnknown(outcomes []edits.Applied) *edits.Applied { return first(outcomes, edits.Unknown) }

func first(outcomes []edits.Applied, wanted ...edits.Status) *edits.Applied {
	for i := range outcomes {
		if slices.Contains(wanted, outcomes[i].Status) {
			return &outcomes[i]
		}
	}
	return nil
}

// record stores what came of each part and moves the plan on.
// takingBack are the indices of those that the editor was asked to take back
// and has not answered for.
func (ds *Decisions) record(h *heldPlan, x *execution, outcomes []edits.Applied, takingBack ...int) error {
	defer ds.board.lock(h)()
	next := h.plan().Clone()
	stays := first(outcomes, edits.Done) != nil // something of a refused approval stays applied
	waiting := false
	for i, p := range x.parts {
		o := edits.Applied{Status: edits.Refused, Reason: "it was not begun"}
		if i < len(outcomes) {
			o = outcomes[i]
		}
		noteOutcome(next, h.revision(), x.verdict, p, o, stays)
		if slices.Contains(takingBack, i) {
			noteTakingBack(next, h.revision(), p)
		}
		if p.file.outside {
			continue // nothing is kept open for it: another undo finds out from the text
		}
		next.Progress.MarkUnsaved(h.revision().Number, p.file.Change.Path, unsaved(ds.ws, next, p.file))
		waiting = waiting || o.Status == edits.Unknown
	}
	ds.board.mu.Lock()
	x.waiting = waiting
	ds.board.mu.Unlock()
	return ds.board.conclude(h, x, next)
}

// unsaved tells whether something is applied to a file that an editor has not
// saved yet.
func unsaved(disk disk, p *plan.Plan, f *FileView) bool {
	return hasApplied(p, f.Change) && onlyInEditor(disk, f.pathIn(p))
}

// disk is the workspace, now or as it was when it was read.
type disk interface {
	Buffer(path string) (*workspace.Buffer, bool)
	Stat(path string) (exists, isDir bool, err error)
}

// onlyInEditor tells whether an editor has the file, and has not saved it.
func onlyInEditor(disk disk, path string) bool {
	buffer, open := disk.Buffer(path)
	if !open {
		return false
	}
	if buffer.Dirty {
		return true
	}
	exists, _, err := disk.Stat(path) // the file may be deleted, and its buffer kept
	return err == nil && !exists
}

// conclude moves the plan to the state that its parts call for and stores it, or
// has it stored later: what is in the user's files is so whatever the store says.
// The store is told also when the session is ending: what the text shows must
// not be forgotten. The caller has locked the plan, and has made next of the plan that
// h has.
func (b *Board) conclude(h *heldPlan, x *execution, next *plan.Plan) error {
	b.tellUnsaved(false) // before others can see that something is applied
	was := &h.plan().Progress
	goesOn := b.goesOn(h)
	var events []plan.Event
	next, err := b.storeOutcome(context.WithoutCancel(b.root), b.workspaceKey(), x, next, was, x.waiting, func(p *plan.Plan) (err error) {
		if events = nil; !x.waiting {
			events, err = x.end(p, h.revision(), goesOn)
		}
		p.Updated = b.now().UTC()
		return err
	})
	switch {
	case backlog.MayPass(err):
		x.noted = true
		b.oweOutcome(h, x, next, events, err)
		return nil
	case err != nil:
		return b.kept(next.Number, err)
	}
	x.noted = true
	b.backlog.Drop(x.id)
	b.swap(h, next, events...)
	return nil
}

// storeOutcome stores what came of an execution, which next has, and returns the
// plan as it is stored; end moves it on to the state that its parts call for.
// Where this session has the lease of the execution, what another process has
// stored of the plan meanwhile, such as a rating or the rejection of other parts,
// does not concern it: what next has changed of was goes onto that. Else another
// has found out first what came of it, and the error is the store's ErrChanged.
func (b *Board) storeOutcome(ctx context.Context, key string, x *execution, next *plan.Plan, was *plan.Progress, waiting bool, end func(*plan.Plan) error) (*plan.Plan, error) {
	mine := next.Progress
	for tries := 0; ; tries++ {
		if err := end(next); err != nil {
			return next, err
		}
		err := b.store.Finish(ctx, key, next, x.id, waiting)
		if !errors.Is(err, store.ErrChanged) || x.foreign() || tries == 5 {
			return next, err
		}
		stored, readErr := b.store.Plan(ctx, key, next.Number)
		if readErr != nil {
			return next, readErr
		}
		if stored.Current != next.Current {
			return next, err
		}
		stored.Progress = mine.Onto(&stored.Progress, was)
		next = stored
	}
}

// foreign tells whether another process began the execution, and has ended.
func (x *execution) foreign() bool { return x.done == nil }

// end moves a plan on when an execution of it has ended, and returns the
// events that it went over. While a turn may add more to the plan, it is not
// done.
func (x *execution) end(p *plan.Plan, r *plan.Revision, goesOn bool) (events []plan.Event, err error) {
	if x.verdict == plan.VerdictUndo && p.State != plan.Executing { // else an approval is taken back
		return x.endUndo(p)
	}
	p.SkipUnmet(r) // what has ended may have settled it
	if p.State == plan.Reviewing && p.Undecided(r).None() {
		// What nobody could see was the last that was open.
		if err := p.Apply(plan.Execute); err != nil {
			return nil, err
		}
		events = append(events, plan.Execute)
	}
	if event, ok := p.Outcome(r); ok && p.State == plan.Executing {
		if goesOn && event == plan.PlanExecuted {
			event = plan.PartExecuted
		}
		events, err = append(events, event), p.Apply(event)
	}
	return events, err
}

// endUndo reopens a plan of which something was taken back.
func (x *execution) endUndo(p *plan.Plan) ([]plan.Event, error) {
	for _, part := range slices.Concat(x.parts, x.made) {
		taken := part.move && p.Progress.File(p.Current, part.file.Change.Path).Move != plan.FileApplied
		for _, i := range part.hunks {
			taken = taken || p.Progress.Hunk(part.file.Change.Hunks[i].ID).Status != plan.HunkApplied
		}
		if taken || part.pastTaken(p) {
			next, err := p.State.Next(plan.Undo)
			p.State = next
			return []plan.Event{plan.Undo}, err
		}
	}
	return nil, nil
}

// resultOf tells what came of an execution as the plan stands. The caller
// holds Board.mu.
func (b *Board) resultOf(h *heldPlan, x *execution) state.Result {
	r := state.Result{
		Plan: h.plan().Number, Revision: h.revision().Number, State: string(h.plan().State),
		Files: []state.FileResult{}, Commands: b.commandStates(h.plan(), h.revision()),
	}
	if len(x.parts)+len(x.made) > 0 {
		r.Outcome = b.outcomeOf(h, x)
	}
	for _, p := range x.files() {
		if p.file.outside {
			r.Files = append(r.Files, p.pastResult(h.plan()))
			continue
		}
		v := b.current(h, p.file)
		r.Files = append(r.Files, state.FileResult{Path: p.file.Change.Path, Status: string(v.Status), Reason: v.Reason})
	}
	return r
}

// files are the parts that an execution is about, one for each file.
func (x *execution) files() []part {
	files := slices.Clone(x.parts)
	for _, p := range x.made {
		if !slices.ContainsFunc(files, func(other part) bool { return other.file == p.file }) {
			files = append(files, p)
		}
	}
	return files
}
