package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// keepReuse is how many requests of a workspace are kept for reuse, and reuseFor
// how long.
const (
	keepReuse = 100
	reuseFor  = 30 * 24 * time.Hour
)

// reuse owns the answers of models that can be reused for an equal request.
type reuse struct{ db *database }

// Reuse is a model's answer to a request. The store does not read Record.
type Reuse struct {
	Key    string // hash of everything that was sent to the model
	Plan   int    // the number of the resulting plan
	Kept   time.Time
	Record string // JSON
}

// SaveReuse notes the answer to a request, and replaces one with the same key. It removes
// the oldest of the workspace if there are more than 100. The answer is stored with what this store
// writes next, or by [Store.Flush].
func (rs *reuse) SaveReuse(workspace string, r Reuse) {
	rs.db.writeBehind(func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO reuse (workspace, key, plan, kept, record) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (workspace, key) DO UPDATE SET plan = excluded.plan, kept = excluded.kept, record = excluded.record`,
			workspace, r.Key, r.Plan, nanos(r.Kept), r.Record)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM reuse WHERE workspace = ?1 AND kept <= (
			SELECT kept FROM reuse WHERE workspace = ?1 ORDER BY kept DESC LIMIT 1 OFFSET ?2)`, workspace, keepReuse)
		return err
	})
}

// Reusable returns the answer with a key, if it is at most 30 days old at the time now; ok is
// false if there is none.
func (rs *reuse) Reusable(ctx context.Context, workspace, key string, now time.Time) (r Reuse, ok bool, err error) {
	rs.db.settle(ctx)
	err = rs.db.read(ctx, func(tx *sql.Tx) error {
		var kept int64
		err := tx.QueryRow(`SELECT key, plan, kept, record FROM reuse WHERE workspace = ? AND key = ? AND kept >= ?`,
			workspace, key, nanos(now.Add(-reuseFor))).Scan(&r.Key, &r.Plan, &kept, &r.Record)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		r.Kept, ok = fromNanos(kept), err == nil
		return err
	})
	return r, ok, err
}
