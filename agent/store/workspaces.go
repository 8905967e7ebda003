package store

import (
	"context"
	"database/sql"
)

// Workspaces returns the workspaces in the database, by absolute folder names, sorted, with the
// number of open plans in each, which wait for the user. A folder may no longer exist.
func (p *plans) Workspaces(ctx context.Context) (names []string, open map[string]int, err error) {
	open = map[string]int{}
	err = p.db.read(ctx, func(tx *sql.Tx) error {
		return each(tx, `SELECT workspace, SUM(open) FROM (
				SELECT workspace, open FROM plans
				UNION ALL SELECT workspace, 0 FROM conversations
				UNION ALL SELECT workspace, 0 FROM traces
			) GROUP BY workspace ORDER BY workspace`, nil, func(rows *sql.Rows) error {
			var name string
			var n int
			if err := rows.Scan(&name, &n); err != nil {
				return err
			}
			names = append(names, name)
			open[name] = n
			return nil
		})
	})
	return names, open, err
}

// HasPlans reports whether plans are kept under the name of a workspace, so that it must
// stay the name of that workspace. A name that leads through a link has some if the folder
// itself had others when the database came to version 15.
func (p *plans) HasPlans(ctx context.Context, workspace string) (has bool, err error) {
	err = p.db.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM plans WHERE workspace = ?)`, workspace).Scan(&has)
	})
	return has, err
}
