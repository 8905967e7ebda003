package store

import (
	"context"
	"database/sql"
	"time"
)

// trialFolders owns the folders in which the user lets commands be tried.
type trialFolders struct{ db *database }

// AllowTrials records that commands may be tried in a folder, an absolute name without
// symbolic links, while it belongs to owner.
func (t *trialFolders) AllowTrials(ctx context.Context, folder string, owner int) error {
	return t.db.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO trial_folders (folder, owner, since) VALUES (?, ?, ?)
			ON CONFLICT (folder) DO UPDATE SET owner = excluded.owner, since = excluded.since`, folder, owner, nanos(time.Now()))
		return err
	})
}

// ForbidTrials takes back AllowTrials for a folder.
func (t *trialFolders) ForbidTrials(ctx context.Context, folder string) error {
	return t.db.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM trial_folders WHERE folder = ?`, folder)
		return err
	})
}

// TrialFolders returns the folders in which commands may be tried, with their owners.
func (t *trialFolders) TrialFolders(ctx context.Context) (map[string]int, error) {
	owners := map[string]int{}
	err := t.db.read(ctx, func(tx *sql.Tx) error {
		return each(tx, `SELECT folder, owner FROM trial_folders`, nil, func(rows *sql.Rows) error {
			var folder string
			var owner int
			if err := rows.Scan(&folder, &owner); err != nil {
				return err
			}
			owners[folder] = owner
			return nil
		})
	})
	return owners, err
}
