package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"redline/agent/trace"
)

// keepTraces is how many traces of a workspace are kept.
const keepTraces = 200

// traces owns the traces of turns.
type traces struct{ db *database }

// SaveTrace notes the trace of a turn that has ended, and replaces one with the same id. It
// removes the oldest of the workspace if there are more than 200. The trace is stored with what
// this store writes next, or by [Store.Flush].
func (ts *traces) SaveTrace(workspace string, t *trace.Trace) error {
	text, err := toJSON("the trace of a turn", t)
	if err != nil {
		return err
	}
	id, turn, number, ended := t.ID, t.Turn, t.Plan, nanos(t.Ended)
	ts.db.writeBehind(func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO traces (workspace, id, turn, plan, ended, trace) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET plan = excluded.plan, ended = excluded.ended, trace = excluded.trace`,
			workspace, id, turn, number, ended, text)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM traces WHERE workspace = ?1 AND seq <= (
			SELECT seq FROM traces WHERE workspace = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)`, workspace, keepTraces)
		return err
	})
	return nil
}

// TraceFilter selects the traces that match each field that is set.
type TraceFilter struct {
	ID           string // of all sessions
	Turn         string // the id in its session; several sessions may have it
	Conversation string
	Plan         int // of the plan that it made or changed
	Limit        int // the newest; 0 for all
}

// Traces returns the traces of a workspace that a filter selects, oldest first.
func (ts *traces) Traces(ctx context.Context, workspace string, f TraceFilter) ([]trace.Trace, error) {
	ts.db.settle(ctx)
	var list []trace.Trace
	err := ts.db.read(ctx, func(tx *sql.Tx) (err error) {
		limit := f.Limit
		if limit <= 0 {
			limit = keepTraces
		}
		list, err = tracesOf(tx, `SELECT trace FROM (SELECT seq, trace FROM traces
			WHERE workspace = ?1 AND (?2 = '' OR id = ?2) AND (?3 = '' OR turn = ?3) AND (?4 = 0 OR plan = ?4)
			AND (?6 = '' OR json_extract(trace, '$.conversation') = ?6)
			ORDER BY seq DESC LIMIT ?5) ORDER BY seq`, workspace, f.ID, f.Turn, f.Plan, limit, f.Conversation)
		return err
	})
	return list, err
}

// tracesOf returns the traces that a query selects.
func tracesOf(tx *sql.Tx, query string, args ...any) (list []trace.Trace, err error) {
	err = each(tx, query, args, func(rows *sql.Rows) error {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		var t trace.Trace
		if err := fromJSON(text, &t); err != nil {
			return err
		}
		list = append(list, t)
		return nil
	})
	return list, err
}

// Fallbacks returns how many traces of turns there are of a workspace, "" for all, that ended at or
// after since, and those of them in which a fallback was taken.
func (ts *traces) Fallbacks(ctx context.Context, workspace string, since time.Time) (all int, taken []trace.Trace, err error) {
	ts.db.settle(ctx)
	const where = ` FROM traces WHERE (?1 = '' OR workspace = ?1) AND ended >= ?2`
	err = ts.db.read(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRow(`SELECT COUNT(*)`+where, workspace, nanos(since)).Scan(&all); err != nil {
			return err
		}
		var err error
		taken, err = tracesOf(tx, `SELECT trace`+where+` AND instr(trace, ?3) > 0 ORDER BY seq`,
			workspace, nanos(since), fmt.Sprintf(`"kind":%q`, trace.Fallback))
		return err
	})
	return all, taken, err
}

// RemoveTraces removes the traces of turns of a workspace, "" for all, that ended before a
// time. With the zero time it removes none.
func (p *Pruning) RemoveTraces(ctx context.Context, workspace string, before time.Time) error {
	if before.IsZero() {
		return nil
	}
	return p.store.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM traces WHERE ended < ?1 AND (?2 = '' OR workspace = ?2)`, nanos(before), workspace)
		return err
	})
}
