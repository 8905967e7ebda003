// Package store keeps the data that must not be lost: plans, their revisions and texts, the
// decisions on them and their outcomes. It is an SQLite database in one directory, which
// several processes may use at once.
//
// Once a method has returned nil, what it stored survives a crash of the process and of the
// machine. A method that fails has stored nothing. Only records that no user waits for go with the
// next transaction, or with [Store.Flush]: what was shown, the trace of a turn, and an answer that
// could be reused.
package store

import (
	"context"
	"path/filepath"
)

// Store keeps plans in a directory. Its methods may be called from any goroutine. The first
// one that needs the database opens it.
//
// A Store is made of one owner for each kind of data; each owner has files of its own.
type Store struct {
	*database      // the connection
	*auditLog      // decisions, in a chain that reveals changes
	*plans         // plans, revisions, their texts and the decisions on them
	*executions    // decisions being carried out, and their leases
	*questions     // turns that wait for an answer
	*conversations // the exchanges of conversations
	*traces        // the traces of turns
	*reuse         // models' answers, to reuse for an equal request
	*trialFolders  // where commands may be tried, and where not
	*destinations  // where texts of workspaces go
	*presence      // what live processes share
}

// New returns the store in the given directory. It accesses no file: the first call that
// needs the directory and the database creates them.
func New(dir string) *Store {
	leases := &locks{dir: filepath.Join(dir, "executions")}
	answering := &locks{dir: filepath.Join(dir, "questions")}
	db := &database{
		dir: dir, path: filepath.Join(dir, FileName), examineFor: examineFor, locks: []*locks{leases, answering},
		examined: examined{path: filepath.Join(dir, ExaminedName)}, behind: behind{warn: func(string) {}},
	}
	log := &auditLog{db: db, head: headFile{path: filepath.Join(dir, HeadName), warn: func(string) {}}}
	all := &plans{db: db, log: log}
	return &Store{
		database:      db,
		auditLog:      log,
		plans:         all,
		executions:    &executions{db: db, plans: all, leases: leases},
		questions:     &questions{db: db, answering: answering},
		conversations: &conversations{db: db},
		traces:        &traces{db: db},
		reuse:         &reuse{db: db},
		trialFolders:  &trialFolders{db: db},
		destinations:  &destinations{db: db},
		presence:      &presence{root: dir},
	}
}

// NewOn is New on a registered VFS of SQLite, which may simulate a faulty disk in tests.
func NewOn(vfs, dir string) *Store {
	s := New(dir)
	s.vfs = vfs
	return s
}

// Close closes the database and releases all leases. The store cannot be used afterwards.
func (s *Store) Close() error {
	_ = s.Flush(context.Background()) // records of what was just shown; a failure cannot be reported any more
	s.auditLog.close()
	return s.database.close()
}
