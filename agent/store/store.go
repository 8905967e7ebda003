// Package store keeps what must not be lost: plans, their revisions and texts,
// the decisions on them and what came of carrying them out. It is an SQLite
// database in one directory, which several processes may use at once.
//
// What a method has stored when it returns nil survives the end of the
// process and of the machine. A method that fails has stored nothing.
package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver

	"redline/agent/audit"
)

// FileName is the name of the database in the directory of a store.
const FileName = "redline.db"

// busyTimeout is how long a call waits for another process.
const busyTimeout = 5 * time.Second

// Store is a directory in which plans are kept. Its methods may be called from
// any goroutine. Each opens the database if that has not been done.
type Store struct {
	dir, path string
	vfs       string            // "" for SQLite's usual one
	tell      func(text string) // nil: there is no falling back to memory

	examineFor time.Duration // see the constant
	texts      textCache
	shown      shownQueue
	head       headFile

	// mu is taken within transactions: who has it waits for none of this store.
	mu     sync.Mutex
	db     *sql.DB // nil until it is needed
	closed bool
	// volatile tells that the database is in memory, see InMemory.
	volatile     bool
	headInMemory *audit.Head // of the audit log then; nil until it is needed

	leases    locks // of executions
	answering locks // of questions whose answers are worked out

	// checked is the revision that was last found to be as it was shown.
	checked atomic.Pointer[[sha256.Size]byte]

	// version is SQLite's data_version when Changed was last asked.
	version atomic.Int64
}

// New returns the store in the given directory. It touches nothing: the
// directory and the database are made by the first call that needs them.
func New(dir string) *Store {
	return &Store{
		dir: dir, path: filepath.Join(dir, FileName), examineFor: examineFor,
		head:      headFile{path: filepath.Join(dir, HeadName), warn: func(string) {}},
		leases:    locks{dir: filepath.Join(dir, "executions")},
		answering: locks{dir: filepath.Join(dir, "questions")},
	}
}

// NewOn is New on a VFS of SQLite that is registered under a name: a faulty disk,
// for tests.
func NewOn(vfs, dir string) *Store {
	s := New(dir)
	s.vfs = vfs
	return s
}

// Close gives the database back. The store cannot be used any more.
func (s *Store) Close() error {
	_ = s.Flush(context.Background()) // what was shown just now; nobody could do anything about it
	s.head.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.leases.close()
	s.answering.close()
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	return s.explain(err)
}

// open returns the database, opened and of the version that this program
// knows. When that fails the next call tries again.
func (s *Store) open(ctx context.Context) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, errors.New("the plan database was closed")
	case s.db != nil:
		return s.db, nil
	}
	db, err := s.openFile(ctx)
	if s.tell != nil && errors.Is(err, ErrUnwritable) { // what may have passed must not cost the session its store
		db, err = s.openFile(ctx)
	}
	if s.tell != nil && unusable(err) {
		db, err = s.openInMemory(ctx, err)
	}
	var version int64
	if err == nil {
		version, err = dataVersion(ctx, db)
	}
	if err != nil {
		if db != nil {
			db.Close()
		}
		return nil, s.explain(err)
	}
	s.db = db
	s.version.Store(version)
	return db, nil
}

// unusable reports whether a session has to do without the database in the directory.
func unusable(err error) bool {
	return errors.Is(err, ErrUnwritable) || errors.Is(err, ErrFull) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer)
}

// openFile opens the database in the directory, which it makes if need be. One that
// is not whole is not opened.
func (s *Store) openFile(ctx context.Context) (*sql.DB, error) {
	if err := s.examine(ctx); err != nil {
		return nil, s.explain(err)
	}
	if err := s.makeFile(); err != nil {
		return nil, s.explain(err)
	}
	db, err := sql.Open("sqlite", dsn(s.path, s.vfs))
	if err != nil {
		return nil, s.explain(err)
	}
	// One connection: SQLite has one writer at a time in any case, it costs
	// 2 MB of cache each, and Changed is about one connection.
	db.SetMaxOpenConns(1)
	if err := s.prepare(ctx, db); err != nil {
		db.Close()
		return nil, s.explain(err)
	}
	return db, nil
}

// makeFile makes the directory and an empty database that only the user can
// read: plans hold the user's texts. SQLite gives its other files the same
// mode.
func (s *Store) makeFile() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// dsn names the database for the driver. Transactions that write take the
// lock at once: one that began as a reader could not wait for it. FULL makes
// a commit wait for the disk, so that a decision survives a power failure.
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

// fileURI names a file as SQLite has it, with what it is to know besides.
func fileURI(path string, query url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// write runs f in one transaction that may write; it is undone when f fails.
func (s *Store) write(ctx context.Context, f func(*sql.Tx) error) error {
	return s.transaction(ctx, nil, f)
}

// read runs f in one transaction, so that all it reads is of one moment.
func (s *Store) read(ctx context.Context, f func(*sql.Tx) error) error {
	return s.transaction(ctx, &sql.TxOptions{ReadOnly: true}, f)
}

// transaction does not begin when ctx is done, and is not cancelled by it once
// it has begun: it is short, and its caller must know what was kept.
func (s *Store) transaction(ctx context.Context, o *sql.TxOptions, f func(*sql.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	db, err := s.open(ctx)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return s.explain(err)
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, o)
	if err != nil {
		return s.explain(err)
	}
	defer tx.Rollback() // does nothing after a commit
	if err := f(tx); err != nil {
		return s.explain(err)
	}
	if err = tx.Commit(); err != nil {
		// SQLite may leave the transaction open, as when the file is busy: the
		// connection could begin no other.
		_, _ = conn.ExecContext(ctx, "ROLLBACK") // it fails where there is none any more
	}
	return s.explain(err)
}

// Changed tells whether another process, or another Store, has written to the
// database since the last call or, at the first one, since it was opened.
func (s *Store) Changed(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	ctx = context.WithoutCancel(ctx)
	db, err := s.open(ctx)
	if err != nil {
		return false, err
	}
	version, err := dataVersion(ctx, db)
	if err != nil {
		return false, s.explain(err)
	}
	return s.version.Swap(version) != version, nil
}

// dataVersion is a number that changes when another connection has written
// (SQLite, PRAGMA data_version).
func dataVersion(ctx context.Context, db *sql.DB) (version int64, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	return version, err
}
