package store

import (
	"context"
	"database/sql"

	"redline/agent/audit"
	"redline/agent/plan"
)

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
		var paths, hunks, commands string
		err := tx.QueryRow(`SELECT d.revision, d.hash, d.who, d.client, d.verdict, d.hunks, e.paths, e.commands
			FROM executions e JOIN decisions d ON d.id = e.decision WHERE e.id = ? AND e.plan = ?`, id, planID).
			Scan(&r.Revision, &r.Approval, &r.Who, &r.Client, &r.Outcome.Verdict, &hunks, &paths, &commands)
		if err == sql.ErrNoRows { // its record was closed, so the outcome of all parts is known
			return settled(workspace, p), nil
		}
		if err != nil {
			return r, err
		}
		var sent, named []string
		if err := fromJSON(paths, &sent); err != nil {
			return r, err
		}
		if err := fromJSON(hunks, &named); err != nil {
			return r, err
		}
		var ran []string
		if err := fromJSON(commands, &ran); err != nil {
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
