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

// reuse owns what models answered, for the same request again.
type reuse struct{ db *database }

// Reuse is what a model did when it was asked something. Record is the agent's own.
type Reuse struct {
	Key    string // of all that the model was told
	Plan   int    // the number of the plan that came of it
	Kept   time.Time
	Record string // JSON
}

// SaveReuse keeps what came of a request, in place of what is kept under its key.
// The oldest of the workspace go when there are more than 100.
func (rs *reuse) SaveReuse(ctx context.Context, workspace string, r *Reuse) error {
	return rs.db.write(ctx, func(tx *sql.Tx) error {
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

// Reusable returns what is kept under a key and not older than 30 days at the time
// now; ok is false if there is nothing.
func (rs *reuse) Reusable(ctx context.Context, workspace, key string, now time.Time) (r Reuse, ok bool, err error) {
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
