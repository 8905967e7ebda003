package store

import (
	"context"
	"database/sql"
	"os"
	"time"

	"redline/agent/plan"
)

// Execution is the record of an approval or an undo that was begun and of
// which it is not known what came of it.
type Execution struct {
	ID       int64
	Plan     int
	Revision int
	Verdict  plan.Verdict // approve or undo
	Paths    []string     // the files that something was to be sent for
	Commands []string     // ids of the operations that it runs: one, or none
	Process  int          // id of the process that began it
	Started  time.Time
}

// Begin stores, in one transaction, that d is now carried out: the plan, the
// decision, and the paths of the files that something will be sent for. It
// must return before anything is sent. The process holds a lease on the
// execution until [Store.Finish] or its end, see [Store.Alive]. It fails like
// Save, and with [ErrNotAsShown] if what is stored is not what was decided on.
func (s *Store) Begin(ctx context.Context, workspace string, p *plan.Plan, d *plan.Decision, paths []string) (id int64, err error) {
	list, err := toJSON("the list of files", paths)
	if err != nil {
		return 0, err
	}
	err = s.update(ctx, workspace, p, func(tx *sql.Tx, planID int64) error {
		if err := s.asShown(tx, planID, p.Number, d, paths); err != nil {
			return err
		}
		decision, err := addDecision(tx, planID, d)
		if err != nil {
			return err
		}
		err = tx.QueryRow(`INSERT INTO executions (plan, decision, paths, process, started, finished, outcome)
			VALUES (?, ?, ?, ?, ?, 0, '') RETURNING id`, planID, decision, list, os.Getpid(), nanos(d.At)).Scan(&id)
		if err == nil {
			s.leases.take(id) // before others can see the execution: they would take it for cut off
		}
		return err
	}, tells(decided(workspace, p, d)))
	if err != nil {
		s.leases.give(id)
		return 0, err
	}
	return id, nil
}

// Finish stores, in one transaction, the plan and what came of an execution.
// With waiting its record stays open: an editor has not answered, and what is
// in the text later will tell. It fails like Save.
func (s *Store) Finish(ctx context.Context, workspace string, p *plan.Plan, id int64, waiting bool) error {
	err := s.update(ctx, workspace, p, func(tx *sql.Tx, planID int64) error {
		if waiting {
			return nil
		}
		_, err := tx.Exec(`UPDATE executions SET finished = ?, outcome = ? WHERE id = ? AND plan = ?`,
			nanos(p.Updated), p.State, id, planID)
		return err
	}, executed(workspace, p, id, waiting))
	if err == nil && !waiting {
		s.leases.give(id)
	}
	return err
}

// Unfinished returns the executions in the workspace of which it is not known
// what came of them, oldest first: they run at this moment, wait for an
// editor's text, or were cut off.
func (s *Store) Unfinished(ctx context.Context, workspace string) ([]Execution, error) {
	var list []Execution
	err := s.read(ctx, func(tx *sql.Tx) error {
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
			_, _ = fromJSON(paths, &last.Paths), fromJSON(commands, &last.Commands) // of one that cannot be read it is known that it is there
			return nil
		})
	})
	return list, err
}
