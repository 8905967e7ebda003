package store

import (
	"context"
	"database/sql"

	"redline/agent/audit"
	"redline/agent/plan"
)

// ImportPlan does what CreatePlan does, for a plan from another workspace, and keeps its document.
func (ps *plans) ImportPlan(ctx context.Context, workspace string, p *plan.Plan, texts map[plan.Blob]string, document string) error {
	return ps.createPlan(ctx, workspace, p, texts, audit.Imported, func(tx *sql.Tx, id int64) error { return keepDocument(tx, id, document) })
}

// Share stores what a plan has from elsewhere with its state, progress and counters: the revisions with
// the numbers in added, with their texts, the content hashes of all, and the document. It fails with
// [ErrChanged] like Save.
func (ps *plans) Share(ctx context.Context, workspace string, p *plan.Plan, added []int, texts map[plan.Blob]string, document string) error {
	var records []telling
	for _, n := range added {
		if r, ok := p.Revision(n); ok {
			records = append(records, tells(revised(audit.Imported, workspace, p, r)))
		}
	}
	return ps.update(ctx, workspace, p, func(tx *sql.Tx, id int64) error {
		shared, err := toJSON("what came from elsewhere", p.Shared)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`UPDATE plans SET shared = ? WHERE id = ?`, shared, id); err != nil {
			return err
		}
		for _, n := range added {
			if r, ok := p.Revision(n); ok {
				if err := addRevision(tx, id, r, texts); err != nil {
					return err
				}
			}
		}
		for i := range p.Revisions {
			if r := &p.Revisions[i]; r.Content != "" {
				if _, err := tx.Exec(`UPDATE revisions SET content = ? WHERE plan = ? AND number = ? AND content = ''`, r.Content, id, r.Number); err != nil {
					return err
				}
			}
		}
		return keepDocument(tx, id, document)
	}, records...)
}

func keepDocument(tx *sql.Tx, id int64, document string) error {
	_, err := tx.Exec(`INSERT INTO documents (plan, document) VALUES (?, ?) ON CONFLICT (plan) DO UPDATE SET document = excluded.document`, id, document)
	return err
}

// Document returns the document that was kept of a plan, "" if none was.
func (ps *plans) Document(ctx context.Context, workspace string, number int) (document string, err error) {
	_, err = ps.db.first(ctx, `SELECT document FROM documents WHERE plan = (SELECT id FROM plans WHERE workspace = ? AND number = ?)`,
		[]any{workspace, number}, &document)
	return document, err
}

// PlanWithID returns the number of the plan of a workspace with an id, 0 if there is none.
func (ps *plans) PlanWithID(ctx context.Context, workspace, id string) (number int, err error) {
	_, err = ps.db.first(ctx, `SELECT number FROM plans WHERE workspace = ? AND uid = ?`, []any{workspace, id}, &number)
	return number, err
}
