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
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The files, in the order of their names, lead from an empty database to the
// present version. One that was released never changes.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks a database as Redline's ("RDLN" at offset 68, see
// https://sqlite.org/fileformat2.html#application_id), so that another program's is never written to.
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

// migrations returns the scripts, which are in the program.
var migrations = sync.OnceValue(func() (scripts []string) {
	names, _ := fs.Glob(migrationFiles, "migrations/*.sql") // sorted; the pattern is valid
	for _, name := range names {
		script, _ := migrationFiles.ReadFile(name)
		scripts = append(scripts, string(script))
	}
	return scripts
})

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

// makeFile creates the directory and the database, which only the user can read, since plans hold
// the user's texts. SQLite gives its other files the same mode.
//
// A new database is made under another name, and gets its own when it is complete: a process that
// is killed meanwhile leaves nothing half, and there is nothing to lose yet, so SQLite need not wait
// for the disk at each step, as it would in place. Where the file system has no hard links, or an
// empty file is there, makeFile leaves the rest to migrate.
func (d *database) makeFile(ctx context.Context) error {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return err
	}
	if _, err := os.Lstat(d.path); errors.Is(err, fs.ErrNotExist) {
		if err := d.makeWhole(ctx); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(d.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// newName begins the names of databases that are being made, or were when their process was
// killed.
const newName = FileName + ".new-"

// makeWhole makes a complete new database, unless another process is faster. The name is on disk
// when SQLite has stored anything in the database, since its log is in the same folder.
func (d *database) makeWhole(ctx context.Context) error {
	removeUnfinished(d.dir)
	f, err := os.CreateTemp(d.dir, newName+"*") // of mode 0600
	if err != nil {
		return err
	}
	f.Close()
	made := f.Name()
	defer func() {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			os.Remove(made + suffix)
		}
	}()
	if err := d.fill(ctx, made); err != nil {
		return err
	}
	if err := syncFile(made); err != nil {
		return err
	}
	if err := os.Link(made, d.path); err == nil {
		d.examined.at = time.Now() // there is nothing to find
	}
	return nil
}

// fill makes an empty file a database of the present version, complete without a log.
func (d *database) fill(ctx context.Context, name string) error {
	db, err := sql.Open("sqlite", dsn(name, d.vfs))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1) // the pragmas are of one connection
	_, err = db.ExecContext(ctx, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA auto_vacuum = INCREMENTAL")
	if err == nil {
		err = d.apply(ctx, db, migrations())
	}
	if err == nil {
		err = useWAL(ctx, db)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	if info, err := os.Lstat(name + "-wal"); err == nil && info.Size() > 0 { // SQLite does not say that it could not move it
		return errors.New("the log of a new database could not be emptied")
	}
	return nil
}

// syncFile waits until a file is on disk.
func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// removeUnfinished removes what killed processes have left of new databases.
func removeUnfinished(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be read stays
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), newName) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// copyKeptFor is how long the copy of an older database is kept.
const copyKeptFor = 30 * 24 * time.Hour

// keepCopy copies the database before it is brought from the given version to a newer one, to
// "redline.db.version14" beside it, so that an older Redline can still be used with the copy. Without a copy nothing is migrated:
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
	return os.Rename(unfinished.Name(), fmt.Sprintf("%s.version%d", d.path, version))
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
