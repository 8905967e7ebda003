package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"redline/agent/audit"
	"redline/agent/plan"
)

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
