package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Asking for the version changes nothing: an older database is not migrated, and none is made.
func TestVersion(t *testing.T) {
	all := migrations()
	t.Run("none yet", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "state")
		if now, written, err := storeIn(t, dir).Version(t.Context()); now != 0 || written != len(all) || err != nil {
			t.Errorf("got %d, %d and %v", now, written, err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("the folder was created")
		}
	})
	t.Run("older", func(t *testing.T) {
		s := storeOfVersion(t, 9)
		for range 2 {
			if now, _, err := s.Version(context.Background()); now != 9 || err != nil {
				t.Errorf("got %d and %v, want 9", now, err)
			}
		}
	})
	t.Run("newer", func(t *testing.T) {
		s := storeOfVersion(t, 9)
		db := raw(t, s.dir)
		exec(t, db, fmt.Sprintf(`PRAGMA user_version = %d`, len(all)+1))
		db.Close()
		if _, _, err := s.Version(t.Context()); !errors.Is(err, ErrNewer) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("another program's", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte("not a database at all"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := storeIn(t, dir).Version(t.Context()); !errors.Is(err, ErrDamaged) {
			t.Errorf("got %v", err)
		}
	})
}
