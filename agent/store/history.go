package store

import (
	"context"
	"database/sql"
	"time"

	"redline/agent/plan"
)

// historyBatch is how many plans are read at once.
const historyBatch = 500

// Histories calls yield with everything stored about each plan of a workspace, or of every
// workspace when it is "", that was made at or after since, in the order in which the plans
// were made. yield may keep its argument; its error stops the reading. It must not call the
// store.
func (ps *plans) Histories(ctx context.Context, workspace string, since time.Time, yield func(plan.History) error) error {
	for last := int64(0); ; {
		var batch []plan.History
		err := ps.db.read(ctx, func(tx *sql.Tx) (err error) {
			batch, last, err = historiesAfter(tx, workspace, since, last)
			return err
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		for _, h := range batch {
			if err := yield(h); err != nil {
				return err
			}
		}
	}
}

// historiesAfter reads the next plans after the row with the id after, and returns the id of
// the last one.
func historiesAfter(tx *sql.Tx, workspace string, since time.Time, after int64) (list []plan.History, last int64, err error) {
	const where = `id > ? AND (? = '' OR workspace = ?) AND created >= ? ORDER BY id LIMIT ?`
	args := []any{after, workspace, workspace, nanos(since), historyBatch}
	plans, byID, err := plansIn(tx, where, args)
	if err != nil || len(plans) == 0 {
		return nil, after, err
	}
	of := make(map[*plan.Plan]*plan.History, len(plans))
	list = make([]plan.History, len(plans))
	for i, p := range plans {
		list[i].Plan, of[p] = p, &list[i]
	}
	first := int64(0)
	for id := range byID {
		last = max(last, id)
		if first == 0 || id < first {
			first = id
		}
	}
	err = each(tx, `SELECT plan, revision, verdict, hunks, stale, at FROM decisions WHERE plan BETWEEN ? AND ? ORDER BY plan, id`,
		[]any{first, last}, func(rows *sql.Rows) error {
			var id, at int64
			var d plan.Decision
			var hunks, stale string
			if err := rows.Scan(&id, &d.Revision, &d.Verdict, &hunks, &stale, &at); err != nil {
				return err
			}
			h := of[byID[id]]
			if h == nil {
				return nil // it belongs to another workspace
			}
			d.Plan, d.At = h.Number, fromNanos(at)
			h.Decisions = append(h.Decisions, d)
			kept := &h.Decisions[len(h.Decisions)-1]
			if err := fromJSON(hunks, &kept.Hunks); err != nil {
				return err
			}
			return fromJSON(stale, &kept.Stale)
		})
	if err != nil {
		return nil, after, err
	}
	err = each(tx, `SELECT e.plan, d.verdict, e.started, e.finished, e.outcome FROM executions e JOIN decisions d ON d.id = e.decision
		WHERE e.plan BETWEEN ? AND ? ORDER BY e.id`, []any{first, last}, func(rows *sql.Rows) error {
		var id, started, finished int64
		var e plan.Execution
		if err := rows.Scan(&id, &e.Verdict, &started, &finished, &e.Outcome); err != nil {
			return err
		}
		if h := of[byID[id]]; h != nil {
			e.Started, e.Finished = fromNanos(started), fromNanos(finished)
			h.Executions = append(h.Executions, e)
		}
		return nil
	})
	return list, last, err
}
