package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"redline/agent/plan"
)

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

func isLeftAlone(err error) bool { return errors.Is(err, errLeftAlone) }

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
