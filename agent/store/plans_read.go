package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"redline/agent/plan"
)

// Unreadable is the error for a plan whose record cannot be read as a whole.
type Unreadable struct{ Plan *plan.Plan }

func (e *Unreadable) Error() string {
	return fmt.Sprintf("plan %d cannot be read (%s): reject it, or restore the plan database from a copy", e.Plan.Number, e.Plan.Unreadable)
}

// Plan returns a plan of the workspace. It fails with [ErrNoSuchPlan], or with an
// [Unreadable].
func (ps *plans) Plan(ctx context.Context, workspace string, number int) (*plan.Plan, error) {
	plans, err := ps.selected(ctx, `workspace = ? AND number = ?`, workspace, number)
	if err == nil && len(plans) == 0 {
		err = noSuchPlan(number)
	}
	if err != nil {
		return nil, err
	}
	if plans[0].Unreadable != "" {
		return nil, &Unreadable{plans[0]}
	}
	return plans[0], nil
}

// Filter selects plans of a workspace; the zero Filter selects all.
type Filter struct {
	Open         bool   // only those with something left to do or decide
	Conversation string // only those of this conversation; "" for all
	Ran          bool   // only those of which a command, or a trial, may have ended by itself
	Limit        int    // at most this many, the newest; 0 for no limit
	Unreadable   bool   // also those that cannot be read completely, see [plan.Plan.Unreadable]
}

// noLimit is SQLite's LIMIT for all rows.
const noLimit = -1

// Plans returns plans of the workspace, newest first.
func (ps *plans) Plans(ctx context.Context, workspace string, f Filter) ([]*plan.Plan, error) {
	where, args := `workspace = ?`, []any{workspace}
	if f.Open {
		where += ` AND open = 1`
	}
	if f.Conversation != "" {
		where, args = where+` AND conversation = ?`, append(args, f.Conversation)
	}
	if f.Ran { // most plans have none, and reading a plan costs more
		where += ` AND (instr(progress, '"exitCode":') > 0 OR instr(trials, '"exitCode":') > 0)`
	}
	limit := f.Limit
	if limit == 0 {
		limit = noLimit
	}
	plans, err := ps.selected(ctx, where+` ORDER BY number DESC LIMIT ?`, append(args, limit)...)
	if !f.Unreadable {
		plans = slices.DeleteFunc(plans, func(p *plan.Plan) bool { return p.Unreadable != "" })
	}
	return plans, err
}

// Open returns the versions of the open plans of the workspace, by number: they show which
// plans have changed, without reading the plans.
func (ps *plans) Open(ctx context.Context, workspace string) (versions map[int]int, err error) {
	versions = map[int]int{}
	err = ps.db.read(ctx, func(tx *sql.Tx) error {
		return each(tx, `SELECT number, version FROM plans WHERE workspace = ? AND open = 1`, []any{workspace}, func(rows *sql.Rows) error {
			var number, version int
			err := rows.Scan(&number, &version)
			versions[number] = version
			return err
		})
	})
	return versions, err
}

// selected returns the plans that a WHERE clause selects, in the order that it gives.
func (ps *plans) selected(ctx context.Context, where string, args ...any) ([]*plan.Plan, error) {
	var plans []*plan.Plan
	err := ps.db.read(ctx, func(tx *sql.Tx) (err error) {
		plans, _, err = plansIn(tx, where, args)
		return err
	})
	return plans, err
}

// plansIn does what selected does, within a transaction. It also returns the plans by the ids of
// their rows.
func plansIn(tx *sql.Tx, where string, args []any) (plans []*plan.Plan, byID map[int64]*plan.Plan, err error) {
	byID = map[int64]*plan.Plan{}
	err = each(tx, `SELECT id, number, conversation, goal, state, current, created, updated,
			next_hunk, next_operation, progress, trials, rating, version FROM plans WHERE `+where, args, func(rows *sql.Rows) error {
		id, p := scanPlan(rows)
		byID[id], plans = p, append(plans, p)
		return nil
	})
	if err != nil || len(plans) == 0 {
		return nil, byID, err
	}
	err = each(tx, `SELECT plan, number, parent, author, created, hash, description, text_only,
			predicted, steps, operations, changes, unfinished, note, prompt_tokens, completion_tokens, cost, report
		FROM revisions WHERE plan IN (SELECT id FROM plans WHERE `+where+`) ORDER BY plan, number`, args, func(rows *sql.Rows) error {
		id, r, err := scanRevision(rows)
		if p := byID[id]; err != nil && p != nil {
			p.Unreadable = cmp.Or(p.Unreadable, fmt.Sprintf("its revision %d cannot be read", r.Number))
		} else if p != nil {
			p.Revisions = append(p.Revisions, r)
		}
		return nil
	})
	return plans, byID, err
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

// scanPlan reads the row of a plan. If a part cannot be read, the plan is
// [plan.Plan.Unreadable], which is not an error, so the other plans are still read.
func scanPlan(rows *sql.Rows) (id int64, p *plan.Plan) {
	p = new(plan.Plan)
	var created, updated int64
	var progress, tried string
	err := rows.Scan(&id, &p.Number, &p.Conversation, &p.Goal, &p.State, &p.Current, &created, &updated,
		&p.NextHunk, &p.NextOperation, &progress, &tried, &p.Rating, &p.Version)
	if err != nil {
		var skip any
		_ = rows.Scan(&id, &p.Number, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip) // reads as much as it can
		_ = rows.Scan(&skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &p.Version)
		p.Unreadable = "its record cannot be read"
		return id, p
	}
	p.Created, p.Updated = fromNanos(created), fromNanos(updated)
	var had trials
	if fromJSON(tried, &had) == nil { // trials decide nothing, so a plan is whole without them
		p.Trials, p.NextTrial, p.Untried = had.Trials, had.Next, had.Untried
	}
	if fromJSON(progress, &p.Progress) != nil {
		p.Progress, p.Unreadable = plan.Progress{}, "how far it was carried out cannot be read"
	} else if !p.State.Known() {
		p.Unreadable = fmt.Sprintf("it has the state %.40q, which this Redline does not know", p.State)
	}
	return id, p
}

// scanRevision reads the row of a revision. If it fails, it still returns the plan's id and
// the revision's number if these can be read.
func scanRevision(rows *sql.Rows) (id int64, r plan.Revision, err error) {
	var created int64
	var predicted, steps, operations, changes, unfinished string
	err = rows.Scan(&id, &r.Number, &r.Parent, &r.Author, &created, &r.Hash, &r.Description, &r.TextOnly,
		&predicted, &steps, &operations, &changes, &unfinished, &r.Note, &r.Tokens.Prompt, &r.Tokens.Completion, &r.Tokens.Cost, &r.Report)
	if err != nil {
		var skip any
		_ = rows.Scan(&id, &r.Number, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip)
		return id, r, err
	}
	r.Created = fromNanos(created)
	for _, column := range []struct {
		text string
		into any
	}{{predicted, &r.Predicted}, {steps, &r.Steps}, {operations, &r.Operations}, {changes, &r.Changes}, {unfinished, &r.Unfinished}} {
		if err := fromJSON(column.text, column.into); err != nil {
			return id, r, err
		}
	}
	return id, r, nil
}

// Decisions returns the decisions on a plan, oldest first.
func (ps *plans) Decisions(ctx context.Context, workspace string, number int) ([]plan.Decision, error) {
	var decisions []plan.Decision
	err := ps.db.read(ctx, func(tx *sql.Tx) error {
		id, _, err := find(tx, workspace, number)
		if err != nil {
			return err
		}
		return each(tx, `SELECT revision, hash, verdict, path, hunks, stale, operation, reason, who, client, at, commands
			FROM decisions WHERE plan = ? ORDER BY id`, []any{id}, func(rows *sql.Rows) error {
			d := plan.Decision{Plan: number}
			var hunks, stale, commands string
			var at int64
			err := rows.Scan(&d.Revision, &d.Hash, &d.Verdict, &d.Path, &hunks, &stale, &d.Operation, &d.Reason, &d.Who, &d.Client, &at, &commands)
			if err != nil {
				return err
			}
			d.At = fromNanos(at)
			decisions = append(decisions, d)
			last := &decisions[len(decisions)-1]
			return errors.Join(fromJSON(hunks, &last.Hunks), fromJSON(stale, &last.Stale), fromJSON(commands, &last.Commands))
		})
	})
	return decisions, err
}
