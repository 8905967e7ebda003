package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/plan"
)

// keep stores a plan of the workspace that changes base to proposed and that was last changed this
// many days ago.
func keep(t testing.TB, s *Store, workspace string, days int, state plan.State, base, proposed string) *plan.Plan {
	t.Helper()
	at := now.AddDate(0, 0, -days).UTC()
	p := &plan.Plan{Conversation: "c1", Goal: "tidy up", State: state, Created: at, Updated: at}
	texts := map[plan.Blob]string{plan.BlobOf(base): base, plan.BlobOf(proposed): proposed}
	p.Add(plan.Revision{Author: plan.AuthorModel, Changes: []plan.Change{{
		Path: "a", Action: plan.Update, Base: plan.BlobOf(base), Proposed: plan.BlobOf(proposed), BaseExists: true,
		Hunks: plan.Hunks(plan.Update, base, proposed, nil),
	}}}, func(b plan.Blob) string { return texts[b] })
	if err := s.CreatePlan(t.Context(), workspace, p, texts); err != nil {
		t.Fatal(err)
	}
	return p
}

// prune removes what the retention allows, and returns it as "workspace number".
func prune(t testing.TB, s *Store, r Retention, dry bool) (removed []string) {
	t.Helper()
	p, ok, err := s.BeginPruning(t.Context(), r)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer p.End()
	list, err := p.Candidates(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if !c.Old && !p.TooLarge() {
			continue
		}
		if _, ok, err := p.Remove(t.Context(), c, now, dry); err != nil {
			t.Fatal(err)
		} else if ok {
			removed = append(removed, fmt.Sprintf("%s %d", c.Workspace, c.Number))
		}
	}
	if err := p.Tidy(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	return removed
}

func rows(t testing.TB, s *Store, table string) (n int) {
	t.Helper()
	if err := s.handle.QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPruneByAge(t *testing.T) {
	s := newStore(t)
	first := keep(t, s, "/a", 200, plan.Completed, "one\n", "1\n")
	d := &plan.Decision{Revision: 1, Hash: first.Latest().Hash, Verdict: plan.VerdictApprove, At: now}
	id, err := s.Begin(t.Context(), "/a", first, d, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), "/a", first, id, false); err != nil {
		t.Fatal(err)
	}
	keep(t, s, "/a", 200, plan.AwaitingApproval, "one\n", "uno\n") // open
	unsaved := keep(t, s, "/a", 200, plan.Completed, "x\n", "y\n")
	unsaved.Progress.MarkUnsaved(1, "a", true)
	unverified := keep(t, s, "/a", 200, plan.Completed, "x\n", "y\n")
	unverified.Progress.MarkFile(1, "a", plan.FileUnverified, "")
	for _, p := range []*plan.Plan{unsaved, unverified} {
		if err := s.Save(t.Context(), "/a", p, nil); err != nil {
			t.Fatal(err)
		}
	}
	waiting := keep(t, s, "/a", 200, plan.Completed, "x\n", "y\n")
	d.Hash = waiting.Latest().Hash
	if _, err := s.Begin(t.Context(), "/a", waiting, d, nil); err != nil {
		t.Fatal(err)
	}
	keep(t, s, "/a", 200, plan.Cancelled, "two\n", "2\n")
	keep(t, s, "/a", 100, plan.Cancelled, "three\n", "2\n") // younger, and has a text of the one before
	keep(t, s, "/b", 200, plan.Completed, "four\n", "4\n")  // the newest of its workspace

	r := Retention{Before: now.AddDate(0, 0, -180)}
	want := "[/a 1 /a 6]"
	if got := fmt.Sprint(prune(t, s, r, true)); got != want || rows(t, s, "plans") != 8 {
		t.Errorf("a dry run would remove %s, and leaves %d plans", got, rows(t, s, "plans"))
	}
	if got := fmt.Sprint(prune(t, s, Retention{Workspace: "/b", Before: now}, false)); got != "[]" {
		t.Errorf("of another workspace %s", got)
	}
	if got := fmt.Sprint(prune(t, s, r, false)); got != want {
		t.Errorf("removed %s, want %s", got, want)
	}
	if got := fmt.Sprint(prune(t, s, r, false)); got != "[]" {
		t.Errorf("removed %s the second time", got)
	}
	if rows(t, s, "plans") != 6 || rows(t, s, "revisions") != 6 || rows(t, s, "decisions") != 1 || rows(t, s, "executions") != 1 {
		t.Error("something is left of a plan, or too much was removed")
	}
	for text, kept := range map[string]bool{"1\n": false, "two\n": false, "one\n": true, "2\n": true, "three\n": true} {
		if n := 0; s.handle.QueryRow(`SELECT count(*) FROM texts WHERE blob = ?`, plan.BlobOf(text)).Scan(&n) != nil || (n == 1) != kept {
			t.Errorf("%q is there %d times, want it kept: %v", text, n, kept)
		}
	}
	if p := keep(t, s, "/b", 0, plan.Cancelled, "x\n", "y\n"); p.Number != 2 {
		t.Errorf("the next plan has the number %d", p.Number)
	}
}

func TestPruneBySize(t *testing.T) {
	s := newStore(t)
	for i := range keepNewest + 10 {
		keep(t, s, "/a", 100-i, plan.Completed, fmt.Sprintf("%d%s\n", i, strings.Repeat("x", 50_000)), "y\n")
	}
	used, file, err := s.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := prune(t, s, Retention{Bytes: used - 120_000}, false)
	if fmt.Sprint(got) != "[/a 1 /a 2 /a 3]" {
		t.Errorf("removed %v", got)
	}
	got = prune(t, s, Retention{Bytes: 1}, false)
	if len(got) != 7 || rows(t, s, "plans") != keepNewest {
		t.Errorf("removed %v, and left %d", got, rows(t, s, "plans"))
	}
	if less, now, err := s.Size(t.Context()); err != nil || now > file-400_000 || less != now {
		t.Errorf("the file has %d bytes, of which %d hold something; it had %d", now, less, file)
	}
}

// A revision that another process stores while plans are removed keeps its texts, even if it gets
// the row of a removed one.
func TestPruneSeesWhatIsStoredMeanwhile(t *testing.T) {
	dir := t.TempDir()
	s, other := storeIn(t, dir), storeIn(t, dir)
	keep(t, s, "/a", 200, plan.Completed, "shared\n", "1\n")
	keep(t, s, "/b", 1, plan.Completed, "q\n", "r\n")
	keep(t, s, "/a", 1, plan.Completed, "x\n", "y\n")
	keep(t, s, "/b", 200, plan.Completed, "z\n", "w\n") // has the last row of revisions
	keep(t, s, "/b", 0, plan.AwaitingApproval, "m\n", "n\n")
	if _, err := s.handle.Exec(`DELETE FROM revisions WHERE rowid = 5; DELETE FROM plans WHERE id = 5`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.handle.Exec(`UPDATE plans SET number = 0 WHERE id = 4`); err != nil { // not the newest
		t.Fatal(err)
	}
	r := Retention{Before: now.AddDate(0, 0, -100)}
	p, ok, err := s.BeginPruning(t.Context(), r)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer p.End()
	if _, ok, err := other.BeginPruning(t.Context(), r); ok || err != nil {
		t.Errorf("two processes prune at once: %v", err)
	}
	list, err := p.Candidates(t.Context(), r)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	remove := func(c Candidate) {
		t.Helper()
		if _, ok, err := p.Remove(t.Context(), c, now, false); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	if list[0].Workspace != "/b" {
		list[0], list[1] = list[1], list[0]
	}
	remove(list[0])
	keep(t, other, "/c", 0, plan.AwaitingApproval, "shared\n", "new\n")
	remove(list[1])
	for _, text := range []string{"shared\n", "new\n"} {
		if got, err := other.Text(t.Context(), plan.BlobOf(text)); err != nil || got != text {
			t.Errorf("%q: %v", text, err)
		}
	}
	// A plan that was changed since is kept.
	c := keep(t, s, "/c", 200, plan.Completed, "x\n", "y\n")
	keep(t, s, "/c", 0, plan.Completed, "x\n", "y\n")
	list, err = p.Candidates(t.Context(), r)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if err := other.Save(t.Context(), "/c", c, nil); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := p.Remove(t.Context(), list[0], now, false); ok || err != nil {
		t.Errorf("a plan was removed that somebody has changed: %v", err)
	}
}

func TestSweep(t *testing.T) {
	s := storeIn(t, filepath.Join(t.TempDir(), "state [a")) // which is no pattern
	p := keep(t, s, "/a", 0, plan.Executing, "x\n", "y\n")
	id, err := s.Begin(t.Context(), "/a", p, &plan.Decision{Revision: 1, Hash: p.Latest().Hash, Verdict: plan.VerdictApprove}, nil)
	if err != nil {
		t.Fatal(err)
	}
	open := s.leases.path(id)
	write := func(parts ...string) string {
		t.Helper()
		path := filepath.Join(append([]string{s.dir}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	done := write("executions", "99.lock")
	preview, chat := write("previews", "aaaa", "plans", "0001-r1.md"), write("previews", "aaaa", "chat.md")
	young := write("previews", "bbbb", "plans", "0001-r1.md")
	old := time.Now().AddDate(0, 0, -10)
	if err := os.Chtimes(preview, old, old); err != nil {
		t.Fatal(err)
	}
	pruning, _, err := s.BeginPruning(t.Context(), Retention{})
	if err != nil {
		t.Fatal(err)
	}
	defer pruning.End()
	if err := pruning.Sweep(t.Context(), old.AddDate(0, 0, 1)); err != nil {
		t.Fatal(err)
	}
	for path, kept := range map[string]bool{open: true, done: false, preview: false, chat: true, young: true} {
		if _, err := os.Stat(path); (err == nil) != kept {
			t.Errorf("%s is there: %v, want %v", path, err == nil, kept)
		}
	}
}

// An execution has its lease before others can see it: nobody mistakes it for one that a dead
// process left.
func TestSweepLeavesTheLeaseOfAnExecutionThatIsBeginning(t *testing.T) {
	s := newStore(t)
	create(t, s, ws)
	other := storeIn(t, s.dir)
	pruning, _, err := other.BeginPruning(t.Context(), Retention{})
	if err != nil {
		t.Fatal(err)
	}
	defer pruning.End()
	exec(t, other.handle, `PRAGMA busy_timeout = 0`) // it must not wait for this test
	err = s.write(t.Context(), func(*sql.Tx) error {
		s.leases.take(7)
		if err := pruning.Sweep(t.Context(), time.Time{}); err != nil && !errors.Is(err, ErrLocked) {
			t.Error(err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !other.Alive(7) {
		t.Error("the lease of an execution that was beginning is gone")
	}
}
