package store

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"time"

	"redline/agent/audit"
	"redline/agent/plan"
)

// auditLog owns the audit log: its table, its head, and the records not stored yet.
type auditLog struct {
	db           *database
	head         headFile
	headInMemory memoryHead // used instead of head if the database is in memory
	shown        shownQueue
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
		l.shown.putBack(shown)
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

// close writes the head to the disk.
func (l *auditLog) close() { l.head.close() }

// telling makes the audit record of a change of a plan, in the transaction of that change.
type telling func(tx *sql.Tx, planID int64) (audit.Record, error)

func tells(r audit.Record) telling {
	return func(*sql.Tx, int64) (audit.Record, error) { return r, nil }
}

// OnWarning sets the function that gets a sentence when something could not be stored but no
// method fails because of it. Call OnWarning before the store is used; f must not use the store.
func (l *auditLog) OnWarning(f func(string)) { l.head.warn, l.db.behind.warn = f, f }

// Shown records that a client was shown a revision of a plan. It never waits: the record is
// in the audit log before that of any later decision by this store, and on disk once
// [Store.Flush] has returned.
func (l *auditLog) Shown(workspace string, number, revision int, hash, client string, at time.Time) {
	l.shown.add(audit.Record{
		At: at, Workspace: workspace, Event: audit.Shown, Plan: number, Revision: revision, Approval: hash, Client: client,
	})
}

// Flush stores the records that [Store.Shown], [Store.SaveTrace] and [Store.SaveReuse] noted. If that
// fails, it keeps them for the next call.
func (l *auditLog) Flush(ctx context.Context) error {
	if l.shown.empty() && l.db.behind.empty() {
		return nil
	}
	return l.recorded(ctx, func(*sql.Tx) ([]audit.Record, error) { return nil, nil })
}

// shownQueue holds records of what was shown until a transaction takes them.
type shownQueue struct {
	mu      sync.Mutex
	records []audit.Record
}

func (q *shownQueue) add(r audit.Record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.records = append(q.records, r)
}

func (q *shownQueue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.records) == 0
}

func (q *shownQueue) take() []audit.Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	records := q.records
	q.records = nil
	return records
}

func (q *shownQueue) putBack(records []audit.Record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.records = append(records, q.records...)
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
		Approval: d.Hash, Who: d.Who, Client: d.Client, Reason: d.Reason,
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
			r.Trials = append(r.Trials, audit.Trial{ID: t.ID, Command: t.Command, Cwd: t.Cwd, ExitCode: t.ExitCode})
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
