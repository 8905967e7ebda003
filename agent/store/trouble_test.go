package store

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/plan"
)

// says checks that an error is of the kind and one sentence that names what
// it is about and what to do.
func says(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("got %v, want %v", err, kind)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
	if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "SQLITE") {
		t.Errorf("%q is not for a user", err)
	}
}

// unchanged checks that a file is what it was.
func unchanged(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s was changed (%v)", path, err)
	}
}

func exec(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func TestFileThatIsNoDatabaseIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	content := bytes.Repeat([]byte("not a database "), 1000)
	if err := os.WriteFile(filepath.Join(dir, FileName), content, 0o600); err != nil {
		t.Fatal(err)
	}
	s := storeIn(t, dir)
	p, texts := sample(1)
	says(t, s.CreatePlan(t.Context(), ws, p, texts), ErrDamaged, dir, "damaged", "move it")
	unchanged(t, s.path, content)

	if err := os.Remove(s.path); err != nil { // the user has moved it away
		t.Fatal(err)
	}
	if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestDatabaseThatWasCutOffIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	whole := New(dir)
	for range 20 {
		create(t, whole, ws)
	}
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(whole.path)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for size := 4096; size < len(content); size += 4096 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), content[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		s := New(dir)
		_, err := s.Plans(t.Context(), ws, Filter{})
		if err == nil { // what was lost holds other things; reading must not have repaired it
			_, err = s.Text(t.Context(), plan.BlobOf("file 0\na\r\nb\n"))
		}
		if err != nil {
			says(t, err, ErrDamaged, dir)
			refused++
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		unchanged(t, s.path, content[:size])
	}
	if refused == 0 {
		t.Error("no cut was found")
	}
}

func TestRecordThatCannotBeRead(t *testing.T) {
	for _, change := range []string{
		`UPDATE plans SET progress = '{"hunks":' WHERE number = 1`,
		`UPDATE revisions SET operations = '[1]' WHERE plan = 1`,
	} {
		dir := t.TempDir()
		s := storeIn(t, dir)
		create(t, s, ws)
		exec(t, raw(t, dir), change)
		other := create(t, s, ws)
		if _, err := s.Plan(t.Context(), ws, 1); err == nil || !strings.HasPrefix(err.Error(), "plan 1 cannot be read (") {
			t.Errorf("after %s: %v", change, err)
		}
		if _, err := s.Plan(t.Context(), ws, other.Number); err != nil {
			t.Errorf("another plan: %v", err)
		}
	}
}

func TestTextThatWasTamperedWith(t *testing.T) {
	s := newStore(t)
	p := create(t, s, ws)
	exec(t, raw(t, s.dir), `UPDATE texts SET text = CAST('other' AS BLOB)`)
	_, err := s.Text(t.Context(), p.Latest().Changes[0].Base)
	says(t, err, ErrDamaged, s.dir)
}

func TestNewerDatabaseIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	older := New(dir)
	create(t, older, ws)
	if err := older.Close(); err != nil {
		t.Fatal(err)
	}
	db := raw(t, dir)
	exec(t, db, `PRAGMA user_version = 999`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(older.path)
	if err != nil {
		t.Fatal(err)
	}
	s := storeIn(t, dir)
	_, err = s.Plans(t.Context(), ws, Filter{})
	says(t, err, ErrNewer, dir, "999", "update Redline")
	unchanged(t, s.path, content)
}

func TestDatabaseOfAnotherProgramIsLeftAlone(t *testing.T) {
	for _, script := range []string{
		`CREATE TABLE bookmarks (url TEXT)`,
		`PRAGMA application_id = 77`,
		`PRAGMA user_version = 1`,
	} {
		dir := t.TempDir()
		db := raw(t, dir)
		exec(t, db, script)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(dir, FileName))
		if err != nil {
			t.Fatal(err)
		}
		s := storeIn(t, dir)
		_, err = s.Plans(t.Context(), ws, Filter{})
		says(t, err, ErrDamaged, dir, "another program")
		unchanged(t, s.path, content)
	}
}

func TestDirectoryThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := storeIn(t, filepath.Join(file, "redline"))
	p, texts := sample(1)
	says(t, s.CreatePlan(t.Context(), ws, p, texts), ErrUnwritable, file, "REDLINE_STATE_DIR")
	if err := os.Remove(file); err != nil { // repaired: the next call works
		t.Fatal(err)
	}
	if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
		t.Error(err)
	}
}

func TestDirectoryThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	if err := os.WriteFile(filepath.Join(dir, "probe"), nil, 0o600); err == nil {
		t.Skip("this user can write to a read-only directory: run this test without root")
	}
	s := storeIn(t, dir)
	_, err := s.Plans(t.Context(), ws, Filter{})
	says(t, err, ErrUnwritable, dir, "REDLINE_STATE_DIR")
}

func TestDatabaseIsADirectory(t *testing.T) {
	s := newStore(t)
	if err := os.MkdirAll(s.path, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := s.Plans(t.Context(), ws, Filter{})
	says(t, err, ErrUnwritable, s.dir, "REDLINE_STATE_DIR")
}

// SQLite says the same of a full disk as of a database that has reached the
// size it may have.
func TestFullDisk(t *testing.T) {
	s := newStore(t)
	create(t, s, ws)
	db, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, `PRAGMA max_page_count = 1`) // SQLite makes that the present size
	p, texts := sample(2000)
	says(t, s.CreatePlan(t.Context(), ws, p, texts), ErrFull, s.dir, "free some space")
	same(t, len(get(t, s, 1).Revisions), 1)
	exec(t, db, `PRAGMA max_page_count = 1000000`)
	if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil || p.Number != 2 {
		t.Errorf("with space again: number %d, %v", p.Number, err)
	}
}

func TestLockedDatabase(t *testing.T) {
	s := newStore(t)
	p := create(t, s, ws)
	db, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, `PRAGMA busy_timeout = 1`)
	holder := raw(t, s.dir)
	exec(t, holder, `BEGIN IMMEDIATE`)
	p.State = plan.Cancelled
	says(t, s.Save(t.Context(), ws, p, nil), ErrLocked, s.dir, "another process")
	if got := get(t, s, 1); got.State != plan.AwaitingApproval { // reading goes on
		t.Errorf("state %s", got.State)
	}
	exec(t, holder, `ROLLBACK`)
	if err := s.Save(t.Context(), ws, p, nil); err != nil {
		t.Error(err)
	}
}
