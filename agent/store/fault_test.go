//go:build unix

package store

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"redline/agent/store/storetest"
)

// intact opens the files of a store as they are now, as after the end of the
// process, checks that the database is whole, and returns what it has.
func intact(t *testing.T, from string) string {
	t.Helper()
	dir := memoryDir(t)
	for _, name := range []string{FileName, FileName + "-wal"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := New(dir)
	defer s.Close()
	db, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var said string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&said); err != nil || said != "ok" {
		t.Errorf("the database is not whole: %s, %v", said, err)
	}
	return found(t, s)
}

// Every call to the disk in the life of a plan fails once. What was acknowledged is stored, after
// the end of the process too; what failed is stored not at all or wholly (see below); the message
// is for the user; and the step works once the disk does.
func TestEveryFaultOfTheDisk(t *testing.T) {
	var after []string // what the store has after each step
	calm := New(t.TempDir())
	l := &life{s: calm}
	after = append(after, "nothing")
	for i := range lifeSteps {
		if err := l.step(t, i); err != nil {
			t.Fatal(err)
		}
		after = append(after, found(t, calm))
	}
	calm.Close()

	for _, fault := range []struct {
		name string
		storetest.Fault
		kinds []error
		whole bool // what failed may be there as a whole after the end of the process
	}{
		{"failed fsync", storetest.Fault{Ops: []storetest.Op{storetest.Sync}, Code: sqlite3.SQLITE_IOERR_FSYNC}, []error{ErrUnwritable}, true},
		{"full disk", storetest.Fault{Ops: []storetest.Op{storetest.Write}, Code: sqlite3.SQLITE_FULL, Short: true}, []error{ErrFull}, false},
		{"failed write", storetest.Fault{Ops: []storetest.Op{storetest.Write}, Code: sqlite3.SQLITE_IOERR_WRITE}, []error{ErrUnwritable}, false},
		{"failed truncate", storetest.Fault{Ops: []storetest.Op{storetest.Truncate}, Code: sqlite3.SQLITE_IOERR_TRUNCATE}, []error{ErrUnwritable}, false},
		{"file that cannot be opened", storetest.Fault{Ops: []storetest.Op{storetest.Open}, Code: sqlite3.SQLITE_CANTOPEN}, []error{ErrUnwritable}, false},
		{"failed read", storetest.Fault{Ops: []storetest.Op{storetest.Read}, Code: sqlite3.SQLITE_IOERR_READ}, []error{ErrUnwritable}, false},
	} {
		for _, checkpoint := range []int{1000, 1} { // 1: each commit also writes to the database itself
			t.Run(fmt.Sprintf("%s, checkpoint %d", fault.name, checkpoint), func(t *testing.T) {
				t.Parallel()
				fault := fault
				disk, calls, failed, kept := storetest.New(), 0, 0, 0
				for k := 0; k <= calls; k += everyFault { // the first time the calls are counted
					fault.At = k
					if k == 0 {
						fault.At = math.MaxInt
					}
					dir := memoryDir(t)
					s := NewOn(disk.Name, dir)
					l := &life{s: s}
					disk.Fail(fault.Fault)
					broken := true
					for i := range lifeSteps {
						err := l.step(t, i)
						if i == 0 && err == nil && checkpoint != 1000 {
							exec(t, s.handle, fmt.Sprintf(`PRAGMA wal_autocheckpoint = %d`, checkpoint))
						}
						if err == nil {
							continue
						}
						if !broken {
							t.Fatalf("call %d: %s fails though the disk is repaired: %v", k, lifeSteps[i], err)
						}
						broken = false
						failed++
						clear(t, err, fault.kinds)
						switch got := intact(t, dir); {
						case got == after[i]:
						case got == after[i+1] && fault.whole:
							kept++
						default:
							t.Errorf("call %d: %s failed (%v) and is half there:\n%s", k, lifeSteps[i], err, got)
						}
						disk.Repair()
						if err := l.step(t, i); err != nil {
							t.Fatalf("call %d: %s does not work again: %v", k, lifeSteps[i], err)
						}
					}
					if n := disk.Repair(); k == 0 {
						calls = n
					}
					if got, kept := found(t, s), intact(t, dir); got != after[len(lifeSteps)] || kept != got {
						t.Errorf("call %d: at the end the store has\n%s\nand keeps\n%s", k, got, kept)
					}
					if err := s.Close(); err != nil {
						t.Errorf("call %d: %v", k, err)
					}
				}
				t.Logf("%d calls, %d failures seen; after %d of them what had failed was there after a restart", calls, failed, kept)
			})
		}
	}
}

// clear checks that an error is one of the kinds and a sentence for the user.
func clear(t *testing.T, err error, kinds []error) {
	t.Helper()
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			says(t, err, kind, ": ")
			return
		}
	}
	t.Errorf("%v (%T) is none of %v", err, err, kinds)
}

// A database that can be read but not written still shows its plans.
func TestPlansThatCannotBeWrittenAreSeen(t *testing.T) {
	dir := t.TempDir()
	first := New(dir)
	l := &life{s: first}
	for i := range lifeSteps {
		if err := l.step(t, i); err != nil {
			t.Fatal(err)
		}
	}
	want := found(t, first)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(first.path)
	if err != nil {
		t.Fatal(err)
	}
	s, told := inMemory(t, dir)
	disk := storetest.New()
	disk.Fail(storetest.Unopenable)
	s.vfs = disk.Name
	if got := found(t, s); got != want {
		t.Errorf("the session has\n%s\nwant\n%s", got, want)
	}
	if p := create(t, s, ws); p.Number != 2 {
		t.Errorf("the next plan is %d", p.Number)
	}
	if len(*told) != 1 || strings.Contains((*told)[0], "cannot be seen") {
		t.Errorf("the user is told %q", *told)
	}
	unchanged(t, s.path, before)
}

// A transient fault does not cost a session its store.
func TestAFaultThatPassesAtTheStartIsNoReasonForMemory(t *testing.T) {
	for _, f := range []storetest.Fault{
		{Ops: []storetest.Op{storetest.Open}, At: 1, Only: true, Code: sqlite3.SQLITE_CANTOPEN},
		{Ops: []storetest.Op{storetest.Read}, At: 1, Only: true, Code: sqlite3.SQLITE_IOERR_READ},
	} {
		s, told := inMemory(t, memoryDir(t))
		disk := storetest.New()
		disk.Fail(f)
		s.vfs = disk.Name
		create(t, s, ws)
		if !s.Kept() || len(*told) != 0 {
			t.Errorf("after one failed %s: kept %t, told %q", f.Ops[0], s.Kept(), *told)
		}
	}
}
