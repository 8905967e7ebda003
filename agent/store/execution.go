package store

import (
	"context"
	"database/sql"
	"os"
	"time"

	"redline/agent/plan"
)

// executions owns the records of executions and their leases: a lease shows that the process
// that began an execution still works on it. Without lock files there are no leases.
type executions struct {
	db     *database
	plans  *plans
	leases *locks
}

// Execution is the record of an approval or an undo that was begun and whose outcome is still
// unknown.
type Execution struct {
	ID       int64
	Plan     int
	Revision int
	Verdict  plan.Verdict // approve or undo
	Paths    []string     // the files to be changed
	Commands []string     // ids of the operations that it runs, several if they run at the same time
	Process  int          // id of the process that began it
	Started  time.Time
}

// Begin stores, in one transaction, that the decision d is being carried out: the plan, the
// decision, and the paths of the files to be changed. It must return before anything is sent
// to the editor. The process holds a lease on the execution until [Store.Finish], or until it
// ends: see [Store.Alive]. Begin fails like Save, and with [ErrNotAsShown] if the stored
// revision is not the one that was decided on.
func (x *executions) Begin(ctx context.Context, workspace string, p *plan.Plan, d *plan.Decision, paths []string) (id int64, err error) {
	list, err := toJSON("the list of files", paths)
	if err != nil {
		return 0, err
	}
	err = x.plans.update(ctx, workspace, p, func(tx *sql.Tx, planID int64) error {
		if err := x.plans.asShown(tx, planID, p.Number, d, paths); err != nil {
			return err
		}
		decision, err := addDecision(tx, planID, d)
		if err != nil {
			return err
		}
		err = tx.QueryRow(`INSERT INTO executions (plan, decision, paths, process, started, finished, outcome)
			VALUES (?, ?, ?, ?, ?, 0, '') RETURNING id`, planID, decision, list, os.Getpid(), nanos(d.At)).Scan(&id)
		if err == nil {
			x.leases.take(id) // before others can see the execution and think that it was interrupted
		}
		return err
	}, tells(decided(workspace, p, d)))
	if err != nil {
		x.leases.give(id)
		return 0, err
	}
	return id, nil
}

// Finish stores, in one transaction, the plan and the outcome of an execution. If waiting is
// true the record stays open: the editor has not answered, and the text will show the outcome
// later. It fails like Save.
func (x *executions) Finish(ctx context.Context, workspace string, p *plan.Plan, id int64, waiting bool) error {
	err := x.plans.update(ctx, workspace, p, func(tx *sql.Tx, planID int64) error {
		if waiting {
			return nil
		}
		_, err := tx.Exec(`UPDATE executions SET finished = ?, outcome = ? WHERE id = ? AND plan = ?`,
			nanos(p.Updated), p.State, id, planID)
		return err
	}, executed(workspace, p, id, waiting))
	if err == nil && !waiting {
		x.leases.give(id)
	}
	return err
}

// Unfinished returns the executions in the workspace whose outcome is unknown, oldest first:
// they are running, wait for an editor's text, or were interrupted.
func (x *executions) Unfinished(ctx context.Context, workspace string) ([]Execution, error) {
	var list []Execution
	err := x.db.read(ctx, func(tx *sql.Tx) error {
		return each(tx, `SELECT e.id, p.number, d.revision, d.verdict, e.paths, e.commands, e.process, e.started
			FROM executions e JOIN plans p ON p.id = e.plan JOIN decisions d ON d.id = e.decision
			WHERE p.workspace = ? AND e.finished = 0 ORDER BY e.id`, []any{workspace}, func(rows *sql.Rows) error {
			var e Execution
			var paths, commands string
			var started int64
			if err := rows.Scan(&e.ID, &e.Plan, &e.Revision, &e.Verdict, &paths, &commands, &e.Process, &started); err != nil {
				return err
			}
			e.Started = fromNanos(started)
			list = append(list, e)
			last := &list[len(list)-1]
			_, _ = fromJSON(paths, &last.Paths), fromJSON(commands, &last.Commands) // an unreadable record still shows that there is one
			return nil
		})
	})
	return list, err
}

// Forsake releases the lease of an execution whose outcome this process cannot store, so
// that another process can read the outcome from the files.
func (x *executions) Forsake(id int64) { x.leases.give(id) }

// Alive reports whether the process that began an execution, this one included, still
// holds its lease.
func (x *executions) Alive(id int64) bool { return x.leases.taken(id) }
