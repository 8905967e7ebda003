package store

import (
	"context"
	"database/sql"

	"redline/agent/plan"
)

// Plan returns a plan of the workspace. It fails with [ErrNoSuchPlan].
func (s *Store) Plan(ctx context.Context, workspace string, number int) (*plan.Plan, error) {
	plans, err := s.plans(ctx, `workspace = ? AND number = ?`, workspace, number)
	if err == nil && len(plans) == 0 {
		err = noSuchPlan(number)
	}
	if err != nil {
		return nil, err
	}
	return plans[0], nil
}

// Filter names some of the plans of a workspace; the zero Filter names all.
type Filter struct {
	Open  bool // only those of which something is left to do or decide
	Limit int  // only so many, the newest; 0 for no limit
}

// Plans returns plans of the workspace, newest first.
func (s *Store) Plans(ctx context.Context, workspace string, f Filter) ([]*plan.Plan, error) {
	where := `workspace = ?`
	if f.Open {
		where += ` AND open = 1`
	}
	limit := f.Limit
	if limit == 0 {
		limit = -1
	}
	return s.plans(ctx, where+` ORDER BY number DESC LIMIT ?`, workspace, limit)
}

// plans returns the plans that a condition on the table selects, in its order.
func (s *Store) plans(ctx context.Context, where string, args ...any) ([]*plan.Plan, error) {
	var plans []*plan.Plan
	err := s.read(ctx, func(tx *sql.Tx) error {
		byID := map[int64]*plan.Plan{}
		err := each(tx, `SELECT id, number, conversation, goal, state, current, created, updated,
				next_hunk, next_operation, progress, version FROM plans WHERE `+where, args, func(rows *sql.Rows) error {
			id, p, err := scanPlan(rows)
			byID[id], plans = p, append(plans, p)
			return err
		})
		if err != nil {
			return err
		}
		return each(tx, `SELECT plan, number, parent, author, created, hash, description, text_only,
				predicted, steps, operations, changes
			FROM revisions WHERE plan IN (SELECT id FROM plans WHERE `+where+`) ORDER BY plan, number`, args, func(rows *sql.Rows) error {
			id, r, err := scanRevision(rows)
			if err == nil {
				byID[id].Revisions = append(byID[id].Revisions, r)
			}
			return err
		})
	})
	return plans, err
}

func each(tx *sql.Tx, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := tx.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func scanPlan(rows *sql.Rows) (id int64, p *plan.Plan, err error) {
	p = new(plan.Plan)
	var created, updated int64
	var progress string
	err = rows.Scan(&id, &p.Number, &p.Conversation, &p.Goal, &p.State, &p.Current, &created, &updated,
		&p.NextHunk, &p.NextOperation, &progress, &p.Version)
	if err != nil {
		return 0, nil, err
	}
	p.Created, p.Updated = fromNanos(created), fromNanos(updated)
	return id, p, fromJSON(progress, &p.Progress)
}

func scanRevision(rows *sql.Rows) (id int64, r plan.Revision, err error) {
	var created int64
	var predicted, steps, operations, changes string
	err = rows.Scan(&id, &r.Number, &r.Parent, &r.Author, &created, &r.Hash, &r.Description, &r.TextOnly,
		&predicted, &steps, &operations, &changes)
	if err != nil {
		return 0, r, err
	}
	r.Created = fromNanos(created)
	for _, column := range []struct {
		text string
		into any
	}{{predicted, &r.Predicted}, {steps, &r.Steps}, {operations, &r.Operations}, {changes, &r.Changes}} {
		if err := fromJSON(column.text, column.into); err != nil {
			return 0, r, err
		}
	}
	return id, r, nil
}

// Decisions returns the decisions on a plan, oldest first.
func (s *Store) Decisions(ctx context.Context, workspace string, number int) ([]plan.Decision, error) {
	var decisions []plan.Decision
	err := s.read(ctx, func(tx *sql.Tx) error {
		id, _, err := find(tx, workspace, number)
		if err != nil {
			return err
		}
		return each(tx, `SELECT revision, hash, verdict, path, hunks, operation, reason, who, client, at
			FROM decisions WHERE plan = ? ORDER BY id`, []any{id}, func(rows *sql.Rows) error {
			d := plan.Decision{Plan: number}
			var hunks string
			var at int64
			err := rows.Scan(&d.Revision, &d.Hash, &d.Verdict, &d.Path, &hunks, &d.Operation, &d.Reason, &d.Who, &d.Client, &at)
			if err != nil {
				return err
			}
			d.At = fromNanos(at)
			decisions = append(decisions, d)
			return fromJSON(hunks, &decisions[len(decisions)-1].Hunks)
		})
	})
	return decisions, err
}
