package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	err = ps.db.each(ctx, `SELECT number, version FROM plans WHERE workspace = ? AND open = 1`, []any{workspace}, func(rows *sql.Rows) error {
		var number, version int
		err := rows.Scan(&number, &version)
		versions[number] = version
		return err
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
	err = each(tx, `SELECT id, number, uid, conversation, goal, state, current, created, updated,
			next_hunk, next_operation, progress, trials, rating, shared, version FROM plans WHERE `+where, args, func(rows *sql.Rows) error {
		id, p := scanPlan(rows)
		byID[id], plans = p, append(plans, p)
		return nil
	})
	if err != nil || len(plans) == 0 {
		return nil, byID, err
	}
	err = each(tx, `SELECT plan, number, parent, author, created, hash, description, text_only,
			predicted, steps, operations, changes, unfinished, note, prompt_tokens, completion_tokens, cost, report, content
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

// scanPlan reads the row of a plan. If a part cannot be read, the plan is
// [plan.Plan.Unreadable], which is not an error, so the other plans are still read.
func scanPlan(rows *sql.Rows) (id int64, p *plan.Plan) {
	p = new(plan.Plan)
	var progress, tried, shared string
	err := rows.Scan(&id, &p.Number, &p.ID, &p.Conversation, &p.Goal, &p.State, &p.Current, asTime{&p.Created}, asTime{&p.Updated},
		&p.NextHunk, &p.NextOperation, &progress, &tried, &p.Rating, &shared, &p.Version)
	if err != nil {
		var skip any
		_ = rows.Scan(&id, &p.Number, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip) // reads as much as it can
		_ = rows.Scan(&skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &p.Version)
		p.Unreadable = "its record cannot be read"
		return id, p
	}
	var had trials
	if fromJSON(tried, &had) == nil { // trials decide nothing, so a plan is whole without them
		p.Trials, p.NextTrial, p.Untried, p.Problems = had.Trials, had.Next, had.Untried, had.Problems.Bounded()
	}
	if fromJSON(shared, &p.Shared) != nil {
		p.Shared = nil // it decides nothing either
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
	err = rows.Scan(&id, &r.Number, &r.Parent, &r.Author, asTime{&r.Created}, &r.Hash, &r.Description, &r.TextOnly,
		asJSON{&r.Predicted}, asJSON{&r.Steps}, asJSON{&r.Operations}, asJSON{&r.Changes}, asJSON{&r.Unfinished},
		&r.Note, &r.Tokens.Prompt, &r.Tokens.Completion, &r.Tokens.Cost, &r.Report, &r.Content)
	if err != nil {
		var skip any
		_ = rows.Scan(&id, &r.Number, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip)
	}
	return id, r, err
}

// Decisions returns the decisions on a plan, oldest first.
func (ps *plans) Decisions(ctx context.Context, workspace string, number int) ([]plan.Decision, error) {
	var decisions []plan.Decision
	err := ps.db.read(ctx, func(tx *sql.Tx) error {
		id, _, err := find(tx, workspace, number)
		if err != nil {
			return err
		}
		return each(tx, `SELECT revision, hash, verdict, path, hunks, stale, operation, reason, who, client, at, commands, way
			FROM decisions WHERE plan = ? ORDER BY id`, []any{id}, func(rows *sql.Rows) error {
			d := plan.Decision{Plan: number}
			err := rows.Scan(&d.Revision, &d.Hash, &d.Verdict, &d.Path, asJSON{&d.Hunks}, asJSON{&d.Stale}, &d.Operation, &d.Reason, &d.Who, &d.Client,
				asTime{&d.At}, asJSON{&d.Commands}, &d.Way)
			decisions = append(decisions, d)
			return err
		})
	})
	return decisions, err
}

// Texts returns [Store.Text] for callers that have no context.
func (ps *plans) Texts(ctx context.Context) func(plan.Blob) (string, error) {
	return func(b plan.Blob) (string, error) { return ps.Text(ctx, b) }
}

// Text returns the text that a blob names. It fails with [ErrNoSuchText], or
// with [ErrDamaged] if the stored text has another hash.
func (ps *plans) Text(ctx context.Context, blob plan.Blob) (string, error) {
	if text, ok := ps.texts.get(blob); ok {
		return text, nil
	}
	var text []byte
	switch found, err := ps.db.first(ctx, `SELECT text FROM texts WHERE blob = ?`, []any{blob}, &text); {
	case err != nil:
		return "", err
	case !found:
		return "", noSuchText(blob)
	}
	if plan.BlobOf(string(text)) != blob {
		return "", ps.db.damaged("a text in it is not what it was", nil)
	}
	ps.texts.put(blob, string(text))
	return string(text), nil
}

// addTexts stores the texts of a revision. Each must be in texts or stored already.
func addTexts(tx *sql.Tx, r *plan.Revision, texts map[plan.Blob]string) error {
	var rows []any         // blob, text, blob, text …
	var stored []plan.Blob // those missing in texts
	done := map[plan.Blob]bool{}
	for i := range r.Changes {
		for _, blob := range [...]plan.Blob{r.Changes[i].Base, r.Changes[i].Proposed} {
			if done[blob] {
				continue
			}
			done[blob] = true
			if text, ok := texts[blob]; !ok {
				stored = append(stored, blob)
			} else if plan.BlobOf(text) != blob {
				return fmt.Errorf("the text of %s is not %s", r.Changes[i].Path, blob)
			} else {
				rows = append(rows, blob, []byte(text))
			}
		}
	}
	if err := haveTexts(tx, stored); err != nil {
		return err
	}
	for chunk := range slices.Chunk(rows, 2*rowsAtOnce) {
		values := strings.Repeat(", (?, ?)", len(chunk)/2)[2:]
		if _, err := tx.Exec(`INSERT INTO texts (blob, text) VALUES `+values+`
			ON CONFLICT (blob) DO UPDATE SET text = excluded.text WHERE texts.text <> excluded.text`, chunk...); err != nil { // repairs a damaged one
			return err
		}
	}
	return nil
}

// rowsAtOnce is how many rows one statement inserts: the driver compiles a
// statement each time, which costs as much as a row.
const rowsAtOnce = 100

// haveTexts checks that all these texts are stored.
func haveTexts(tx *sql.Tx, blobs []plan.Blob) error {
	if len(blobs) == 0 {
		return nil
	}
	list, err := toJSON("the list of texts", blobs)
	if err != nil {
		return err
	}
	var missing plan.Blob
	some, err := first(tx.QueryRow(`SELECT value FROM json_each(?) WHERE value NOT IN (SELECT blob FROM texts) LIMIT 1`, list), &missing)
	if some {
		err = noSuchText(missing)
	}
	return err
}

func noSuchText(blob plan.Blob) error {
	return &failure{ErrNoSuchText, fmt.Sprintf("the plan database has no text %s", blob), nil}
}

// textCacheSize is the size limit of the text cache in bytes.
const textCacheSize = 8 << 20

// textCache holds the most recently added texts.
type textCache struct {
	mu    sync.Mutex
	texts map[plan.Blob]string
	order []plan.Blob // oldest first
	size  int         // bytes of texts
}

func (c *textCache) get(blob plan.Blob) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.texts[blob]
	return text, ok
}

// put adds a text, unless it is so large that it would displace all others.
func (c *textCache) put(blob plan.Blob, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.texts[blob]; ok || len(text) > textCacheSize/2 {
		return
	}
	if c.texts == nil {
		c.texts = map[plan.Blob]string{}
	}
	c.texts[blob] = text
	c.order = append(c.order, blob)
	for c.size += len(text); c.size > textCacheSize; c.order = c.order[1:] {
		c.size -= len(c.texts[c.order[0]])
		delete(c.texts, c.order[0])
	}
}

// Workspaces returns the workspaces in the database, by absolute folder names, sorted, with the
// number of open plans in each, which wait for the user. A folder may no longer exist.
func (p *plans) Workspaces(ctx context.Context) (names []string, open map[string]int, err error) {
	open = map[string]int{}
	err = p.db.each(ctx, `SELECT workspace, SUM(open) FROM (
			SELECT workspace, open FROM plans
			UNION ALL SELECT workspace, 0 FROM conversations
			UNION ALL SELECT workspace, 0 FROM traces
		) GROUP BY workspace ORDER BY workspace`, nil, func(rows *sql.Rows) error {
		var name string
		var n int
		err := rows.Scan(&name, &n)
		names, open[name] = append(names, name), n
		return err
	})
	return names, open, err
}

// HasPlans reports whether plans are kept under the name of a workspace, so that it must
// stay the name of that workspace. A name that leads through a link has some if the folder
// itself had others when the database came to version 15.
func (p *plans) HasPlans(ctx context.Context, workspace string) (has bool, err error) {
	return p.db.first(ctx, `SELECT 1 FROM plans WHERE workspace = ? LIMIT 1`, []any{workspace}, new(int))
}
