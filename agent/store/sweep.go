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

// Sweep removes files of the state directory that are of no more use: the leases of
// executions of which it is known what came of them, the locks of questions that
// wait no more, and previews that were written before the given time (none when it
// is zero) of workspaces that have no plan any more. What cannot be removed stays;
// the next time then.
func (p *Pruning) Sweep(ctx context.Context, before time.Time) error {
	if err := p.sweepLeases(ctx); err != nil || before.IsZero() {
		return err
	}
	return p.sweepPreviews(ctx, before)
}

// sweepLeases removes the leases of executions that are not open. It has the
// right to write meanwhile: an execution has its lease before it can be seen.
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
	folders := map[string]bool{} // names of workspaces below previews
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
		os.Remove(plans)               // only if that was the last
		os.Remove(filepath.Dir(plans)) // the same
	}
	return nil
}

// files returns the names of the files of the state directory, whose
// own name may hold anything, that are as in a pattern.
func (d *database) files(pattern string) []string {
	paths, _ := fs.Glob(os.DirFS(d.dir), pattern) // the pattern is good
	for i, path := range paths {
		paths[i] = filepath.Join(d.dir, filepath.FromSlash(path))
	}
	return paths
}
