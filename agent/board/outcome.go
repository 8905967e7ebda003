package board

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/internal/phrase"
)

// Conclude moves the plan to the state that follows from the results of an execution, which next
// has, and stores it. If waiting is true, the editor has not answered for a file, and its text
// will show the result. If the store cannot be written, Conclude has the results stored later,
// because the files are changed already. It also stores while the session is ending. next must
// be made from the plan's current value.
func (tx *Tx) Conclude(x *Execution, next *plan.Plan, waiting bool) error {
	b, h := tx.b, tx.Held
	b.presence.Publish(false) // before others can see what is applied
	o := outcome{workspace: b.session.Key(), execution: x, was: &h.Plan().Progress, waiting: waiting}
	if waiting { // before it is stored: the text may show the result meanwhile
		b.with(h, func(*table, *entry) { x.waiting = true })
	}
	var events []plan.Event
	next, err := o.store(context.WithoutCancel(b.root), b.store, next, func(p *plan.Plan) (err error) {
		if events = nil; !waiting {
			events, err = x.intent.end(p, h.Revision(), h.staging.Load())
		}
		p.Updated = b.now().UTC()
		return err
	})
	later := MayPass(err)
	if err != nil && !later {
		return b.StoreError(next.Number, err)
	}
	x.noted.Store(true)
	tx.swapWith(next, func(*table, *entry) { x.waiting = waiting }, events...)
	if later {
		tx.storeLater(o, err)
	} else {
		b.backlog.Drop(x.id)
	}
	return nil
}

// outcome is the result of an execution that is to be stored.
type outcome struct {
	workspace string
	execution *Execution
	was       *plan.Progress // the plan before the execution
	waiting   bool           // the editor has not answered for a file
}

// store stores the result of an execution, which next has, and returns the plan as stored; end
// moves it to the state that follows. If this session has the lease of the execution, store adds
// the changes of next to whatever another process has stored meanwhile, such as a rating or the
// rejection of other parts. Without the lease, another process may have stored the result first:
// then the error is the store's ErrChanged.
func (o outcome) store(ctx context.Context, to *store.Store, next *plan.Plan, end func(*plan.Plan) error) (*plan.Plan, error) {
	mine := next.Progress
	for tries := 0; ; tries++ {
		if err := end(next); err != nil {
			return next, err
		}
		err := to.Finish(ctx, o.workspace, next, o.execution.id, o.waiting)
		if !errors.Is(err, store.ErrChanged) || o.execution.foreign() || tries == 5 {
			return next, err
		}
		stored, readErr := to.Plan(ctx, o.workspace, next.Number)
		if readErr != nil {
			return next, readErr
		}
		if stored.Current != next.Current {
			return next, err
		}
		stored.Progress = mine.Onto(&stored.Progress, o.was)
		next = stored
	}
}

// storeLater keeps the result of an execution that could not be stored because of err, and
// stores it later. The user's files are changed already, so the process must not forget it.
func (tx *Tx) storeLater(o outcome, err error) {
	b, h, n := tx.b, tx.Held, tx.Held.Number()
	if b.backlog.Has(n) {
		return // the newest value will be stored
	}
	b.backlog.Add(Unstored{
		Plan: n, Execution: o.execution.id, Stored: fmt.Sprintf("What was done with plan %d is kept now.", n),
		Store: func(ctx context.Context) error {
			tx := b.Lock(h)
			defer tx.Unlock()
			return tx.storeAgain(ctx, o)
		},
	}, fmt.Sprintf("What was done with plan %d cannot be kept yet, because the plan database cannot be written.", n), err)
}

// storeAgain stores the plan's current value, with the result of an execution that could not be
// stored before.
func (tx *Tx) storeAgain(ctx context.Context, o outcome) error {
	b, h := tx.b, tx.Held
	o.waiting = b.peek(h).execution == o.execution && o.execution.waiting
	next := h.Plan().Clone()
	state, updated := next.State, next.Updated
	next, err := o.store(ctx, b.store, next, func(p *plan.Plan) error {
		p.State, p.Updated = state, updated
		return nil
	})
	if err != nil {
		return b.StoreError(next.Number, err)
	}
	tx.swap(next)
	return nil
}

// ResultOf returns the result of a decision that needs no execution.
func (b *Board) ResultOf(h *Held) state.Result {
	t := b.lock()
	defer t.unlock()
	return t.resultOf(t.of(h), &Execution{})
}

// resultOf returns the result of an execution so far.
func (t *table) resultOf(h *entry, x *Execution) state.Result {
	r := state.Result{
		Plan: h.Plan().Number, Revision: h.Revision().Number, State: string(h.Plan().State),
		Files: []state.FileResult{}, Commands: t.rules.states(h.Plan(), h.Revision()),
	}
	files := x.intent.files()
	if len(files) > 0 {
		r.Outcome = t.outcomeOf(h, x)
	}
	for _, p := range files {
		if p.File.Outside {
			r.Files = append(r.Files, pastResult(p, h.Plan()))
			continue
		}
		v := t.current(h, p.File)
		r.Files = append(r.Files, state.FileResult{Path: p.File.Change.Path, Status: string(v.Status), Reason: v.Reason})
	}
	return r
}

// pastResult returns the result for a file that the current revision does not touch.
func pastResult(p view.Part, now *plan.Plan) state.FileResult {
	r := state.FileResult{Path: p.File.Change.Path, Status: string(plan.FileApplied)}
	if p.Taken(now) {
		r.Status, r.Reason = string(plan.FilePending), "what an earlier revision had applied was taken back"
	}
	return r
}

// tally counts the changes of an execution. Before the execution begins, it lists what is not yet
// as the execution will leave it.
type tally struct {
	todo  []todo
	past  []view.EarlierPart // for an undo: what earlier revisions have applied
	stale []string           // paths of files that were stale before
}

// todo is a hunk of a file, or the file itself if it has no hunks.
type todo struct {
	file *view.File
	hunk int
}

// newTally returns the tally of an execution that is about to begin.
func (t *table) newTally(h *entry, x *Execution) tally {
	var sum tally
	for _, p := range slices.Concat(x.intent.Parts, x.intent.Made) {
		sum.past = append(sum.past, p.Earlier...)
		if p.File.Outside {
			continue
		}
		v := t.current(h, p.File)
		if v.Status == plan.FileStale {
			sum.stale = append(sum.stale, v.Change.Path)
		}
		for _, i := range p.Units() {
			if v.Applied(i) == x.intent.Undoes() {
				sum.todo = append(sum.todo, todo{p.File, i})
			}
		}
	}
	return sum
}

// outcomeOf returns the result of an execution of edits so far.
func (t *table) outcomeOf(h *entry, x *Execution) *state.Outcome {
	o := &state.Outcome{Verdict: x.intent.Verdict, Ended: x.ended, Already: !x.intent.Undoes()}
	done := map[string]bool{}
	for _, one := range x.tally.todo {
		if t.current(h, one.file).Applied(one.hunk) != x.intent.Undoes() {
			o.Changes++
			done[one.file.Change.Path] = true
		}
	}
	o.ChangedFiles = len(done)
	changes, files := pastTaken(h.Plan(), x.tally.past)
	o.Changes, o.ChangedFiles = o.Changes+changes, o.ChangedFiles+files
	for _, p := range x.intent.files() {
		if p.File.Outside {
			continue
		}
		v := t.current(h, p.File)
		o.Paths = append(o.Paths, p.File.Change.Path, p.File.Change.NewPath)
		o.Already = o.Already && v.Status == plan.FileApplied
		o.Unclear = o.Unclear || v.Status == plan.FileUnverified
		o.Left += undecidedUnits(v)
		if v.Reason != "" && (v.Status != plan.FileStale || x.intent.Reviews() && !slices.Contains(x.tally.stale, p.File.Change.Path)) {
			o.Problems = append(o.Problems, state.FileResult{Path: p.File.Change.Path, Status: string(v.Status), Reason: v.Reason})
		}
	}
	o.Already = o.Already && o.Changes == 0
	return o
}

// undecidedUnits counts the hunks of a file that are pending or stale; a pending file without
// hunks counts as one.
func undecidedUnits(v *view.File) int {
	if v.Len() == 0 && v.Status == plan.FilePending {
		return 1
	}
	n := 0
	for range v.Undecided {
		n++
	}
	return n
}

// pastTaken counts the hunks and moves of the parts that are no longer applied, and their files.
func pastTaken(p *plan.Plan, parts []view.EarlierPart) (changes, files int) {
	in := map[string]bool{}
	for _, part := range parts {
		n := part.Taken(p)
		if changes += n; n > 0 {
			in[part.Change.Path] = true
		}
	}
	return changes, len(in)
}

// Unstored is one record that could not be stored yet.
type Unstored struct {
	Plan      int                         // the number of its plan, 0 for none or one without a number yet
	Execution int64                       // the execution whose outcome it is, else 0
	Store     func(context.Context) error // stores the record
	Stored    string                      // the message to the user once it is stored
}

// Backlog keeps the records of a session that could not be stored, as on a full disk, oldest
// first, and stores them as soon as it can. Until then they are only in memory, and look to the
// user as if they were stored. An approval or an undo never waits here: its record must be stored
// before anything is sent to an editor. Its methods may be called from any goroutine.
type Backlog struct {
	session *session.Session
	storing sync.Mutex // locked while records are stored

	mu      sync.Mutex
	records []*Unstored
}

// NewBacklog returns an empty backlog.
func NewBacklog(s *session.Session) *Backlog { return &Backlog{session: s} }

// ErrUnderway means that a plan is being carried out, so nothing can be staged in it now.
var ErrUnderway = errors.New("the plan is being carried out")

// MayPass reports whether a record that could not be stored because of err may be stored
// later: the failure is temporary, the user can fix it during the session, or the plan is
// being carried out.
func MayPass(err error) bool {
	return errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrLocked) || errors.Is(err, store.ErrUnwritable) || errors.Is(err, ErrUnderway)
}

// Add adds a record that could not be stored because of err, and notifies the user with
// what, a sentence that says what is not stored yet.
func (b *Backlog) Add(r Unstored, what string, err error) {
	b.mu.Lock()
	b.records = append(b.records, &r)
	b.mu.Unlock()
	b.session.Log.Warn("a record could not be stored yet", zap.Int("plan", r.Plan), zap.Error(err))
	b.session.Notify(state.Event{Kind: state.Noticed, Error: fmt.Sprintf("%s Redline tries again by itself; until then it is lost if Redline ends. (%s)", what, err)})
}

// Store stores the records, oldest first, and notifies the user of each. It stops at the first
// that cannot be stored yet and returns why; nil means that none is left. A record whose plan is
// being carried out does not delay the others. Store drops a record that can never be stored.
func (b *Backlog) Store(ctx context.Context) error {
	b.storing.Lock()
	defer b.storing.Unlock()
	var waits []*Unstored
	var underway error
	for {
		r := b.firstBut(waits)
		if r == nil {
			return underway
		}
		err := r.Store(ctx)
		switch {
		case errors.Is(err, ErrUnderway):
			waits, underway = append(waits, r), err
			continue
		case err != nil && (MayPass(err) || ctx.Err() != nil):
			return err
		}
		b.remove(func(other *Unstored) bool { return other == r })
		notice := state.Event{Kind: state.Noticed, Text: r.Stored}
		if err != nil {
			notice = state.Event{Kind: state.Noticed, Error: "What could not be kept before cannot be kept at all: " + phrase.SentenceOf(err)}
		}
		b.session.Notify(notice)
	}
}

// Has reports whether a record of a plan waits.
func (b *Backlog) Has(plan int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.records, func(r *Unstored) bool { return r.Plan == plan && plan != 0 })
}

// Drop removes the outcome of an execution, which was stored in another way.
func (b *Backlog) Drop(execution int64) {
	b.remove(func(r *Unstored) bool { return r.Execution != 0 && r.Execution == execution })
}

// firstBut returns the oldest record that is not in waits, nil for none.
func (b *Backlog) firstBut(waits []*Unstored) *Unstored {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.records {
		if !slices.Contains(waits, r) {
			return r
		}
	}
	return nil
}

func (b *Backlog) remove(of func(*Unstored) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records = slices.DeleteFunc(b.records, of)
}
