package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"redline/agent/plan"
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
	if err := d.migrate(ctx, db, migrations()); err != nil {
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
	for _, table := range tables {
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

// Errors for errors.Is. The errors that methods return say more.
var (
	ErrNoSuchPlan = refusedAs(plan.NoSuchPlan, "there is no such plan")
	ErrNoSuchText = refusedAs(plan.ApplyFailed, "there is no such text")
	ErrChanged    = refusedAs(plan.Busy, "the plan was changed by another process")
	ErrUnwritable = refusedAs(plan.ApplyFailed, "the state directory cannot be written")
	ErrLocked     = refusedAs(plan.Busy, "the plan database is in use")
	ErrFull       = refusedAs(plan.ApplyFailed, "the disk is full")
	ErrDamaged    = refusedAs(plan.ApplyFailed, "the plan database is damaged")
	ErrNewer      = refusedAs(plan.ApplyFailed, "the plan database is of a newer version")
	ErrNotAsShown = refusedAs(plan.HashMismatch, "the plan is not what was decided on")
)

func refusedAs(kind plan.RefusalKind, text string) error {
	return &plan.Failure{Kind: kind, Text: text}
}

// failure is one sentence for the user, and the error that the program checks for.
type failure struct {
	kind  error
	text  string
	cause error // may be nil
}

func (f *failure) Error() string { return f.text }

func (f *failure) Unwrap() []error { return []error{f.kind, f.cause} }

// explain turns an error of SQLite or the file system into one sentence that says what to do.
// It returns other errors unchanged.
func (d *database) explain(err error) error {
	fail := func(kind error, format string, args ...any) error {
		return &failure{kind, fmt.Sprintf(format, args...), err}
	}
	var known *failure
	var db *sqlite.Error
	var path *fs.PathError
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, errUnreadable):
		return d.damaged(errUnreadable.Error(), err)
	case errors.As(err, &db):
		switch db.Code() & 0xff { // the other bits are details
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL: // the last one: other processes were faster several times
			return fail(ErrLocked, "another process has held %s for more than %s: try again, or end that process", d.path, busyTimeout)
		case sqlite3.SQLITE_FULL:
			return fail(ErrFull, "the disk of %s is full, so this was not kept: free some space and try again", d.path)
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
			return fail(ErrUnwritable, "%s cannot be read and written, so plans are not kept (%s): repair that, or name another directory with REDLINE_STATE_DIR", d.path, reason(db))
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return d.damaged(reason(db), err)
		case sqlite3.SQLITE_ERROR:
			if _, lacks, ok := strings.Cut(reason(db), "no such "); ok { // a table or a column
				return d.damaged("it has no "+lacks, err)
			}
		}
	case errors.As(err, &path) && isFull(path.Err):
		return fail(ErrFull, "the disk of %s is full, so this was not kept: free some space and try again", d.dir)
	case errors.As(err, &path):
		return fail(ErrUnwritable, "plans cannot be kept in %s (%s): repair that, or name another directory with REDLINE_STATE_DIR", d.dir, err)
	}
	return err
}

// isFull reports whether a file could not be written for lack of space.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// whatToDo tells the user how to deal with a damaged database.
const whatToDo = "restore it from a copy, or move it, its -wal file and audit.head away to begin a new one"

// damaged returns the error for a damaged database in use.
func (d *database) damaged(what string, cause error) error {
	return &failure{ErrDamaged, fmt.Sprintf("the plan database %s is damaged (%s): %s", d.path, what, whatToDo), cause}
}

// leftAlone returns the error for a damaged database that was not opened: nothing was written
// to it.
func (d *database) leftAlone(what string, cause error) error {
	return &failure{ErrDamaged, fmt.Sprintf("the plan database %s is damaged (%s) and was left as it is: %s", d.path, what, whatToDo), errors.Join(errLeftAlone, cause)}
}

// errLeftAlone marks a failure whose text already says that nothing was written.
var errLeftAlone = errors.New("left as it is")

// firstFinding returns the first line of SQLite's report on a damaged database, without
// SQLite's name for the database.
func firstFinding(said string) string {
	said = strings.TrimPrefix(said, "*** in database main ***\n")
	line, _, _ := strings.Cut(said, "\n")
	return line
}

// reason returns SQLite's own message, without the code at its end.
func reason(err *sqlite.Error) string {
	text, _, _ := strings.Cut(err.Error(), " (")
	return strings.TrimSuffix(text, ": out of memory") // the driver adds this when it has no connection to ask
}
