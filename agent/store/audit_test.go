package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/agent/audit"
	"redline/agent/plan"
)

// entriesOf returns all records of the audit log.
func entriesOf(t testing.TB, s *Store) []audit.Entry {
	t.Helper()
	var list []audit.Entry
	if err := s.AuditLog(t.Context(), "", func(e audit.Entry) error { list = append(list, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// recordsOf returns the records of the audit log from the given number on, without what
// chains them.
func recordsOf(t testing.TB, s *Store, from int) []audit.Record {
	t.Helper()
	var list []audit.Record
	for i, e := range entriesOf(t, s) {
		r, err := e.Decode()
		if err != nil || r.Seq != int64(i+1) {
			t.Fatalf("record %d: %+v, %v", i+1, r, err)
		}
		if i+1 >= from {
			r.Seq, r.Previous = 0, ""
			list = append(list, r)
		}
	}
	return list
}

func verify(t testing.TB, s *Store) audit.Report {
	t.Helper()
	r, err := s.VerifyAudit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// whole checks that the log has n records, all of them as they were written.
func whole(t testing.TB, s *Store, n int64) {
	t.Helper()
	if r := verify(t, s); !r.Whole() || r.Records != n || n > 0 && r.Last-r.First+1 != n {
		t.Errorf("%s %+v; want %d records", r.Sentence(), r, n)
	}
}

// brokenAt checks that the record is named as the first that cannot be relied on.
func brokenAt(t testing.TB, s *Store, seq int64, words ...string) {
	t.Helper()
	r := verify(t, s)
	if r.Whole() || r.Link() != seq {
		t.Errorf("%s %+v; want record %d", r.Sentence(), r, seq)
	}
	for _, word := range words {
		if !strings.Contains(r.Sentence(), word) {
			t.Errorf("%q does not say %q", r.Sentence(), word)
		}
	}
}

// decideOn stores a rejection, which adds one record.
func decideOn(t testing.TB, s *Store, p *plan.Plan, reason string) {
	t.Helper()
	d := &plan.Decision{Revision: 1, Verdict: plan.VerdictReject, Hash: p.Latest().Hash, Hunks: []string{"h1"}, Reason: reason, Who: "user", Client: "Helix", At: now}
	if err := s.Save(t.Context(), ws, p, d); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsRecorded(t *testing.T) {
	s := newStore(t)
	p := create(t, s, ws)
	hash := p.Latest().Hash
	s.Shown(ws, 1, 1, hash, "Helix", now)
	p.State = plan.Executing
	d := &plan.Decision{Plan: 1, Revision: 1, Hash: hash, Verdict: plan.VerdictApprove, Path: "dir/file0.txt", Hunks: []string{"h1"},
		Stale: []string{"h2"}, Who: "user", Client: "Helix", At: now}
	id, err := s.Begin(t.Context(), ws, p, d, []string{"dir/file0.txt"})
	if err != nil {
		t.Fatal(err)
	}
	p.Progress.MarkSent(1, "dir/file0.txt", plan.Sent{Verdict: plan.VerdictApprove, Hunks: []string{"h1"}})
	if err := s.Finish(t.Context(), ws, p, id, true); err != nil {
		t.Fatal(err)
	}
	p.State = plan.Completed
	p.Progress.MarkHunk("h1", plan.HunkApplied, "")
	p.Progress.Settle(1, "dir/file0.txt", "late")
	if err := s.Finish(t.Context(), ws, p, id, false); err != nil {
		t.Fatal(err)
	}
	decideOn(t, s, p, "no\xff") // not UTF-8: recorded all the same
	if err := s.Settle(t.Context(), ws, p); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(t.Context(), ws, p, nil); err != nil { // nothing was decided
		t.Fatal(err)
	}

	at := now.UTC()
	files := func(status, reason, hunk string) []audit.File {
		return []audit.File{{Path: "dir/file0.txt", Status: status, Reason: reason, Hunks: map[string]string{"h1": hunk}}}
	}
	same(t, recordsOf(t, s, 1), []audit.Record{
		{At: at, Workspace: ws, Event: audit.Revised, Plan: 1, Revision: 1, Approval: hash, Who: "model"},
		{At: at, Workspace: ws, Event: audit.Shown, Plan: 1, Revision: 1, Approval: hash, Client: "Helix"},
		{At: at, Workspace: ws, Event: audit.Approved, Plan: 1, Revision: 1, Approval: hash, Who: "user", Client: "Helix",
			Scope: &audit.Scope{Path: "dir/file0.txt", Hunks: []string{"h1"}, Stale: []string{"h2"}}},
		{At: at, Workspace: ws, Event: audit.Executed, Plan: 1, Revision: 1, Approval: hash, Who: "user", Client: "Helix",
			Outcome: &audit.Outcome{Verdict: "approve", State: "executing", Waiting: true, Files: files("applying", "", "pending")}},
		{At: at, Workspace: ws, Event: audit.Executed, Plan: 1, Revision: 1, Approval: hash, Who: "user", Client: "Helix",
			Outcome: &audit.Outcome{Verdict: "approve", State: "completed", Files: files("applied", "late", "applied")}},
		{At: at, Workspace: ws, Event: audit.Rejected, Plan: 1, Revision: 1, Approval: hash, Who: "user", Client: "Helix", Reason: "no\uFFFD",
			Scope: &audit.Scope{Hunks: []string{"h1"}}},
		{At: at, Workspace: ws, Event: audit.Settled, Plan: 1, Revision: 1, Approval: hash,
			Outcome: &audit.Outcome{State: "completed", Files: files("applied", "late", "applied")}},
	})
	whole(t, s, 7)
}

// A workspace may have a name that is not text.
func TestEveryWorkspaceIsRecorded(t *testing.T) {
	s := newStore(t)
	create(t, s, "/a\xff\xfe/b")
	whole(t, s, 1)
	n := 0
	if err := s.AuditLog(t.Context(), "/a\xff\xfe/b", func(audit.Entry) error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("%d records, %v", n, err)
	}
	create(t, s, ws)
	n = 0
	if err := s.AuditLog(t.Context(), ws, func(audit.Entry) error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("%d records of one of two workspaces, %v", n, err)
	}
}

// A record that failed is not in the log, and what was shown waits for the next record.
func TestNothingIsRecordedThatWasNotStored(t *testing.T) {
	s := newStore(t)
	p := create(t, s, ws)
	stale := get(t, s, 1)
	decideOn(t, s, p, "first")
	s.Shown(ws, 1, 1, "", "Helix", now)
	err := s.Save(t.Context(), ws, stale, &plan.Decision{Revision: 1, Verdict: plan.VerdictReject})
	if !errors.Is(err, ErrChanged) {
		t.Fatal(err)
	}
	whole(t, s, 2)
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := recordsOf(t, s, 3); len(got) != 1 || got[0].Event != audit.Shown {
		t.Errorf("%+v", got)
	}
}

func TestWhatWasShownIsKeptAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	s := New(dir)
	s.Shown(ws, 1, 1, "", "Helix", now)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole(t, storeIn(t, dir), 1)
}

func TestHeadIsTheUsersOwn(t *testing.T) {
	s := newStore(t)
	create(t, s, ws)
	info, err := os.Stat(filepath.Join(s.dir, HeadName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// Two stores on one directory behave like two processes.
func TestSeveralProcessesKeepOneChain(t *testing.T) {
	dir := t.TempDir()
	create(t, storeIn(t, dir), ws)
	const stores, each = 4, 10
	var wg sync.WaitGroup
	for i := range stores {
		s := storeIn(t, dir)
		s.OnWarning(func(text string) { t.Error(text) })
		for range 2 {
			wg.Go(func() {
				for j := range each {
					s.Shown(ws, 1, 1, "", fmt.Sprintf("client %d of %d", j, i), now)
					p, texts := sample(1)
					if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	s := storeIn(t, dir)
	whole(t, s, 1+2*2*stores*each)
	if head, err := s.head.read(); err != nil || head.Last.Count != 1+2*2*stores*each {
		t.Errorf("the head is at %d, %v", head.Last.Count, err)
	}
}

func TestPruneAudit(t *testing.T) {
	s := newStore(t)
	p := create(t, s, ws)
	at := func(day int) time.Time { return now.AddDate(0, 0, day) }
	for day := 1; day <= 9; day++ {
		if err := s.Save(t.Context(), ws, p, &plan.Decision{Revision: 1, Verdict: plan.VerdictReject, At: at(day)}); err != nil {
			t.Fatal(err)
		}
	}
	s.Shown(ws, 1, 1, "", "Helix", at(-5)) // the clock has gone back: it stays, since one before it does
	before := copyState(t, s.dir)
	n, err := s.PruneAudit(t.Context(), at(4), at(9))
	if err != nil || n != 4 {
		t.Fatalf("%d dropped, %v", n, err)
	}
	whole(t, s, 8) // 5 to 11 and the record of this
	if r := verify(t, s); r.First != 5 {
		t.Errorf("it begins at %d", r.First)
	}
	if n, err := s.PruneAudit(t.Context(), at(4), at(9)); err != nil || n != 0 {
		t.Errorf("the second time %d, %v", n, err)
	}
	whole(t, s, 8)

	// A crash after the commit and before the head was written.
	crashed := copyState(t, s.dir)
	putFile(t, crashed, HeadName, readFile(t, before, HeadName))
	again := storeIn(t, crashed)
	whole(t, again, 8)
	create(t, again, ws)
	whole(t, again, 9)

	// Records that are removed besides are detected as missing.
	exec(t, raw(t, s.dir), `DELETE FROM audit WHERE seq = 5`)
	brokenAt(t, s, 5, "missing")
	if _, err := s.PruneAudit(t.Context(), at(8), at(9)); !errors.Is(err, ErrTampered) {
		t.Errorf("evidence was dropped: %v", err)
	}
	brokenAt(t, s, 5)

	// Everything that is left may be old.
	if n, err := again.PruneAudit(t.Context(), time.Now().AddDate(1, 0, 0), time.Now()); err != nil || n != 9 {
		t.Errorf("%d, %v", n, err)
	}
	whole(t, again, 1)
	create(t, again, ws)
	whole(t, again, 2)
}

// A database from before the log existed has no records of earlier decisions.
func TestOldDatabaseHasAnEmptyLog(t *testing.T) {
	s := storeOfVersion(t, 1)
	whole(t, s, 0)
	create(t, s, ws)
	whole(t, s, 1)
}

func readFile(t testing.TB, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func putFile(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// copyState copies the database, its log and the head to a new directory.
func copyState(t testing.TB, dir string) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range []string{FileName, FileName + "-wal", HeadName} {
		putFile(t, to, name, readFile(t, dir, name))
	}
	return to
}

// A check of the whole log before a pruning does not delay a decision: the one connection
// is free while records are checked.
func TestTheLogIsCheckedInBatches(t *testing.T) {
	s := newStore(t)
	const records = 2*logBatch + 1
	for range records {
		s.Shown(ws, 1, 1, "sha256:0", "Helix", now)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	seq := int64(0)
	err := s.inBatches(t.Context(), func(e audit.Entry) error {
		if seq++; e.Seq != seq || s.handle.Stats().InUse != 0 {
			return fmt.Errorf("record %d comes as number %d, with %d connections in use", e.Seq, seq, s.handle.Stats().InUse)
		}
		return nil
	})
	if err != nil || seq != records {
		t.Errorf("%d records, %v", seq, err)
	}
}
