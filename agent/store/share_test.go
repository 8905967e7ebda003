package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"redline/agent/plan"
)

// Two stores on one directory are like two processes to SQLite: each has its own
// connection.

func TestNumbersAreGivenOnce(t *testing.T) {
	dir := t.TempDir()
	const stores, each = 4, 10
	numbers := make(chan int, stores*each)
	var wg sync.WaitGroup
	for range stores {
		s := storeIn(t, dir) // nobody has opened the database yet: all of them make it
		for range 2 {
			wg.Go(func() {
				for range each / 2 {
					p, texts := sample(1)
					if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
						t.Error(err)
						return
					}
					numbers <- p.Number
				}
			})
		}
	}
	wg.Wait()
	close(numbers)
	var got []int
	for n := range numbers {
		got = append(got, n)
	}
	slices.Sort(got)
	for i, n := range got {
		if n != i+1 {
			t.Fatalf("numbers %v", got)
		}
	}
	if len(got) != stores*each {
		t.Errorf("%d numbers", len(got))
	}
}

func TestOnlyOneOfTwoChangesCounts(t *testing.T) {
	s := newStore(t)
	create(t, s, ws)
	mine, theirs := get(t, s, 1), get(t, storeIn(t, s.dir), 1)
	other := storeIn(t, s.dir)
	theirs.State = plan.Cancelled
	if err := other.Save(t.Context(), ws, theirs, nil); err != nil {
		t.Fatal(err)
	}
	mine.State = plan.Executing
	d := &plan.Decision{Revision: 1, Verdict: plan.VerdictApprove}
	if _, err := s.Begin(t.Context(), ws, mine, d, []string{"a"}); !errors.Is(err, ErrChanged) {
		t.Fatalf("Begin: %v", err)
	}
	r, texts := revision(1, "mine")
	added := mine.Clone()
	added.Add(r, func(plan.Blob) string { return "" })
	if err := s.AddRevision(t.Context(), ws, added, texts); !errors.Is(err, ErrChanged) {
		t.Fatalf("AddRevision: %v", err)
	}
	got := get(t, s, 1)
	same(t, got, theirs)
	if list, err := s.Decisions(t.Context(), ws, 1); err != nil || len(list) > 0 {
		t.Errorf("decisions: %v, %v", list, err)
	}
	if list, err := s.Unfinished(t.Context(), ws); err != nil || len(list) > 0 {
		t.Errorf("executions: %v, %v", list, err)
	}
	got.State = plan.Drafting
	if err := s.Save(t.Context(), ws, got, nil); err != nil {
		t.Errorf("after reading it again: %v", err)
	}
}

func TestNoUpdateIsLost(t *testing.T) {
	dir := t.TempDir()
	create(t, storeIn(t, dir), ws)
	const stores, each = 3, 8
	var wg sync.WaitGroup
	for i := range stores {
		s := storeIn(t, dir)
		wg.Go(func() {
			for j := range each {
				for {
					p := get(t, s, 1)
					p.Progress.MarkHunk(fmt.Sprintf("h%d-%d", i, j), plan.HunkApplied, "")
					err := s.Save(t.Context(), ws, p, nil)
					if err == nil {
						break
					}
					if !errors.Is(err, ErrChanged) {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	got := get(t, storeIn(t, dir), 1)
	if len(got.Progress.Hunks) != stores*each || got.Version != 1+stores*each {
		t.Errorf("%d marks, version %d; want %d", len(got.Progress.Hunks), got.Version, stores*each)
	}
}

func TestChanged(t *testing.T) {
	s := newStore(t)
	changed := func(want bool) {
		t.Helper()
		if got, err := s.Changed(t.Context()); err != nil || got != want {
			t.Errorf("got %t, %v; want %t", got, err, want)
		}
	}
	changed(false)
	create(t, s, ws)
	changed(false) // our own
	other := storeIn(t, s.dir)
	create(t, other, ws)
	changed(true)
	changed(false)
	if _, err := other.Plans(t.Context(), ws, Filter{}); err != nil {
		t.Fatal(err)
	}
	changed(false)
}

// What kill -9 leaves is what is in the files at that moment; the memory of
// the process, its locks and the index of the log are gone. So is this copy,
// which is taken while a transaction is under way.
func TestKilledProcessLosesNothingThatWasStored(t *testing.T) {
	s := newStore(t)
	for i := range 12 {
		create(t, s, ws)
		if i%3 == 2 {
			p := get(t, s, i)
			p.State = plan.Completed
			if err := s.Save(t.Context(), ws, p, nil); err != nil {
				t.Fatal(err)
			}
		}
		want, err := s.Plans(t.Context(), ws, Filter{})
		if err != nil {
			t.Fatal(err)
		}
		db, err := s.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(`UPDATE plans SET goal = 'never committed'`); err != nil {
			t.Fatal(err)
		}
		dir := copyFiles(t, s)
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		after := storeIn(t, dir)
		got, err := after.Plans(t.Context(), ws, Filter{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
		if p := create(t, after, ws); p.Number != len(want)+1 {
			t.Errorf("the next number is %d", p.Number)
		}
	}
}

// copyFiles copies the database and its log, as they are, to a new directory.
func copyFiles(t *testing.T, s *Store) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{FileName, FileName + "-wal"} {
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// raw opens the database as another program would.
func raw(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

// A call of Changed during a transaction waits for it without delaying its end: the lease
// is taken in one.
func TestAskingForChangesDoesNotStopATransaction(t *testing.T) {
	s := newStore(t)
	create(t, s, ws)
	asked := make(chan error, 1)
	err := s.write(t.Context(), func(*sql.Tx) error {
		waiting := s.handle.Stats().WaitCount
		go func() {
			_, err := s.Changed(t.Context())
			asked <- err
		}()
		for s.handle.Stats().WaitCount == waiting {
			runtime.Gosched()
		}
		if !s.mu.TryLock() {
			return errors.New("the store is locked by who waits for the transaction")
		}
		s.mu.Unlock()
		return nil
	})
	if err := errors.Join(err, <-asked); err != nil {
		t.Error(err)
	}
}
