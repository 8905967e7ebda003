package store

import (
	"context"
	"database/sql"
	"time"
)

// trialFolders owns the user's answers on trying commands, by folder.
type trialFolders struct{ db *database }

// TrialFolder is the user's answer on trying commands in a folder. It is valid while the folder
// belongs to the same owner.
type TrialFolder struct {
	Owner   int
	Allowed bool // otherwise it is forbidden
}

// SetTrialFolder records the user's answer for a folder, an absolute name without symbolic
// links.
func (t *trialFolders) SetTrialFolder(ctx context.Context, folder string, said TrialFolder) error {
	return t.db.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO trial_folders (folder, owner, since, allowed) VALUES (?, ?, ?, ?)
			ON CONFLICT (folder) DO UPDATE SET owner = excluded.owner, since = excluded.since, allowed = excluded.allowed`,
			folder, said.Owner, nanos(time.Now()), said.Allowed)
		return err
	})
}

// TrialFolders returns the user's answers by folder.
func (t *trialFolders) TrialFolders(ctx context.Context) (map[string]TrialFolder, error) {
	all := map[string]TrialFolder{}
	err := t.db.read(ctx, func(tx *sql.Tx) error {
		return each(tx, `SELECT folder, owner, allowed FROM trial_folders`, nil, func(rows *sql.Rows) error {
			var folder string
			var said TrialFolder
			if err := rows.Scan(&folder, &said.Owner, &said.Allowed); err != nil {
				return err
			}
			all[folder] = said
			return nil
		})
	})
	return all, err
}
