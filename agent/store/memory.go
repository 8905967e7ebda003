package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"modernc.org/sqlite"
)

// InMemory lets the store fall back to memory when its directory cannot be written at the first
// call that needs it, or when the database there is damaged or of a newer version. An undamaged
// database is copied into memory. InMemory calls tell once, with a sentence for the user; tell
// must not call the store. Call InMemory before the store is used.
func (d *database) InMemory(tell func(text string)) { d.tell = tell }

// Kept reports whether the stored data outlives the process: the database is not in memory. It
// may still move there if the store was not used yet.
func (d *database) Kept() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.volatile
}

// openInMemory opens a database in memory, with a copy of the one in the directory. why is
// the reason that the latter cannot be used; copied is false if some of it could not be read.
func (d *database) openInMemory(ctx context.Context, why error) (db *sql.DB, copied bool, err error) {
	db, err = sql.Open("sqlite", "file::memory:?_txlock=immediate&_pragma=foreign_keys(ON)&_pragma=trusted_schema(OFF)")
	if err != nil {
		return nil, false, err
	}
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	db.SetMaxIdleConns(1)
	db.SetConnMaxLifetime(0)
	if err := d.prepare(ctx, db); err != nil {
		db.Close()
		return nil, false, err
	}
	info, err := os.Stat(d.path)
	if nothing := err != nil || info.Size() == 0 && !notWhole(why); nothing || notWhole(why) {
		return db, nothing, nil
	}
	_, err = d.examine(ctx)
	return db, !notWhole(err) && d.copyFrom(ctx, db) == nil, nil
}

// fallBack moves the locks into memory too, and notifies the user that nothing will be kept.
func (d *database) fallBack(why error, copied bool) {
	for _, l := range d.locks {
		l.inMemory()
	}
	earlier := ""
	if !copied {
		earlier = ", and the plans of earlier sessions cannot be seen"
	}
	d.tell(fmt.Sprintf("The plans, the decisions and the audit log of this session are not kept%s: %s.", earlier, cause(why, d.dir)))
}

// notWhole reports whether err says that the database cannot be relied on.
func notWhole(err error) bool { return errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer) }

// cause returns what is wrong with the directory or the database, and what to do.
func cause(err error, dir string) string {
	if notWhole(err) {
		return err.Error()
	}
	why := errors.Unwrap(err)
	var known *failure
	if errors.As(err, &known) && known.cause != nil {
		why = known.cause
	}
	if why == nil {
		why = err
	}
	return fmt.Sprintf("%s cannot be written (%s). Repair that, or name another directory with REDLINE_STATE_DIR", dir, plain(why))
}

// copyFrom copies the database in the directory into db, which is new. It only reads: without
// a write-ahead log it opens the file as immutable, and with one SQLite needs the files that
// another process has created for it.
func (d *database) copyFrom(ctx context.Context, db *sql.DB) error {
	query := url.Values{"mode": {"ro"}}
	if info, err := os.Stat(d.path + "-wal"); err != nil || info.Size() == 0 {
		query.Set("immutable", "1")
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `ATTACH ? AS kept`, fileURI(d.path, query)); err != nil {
		return err
	}
	defer conn.ExecContext(ctx, `DETACH kept`)
	var version, ours, application int
	for pragma, into := range map[string]*int{"kept.user_version": &version, "main.user_version": &ours, "kept.application_id": &application} {
		if err := conn.QueryRowContext(ctx, "PRAGMA "+pragma).Scan(into); err != nil {
			return err
		}
	}
	if version != ours || application != applicationID {
		return errors.New("it is of another version")
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after a commit
	for _, table := range []string{"plans", "revisions", "texts", "decisions", "executions", "audit", "traces", "questions", "conversations", "exchanges"} {
		if _, err := tx.ExecContext(ctx, fmt.Sprintf(`INSERT INTO main.%[1]s SELECT * FROM kept.%[1]s`, table)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// plain returns the reason of a failure, without the path and the code.
func plain(err error) string {
	var db *sqlite.Error
	if errors.As(err, &db) {
		return reason(db)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
