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
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"time"
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
	*handovers     // decisions that another process is asked to carry out
	*questions     // turns that wait for an answer
	*conversations // the exchanges of conversations
	*traces        // the traces of turns
	*reuse         // models' answers, to reuse for an equal request
	*trialFolders  // where commands may be tried, and where not
	*outsideReach  // what outside agents may reach, and where
	*destinations  // where texts of workspaces go
	*presence      // what live processes share
}

// New returns the store in the given directory. It accesses no file: the first call that
// needs the directory and the database creates them.
func New(dir string) *Store {
	leases := &locks{dir: filepath.Join(dir, "executions")}
	answering := &locks{dir: filepath.Join(dir, "questions")}
	takes := &locks{dir: filepath.Join(dir, "handovers")}
	db := &database{
		dir: dir, path: filepath.Join(dir, FileName), examineFor: examineFor, locks: []*locks{leases, answering, takes},
		examined: examined{path: filepath.Join(dir, ExaminedName)}, behind: queue[func(*sql.Tx) error]{most: maxBehind}, warn: func(string) {},
	}
	log := &auditLog{db: db, head: headFile{path: filepath.Join(dir, HeadName), warn: func(string) {}}}
	all := &plans{db: db, log: log}
	return &Store{
		database:      db,
		auditLog:      log,
		plans:         all,
		executions:    &executions{db: db, plans: all, leases: leases},
		handovers:     &handovers{db: db, takes: takes},
		questions:     &questions{db: db, answering: answering},
		conversations: &conversations{db: db},
		traces:        &traces{db: db},
		reuse:         &reuse{db: db},
		trialFolders:  &trialFolders{db: db},
		outsideReach:  &outsideReach{db: db},
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
	s.head.close()
	return s.database.close()
}

// SeenName is the name of the file in which the command line notes what it has printed of plans.
const SeenName = "shown.json"

// SharedName is the name of the file in which the command line notes which remotes the user shares
// plans with, and what they had.
const SharedName = "shared.json"

// HistoryName is the name of the file in which the command line keeps the requests that were typed at
// its prompt, one a line.
const HistoryName = "requests"

// Owns reports whether an entry of the state directory, by its name there, is Redline's: of this
// package, or of those that keep files beside the database.
func Owns(name string) bool {
	return strings.HasPrefix(name, FileName) || strings.HasPrefix(name, "audit.") || strings.HasPrefix(name, SeenName) || strings.HasPrefix(name, SharedName) ||
		slices.Contains([]string{"executions", "questions", "handovers", "editors", "sessions", "turns", "prune.lock", "pruned", "previews", "temporary", "warm", "keys", HistoryName}, name)
}

// keepReuse is how many requests of a workspace are kept for reuse, and reuseFor
// how long.
const (
	keepReuse = 100
	reuseFor  = 30 * 24 * time.Hour
)

// reuse owns the answers of models that can be reused for an equal request.
type reuse struct{ db *database }

// Reuse is a model's answer to a request. The store does not read Record.
type Reuse struct {
	Key    string // hash of everything that was sent to the model
	Plan   int    // the number of the resulting plan
	Kept   time.Time
	Record string // JSON
}

// SaveReuse notes the answer to a request, and replaces one with the same key. It removes
// the oldest of the workspace if there are more than 100. The answer is stored with what this store
// writes next, or by [Store.Flush].
func (rs *reuse) SaveReuse(workspace string, r Reuse) {
	rs.db.writeBehind(func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO reuse (workspace, key, plan, kept, record) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (workspace, key) DO UPDATE SET plan = excluded.plan, kept = excluded.kept, record = excluded.record`,
			workspace, r.Key, r.Plan, nanos(r.Kept), r.Record)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM reuse WHERE workspace = ?1 AND kept <= (
			SELECT kept FROM reuse WHERE workspace = ?1 ORDER BY kept DESC LIMIT 1 OFFSET ?2)`, workspace, keepReuse)
		return err
	})
}

// Reusable returns the answer with a key, if it is at most 30 days old at the time now; ok is
// false if there is none.
func (rs *reuse) Reusable(ctx context.Context, workspace, key string, now time.Time) (r Reuse, ok bool, err error) {
	rs.db.settle(ctx)
	ok, err = rs.db.first(ctx, `SELECT key, plan, kept, record FROM reuse WHERE workspace = ? AND key = ? AND kept >= ?`,
		[]any{workspace, key, nanos(now.Add(-reuseFor))}, &r.Key, &r.Plan, asTime{&r.Kept}, &r.Record)
	return r, ok, err
}

// destinations owns, for each workspace, the destinations that the user has got a notice about.
type destinations struct{ db *database }

// FirstDestination records that the user gets a notice that texts of a workspace go to a destination.
// It returns true the first time: only one of several processes gets true.
func (d *destinations) FirstDestination(ctx context.Context, workspace, destination string) (isFirst bool, err error) {
	err = d.db.write(ctx, func(tx *sql.Tx) (err error) {
		isFirst, err = first(tx.QueryRow(`INSERT INTO destinations (workspace, destination, told) VALUES (?, ?, ?)
			ON CONFLICT (workspace, destination) DO NOTHING RETURNING 1`, workspace, destination, nanos(time.Now())), new(int))
		return err
	})
	return isFirst && err == nil, err
}

// trialFolders owns the user's answers on trying commands, by folder.
type trialFolders struct{ db *database }

// TrialFolder is the user's answer on trying commands in a folder. It is valid while the folder
// belongs to the same owner.
type TrialFolder struct {
	Owner   int
	Allowed bool // otherwise it is forbidden
}

// SetTrialFolder records the user's answer for a folder, an absolute name without symbolic
// links.
func (t *trialFolders) SetTrialFolder(ctx context.Context, folder string, said TrialFolder) error {
	return t.db.exec(ctx, `INSERT INTO trial_folders (folder, owner, since, allowed) VALUES (?, ?, ?, ?)
		ON CONFLICT (folder) DO UPDATE SET owner = excluded.owner, since = excluded.since, allowed = excluded.allowed`,
		folder, said.Owner, nanos(time.Now()), said.Allowed)
}

// TrialFolders returns the user's answers by folder.
func (t *trialFolders) TrialFolders(ctx context.Context) (map[string]TrialFolder, error) {
	all := map[string]TrialFolder{}
	err := t.db.each(ctx, `SELECT folder, owner, allowed FROM trial_folders`, nil, func(rows *sql.Rows) error {
		var folder string
		var said TrialFolder
		err := rows.Scan(&folder, &said.Owner, &said.Allowed)
		all[folder] = said
		return err
	})
	return all, err
}

// outsideReach owns what the user has allowed outside agents, by folder.
type outsideReach struct{ db *database }

// AllowOutside records that the outside agent of this name and reach may work on a folder, an absolute name without
// symbolic links, as long as the folder has this owner.
func (o *outsideReach) AllowOutside(ctx context.Context, folder, agent, reach string, owner int) error {
	return o.db.exec(ctx, `INSERT INTO outside_reach (folder, agent, reach, owner, since) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (folder, agent, reach) DO UPDATE SET owner = excluded.owner, since = excluded.since`,
		folder, agent, reach, owner, nanos(time.Now()))
}

// ForbidOutside takes back all that [Store.AllowOutside] has recorded of an agent, whatever it may reach now.
func (o *outsideReach) ForbidOutside(ctx context.Context, folder, agent string) error {
	return o.db.exec(ctx, `DELETE FROM outside_reach WHERE folder = ? AND agent = ?`, folder, agent)
}

// OutsideAllowed reports whether the outside agent of this name and reach may work on a folder.
func (o *outsideReach) OutsideAllowed(ctx context.Context, folder, agent, reach string, owner int) (allowed bool, err error) {
	err = o.db.each(ctx, `SELECT 1 FROM outside_reach WHERE folder = ? AND agent = ? AND reach = ? AND owner = ?`, []any{folder, agent, reach, owner}, func(*sql.Rows) error {
		allowed = true
		return nil
	})
	return allowed, err
}
