package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// copies returns the files in a store's directory that are copies of its database, or incomplete
// copies.
func copies(s *Store) []string {
	var names []string
	for _, pattern := range []string{FileName + ".version*", FileName + ".copy-*"} {
		for _, path := range s.files(pattern) {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}

// A database of an older version is copied before it is migrated; a new one, and one of this
// version, is not.
func TestUpgradeKeepsACopy(t *testing.T) {
	s := storeOfVersion(t, 12)
	if _, err := s.Choices(t.Context(), ws, "c1"); err != nil {
		t.Fatal(err)
	}
	same(t, copies(s), []string{"redline.db.version12"})
	kept := filepath.Join(s.dir, "redline.db.version12")
	info, err := os.Stat(kept)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has the mode %v, %v", info.Mode(), err)
	}

	// The copy is a whole database of that version, which can be opened again.
	again := storeIn(t, t.TempDir())
	text, err := os.ReadFile(kept)
	if err == nil {
		err = os.WriteFile(filepath.Join(again.dir, FileName), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var version int
	if err := raw(t, again.dir).QueryRow("PRAGMA user_version").Scan(&version); err != nil || version != 12 {
		t.Errorf("the copy has version %d, %v", version, err)
	}
	if choices, err := again.Choices(t.Context(), ws, "c1"); err != nil || choices != `{"agent":{"name":"plan"},"mode":"plan"}` {
		t.Errorf("the copy has the choices %q, %v", choices, err)
	}

	third := storeIn(t, s.dir)
	if _, err := third.Choices(t.Context(), ws, "c1"); err != nil {
		t.Fatal(err)
	}
	same(t, copies(third), []string{"redline.db.version12"})
	fresh := newStore(t)
	create(t, fresh, ws)
	if left := copies(fresh); len(left) > 0 {
		t.Errorf("a new database has the copies %q", left)
	}
}

// Without room for the copy nothing is migrated.
func TestNoUpgradeWithoutACopy(t *testing.T) {
	s := storeOfVersion(t, 12)
	// A directory of that name, which a copy cannot replace.
	if err := os.MkdirAll(filepath.Join(s.dir, "redline.db.version12", "in", "the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Choices(t.Context(), ws, "c1"); err == nil {
		t.Fatal("it was migrated")
	}
	var version int
	if err := raw(t, s.dir).QueryRow("PRAGMA user_version").Scan(&version); err != nil || version != 12 {
		t.Errorf("version %d, %v", version, err)
	}
	same(t, copies(s), []string{"redline.db.version12"})
}

// Programs that are started at the same moment after an upgrade leave one copy, of the old
// version.
func TestUpgradesAtOnce(t *testing.T) {
	first := storeOfVersion(t, 12)
	var wg sync.WaitGroup
	for range 8 {
		s := storeIn(t, first.dir)
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
			defer cancel()
			for {
				_, err := s.Choices(ctx, ws, "c1")
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
				}
				return
			}
		})
	}
	wg.Wait()
	same(t, copies(first), []string{"redline.db.version12"})
	var version int
	if err := raw(t, filepath.Dir(first.path)).QueryRow("PRAGMA user_version").Scan(&version); err != nil || version <= 12 {
		t.Errorf("version %d, %v", version, err)
	}
}

// Copies are removed after a month.
func TestOldCopiesAreSwept(t *testing.T) {
	s := newStore(t)
	create(t, s, ws)
	for name, age := range map[string]time.Duration{
		"redline.db.version11": copyKeptFor + time.Hour, "redline.db.copy-123": copyKeptFor + time.Hour,
		"redline.db.version12": copyKeptFor - time.Hour,
	} {
		path, at := filepath.Join(s.dir, name), time.Now().Add(-age)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	pruning, ok, err := s.BeginPruning(t.Context(), Retention{})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer pruning.End()
	if err := pruning.Sweep(t.Context(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	same(t, copies(s), []string{"redline.db.version12"})
}
