package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"time"

	"redline/agent/plan"
)

// handovers owns the decisions that one process hands over to the server of the editor that has the
// workspace open. All steps are transactions, so of two processes only one takes a handover, and one
// that was withdrawn is never begun.
type handovers struct {
	db    *database
	takes *locks // the lock of each handover that a process has taken
}

// HandoverState says how far a handover is.
type HandoverState string

// The states of a handover.
const (
	HandoverAsked     HandoverState = "asked"     // nobody has taken it yet
	HandoverTaken     HandoverState = "taken"     // a server has taken it, and stored nothing yet
	HandoverBegun     HandoverState = "begun"     // the first decision of it is stored
	HandoverRunning   HandoverState = "running"   // all is decided and applied; its commands run
	HandoverEnded     HandoverState = "ended"     // it is carried out, or was refused
	HandoverWithdrawn HandoverState = "withdrawn" // nothing of it is ever begun
)

// Handover is a decision that another process is asked to carry out. It binds to the revision that was
// shown. The store reads neither Choice nor Answer.
type Handover struct {
	ID       int64 // never given twice; 0 until it is stored
	Plan     int   // its number
	Revision int
	Hash     string
	Choice   string // JSON
	Way      string
	Client   string // the program that it comes from
	Process  int    // which has asked
	Asked    time.Time
	TakeBy   time.Time // nobody takes it up later
	BeginBy  time.Time // nothing of it is begun later
	State    HandoverState
	Editor   string // the editor whose server has taken it
	Answer   string // JSON
}

// keepHandovers is how long a handover is kept once it is over.
const keepHandovers = 24 * time.Hour

const handoverColumns = `h.id, p.number, h.revision, h.hash, h.choice, h.way, h.client, h.process, h.asked, h.take_by, h.begin_by, h.state, h.editor, h.answer
	FROM handovers h JOIN plans p ON p.id = h.plan`

func (h *Handover) into() []any {
	return []any{&h.ID, &h.Plan, &h.Revision, &h.Hash, &h.Choice, &h.Way, &h.Client, &h.Process, asTime{&h.Asked}, asTime{&h.TakeBy},
		asTime{&h.BeginBy}, &h.State, &h.Editor, &h.Answer}
}

// HandOver stores a handover, and sets its id, its times, its state and its process. It can be taken
// for take, and begun for begin.
func (hs *handovers) HandOver(ctx context.Context, workspace string, h *Handover, take, begin time.Duration) error {
	return hs.db.write(ctx, func(tx *sql.Tx) error {
		planID, _, err := find(tx, workspace, h.Plan)
		if err != nil {
			return err
		}
		now := time.Now()
		h.Asked, h.TakeBy, h.BeginBy = now.UTC(), now.Add(take).UTC(), now.Add(begin).UTC()
		h.State, h.Process = HandoverAsked, os.Getpid()
		if _, err := tx.Exec(`DELETE FROM handovers WHERE asked < ?`, nanos(now.Add(-keepHandovers))); err != nil {
			return err
		}
		return tx.QueryRow(`INSERT INTO handovers (plan, revision, hash, choice, way, client, process, asked, take_by, begin_by, state)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, planID, h.Revision, h.Hash, h.Choice, h.Way, h.Client, h.Process,
			nanos(h.Asked), nanos(h.TakeBy), nanos(h.BeginBy), h.State).Scan(&h.ID)
	})
}

// Handovers returns the handovers of a workspace that can be taken now, oldest first.
func (hs *handovers) Handovers(ctx context.Context, workspace string) ([]Handover, error) {
	now := nanos(time.Now())
	return hs.list(ctx, `WHERE h.state = 'asked' AND p.workspace = ? AND h.asked <= ? AND h.take_by >= ? ORDER BY h.id`, workspace, now, now)
}

// HandedOver returns the newest handover of a plan that is not over, as far as is stored: the process
// that has taken it may have ended, see [Store.Carries]. ok is false if there is none.
func (hs *handovers) HandedOver(ctx context.Context, workspace string, number int) (h Handover, ok bool, err error) {
	list, err := hs.list(ctx, `WHERE p.workspace = ? AND p.number = ? AND (h.state IN ('taken', 'begun', 'running') OR h.state = 'asked' AND h.take_by >= ?)
		ORDER BY h.id DESC LIMIT 1`, workspace, number, nanos(time.Now()))
	if len(list) == 0 || err != nil {
		return Handover{}, false, err
	}
	return list[0], true, nil
}

// Handover returns a handover as it is now. It fails if the handover was deleted with its plan.
func (hs *handovers) Handover(ctx context.Context, id int64) (Handover, error) {
	list, err := hs.list(ctx, `WHERE h.id = ?`, id)
	if err == nil && len(list) == 0 {
		err = &failure{ErrNoSuchPlan, "the plan was deleted meanwhile", nil}
	}
	if err != nil {
		return Handover{}, err
	}
	return list[0], nil
}

func (hs *handovers) list(ctx context.Context, where string, args ...any) (list []Handover, err error) {
	err = hs.db.each(ctx, `SELECT `+handoverColumns+` `+where, args, func(rows *sql.Rows) error {
		var h Handover
		err := rows.Scan(h.into()...)
		list = append(list, h)
		return err
	})
	return list, err
}

// TakeHandover takes a handover for the server of an editor. ok is false if another process was
// faster, or if it is too late. The process carries it until [Store.AnswerHandover] or its end.
func (hs *handovers) TakeHandover(ctx context.Context, id int64, editor string) (ok bool, err error) {
	if !hs.takes.take(id) { // before others can see that it is taken, and think that this process has ended
		return false, nil
	}
	defer func() {
		if !ok {
			hs.takes.give(id)
		}
	}()
	err = hs.db.write(ctx, func(tx *sql.Tx) error {
		now := nanos(time.Now())
		ok, err = first(tx.QueryRow(`UPDATE handovers SET state = 'taken', editor = ?1, taken = ?2
			WHERE id = ?3 AND state = 'asked' AND asked <= ?2 AND take_by >= ?2 RETURNING 1`, editor, now, id), new(int))
		return err
	})
	ok = ok && err == nil
	return ok, err
}

// WithdrawHandover makes sure that nothing of a handover is ever begun. ok is false if something of it was
// begun already.
func (hs *handovers) WithdrawHandover(ctx context.Context, id int64) (ok bool, err error) {
	err = hs.db.write(ctx, func(tx *sql.Tx) error {
		ok, err = first(tx.QueryRow(`UPDATE handovers SET state = 'withdrawn', answered = ?
			WHERE id = ? AND state IN ('asked', 'taken', 'withdrawn') RETURNING 1`, nanos(time.Now()), id), new(int))
		return err
	})
	return ok && err == nil, err
}

// AnswerHandover stores the answer to a handover that is not over, and its state, which is running or
// ended. With ended, this process no longer carries it, even if the answer could not be stored: the texts
// then show what was done.
func (hs *handovers) AnswerHandover(ctx context.Context, id int64, state HandoverState, answer string) error {
	err := hs.db.exec(ctx, `UPDATE handovers SET state = ?, answer = ?, answered = ? WHERE id = ? AND state IN ('taken', 'begun', 'running')`,
		state, answer, nanos(time.Now()), id)
	if state == HandoverEnded {
		hs.takes.give(id)
	}
	return err
}

// Carries reports whether a live process, this one included, carries out a handover.
func (hs *handovers) Carries(id int64) bool { return hs.takes.taken(id) }

// ErrTooLate reports that a decision which was handed over is void: it was withdrawn, or not begun in time.
var ErrTooLate = refusedAs(plan.Busy, "the decision came too late")

// beginHandover notes, in the transaction that stores a decision, that the handover which it belongs to
// is begun. It fails with [ErrTooLate] for one that is void: a process that was stopped after it has
// taken a handover applies nothing when it continues.
func beginHandover(tx *sql.Tx, d *plan.Decision) error {
	if d.Handover == 0 {
		return nil
	}
	now := nanos(time.Now())
	found, err := first(tx.QueryRow(`UPDATE handovers SET state = CASE state WHEN 'taken' THEN 'begun' ELSE state END
		WHERE id = ?1 AND (state IN ('begun', 'running') OR state = 'taken' AND asked <= ?2 AND begin_by >= ?2) RETURNING 1`, d.Handover, now), new(int))
	if err == nil && !found {
		err = &failure{ErrTooLate, fmt.Sprintf("the decision on plan %d came too late: nothing is applied", d.Plan), nil}
	}
	return err
}
