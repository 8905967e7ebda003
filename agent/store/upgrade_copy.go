package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"time"
)

// copyKeptFor is how long the copy of an older database is kept.
const copyKeptFor = 30 * 24 * time.Hour

// copyPath returns where the copy of a database of the given version is kept, beside the
// database.
func (d *database) copyPath(version int) string {
	return fmt.Sprintf("%s.version%d", d.path, version)
}

// keepCopy copies the database before it is brought from the given version to a newer one, so
// that an older Redline can still be used with the copy. Without a copy nothing is migrated:
// the error is [ErrFull] where there is no room for one. If another process has migrated the
// database meanwhile, there is nothing to keep.
func (d *database) keepCopy(ctx context.Context, db *sql.DB, version, known int) error {
	unfinished, err := os.CreateTemp(d.dir, FileName+".copy-*") // empty, and only for the user to read
	if err != nil {
		return err
	}
	defer os.Remove(unfinished.Name()) // does nothing after the rename
	defer unfinished.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", unfinished.Name()); err != nil {
		return fmt.Errorf("the plan database %s could not be copied before it is brought to a newer version: %w", d.path, err)
	}
	if err := unfinished.Sync(); err != nil {
		return err
	}
	if now, err := d.schema(ctx, db, known); err != nil || now != version {
		return err
	}
	return os.Rename(unfinished.Name(), d.copyPath(version))
}

// sweepCopies removes the copies of older databases that were made before a time, and those
// that were never finished.
func (p *Pruning) sweepCopies(before time.Time) {
	for _, pattern := range []string{FileName + ".version*", FileName + ".copy-*"} {
		for _, path := range p.store.files(pattern) {
			if info, err := os.Lstat(path); err == nil && info.ModTime().Before(before) {
				os.Remove(path)
			}
		}
	}
}
