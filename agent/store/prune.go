package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"redline/agent/audit"
	"redline/agent/plan"
	"redline/internal/filelock"
)

// keepNewest is how many plans of each workspace stay, however large the database is.
const keepNewest = 50

// Retention selects the decided plans that may be removed.
type Retention struct {
	Workspace string    // only plans of this one; "" for all
	Before    time.Time // those not changed since; zero for none
	Bytes     int64     // size limit of the database; 0 for no limit
}

// Candidate is a plan that may be removed: it is decided, the outcome of each of its parts
// is known, and it is not the newest of its workspace, so that no number is used twice.
type Candidate struct {
	Workspace string
	Number    int
	Goal      string
	Updated   time.Time
	Old       bool // it is before [Retention.Before]; otherwise only the size is a reason

	id      int64
	version int
}

// Pruning is the right to remove plans; one process has it at a time. Its methods are for one
// goroutine.
type Pruning struct {
	store *Store
	lock  *os.File
	refs  *references
	used  int64
	limit int64
}

// BeginPruning takes the right to prune. ok is false while another process has it.
func (s *Store) BeginPruning(ctx context.Context, r Retention) (p *Pruning, ok bool, err error) {
	if _, err := s.open(ctx); err != nil {
		return nil, false, err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, "prune.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, s.explain(err)
	}
	if !filelock.Try(f) {
		f.Close()
		return nil, false, nil
	}
	used, _, err := s.Size(ctx)
	if err != nil {
		f.Close()
		return nil, false, err
	}
	return &Pruning{store: s, lock: f, refs: &references{count: map[[32]byte]int32{}}, used: used, limit: r.Bytes}, true, nil
}

// End releases the right to prune.
func (p *Pruning) End() { p.lock.Close() }

// TooLarge reports whether the database holds more than its limit.
func (p *Pruning) TooLarge() bool { return p.limit > 0 && p.used > p.limit }

// Candidates returns the plans that may be removed, the one that changed longest ago first.
func (p *Pruning) Candidates(ctx context.Context, r Retention) ([]Candidate, error) {
	var list []Candidate
	err := p.store.each(ctx, `SELECT id, workspace, number, goal, updated, progress, version, newer FROM (
			SELECT *, count(*) OVER (PARTITION BY workspace ORDER BY number DESC) - 1 AS newer FROM plans
		) AS p WHERE open = 0 AND newer > 0 AND (? = '' OR workspace = ?)
			AND NOT EXISTS (SELECT 1 FROM executions AS e WHERE e.plan = p.id AND e.finished = 0)
		ORDER BY updated, id`, []any{r.Workspace, r.Workspace}, func(rows *sql.Rows) error {
		var c Candidate
		var newer int
		var text string
		var progress plan.Progress
		if err := rows.Scan(&c.id, &c.Workspace, &c.Number, &c.Goal, asTime{&c.Updated}, &text, &c.version, &newer); err != nil {
			return err
		}
		c.Old = !r.Before.IsZero() && c.Updated.Before(r.Before)
		if !c.Old && (r.Bytes == 0 || newer < keepNewest) {
			return nil
		}
		if fromJSON(text, &progress) != nil || removable(&progress) { // an unreadable plan was rejected as a whole
			list = append(list, c)
		}
		return nil
	})
	return list, err
}

// removable reports whether the outcome of a plan is final: each edit that was sent was found
// in its file, and each applied one is saved. A plan that was rejected as a whole is in no
// file, whatever the status of its files.
func removable(p *plan.Progress) bool {
	some := len(p.Hunks) == 0 // only a move
	for _, m := range p.Hunks {
		some = some || m.Status != plan.HunkRejected
	}
	for _, m := range p.Files {
		if m.Sent != nil || m.Unsaved && (some || m.Move == plan.FileApplied) || m.Status == plan.FileApplying || m.Status == plan.FileUnverified {
			return false
		}
	}
	for _, m := range p.Commands {
		if m.Status == plan.CommandRunning || m.Status == plan.CommandWaitingForSave {
			return false
		}
	}
	return true
}

// Remove removes a plan, with everything that belongs to it alone, and records the removal at
// the time at in the same transaction. freed is in bytes; if dry is true, Remove only computes
// it. ok is false if the plan has changed since it became a candidate. After an error Remove
// must not be called again.
func (p *Pruning) Remove(ctx context.Context, c Candidate, at time.Time, dry bool) (freed int64, ok bool, err error) {
	if err := p.refs.scan(ctx, p.store.database); err != nil {
		return 0, false, err
	}
	err = p.store.recorded(ctx, func(tx *sql.Tx) ([]audit.Record, error) {
		var err error
		ok, err = first(tx.QueryRow(`SELECT 1 FROM plans AS p WHERE id = ? AND workspace = ? AND number = ? AND version = ? AND open = 0
			AND NOT EXISTS (SELECT 1 FROM executions AS e WHERE e.plan = p.id AND e.finished = 0)`,
			c.id, c.Workspace, c.Number, c.version), new(int))
		if !ok {
			return nil, err
		}
		freed, err = p.refs.remove(tx, c.id, dry)
		if err != nil || dry {
			return nil, err
		}
		return []audit.Record{{
			At: at, Workspace: c.Workspace, Event: audit.Pruned, Plan: c.Number, Who: "retention",
			Reason: "nothing had happened to it since " + c.Updated.UTC().Format(time.RFC3339),
		}}, nil
	})
	if err != nil {
		return 0, false, err
	}
	p.used -= freed
	return freed, ok, nil
}

// Size returns how many bytes of the database are in use, and the size of its file.
func (d *database) Size(ctx context.Context) (used, file int64, err error) {
	var pages, free, size int64
	_, err = d.first(ctx, `SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`, nil,
		&pages, &free, &size)
	return (pages - free) * size, pages * size, err
}

// Tidy returns free pages to the file system, in small steps that block nobody for long. A
// database of an older version must be rewritten for that: Tidy does so only if whole is true,
// and other processes wait meanwhile.
func (p *Pruning) Tidy(ctx context.Context, whole bool) error {
	s := p.store
	db, err := s.open(ctx)
	if err != nil {
		return err
	}
	var mode int
	if err := db.QueryRowContext(ctx, `PRAGMA auto_vacuum`).Scan(&mode); err != nil {
		return s.explain(err)
	}
	used, file, err := s.Size(ctx)
	if err != nil {
		return err
	}
	switch {
	case mode == incremental:
		for last := file + 1; err == nil && used < file && file < last; {
			last = file
			if err = drain(ctx, db, `PRAGMA incremental_vacuum(1000)`); err == nil {
				used, file, err = s.Size(ctx)
			}
		}
	case whole && used < file/4*3:
		if _, err = db.ExecContext(ctx, `PRAGMA auto_vacuum = INCREMENTAL`); err == nil {
			_, err = db.ExecContext(ctx, `VACUUM`)
		}
	}
	if err != nil {
		return s.explain(err)
	}
	return s.explain(drain(ctx, db, `PRAGMA wal_checkpoint(TRUNCATE)`)) // a reader may keep a part of it until the next time
}

// incremental is SQLite's auto_vacuum mode that returns free pages step by step.
const incremental = 2

// drain runs a statement that does its work while its rows are read.
func drain(ctx context.Context, db *sql.DB, statement string) error {
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// Pruned returns when plans were last pruned automatically, the zero time if they never
// were or that is unknown.
func (s *Store) Pruned() time.Time {
	info, err := os.Stat(s.prunedPath())
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// NotePruned records that plans were pruned automatically at a time.
func (p *Pruning) NotePruned(at time.Time) error {
	path := p.store.prunedPath()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return p.store.explain(err)
	}
	return p.store.explain(os.Chtimes(path, at, at))
}

func (s *Store) prunedPath() string { return filepath.Join(s.dir, "pruned") }

// Sweep removes unneeded files of the state directory: the leases of executions whose outcome
// is known, the locks of questions that no longer wait, and the previews, older than before,
// of workspaces without a plan, and old copies of the database. The zero time keeps all
// previews. A file that cannot be removed stays until the next sweep.
func (p *Pruning) Sweep(ctx context.Context, before time.Time) error {
	p.sweepCopies(time.Now().Add(-copyKeptFor))
	if err := p.sweepLeases(ctx); err != nil || before.IsZero() {
		return err
	}
	return p.sweepPreviews(ctx, before)
}

// sweepLeases removes the leases of executions that have ended. It does so in a transaction
// that writes, so that no execution begins meanwhile: a new one has its lease before others
// see it.
func (p *Pruning) sweepLeases(ctx context.Context) error {
	s := p.store
	return s.write(ctx, func(tx *sql.Tx) error {
		open := map[string]bool{} // names of files
		err := each(tx, `SELECT id, 0 FROM executions WHERE finished = 0 UNION ALL SELECT id, 1 FROM questions`, nil, func(rows *sql.Rows) error {
			var id, kind int64
			err := rows.Scan(&id, &kind)
			open[[]*locks{s.leases, s.answering}[kind].path(id)] = true
			return err
		})
		for _, path := range slices.Concat(s.files("executions/*.lock"), s.files("questions/*.lock")) {
			if err == nil && !open[path] {
				os.Remove(path)
			}
		}
		return err
	})
}

// sweepPreviews removes the previews of workspaces without plans.
func (p *Pruning) sweepPreviews(ctx context.Context, before time.Time) error {
	s := p.store
	folders := map[string]bool{} // names of workspaces in the previews folder
	err := s.each(ctx, `SELECT DISTINCT workspace FROM plans`, nil, func(rows *sql.Rows) error {
		var dir string
		err := rows.Scan(&dir)
		sum := sha256.Sum256([]byte(dir))
		folders[hex.EncodeToString(sum[:8])] = true
		return err
	})
	if err != nil {
		return err
	}
	for _, path := range s.files("previews/*/plans/*.md") {
		plans := filepath.Dir(path)
		of := filepath.Base(filepath.Dir(plans))
		if info, err := os.Lstat(path); err != nil || folders[of] || !info.Mode().IsRegular() || !info.ModTime().Before(before) {
			continue
		}
		os.Remove(path)
		os.Remove(plans)               // only if it is empty
		os.Remove(filepath.Dir(plans)) // the same
	}
	return nil
}

// files returns the names of the files of the state directory that match a pattern. The
// name of the directory itself may have any characters.
func (d *database) files(pattern string) []string {
	paths, _ := fs.Glob(os.DirFS(d.dir), pattern) // the pattern is valid
	for i, path := range paths {
		paths[i] = filepath.Join(d.dir, filepath.FromSlash(path))
	}
	return paths
}
