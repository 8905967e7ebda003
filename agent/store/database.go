package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	_ "modernc.org/sqlite" // the driver
)

// FileName is the name of the database in the directory of a store.
const FileName = "redline.db"

// busyTimeout is how long a call waits for another process.
const busyTimeout = 5 * time.Second

// database owns the connection to the database of one directory: it opens it when it is first
// needed, after examining and migrating it, runs transactions, and turns errors of SQLite
// into sentences. It does not know the tables.
type database struct {
	dir, path  string
	vfs        string            // "" for SQLite's default VFS
	tell       func(text string) // nil: do not fall back to memory
	examineFor time.Duration     // see the constant
	examined   examined
	behind     queue[func(*sql.Tx) error] // see writeBehind
	storing    sync.RWMutex               // read-locked while what was written behind is being stored
	warn       func(string)               // tells the user what could not be kept
	locks      []*locks                   // in memory if the database is, and closed with it

	// mu is taken within transactions: do not begin one of this store while you hold it.
	mu       sync.Mutex
	handle   *sql.DB // nil until needed
	closed   bool
	volatile bool // the database is in memory, see InMemory

	// version is SQLite's data_version as of the last call of Changed.
	version atomic.Int64
}

// close closes the database and releases its locks.
func (d *database) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, l := range d.locks {
		l.close()
	}
	if d.handle == nil {
		return nil
	}
	err := d.handle.Close()
	d.handle = nil
	if err == nil && !d.volatile {
		d.examined.keep(d.path, len(migrations()))
	}
	return d.explain(err)
}

// open returns the database, opened and migrated to the version of this program. If that
// fails, the next call tries again.
func (d *database) open(ctx context.Context) (*sql.DB, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, errors.New("the plan database was closed")
	case d.handle != nil:
		return d.handle, nil
	}
	db, err := d.openFile(ctx)
	if d.tell != nil && errors.Is(err, ErrUnwritable) { // a transient error must not cost the session its store
		db, err = d.openFile(ctx)
	}
	if d.tell != nil && unusable(err) {
		why, copied := err, false
		if db, copied, err = d.openInMemory(ctx, why); err == nil {
			d.volatile = true
			d.fallBack(why, copied)
		}
	}
	var version int64
	if err == nil {
		version, err = dataVersion(ctx, db)
	}
	if err != nil {
		if db != nil {
			db.Close()
		}
		return nil, d.explain(err)
	}
	d.handle = db
	d.version.Store(version)
	return db, nil
}

// unusable reports whether err means that a session cannot use the database in the directory.
func unusable(err error) bool {
	return errors.Is(err, ErrUnwritable) || errors.Is(err, ErrFull) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer)
}

// openFile opens the database in the directory, and creates it if it is missing. It does not
// open a damaged one.
func (d *database) openFile(ctx context.Context) (*sql.DB, error) {
	if !d.examined.skips(d.path, len(migrations())) {
		if _, err := d.examine(ctx); err != nil {
			return nil, d.explain(err)
		}
	}
	if err := d.makeFile(ctx); err != nil {
		return nil, d.explain(err)
	}
	db, err := sql.Open("sqlite", dsn(d.path, d.vfs))
	if err != nil {
		return nil, d.explain(err)
	}
	// One connection: SQLite has one writer at a time in any case, each connection costs 2 MB
	// of cache, and Changed relates to one connection.
	db.SetMaxOpenConns(1)
	if err := d.migrate(ctx, db, migrations()); err != nil {
		db.Close()
		return nil, d.explain(err)
	}
	return db, nil
}

// dsn returns the data source name for the driver. A transaction that writes takes the lock
// when it begins: one that began as a reader could not wait for it. With FULL a commit waits
// for the disk, so that a decision survives a power failure.
func dsn(path, vfs string) string {
	query := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
			"synchronous(FULL)", "cache_size(-8000)", "foreign_keys(ON)", "trusted_schema(OFF)",
		},
	}
	if vfs != "" {
		query.Set("vfs", vfs)
	}
	return fileURI(path, query)
}

// fileURI returns the URI of a file for SQLite, with parameters.
func fileURI(path string, query url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // for C:/…
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// read runs f in one transaction, so that f sees the state as of one moment.
func (d *database) read(ctx context.Context, f func(*sql.Tx) error) error {
	return d.transaction(ctx, &sql.TxOptions{ReadOnly: true}, f)
}

// each calls scan with each row that a query selects, in a transaction of its own.
func (d *database) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return d.read(ctx, func(tx *sql.Tx) error { return each(tx, query, args, scan) })
}

func each(tx *sql.Tx, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := tx.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// first reads the row that a query selects into the values, in a transaction of its own. found is
// false if it selects none.
func (d *database) first(ctx context.Context, query string, args []any, into ...any) (found bool, err error) {
	err = d.read(ctx, func(tx *sql.Tx) error {
		found, err = first(tx.QueryRow(query, args...), into...)
		return err
	})
	return found, err
}

// first reads a row into the values. found is false if there is none.
func first(row *sql.Row, into ...any) (found bool, err error) {
	if err = row.Scan(into...); errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// exec runs a statement in a transaction of its own.
func (d *database) exec(ctx context.Context, statement string, args ...any) error {
	return d.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(statement, args...)
		return err
	})
}

// transaction does not begin if ctx is done. ctx does not cancel it once it has begun: it is
// short, and its caller must know whether it was committed.
func (d *database) transaction(ctx context.Context, o *sql.TxOptions, f func(*sql.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	db, err := d.open(ctx)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return d.explain(err)
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, o)
	if err != nil {
		return d.explain(err)
	}
	defer tx.Rollback() // does nothing after a commit
	if err := f(tx); err != nil {
		return d.explain(err)
	}
	if err = tx.Commit(); err != nil {
		// SQLite may leave the transaction open, for instance when the file is busy; the
		// connection could then begin no other.
		_, _ = conn.ExecContext(ctx, "ROLLBACK") // it fails if there is none
	}
	return d.explain(err)
}

// Changed reports whether another process, or another Store, has written to the database
// since the last call, or for the first call since it was opened.
func (d *database) Changed(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	ctx = context.WithoutCancel(ctx)
	db, err := d.open(ctx)
	if err != nil {
		return false, err
	}
	version, err := dataVersion(ctx, db)
	if err != nil {
		return false, d.explain(err)
	}
	return d.version.Swap(version) != version, nil
}

// dataVersion returns a number that changes when another connection has written (SQLite,
// PRAGMA data_version).
func dataVersion(ctx context.Context, db *sql.DB) (version int64, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	return version, err
}

// toJSON encodes a list or map for a column. It fails on text that is not UTF-8 instead of
// changing it, so that the value that is read back has the same hash.
func toJSON(what string, v any) (string, error) {
	text, err := json.Marshal(v, json.Deterministic(true), json.FormatNilSliceAsNull(true))
	if err != nil {
		return "", fmt.Errorf("%s cannot be kept, as a part of it is not valid UTF-8 or JSON: %w", what, err)
	}
	return string(text), nil
}

// allJSON does what toJSON does, for several values.
func allJSON(what string, values ...any) ([]string, error) {
	texts := make([]string, len(values))
	var err error
	for i, v := range values {
		if texts[i], err = toJSON(what, v); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

var errUnreadable = errors.New("a record in it cannot be read")

func fromJSON(text string, v any) error {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return nil
}

// asJSON reads a column with JSON into the value that it points to.
type asJSON struct{ into any }

// Scan implements [sql.Scanner].
func (c asJSON) Scan(column any) error {
	text, ok := column.(string)
	if !ok {
		return errUnreadable
	}
	return fromJSON(text, c.into)
}

// asTime reads a column that [nanos] has made.
type asTime struct{ into *time.Time }

// Scan implements [sql.Scanner].
func (c asTime) Scan(column any) error {
	n, ok := column.(int64)
	if *c.into = (time.Time{}); n != 0 {
		*c.into = time.Unix(0, n).UTC()
	}
	if !ok {
		return errUnreadable
	}
	return nil
}

// nanos returns a time as a column, 0 for the zero time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// queue holds what waits for a transaction. The zero value is ready to use.
type queue[T any] struct {
	mu    sync.Mutex
	items []T
	most  int // how many wait at most, then the oldest are lost; 0 for no limit
}

// add adds items at the end or, if they were taken before, at the beginning.
func (q *queue[T]) add(first bool, items ...T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if first {
		q.items = append(items, q.items...)
	} else {
		q.items = append(q.items, items...)
	}
	if over := len(q.items) - q.most; q.most > 0 && over > 0 {
		q.items = q.items[over:]
	}
}

// take removes and returns all items.
func (q *queue[T]) take() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = nil
	return items
}

func (q *queue[T]) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// maxBehind is how many writes wait at most. While the disk is full, the oldest are lost first.
const maxBehind = 20

// writeBehind stores something that nobody waits for, such as a turn's trace: with the next
// transaction that writes, which costs no more for it, by [Store.Flush], or at once if many wait. A
// killed process loses it, so it may be nothing that a user has seen and cannot get again.
func (d *database) writeBehind(f func(*sql.Tx) error) {
	if d.behind.waiting() >= maxBehind {
		d.settle(context.Background())
	}
	d.behind.add(false, f)
}

// write runs f in one transaction that may write, and rolls it back if f fails. What was written
// behind comes first in it. If that fails, f has a transaction of its own.
func (d *database) write(ctx context.Context, f func(*sql.Tx) error) error {
	d.storing.RLock()
	defer d.storing.RUnlock()
	writes := d.behind.take()
	if len(writes) == 0 {
		return d.transaction(ctx, nil, f)
	}
	var failed error
	err := d.transaction(ctx, nil, func(tx *sql.Tx) error {
		for _, w := range writes {
			if failed = w(tx); failed != nil {
				return failed
			}
		}
		return f(tx)
	})
	switch {
	case err == nil:
		return nil
	case failed == nil || errors.Is(err, ErrFull) || errors.Is(err, ErrLocked) || errors.Is(err, ErrUnwritable):
		d.behind.add(true, writes...) // the next transaction tries again
	default:
		d.warn("a record of a turn could not be kept: " + err.Error())
	}
	if failed != nil {
		return d.transaction(ctx, nil, f)
	}
	return err
}

// settle stores what was written behind, for a call that reads it. If that fails, the call does
// without.
func (d *database) settle(ctx context.Context) {
	if d.behind.waiting() > 0 {
		_ = d.write(ctx, func(*sql.Tx) error { return nil })
	}
	d.storing.Lock() // waits for a call that has taken it, and not stored it yet
	defer d.storing.Unlock()
}
