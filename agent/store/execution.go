package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	"redline/agent/audit"
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
	err = x.plans.update(ctx, workspace, p, func(tx *sql.Tx, planID int64) error {
		if err := x.plans.asShown(tx, planID, p.Number, d, paths); err != nil {
			return err
		}
		decision, err := addDecision(tx, planID, d)
		if err == nil {
			id, err = x.add(tx, planID, decision, paths, []string{}, d.At)
		}
		return err
	}, tells(decided(workspace, p, d)))
	if err != nil {
		x.leases.give(id)
		return 0, err
	}
	return id, nil
}

// add makes the record of an execution, and takes its lease before others can see the record and
// think that the execution was interrupted.
func (x *executions) add(tx *sql.Tx, planID, decision int64, paths, commands []string, at time.Time) (id int64, err error) {
	lists, err := allJSON("the record of an execution", paths, commands)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(`INSERT INTO executions (plan, decision, paths, commands, process, started, finished, outcome)
		VALUES (?, ?, ?, ?, ?, ?, 0, '') RETURNING id`, planID, decision, lists[0], lists[1], os.Getpid(), nanos(at)).Scan(&id)
	if err == nil {
		x.leases.take(id)
	}
	return id, err
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
	err := x.db.each(ctx, `SELECT e.id, p.number, d.revision, d.verdict, e.paths, e.commands, e.process, e.started
		FROM executions e JOIN plans p ON p.id = e.plan JOIN decisions d ON d.id = e.decision
		WHERE p.workspace = ? AND e.finished = 0 ORDER BY e.id`, []any{workspace}, func(rows *sql.Rows) error {
		var e Execution
		var paths, commands string
		err := rows.Scan(&e.ID, &e.Plan, &e.Revision, &e.Verdict, &paths, &commands, &e.Process, asTime{&e.Started})
		_, _ = fromJSON(paths, &e.Paths), fromJSON(commands, &e.Commands) // an unreadable record still shows that there is one
		list = append(list, e)
		return err
	})
	return list, err
}

// Forsake releases the lease of an execution whose outcome this process cannot store, so
// that another process can read the outcome from the files.
func (x *executions) Forsake(id int64) { x.leases.give(id) }

// Alive reports whether the process that began an execution, this one included, still
// holds its lease.
func (x *executions) Alive(id int64) bool { return x.leases.taken(id) }

// ErrNotApproved reports that a command has no approval at the stored revision, so it does
// not begin.
var ErrNotApproved = errors.New("this command was not approved as it is")

// Command stores, in one transaction, the state of a plan's command that is about to run or
// waits: the plan, and the record of its execution. If id is 0 it creates that record, otherwise
// it adds the command to record id. It must return before a process starts. [Store.Finish]
// closes the record and releases the process's lease. Command fails like Begin, and with
// [ErrNotApproved] if no stored approval names the operation at the current revision.
func (x *executions) Command(ctx context.Context, workspace string, p *plan.Plan, operation string, id int64) (int64, error) {
	begun := id != 0
	err := x.plans.update(ctx, workspace, p, func(tx *sql.Tx, planID int64) error {
		decision, err := x.approval(tx, planID, p, operation)
		switch {
		case err != nil:
			return err
		case begun: // the record may have the command
			return tx.QueryRow(`UPDATE executions SET commands = CASE WHEN EXISTS (SELECT 1 FROM json_each(commands) WHERE value = ?1)
				THEN commands ELSE json_insert(commands, '$[#]', ?1) END WHERE id = ?2 RETURNING id`, operation, id).Scan(&id)
		}
		id, err = x.add(tx, planID, decision, []string{}, []string{operation}, p.Updated)
		return err
	})
	if err != nil && !begun {
		x.leases.give(id)
		id = 0
	}
	return id, err
}

// approval finds the newest approval of a command, and checks that the stored revision is the
// approved one.
func (x *executions) approval(tx *sql.Tx, planID int64, p *plan.Plan, operation string) (id int64, err error) {
	d := plan.Decision{Plan: p.Number}
	found, err := first(tx.QueryRow(`SELECT id, revision, hash FROM decisions WHERE plan = ? AND revision = ? AND verdict = ?
		AND EXISTS (SELECT 1 FROM json_each(decisions.commands) WHERE value = ?) ORDER BY id DESC LIMIT 1`,
		planID, p.Current, plan.VerdictApprove, operation), &id, &d.Revision, &d.Hash)
	switch {
	case err != nil:
		return 0, err
	case !found:
		return 0, ErrNotApproved
	}
	return id, x.plans.asShown(tx, planID, p.Number, &d, nil)
}

// Settle stores the plan like Save, after its files were re-read without a decision, and
// records the status of each file.
func (x *executions) Settle(ctx context.Context, workspace string, p *plan.Plan) error {
	return x.plans.update(ctx, workspace, p, func(*sql.Tx, int64) error { return nil }, tells(settled(workspace, p)))
}

// settled returns the record of the status of each file of a plan.
func settled(workspace string, p *plan.Plan) audit.Record {
	r := audit.Record{
		At: p.Updated, Workspace: workspace, Event: audit.Settled, Plan: p.Number, Revision: p.Current,
		Outcome: &audit.Outcome{State: string(p.State)},
	}
	if current, ok := p.Revision(p.Current); ok {
		r.Approval = current.Hash
		r.Outcome.Files = files(p, current, func(*plan.Change) bool { return true })
	}
	return r
}

// executed returns the function that makes the record of an execution's outcome: for the
// files sent to the editor, and further files that the decision names.
func executed(workspace string, p *plan.Plan, id int64, waiting bool) telling {
	return func(tx *sql.Tx, planID int64) (audit.Record, error) {
		r := audit.Record{At: p.Updated, Workspace: workspace, Event: audit.Executed, Plan: p.Number,
			Outcome: &audit.Outcome{State: string(p.State), Waiting: waiting}}
		var sent, named, ran []string
		err := tx.QueryRow(`SELECT d.revision, d.hash, d.who, d.client, d.verdict, d.hunks, e.paths, e.commands
			FROM executions e JOIN decisions d ON d.id = e.decision WHERE e.id = ? AND e.plan = ?`, id, planID).
			Scan(&r.Revision, &r.Approval, &r.Who, &r.Client, &r.Outcome.Verdict, asJSON{&named}, asJSON{&sent}, asJSON{&ran})
		if err == sql.ErrNoRows { // its record was closed, so the outcome of all parts is known
			return settled(workspace, p), nil
		}
		if err != nil {
			return r, err
		}
		if r.Outcome.Commands = commandsOf(p, r.Revision, ran); len(ran) == 0 {
			r.Outcome.Files = outcome(p, r.Revision, sent, named)
		}
		return r, nil
	}
}

// commandsOf returns the status of the commands among the operations.
func commandsOf(p *plan.Plan, revision int, ids []string) []audit.Command {
	var list []audit.Command
	r, ok := p.Revision(revision)
	for _, id := range ids {
		c := audit.Command{Operation: id}
		if ok {
			if o, found := r.Operation(id); found {
				c.Command, c.Cwd = o.Command, o.Folder()
			}
		}
		m := p.Progress.Command(id)
		c.Status, c.ExitCode, c.Verdict, c.Reason = string(m.Status), m.ExitCode, string(m.Verdict), m.Reason
		list = append(list, c)
	}
	return list
}

// outcome returns the status of the files with the given paths or hunks. It looks for parts
// that are not in the revision in earlier ones.
func outcome(p *plan.Plan, revision int, paths, hunks []string) []audit.File {
	wanted, named := set(paths), set(hunks)
	var list []audit.File
	for i := len(p.Revisions) - 1; i >= 0; i-- {
		r := &p.Revisions[i]
		if r.Number > revision {
			continue
		}
		list = append(list, files(p, r, func(c *plan.Change) bool {
			found := wanted[c.Path]
			for i := range c.Hunks {
				found = found || named[c.Hunks[i].ID]
			}
			if found { // the newest revision that has the file counts
				delete(wanted, c.Path)
				for i := range c.Hunks {
					delete(named, c.Hunks[i].ID)
				}
			}
			return found
		})...)
		if len(wanted)+len(named) == 0 {
			break
		}
	}
	return list
}

// files returns the status of the wanted files of a revision.
func files(p *plan.Plan, r *plan.Revision, wanted func(*plan.Change) bool) []audit.File {
	var list []audit.File
	for i := range r.Changes {
		c := &r.Changes[i]
		if !wanted(c) {
			continue
		}
		status, reason := p.File(r, c)
		f := audit.File{Path: c.Path, Status: string(status), Reason: reason, Hunks: make(map[string]string, len(c.Hunks))}
		for j := range c.Hunks {
			f.Hunks[c.Hunks[j].ID] = string(p.Progress.Hunk(c.Hunks[j].ID).Status)
		}
		list = append(list, f)
	}
	return list
}

func set(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}
