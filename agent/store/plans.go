package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync/atomic"

	"redline/agent/audit"
	"redline/agent/plan"
)

// plans owns plans, their revisions and texts, and the decisions on them.
type plans struct {
	db    *database
	log   *auditLog
	texts textCache

	// checked is the revision that asShown accepted last.
	checked atomic.Pointer[[sha256.Size]byte]
}

// CreatePlan stores a new plan of a workspace, with its revisions and their texts. The key of
// the workspace is the absolute path of its root. CreatePlan sets the plan's number to the
// next one of the workspace, unless its own is higher, the hashes of its revisions, and its id
// if it has none, or one that another plan of the workspace has. In the same transaction it removes the questions that the plan answers, by their ids.
func (ps *plans) CreatePlan(ctx context.Context, workspace string, p *plan.Plan, texts map[plan.Blob]string, answered ...int64) error {
	return ps.createPlan(ctx, workspace, p, texts, audit.Revised, func(tx *sql.Tx, _ int64) error { return settle(tx, answered) })
}

// trials is the form in which the results of checks of a plan are stored: its trials and what language
// servers have reported: {"trials":[{"id":"t1",…}],"next":1}.
type trials struct {
	Trials   []plan.Trial   `json:"trials,omitempty"`
	Next     int            `json:"next,omitempty"`
	Untried  plan.Untried   `json:"untried,omitzero"`
	Problems *plan.Problems `json:"problems,omitempty"`
}

func trialsOf(p *plan.Plan) (string, error) {
	return toJSON("the trials of the plan", trials{p.Trials, p.NextTrial, p.Untried, p.Problems})
}

// columns returns the progress and the trials of a plan as columns.
func columns(p *plan.Plan) (progress, tried string, err error) {
	if progress, err = toJSON("the progress of the plan", p.Progress); err == nil {
		tried, err = trialsOf(p)
	}
	return progress, tried, err
}

func (ps *plans) createPlan(ctx context.Context, workspace string, p *plan.Plan, texts map[plan.Blob]string, event audit.Event, more func(tx *sql.Tx, id int64) error) error {
	err := ps.log.recorded(ctx, func(tx *sql.Tx) (records []audit.Record, err error) {
		var number int
		err = tx.QueryRow(`SELECT max(coalesce(max(number), 0) + 1, ?) FROM plans WHERE workspace = ?`, p.Number, workspace).Scan(&number)
		if err != nil {
			return nil, err
		}
		p.SetNumber(number)
		var known bool
		if err := tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM plans WHERE workspace = ? AND uid = ?)`, workspace, p.ID).Scan(&known); err != nil {
			return nil, err
		}
		if known || p.ID == "" {
			p.ID = plan.NewID()
		}
		progress, tried, err := columns(p)
		if err != nil {
			return nil, err
		}
		shared, err := toJSON("what came from elsewhere", p.Shared)
		if err != nil {
			return nil, err
		}
		var id int64
		err = tx.QueryRow(`INSERT INTO plans (workspace, number, uid, conversation, goal, state, open, current, created, updated,
				next_hunk, next_operation, progress, trials, rating, shared, version)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) RETURNING id`,
			workspace, number, p.ID, p.Conversation, p.Goal, p.State, p.State.Open(), p.Current, nanos(p.Created), nanos(p.Updated),
			p.NextHunk, p.NextOperation, progress, tried, p.Rating, shared).Scan(&id)
		if err != nil {
			return nil, err
		}
		for i := range p.Revisions {
			if err := addRevision(tx, id, &p.Revisions[i], texts); err != nil {
				return nil, err
			}
			records = append(records, revised(event, workspace, p, &p.Revisions[i]))
		}
		return records, more(tx, id)
	})
	if err != nil {
		p.SetNumber(0)
		return err
	}
	p.Version = 1
	return nil
}

// AddRevision stores the newest revision of p with its texts, and the plan's state, progress
// and counters. Texts that are stored already may be left out. In the same transaction it
// removes the questions that the revision answers, by their ids. It fails with [ErrChanged]
// like Save.
func (ps *plans) AddRevision(ctx context.Context, workspace string, p *plan.Plan, texts map[plan.Blob]string, answered ...int64) error {
	latest := p.Latest()
	if latest == nil {
		return fmt.Errorf("plan %d has no revision to keep", p.Number)
	}
	return ps.update(ctx, workspace, p, func(tx *sql.Tx, id int64) error {
		if err := addRevision(tx, id, latest, texts); err != nil {
			return err
		}
		return settle(tx, answered)
	},
		tells(revised(audit.Revised, workspace, p, latest)))
}

// Save stores the state, progress and counters of p, and the decision that led to them, nil
// for none. It fails with [ErrChanged] if the stored plan has changed since p was read: read
// it again and decide anew.
func (ps *plans) Save(ctx context.Context, workspace string, p *plan.Plan, d *plan.Decision) error {
	if d == nil {
		return ps.update(ctx, workspace, p, func(*sql.Tx, int64) error { return nil })
	}
	return ps.update(ctx, workspace, p, func(tx *sql.Tx, id int64) error {
		_, err := addDecision(tx, id, d)
		return err
	}, tells(decided(workspace, p, d)))
}

// update stores the state, progress and counters of a plan. In the same transaction it calls
// more and appends the records to the audit log.
func (ps *plans) update(ctx context.Context, workspace string, p *plan.Plan, more func(tx *sql.Tx, id int64) error, record ...telling) error {
	progress, tried, err := columns(p)
	if err != nil {
		return err
	}
	err = ps.log.recorded(ctx, func(tx *sql.Tx) (records []audit.Record, err error) {
		id, version, err := find(tx, workspace, p.Number)
		if err != nil {
			return nil, err
		}
		if version != p.Version {
			return nil, changedMeanwhile(p.Number)
		}
		_, err = tx.Exec(`UPDATE plans SET goal = ?, state = ?, open = ?, current = ?, updated = ?,
				next_hunk = ?, next_operation = ?, progress = ?, trials = ?, rating = ?, version = version + 1 WHERE id = ?`,
			p.Goal, p.State, p.State.Open(), p.Current, nanos(p.Updated), p.NextHunk, p.NextOperation, progress, tried, p.Rating, id)
		if err != nil {
			return nil, err
		}
		if err := more(tx, id); err != nil {
			return nil, err
		}
		for _, tell := range record {
			r, err := tell(tx, id)
			if err != nil {
				return nil, err
			}
			records = append(records, r)
		}
		return records, nil
	})
	if err == nil {
		p.Version++
	}
	return err
}

// SaveTrials stores only the trials of p and what language servers have reported, not its state, so someone may be working on p. It
// fails with [ErrChanged] like Save.
func (ps *plans) SaveTrials(ctx context.Context, workspace string, p *plan.Plan) error {
	tried, err := trialsOf(p)
	if err != nil {
		return err
	}
	err = ps.db.write(ctx, func(tx *sql.Tx) error {
		id, version, err := find(tx, workspace, p.Number)
		if err != nil {
			return err
		}
		if version != p.Version {
			return changedMeanwhile(p.Number)
		}
		_, err = tx.Exec(`UPDATE plans SET trials = ?, version = version + 1 WHERE id = ?`, tried, id)
		return err
	})
	if err == nil {
		p.Version++
	}
	return err
}

// changedMeanwhile is the error for a plan whose stored version is not the one that was read.
func changedMeanwhile(number int) error {
	return &failure{ErrChanged, fmt.Sprintf("plan %d was changed by another process meanwhile: look at it again", number), nil}
}

// Discard stores the rejection of a plan that cannot be read: it only sets its state to
// cancelled. It fails like Save.
func (ps *plans) Discard(ctx context.Context, workspace string, p *plan.Plan, d *plan.Decision) error {
	return ps.log.recorded(ctx, func(tx *sql.Tx) ([]audit.Record, error) {
		id, _, err := find(tx, workspace, p.Number)
		if err != nil {
			return nil, err
		}
		_, err = tx.Exec(`UPDATE plans SET state = ?, open = 0, updated = ?, version = version + 1 WHERE id = ?`, plan.Cancelled, nanos(d.At), id)
		if err != nil {
			return nil, err
		}
		if _, err := tx.Exec(`UPDATE executions SET finished = ?, outcome = ? WHERE plan = ? AND finished = 0`, nanos(d.At), plan.Cancelled, id); err != nil {
			return nil, err
		}
		// A decision belongs to a revision; without one, only the audit log has it.
		var there int
		if err := tx.QueryRow(`SELECT count(*) FROM revisions WHERE plan = ? AND number = ?`, id, d.Revision).Scan(&there); err != nil {
			return nil, err
		}
		if there > 0 {
			if _, err := addDecision(tx, id, d); err != nil {
				return nil, err
			}
		}
		return []audit.Record{decided(workspace, p, d)}, nil
	})
}

// find returns the row of a plan and its stored version.
func find(tx *sql.Tx, workspace string, number int) (id int64, version int, err error) {
	found, err := first(tx.QueryRow(`SELECT id, version FROM plans WHERE workspace = ? AND number = ?`, workspace, number), &id, &version)
	if err == nil && !found {
		err = noSuchPlan(number)
	}
	return id, version, err
}

func noSuchPlan(number int) error {
	return &failure{ErrNoSuchPlan, fmt.Sprintf("there is no plan %d in this workspace: see `redline plans list`", number), nil}
}

func addRevision(tx *sql.Tx, id int64, r *plan.Revision, texts map[plan.Blob]string) error {
	if err := addTexts(tx, r, texts); err != nil {
		return err
	}
	lists, err := allJSON("the revision", r.Predicted, r.Steps, r.Operations, r.Changes, r.Unfinished)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO revisions (plan, number, parent, author, created, hash, description, text_only,
			predicted, steps, operations, changes, unfinished, note, prompt_tokens, completion_tokens, cost, report, content)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, r.Number, r.Parent, r.Author, nanos(r.Created), r.Hash, r.Description, r.TextOnly,
		lists[0], lists[1], lists[2], lists[3], lists[4], r.Note, r.Tokens.Prompt, r.Tokens.Completion, r.Tokens.Cost, r.Report, r.Content)
	return err
}

func addDecision(tx *sql.Tx, planID int64, d *plan.Decision) (id int64, err error) {
	lists, err := allJSON("the decision", d.Hunks, d.Stale, d.Commands)
	if err == nil {
		err = beginHandover(tx, d)
	}
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(`INSERT INTO decisions (plan, revision, hash, verdict, path, hunks, stale, operation, reason, who, client, at, commands, way)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		planID, d.Revision, d.Hash, d.Verdict, d.Path, lists[0], lists[1], d.Operation, d.Reason, d.Who, d.Client, nanos(d.At), lists[2], d.Way).Scan(&id)
	return id, err
}

// asShown checks, in the transaction that begins an execution, that the stored revision is
// the one that was decided on: the hash computed from its columns is the decision's, and
// the text of each file in paths has the hash by which the revision names it. It fails with
// [ErrNotAsShown].
func (ps *plans) asShown(tx *sql.Tx, planID int64, number int, d *plan.Decision, paths []string) error {
	r := plan.Revision{Number: d.Revision}
	var predicted, steps, operations, changes string
	found, err := first(tx.QueryRow(`SELECT hash, description, text_only, predicted, steps, operations, changes
		FROM revisions WHERE plan = ? AND number = ?`, planID, d.Revision),
		&r.Hash, &r.Description, &r.TextOnly, &predicted, &steps, &operations, &changes)
	if err != nil {
		return err
	}
	if !found || r.Hash != d.Hash {
		return notAsShown(number)
	}
	row := digest(fmt.Sprint(number, r.Number, r.TextOnly), r.Hash, r.Description, predicted, steps, operations, changes)
	checked := ps.checked.Load()
	known := checked != nil && *checked == row // a user who decides on many hunks, one by one, does not wait for this check each time
	for _, column := range []struct {
		text string
		into any
	}{{predicted, &r.Predicted}, {steps, &r.Steps}, {operations, &r.Operations}, {changes, &r.Changes}} {
		if fromJSON(column.text, column.into) != nil {
			return notAsShown(number) // it was readable when it was shown
		}
	}
	if !known && plan.ApprovalHash(number, &r) != d.Hash {
		return notAsShown(number)
	}
	ps.checked.Store(&row)
	return textsAsNamed(tx, number, &r, paths)
}

// digest returns a hash of all the parts.
func digest(parts ...string) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d ", len(part))
		io.WriteString(h, part)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// textsAsNamed checks that the stored texts of some files have the hashes by which the
// revision names them.
func textsAsNamed(tx *sql.Tx, number int, r *plan.Revision, paths []string) error {
	wanted := map[plan.Blob]bool{}
	paths = slices.Sorted(slices.Values(paths))
	for i := range r.Changes {
		if _, concerned := slices.BinarySearch(paths, r.Changes[i].Path); concerned {
			wanted[r.Changes[i].Base], wanted[r.Changes[i].Proposed] = true, true
		}
	}
	names, err := toJSON("the names of the texts", slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return err
	}
	var text []byte
	err = each(tx, `SELECT blob, text FROM texts WHERE blob IN (SELECT value FROM json_each(?))`, []any{names}, func(rows *sql.Rows) error {
		var name plan.Blob
		if err := rows.Scan(&name, (*sql.RawBytes)(&text)); err != nil {
			return err
		}
		if plan.BlobOf(string(text)) != name {
			return notAsShown(number)
		}
		delete(wanted, name)
		return nil
	})
	if err == nil && len(wanted) > 0 {
		err = notAsShown(number)
	}
	return err
}

func notAsShown(number int) error {
	return &failure{ErrNotAsShown, fmt.Sprintf("plan %d has changed since it was shown: review it again", number), nil}
}
