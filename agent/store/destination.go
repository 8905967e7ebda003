package store

import (
	"context"
	"database/sql"
	"time"
)

// destinations owns, for each workspace, the destinations that the user has got a notice about.
type destinations struct{ db *database }

// FirstDestination records that the user gets a notice that texts of a workspace go to a destination.
// It returns true the first time: only one of several processes gets true.
func (d *destinations) FirstDestination(ctx context.Context, workspace, destination string) (first bool, err error) {
	err = d.db.write(ctx, func(tx *sql.Tx) error {
		done, err := tx.Exec(`INSERT INTO destinations (workspace, destination, told) VALUES (?, ?, ?)
			ON CONFLICT (workspace, destination) DO NOTHING`, workspace, destination, nanos(time.Now()))
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		first = n == 1
		return err
	})
	return first && err == nil, err
}
