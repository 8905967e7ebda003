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
)

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
		err := each(tx, `SELECT id FROM executions WHERE finished = 0`, nil, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			open[s.leases.path(id)] = true
			return err
		})
		if err != nil {
			return err
		}
		err = each(tx, `SELECT id FROM questions`, nil, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			open[s.answering.path(id)] = true
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
	err := s.read(ctx, func(tx *sql.Tx) error {
		return each(tx, `SELECT DISTINCT workspace FROM plans`, nil, func(rows *sql.Rows) error {
			var dir string
			err := rows.Scan(&dir)
			sum := sha256.Sum256([]byte(dir))
			folders[hex.EncodeToString(sum[:8])] = true
			return err
		})
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
