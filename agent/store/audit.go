package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sync"
	"time"

	"redline/agent/audit"
	"redline/agent/plan"
	"redline/workspace/secrets"
)

// auditLog owns the audit log: its table, its head, and the records not stored yet.
type auditLog struct {
	db           *database
	head         headFile
	headInMemory memoryHead // used instead of head if the database is in memory
	shown        queue[audit.Record]
}

// recorded runs f in one transaction, like write, and appends the records that f returns to
// the audit log in the same transaction, after those of what clients were shown before.
func (l *auditLog) recorded(ctx context.Context, f func(*sql.Tx) ([]audit.Record, error)) error {
	var log appended
	var shown []audit.Record
	err := l.db.write(ctx, func(tx *sql.Tx) error {
		records, err := f(tx)
		if err != nil {
			return err
		}
		shown = l.shown.take() // here no other transaction of this store can come between
		log, err = l.append(tx, shown, records)
		return err
	})
	if err != nil {
		l.shown.add(true, shown...)
		return err
	}
	if log.n > 0 && l.db.Kept() { // the head belongs to the log on disk
		_ = l.head.advance(log.head, log.last, log.base) // it reports errors itself, and the next record updates it
	}
	return nil
}

// appended is what a transaction has added to the audit log.
type appended struct {
	n          int
	head       audit.Head
	last, base audit.Link
}

// append appends records to the audit log.
func (l *auditLog) append(tx *sql.Tx, lists ...[]audit.Record) (log appended, err error) {
	for _, records := range lists {
		for _, r := range records {
			if log.n == 0 {
				if log.head, log.last, err = l.end(tx); err != nil {
					return log, err
				}
			}
			e, err := audit.Next(log.head.Key, log.last, r)
			if err != nil {
				return log, err
			}
			_, err = tx.Exec(`INSERT INTO audit (seq, workspace, record, hash) VALUES (?, ?, ?, ?)`, e.Seq, e.Workspace, e.Record, e.Hash)
			if err != nil {
				return log, err
			}
			if r.Dropped != nil {
				log.base = *r.Dropped
			}
			log.last = e.Link()
			log.n++
		}
	}
	return log, nil
}

// end returns the head of the log, and the record that the next one follows. If the log ends
// before the record that its head names, that record is returned, so that the gap stays.
func (l *auditLog) end(tx *sql.Tx) (audit.Head, audit.Link, error) {
	var last audit.Link
	err := tx.QueryRow(`SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1`).Scan(&last.Count, &last.Hash)
	if err != nil && err != sql.ErrNoRows {
		return audit.Head{}, last, err
	}
	head := l.headAfter(last)
	if head.Last.Count >= last.Count {
		last = head.Last
	}
	return head, last, nil
}

// headAfter returns the head that the record after last follows.
func (l *auditLog) headAfter(last audit.Link) audit.Head {
	if l.db.Kept() {
		return l.head.current(last)
	}
	return l.headInMemory.after(last) // the one in the directory belongs to the log there
}

// memoryHead is the head of an audit log in memory.
type memoryHead struct {
	mu   sync.Mutex
	head *audit.Head // nil until needed
}

// after returns the head. The first call makes one that follows last.
func (m *memoryHead) after(last audit.Link) audit.Head {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.head == nil {
		h := audit.NewHead(last)
		m.head = &h
	}
	return *m.head
}

// telling makes the audit record of a change of a plan, in the transaction of that change.
type telling func(tx *sql.Tx, planID int64) (audit.Record, error)

func tells(r audit.Record) telling {
	return func(*sql.Tx, int64) (audit.Record, error) { return r, nil }
}

// OnWarning sets the function that gets a sentence when something could not be stored but no
// method fails because of it. Call OnWarning before the store is used; f must not use the store.
func (l *auditLog) OnWarning(f func(string)) { l.head.warn, l.db.warn = f, f }

// Shown records that a client was shown a revision of a plan. It never waits: the record is
// in the audit log before that of any later decision by this store, and on disk once
// [Store.Flush] has returned.
func (l *auditLog) Shown(workspace string, number, revision int, hash, client string, at time.Time) {
	l.shown.add(false, audit.Record{
		At: at, Workspace: workspace, Event: audit.Shown, Plan: number, Revision: revision, Approval: hash, Client: client,
	})
}

// Flush stores the records that [Store.Shown], [Store.SaveTrace] and [Store.SaveReuse] noted. If that
// fails, it keeps them for the next call.
func (l *auditLog) Flush(ctx context.Context) error {
	if l.shown.waiting()+l.db.behind.waiting() == 0 {
		return nil
	}
	return l.recorded(ctx, func(*sql.Tx) ([]audit.Record, error) { return nil, nil })
}

// revised returns the record of a revision that was made, or came with an import.
func revised(event audit.Event, workspace string, p *plan.Plan, r *plan.Revision) audit.Record {
	return audit.Record{
		At: r.Created, Workspace: workspace, Event: event, Plan: p.Number, Revision: r.Number,
		Approval: r.Hash, Who: r.Author, Reason: r.Note,
	}
}

// decided returns the record of a decision.
func decided(workspace string, p *plan.Plan, d *plan.Decision) audit.Record {
	r := audit.Record{
		At: d.At, Workspace: workspace, Event: eventOf(d.Verdict), Plan: p.Number, Revision: d.Revision,
		Approval: d.Hash, Who: d.Who, Client: d.Client, Way: d.Way, Through: d.Through, Reason: d.Reason,
	}
	if d.Path != "" || d.Operation != "" || len(d.Hunks)+len(d.Stale)+len(d.Commands) > 0 {
		r.Scope = &audit.Scope{Path: d.Path, Hunks: d.Hunks, Stale: d.Stale, Operation: d.Operation}
		if current, ok := p.Revision(d.Revision); ok {
			for _, id := range d.Commands {
				if o, found := current.Operation(id); found {
					r.Scope.Commands = append(r.Scope.Commands, audit.Command{Operation: id, Command: o.Command, Cwd: o.Folder()})
				}
			}
		}
	}
	for i := range p.Trials {
		if t := &p.Trials[i]; slices.Contains(d.Trials, t.ID) {
			r.Trials = append(r.Trials, audit.Trial{ID: t.ID, Command: secrets.MaskedCommand(t.Command), Cwd: t.Cwd, ExitCode: t.ExitCode})
		}
	}
	return r
}

func eventOf(v plan.Verdict) audit.Event {
	switch v {
	case plan.VerdictApprove:
		return audit.Approved
	case plan.VerdictReview:
		return audit.Reviewed
	case plan.VerdictReject:
		return audit.Rejected
	case plan.VerdictUndo:
		return audit.Undone
	}
	return audit.Event(v)
}

// ErrTampered reports that the audit log was changed from outside.
var ErrTampered = refusedAs(plan.NotAllowed, "the audit log is not whole")

// AuditLog calls yield for the records of a workspace, "" for all, oldest first, as of one
// moment; also for those under the workspace's earlier name, if that led through a link. It
// stops at the first error of yield, which must not use the store.
func (l *auditLog) AuditLog(ctx context.Context, workspace string, yield func(audit.Entry) error) error {
	where, args := "", []any(nil)
	if workspace != "" {
		where = ` WHERE workspace = ? OR workspace IN (SELECT was FROM moved WHERE workspace = ?)`
		args = []any{audit.Name(workspace), workspace}
	}
	return l.db.read(ctx, func(tx *sql.Tx) error { return entries(tx, where, args, noLimit, yield) })
}

// LastShown returns which revision of a plan a client was shown last, also in earlier sessions. ok is
// false if it was shown none.
func (l *auditLog) LastShown(ctx context.Context, workspace string, number int, client string) (revision int, hash string, ok bool, err error) {
	if err := l.Flush(ctx); err != nil {
		return 0, "", false, err
	}
	err = l.AuditLog(ctx, workspace, func(e audit.Entry) error {
		var r audit.Record
		if err := json.Unmarshal([]byte(e.Record), &r); err != nil {
			return err
		}
		if r.Event == audit.Shown && r.Plan == number && r.Client == client {
			revision, hash, ok = r.Revision, r.Approval, true
		}
		return nil
	})
	return revision, hash, ok, err
}

// entries calls yield for the first records that match a condition.
func entries(tx *sql.Tx, where string, args []any, limit int, yield func(audit.Entry) error) error {
	args = append(args, limit)
	return each(tx, `SELECT seq, workspace, record, hash FROM audit`+where+` ORDER BY seq LIMIT ?`, args, func(rows *sql.Rows) error {
		var e audit.Entry
		if err := rows.Scan(&e.Seq, &e.Workspace, &e.Record, &e.Hash); err != nil {
			return err
		}
		return yield(e)
	})
}

// VerifyAudit checks the audit log of all workspaces, as of one moment. Other calls of the
// store wait meanwhile.
func (l *auditLog) VerifyAudit(ctx context.Context) (audit.Report, error) {
	v := l.verifier() // read the head first, since the log may grow meanwhile
	err := l.db.read(ctx, func(tx *sql.Tx) error {
		return entries(tx, "", nil, noLimit, func(e audit.Entry) error { v.Add(e); return nil })
	})
	return v.Report(), err
}

func (l *auditLog) verifier() *audit.Verifier {
	head, err := l.head.read()
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		err = audit.ErrNoHead
	case !errors.Is(err, audit.ErrBadHead):
		err = errors.New("it cannot be read (" + reasonOf(err) + ")")
	}
	return audit.NewVerifier(head, err)
}

// PruneAudit removes the oldest records, up to the first that is not older than before, and
// records that at the time at; it returns how many it removed. The rest of the log can be
// verified as before. Only one process prunes at a time, see [Store.BeginPruning]. If the log
// was changed from outside, PruneAudit fails with [ErrTampered] and removes nothing, since
// that would destroy the evidence.
func (l *auditLog) PruneAudit(ctx context.Context, before, at time.Time) (dropped int, err error) {
	if err := l.Flush(ctx); err != nil {
		return 0, err
	}
	cut, dropped, err := l.droppable(ctx, before)
	if err != nil || dropped == 0 {
		return 0, err
	}
	err = l.recorded(ctx, func(tx *sql.Tx) ([]audit.Record, error) {
		var last string
		switch err := tx.QueryRow(`SELECT hash FROM audit WHERE seq = ?`, cut.Count).Scan(&last); {
		case err == sql.ErrNoRows, err == nil && last != cut.Hash: // another process has removed them
			dropped = 0
			return nil, nil
		case err != nil:
			return nil, err
		}
		if _, err := tx.Exec(`DELETE FROM audit WHERE seq <= ?`, cut.Count); err != nil {
			return nil, err
		}
		return []audit.Record{{
			At: at, Event: audit.Pruned, Who: "retention", Dropped: &cut,
			Reason: fmt.Sprintf("%d records from before %s were dropped", dropped, before.UTC().Format(time.RFC3339)),
		}}, nil
	})
	if err != nil {
		return 0, err
	}
	return dropped, nil
}

// logBatch is how many records are read at once by a check before pruning: a decision of this
// process waits for one batch at most.
const logBatch = 1000

// inBatches calls yield for the records of all workspaces, oldest first, without blocking
// others for long. No other process may remove records meanwhile.
func (l *auditLog) inBatches(ctx context.Context, yield func(audit.Entry) error) error {
	last, n := int64(math.MinInt64), logBatch
	for n == logBatch {
		var batch []audit.Entry
		err := l.db.read(ctx, func(tx *sql.Tx) error {
			return entries(tx, ` WHERE seq > ?`, []any{last}, logBatch, func(e audit.Entry) error {
				batch = append(batch, e)
				return nil
			})
		})
		if err != nil {
			return err
		}
		n = len(batch)
		for _, e := range batch {
			if err := yield(e); err != nil {
				return err
			}
			last = e.Seq
		}
	}
	return nil
}

// droppable returns the last of the records that are older than before, and the number of
// records up to it.
func (l *auditLog) droppable(ctx context.Context, before time.Time) (cut audit.Link, n int, err error) {
	v, old := l.verifier(), true
	err = l.inBatches(ctx, func(e audit.Entry) error {
		v.Add(e)
		r, err := e.Decode()
		if old = old && err == nil && r.At.Before(before); old {
			cut, n = e.Link(), n+1
		}
		return nil
	})
	if report := v.Report(); err == nil && n > 0 && report.Broken != nil {
		err = &failure{ErrTampered, "Nothing of the audit log was dropped, since it is evidence. " + report.Sentence(), nil}
	}
	return cut, n, err
}
