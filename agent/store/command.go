package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"

	"redline/agent/plan"
)

// ErrNotApproved reports that a command has no approval at the stored revision, so it does
// not begin.
var ErrNotApproved = errors.New("this command was not approved as it is")

// Command stores, in one transaction, the state of a plan's command that is about to run or
// waits: the plan, and the record of its execution. If id is 0 it creates that record, otherwise
// it adds the command to record id. It must return before a process starts. [Store.Finish]
// closes the record and releases the process's lease. Command fails like Begin, and with
// [ErrNotApproved] if no stored approval names the operation at the current revision.
func (x *executions) Command(ctx context.Context, workspace string, p *plan.Plan, operation string, id int64) (int64, error) {
	list, err := toJSON("the list of commands", []string{operation})
	if err != nil {
		return 0, err
	}
	begun := id != 0
	err = x.plans.update(ctx, workspace, p, func(tx *sql.Tx, planID int64) error {
		decision, err := x.approval(tx, planID, p, operation)
		if err == nil && begun {
			return x.addCommand(tx, id, operation)
		}
		if err != nil {
			return err
		}
		err = tx.QueryRow(`INSERT INTO executions (plan, decision, paths, commands, process, started, finished, outcome)
			VALUES (?, ?, '[]', ?, ?, ?, 0, '') RETURNING id`, planID, decision, list, os.Getpid(), nanos(p.Updated)).Scan(&id)
		if err == nil {
			x.leases.take(id) // before others can see the execution and think that it was interrupted
		}
		return err
	})
	if err != nil && !begun {
		x.leases.give(id)
		id = 0
	}
	return id, err
}

// addCommand adds an operation to those of an execution's record, unless it is there.
func (x *executions) addCommand(tx *sql.Tx, id int64, operation string) error {
	var text string
	if err := tx.QueryRow(`SELECT commands FROM executions WHERE id = ?`, id).Scan(&text); err != nil {
		return err
	}
	var commands []string
	if err := fromJSON(text, &commands); err != nil || slices.Contains(commands, operation) {
		return err
	}
	list, err := toJSON("the list of commands", append(commands, operation))
	if err == nil {
		_, err = tx.Exec(`UPDATE executions SET commands = ? WHERE id = ?`, list, id)
	}
	return err
}

// approval finds the newest approval of a command, and checks that the stored revision is the
// approved one.
func (x *executions) approval(tx *sql.Tx, planID int64, p *plan.Plan, operation string) (id int64, err error) {
	d := plan.Decision{Plan: p.Number}
	err = each(tx, `SELECT id, revision, hash, commands FROM decisions WHERE plan = ? AND revision = ? AND verdict = ? ORDER BY id`,
		[]any{planID, p.Current, plan.VerdictApprove}, func(rows *sql.Rows) error {
			var row int64
			var revision int
			var hash, text string
			if err := rows.Scan(&row, &revision, &hash, &text); err != nil {
				return err
			}
			var commands []string
			if err := fromJSON(text, &commands); err != nil {
				return err
			}
			if slices.Contains(commands, operation) {
				id, d.Revision, d.Hash = row, revision, hash
			}
			return nil
		})
	switch {
	case err != nil:
		return 0, err
	case id == 0:
		return 0, ErrNotApproved
	}
	return id, x.plans.asShown(tx, planID, p.Number, &d, nil)
}
