package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A database that was emptied has lost its plans: it is not a new one.
func TestAnEmptiedDatabase(t *testing.T) {
	s := newStore(t)
	create(t, s, ws)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		os.Remove(s.path + suffix)
	}
	if err := os.Truncate(s.path, 0); err != nil {
		t.Fatal(err)
	}
	_, err := storeIn(t, s.dir).Plans(t.Context(), ws, Filter{})
	says(t, err, ErrDamaged, s.path, "it has no content", "1 record", "restore it from a copy")
	unchanged(t, s.path, []byte{})

	session, told := storeIn(t, s.dir), ""
	session.InMemory(func(text string) { told = text })
	create(t, session, ws)
	if session.Kept() || told == "" {
		t.Errorf("a session keeps its plans there; told %q", told)
	}
	unchanged(t, s.path, []byte{})

	if err := os.Remove(filepath.Join(s.dir, HeadName)); err != nil { // the user begins a new one
		t.Fatal(err)
	}
	create(t, storeIn(t, s.dir), ws)
}

// The list of tables has those of the present version.
func TestTables(t *testing.T) {
	s := newStore(t)
	create(t, s, ws)
	db, err := s.database.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var there []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		there = append(there, name)
	}
	want := slices.Clone(tables)
	slices.Sort(want)
	slices.Sort(there)
	if !slices.Equal(there, want) {
		t.Errorf("there are the tables %q, want %q", there, want)
	}
}

// A database without one of its tables, or of their columns, is damaged.
func TestAMissingTable(t *testing.T) {
	for _, table := range tables {
		dir := t.TempDir()
		whole := New(dir)
		create(t, whole, ws)
		db, err := whole.database.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		exec(t, db, "PRAGMA foreign_keys = OFF")
		exec(t, db, "DROP TABLE "+table)
		if err := whole.Close(); err != nil {
			t.Fatal(err)
		}
		s := storeIn(t, dir)
		_, err = s.Plans(t.Context(), ws, Filter{})
		says(t, err, ErrDamaged, s.path, "it has no table "+table, "restore it from a copy")
	}
	s := newStore(t)
	create(t, s, ws)
	db, err := s.database.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, "ALTER TABLE plans RENAME COLUMN goal TO aim")
	_, err = s.Plans(t.Context(), ws, Filter{})
	says(t, err, ErrDamaged, s.path, "it has no column", "restore it from a copy")
}
