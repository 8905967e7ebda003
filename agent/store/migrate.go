package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The files, in the order of their names, lead from an empty database to the
// present version. One that was released never changes.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks a database as Redline's ("RDLN"; SQLite file format,
// offset 68), so that another program's is never written to.
const applicationID = 0x52444c4e

// real_folder returns the name of a folder without symbolic links, or the given name if
// there is no such folder. Migration 15 uses it.
func init() {
	sqlite.MustRegisterScalarFunction("real_folder", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		name, ok := args[0].(string)
		if !ok {
			return args[0], nil
		}
		if real, err := filepath.EvalSymlinks(name); err == nil {
			return real, nil
		}
		return name, nil
	})
}

func migrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	scripts := make([]string, len(names))
	for i, name := range names {
		script, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		scripts[i] = string(script)
	}
	return scripts, nil
}

// prepare migrates a database that was just opened to the present version.
func (d *database) prepare(ctx context.Context, db *sql.DB) error {
	scripts, err := migrations()
	if err != nil {
		return err
	}
	return d.migrate(ctx, db, scripts)
}

// migrate runs the scripts that the database has not seen, and keeps a copy of it as it was.
// It checks before it writes: a database that is damaged, newer or not Redline's stays
// unchanged.
func (d *database) migrate(ctx context.Context, db *sql.DB, scripts []string) error {
	version, err := d.schema(ctx, db, len(scripts))
	if err != nil {
		return err
	}
	if version == len(scripts) {
		if missing, err := missingTable(ctx, db); err != nil || missing != "" { // it may not have been examined
			return cmp.Or(err, d.leftAlone("it has no table "+missing, nil))
		}
	}
	if version == 0 { // set it before anything is written; see Tidy
		if _, err := db.ExecContext(ctx, "PRAGMA auto_vacuum = INCREMENTAL"); err != nil {
			return err
		}
	}
	if err := useWAL(ctx, db); err != nil {
		return err
	}
	if version == len(scripts) {
		return nil
	}
	if version > 0 {
		if err := d.keepCopy(ctx, db, version, len(scripts)); err != nil {
			return err
		}
	}
	return d.apply(ctx, db, scripts)
}

// apply runs the scripts that the database has not seen, in one transaction.
func (d *database) apply(ctx context.Context, db *sql.DB, scripts []string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	version, err := d.schema(ctx, tx, len(scripts)) // another process may have been faster
	if err != nil {
		return err
	}
	for _, script := range scripts[version:] {
		if _, err := tx.ExecContext(ctx, script); err != nil {
			return fmt.Errorf("the plan database %s could not be brought to a newer version: %w", d.path, err)
		}
	}
	mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(scripts))
	if _, err := tx.ExecContext(ctx, mark); err != nil {
		return err
	}
	return tx.Commit()
}

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// schema returns how many scripts the database has applied, at most known.
func (d *database) schema(ctx context.Context, q queryer, known int) (int, error) {
	var version, application, tables int
	row := q.QueryRowContext(ctx, `SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_user_version, pragma_application_id`)
	if err := row.Scan(&version, &application, &tables); err != nil {
		return 0, err
	}
	switch {
	case application == applicationID && version > known:
		return 0, &failure{ErrNewer, fmt.Sprintf(
			"the plan database %s was written by a newer Redline (version %d, this one knows %d) and was left as it is: update Redline, or name another directory with REDLINE_STATE_DIR",
			d.path, version, known), nil}
	case application == applicationID && version > 0:
		return version, nil
	case application == 0 && version == 0 && tables == 0:
		return 0, nil
	}
	return 0, &failure{ErrDamaged, fmt.Sprintf(
		"%s is a database of another program and was left as it is: move it away, or name another directory with REDLINE_STATE_DIR", d.path), errLeftAlone}
}

// useWAL switches to a write-ahead log, which lets others read while one process writes.
// SQLite itself does not wait if several processes switch a new database at once.
func useWAL(ctx context.Context, db *sql.DB) error {
	deadline := time.Now().Add(busyTimeout)
	for {
		_, err := db.ExecContext(ctx, "PRAGMA journal_mode = WAL")
		var busy *sqlite.Error
		if !errors.As(err, &busy) || busy.Code()&0xff != sqlite3.SQLITE_BUSY || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
