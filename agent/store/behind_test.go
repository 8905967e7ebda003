//go:build unix

package store

import (
	"database/sql"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"redline/agent/store/storetest"
)

// counted is a store on a disk that counts how often it is waited for.
func counted(t *testing.T) (s *Store, syncs func() int) {
	t.Helper()
	disk := storetest.New()
	s = NewOn(disk.Name, t.TempDir())
	t.Cleanup(func() { s.Close() })
	count := storetest.Fault{Ops: []storetest.Op{storetest.Sync}, At: math.MaxInt}
	disk.Fail(count)
	return s, func() int {
		n := disk.Repair()
		disk.Fail(count)
		return n
	}
}

// What another call has taken to store it is not missed by those that read before it does.
func TestWhatIsBeingStoredIsRead(t *testing.T) {
	s := storeIn(t, t.TempDir())
	create(t, s, ws)
	saveTrace(t, s, ws, "a-t1", "t1", 1, now)
	db := s.traces.db
	reading, release := make(chan struct{}), make(chan struct{})
	var calls sync.WaitGroup
	calls.Go(func() {
		if err := db.read(t.Context(), func(*sql.Tx) error {
			close(reading)
			<-release
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-reading // it has the only connection
	calls.Go(func() {
		if err := db.write(t.Context(), func(*sql.Tx) error { return nil }); err != nil {
			t.Error(err)
		}
	})
	for db.behind.waiting() > 0 {
		runtime.Gosched()
	}
	for range 20 {
		calls.Go(func() {
			if list, err := s.Traces(t.Context(), ws, TraceFilter{}); err != nil || len(list) != 1 {
				t.Errorf("there are %d traces, %v", len(list), err)
			}
		})
	}
	close(release)
	calls.Wait()
}

// Traces and answers for reuse cost no wait for the disk of their own, and can be read at once.
func TestWhatNobodyWaitsForGoesAlong(t *testing.T) {
	s, syncs := counted(t)
	create(t, s, ws)
	if n := syncs(); n > 3 { // of the new database, of its log, of what is stored
		t.Errorf("a new database with a plan waits %d times for the disk", n)
	}
	for _, id := range []string{"a-t1", "a-t2"} {
		saveTrace(t, s, ws, id, "t1", 1, now)
	}
	s.SaveReuse(ws, Reuse{Key: "k", Plan: 1, Kept: now, Record: "{}"})
	create(t, s, ws)
	if n := syncs(); n != 1 {
		t.Errorf("a plan with what goes along waits %d times for the disk", n)
	}
	saveTrace(t, s, ws, "a-t3", "t2", 1, now)
	if list, err := s.Traces(t.Context(), ws, TraceFilter{}); err != nil || len(list) != 3 {
		t.Errorf("there are %d traces, %v", len(list), err)
	}
	if _, ok, err := s.Reusable(t.Context(), ws, "k", now); !ok || err != nil {
		t.Errorf("the answer is not there: %v", err)
	}
	saveTrace(t, s, ws, "a-t4", "t2", 1, now)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if list, err := storeIn(t, s.dir).Traces(t.Context(), ws, TraceFilter{}); err != nil || len(list) != 4 {
		t.Errorf("after the end there are %d traces, %v", len(list), err)
	}
}

// A full disk keeps what goes along for later; what can never be stored does not hold up the rest.
func TestWhatGoesAlongAndFails(t *testing.T) {
	disk := storetest.New()
	s := NewOn(disk.Name, t.TempDir())
	t.Cleanup(func() { s.Close() })
	var warned []string
	s.OnWarning(func(text string) { warned = append(warned, text) })
	create(t, s, ws)
	saveTrace(t, s, ws, "a-t1", "t1", 1, now)
	disk.Fail(storetest.FullDisk)
	p, texts := sample(1)
	if err := s.CreatePlan(t.Context(), ws, p, texts); !errors.Is(err, ErrFull) {
		t.Errorf("a plan on a full disk: %v", err)
	}
	disk.Repair()
	create(t, s, ws)
	if list, err := s.Traces(t.Context(), ws, TraceFilter{}); err != nil || len(list) != 1 || len(warned) > 0 {
		t.Errorf("there are %d traces, %v, %q", len(list), err, warned)
	}
	db, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, "CREATE TRIGGER no BEFORE INSERT ON traces BEGIN SELECT raise(ABORT, 'no trace'); END")
	saveTrace(t, s, ws, "a-t2", "t1", 1, now)
	before := list(t, s)
	create(t, s, ws)
	if list(t, s) != before+1 || len(warned) != 1 || !strings.Contains(warned[0], "no trace") {
		t.Errorf("there are %d plans after %d, and the warnings %q", list(t, s), before, warned)
	}
	if report, err := s.VerifyAudit(t.Context()); err != nil || report.Broken != nil {
		t.Errorf("the audit log is %+v, %v", report, err)
	}
	if s.behind.waiting() > 0 {
		t.Error("it is tried again and again")
	}
}

// list returns how many plans there are.
func list(t *testing.T, s *Store) int {
	t.Helper()
	plans, err := s.Plans(t.Context(), ws, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return len(plans)
}

// A process that was killed while it made the database leaves one that can be used.
func TestAKilledProcessThatMadeTheDatabase(t *testing.T) {
	for _, op := range []storetest.Op{storetest.Write, storetest.Sync, storetest.Truncate, storetest.Open} {
		for at := 1; at <= 60; at++ {
			disk := storetest.New()
			dir := memoryDir(t)
			killed := NewOn(disk.Name, dir)
			disk.Fail(storetest.Fault{Ops: []storetest.Op{op}, At: at, Code: 10}) // SQLITE_IOERR, from then on
			p, texts := sample(1)
			failed := killed.CreatePlan(t.Context(), ws, p, texts)
			reached := disk.Repair() >= at
			next := New(dir)
			want := 1
			if failed == nil {
				want = 2
			}
			create(t, next, ws)
			if n := list(t, next); n != want || !next.Kept() {
				t.Fatalf("%s %d: there are %d plans in %s, want %d", op, at, n, filepath.Base(dir), want)
			}
			next.Close()
			killed.Close()
			if !reached {
				break
			}
		}
	}
}
