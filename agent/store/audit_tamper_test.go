package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/agent/audit"
	"redline/agent/plan"
	_ "redline/internal/seed"
)

// tamperedLog is a log of 30 records, of all kinds, as a store has written it.
func tamperedLog(t testing.TB) (*Store, []audit.Entry, audit.Head) {
	t.Helper()
	s := newStore(t)
	for i := range 5 {
		where := fmt.Sprint("/w", i%2)
		p := create(t, s, where)
		s.Shown(where, p.Number, 1, p.Latest().Hash, "Helix", now)
		for _, d := range []plan.Decision{
			{Revision: 1, Verdict: plan.VerdictApprove, Hash: p.Latest().Hash, Hunks: []string{"h1"}, Who: "user", Client: "Helix", At: now},
			{Revision: 1, Verdict: plan.VerdictUndo, Hash: p.Latest().Hash, Path: "dir/file0.txt", Who: "user", At: now},
		} {
			id, err := s.Begin(t.Context(), where, p, &d, []string{"dir/file0.txt"})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Finish(t.Context(), where, p, id, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	list := entriesOf(t, s)
	head, err := s.head.read()
	if err != nil || len(list) != 30 || head.Last != list[29].Link() {
		t.Fatalf("%d records, head %+v, %v", len(list), head.Last, err)
	}
	return s, list, head
}

// check returns the result of checking the entries in the order of the database: by number.
func check(head audit.Head, entries []audit.Entry) audit.Report {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b audit.Entry) int { return int(a.Seq - b.Seq) })
	v := audit.NewVerifier(head, nil)
	for _, e := range entries {
		v.Add(e)
	}
	return v.Report()
}

// named checks that exactly the given record is named as the first broken link.
func named(t *testing.T, what string, r audit.Report, seq int) {
	t.Helper()
	if r.Broken == nil || r.Broken.Seq != int64(seq) || r.Link() != int64(seq) || !strings.Contains(r.Sentence(), fmt.Sprintf("record %d:", seq)) {
		t.Fatalf("%s: %s; want record %d", what, r.Sentence(), seq)
	}
}

// renumber gives the entries the numbers 1, 2, 3 … in order, to hide that one was inserted
// or removed.
func renumber(entries []audit.Entry) []audit.Entry {
	for i := range entries {
		entries[i].Seq = int64(i + 1)
	}
	return entries
}

func TestEveryChangeOfARecordIsNamed(t *testing.T) {
	_, log, head := tamperedLog(t)
	if r := check(head, log); !r.Whole() {
		t.Fatal(r.Sentence())
	}
	before := audit.NewVerifier(head, nil) // has seen what comes before the record
	for i := range log {
		with := func(what string, change func(e *audit.Entry)) {
			changed := slices.Clone(log)
			change(&changed[i])
			named(t, fmt.Sprintf("record %d, %s", i+1, what), check(head, changed), i+1)
		}
		flip := func(what *string, at int) {
			b := []byte(*what)
			b[at] ^= 1
			*what = string(b)
		}
		for at := range len(log[i].Record) + len(log[i].Hash) {
			e, v := log[i], *before
			if n := len(e.Record); at < n {
				flip(&e.Record, at)
			} else {
				flip(&e.Hash, at-n)
			}
			v.Add(e)
			named(t, fmt.Sprintf("record %d, byte %d", i+1, at), v.Report(), i+1)
		}
		before.Add(log[i])
		with("a byte more", func(e *audit.Entry) { e.Record += " " })
		with("a byte less", func(e *audit.Entry) { e.Record = e.Record[:len(e.Record)-1] })
		with("nothing left", func(e *audit.Entry) { e.Record = "" })
		with("no hash", func(e *audit.Entry) { e.Hash = "" })
		with("another workspace", func(e *audit.Entry) { e.Workspace += "x" })
		with("a member", func(e *audit.Entry) { e.Record = strings.Replace(e.Record, `"event"`, `"by":"me","event"`, 1) })
	}
}

func TestEveryRecordTakenOutIsNamed(t *testing.T) {
	_, log, head := tamperedLog(t)
	for i := range log {
		less := slices.Delete(slices.Clone(log), i, i+1)
		named(t, fmt.Sprintf("without %d", i+1), check(head, less), i+1)
		named(t, fmt.Sprintf("without %d, renumbered", i+1), check(head, renumber(less)), i+1)
		for j := i + 1; j <= len(log); j++ { // a run, up to the end
			named(t, fmt.Sprintf("without %d to %d", i+1, j), check(head, slices.Delete(slices.Clone(log), i, j)), i+1)
		}
	}
}

func TestEveryRecordPutInIsNamed(t *testing.T) {
	_, log, head := tamperedLog(t)
	for i := range len(log) + 1 {
		prev := audit.Link{}
		if i > 0 {
			prev = log[i-1].Link()
		}
		r, err := log[0].Decode()
		if err != nil {
			t.Fatal(err)
		}
		forged, err := audit.Next(audit.NewHead(prev).Key, prev, r) // well made, but with another key
		if err != nil {
			t.Fatal(err)
		}
		named(t, fmt.Sprintf("forged after %d", i), check(head, renumber(slices.Insert(slices.Clone(log), i, forged))), i+1)
		for j := range log { // a copy of each, at each place
			want := i + 1
			if j == i {
				want = i + 2 // it is where it belongs: the one behind it is not
			}
			named(t, fmt.Sprintf("%d again after %d", j+1, i), check(head, renumber(slices.Insert(slices.Clone(log), i, log[j]))), want)
		}
		if i < len(log) {
			forged := slices.Clone(log)
			forged[i], err = audit.Next(audit.NewHead(prev).Key, prev, r)
			if err != nil {
				t.Fatal(err)
			}
			named(t, fmt.Sprintf("forged in the place of %d", i+1), check(head, forged), i+1)
		}
	}
	for _, seq := range []int64{0, -1} {
		odd := log[3]
		odd.Seq = seq
		if r := check(head, slices.Insert(slices.Clone(log), 0, odd)); r.Whole() || r.Broken.Seq != seq {
			t.Errorf("a record %d: %s", seq, r.Sentence())
		}
	}
}

func TestEveryTwoRecordsSwappedAreNamed(t *testing.T) {
	_, log, head := tamperedLog(t)
	for i := range log {
		for j := i + 1; j < len(log); j++ {
			swapped := slices.Clone(log)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			named(t, fmt.Sprintf("%d and %d", i+1, j+1), check(head, renumber(swapped)), i+1)
			// Only their numbers, workspaces and texts, or only their hashes.
			swapped = slices.Clone(log)
			swapped[i].Hash, swapped[j].Hash = swapped[j].Hash, swapped[i].Hash
			named(t, fmt.Sprintf("the hashes of %d and %d", i+1, j+1), check(head, swapped), i+1)
		}
	}
}

// Whatever is done to the rows without the key, either nothing has changed or
// the first record that has is named.
func TestNoChangeGoesUnnoticed(t *testing.T) {
	_, log, head := tamperedLog(t)
	rapid.Check(t, func(t *rapid.T) {
		rows := slices.Clone(log)
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			if len(rows) == 0 {
				break
			}
			i, j := rapid.IntRange(0, len(rows)-1).Draw(t, "i"), rapid.IntRange(0, len(rows)-1).Draw(t, "j")
			switch rapid.SampledFrom([]string{"delete", "copy", "swap", "cut", "text", "hash", "both"}).Draw(t, "step") {
			case "delete":
				rows = slices.Delete(rows, i, i+1)
			case "copy":
				rows = slices.Insert(rows, i, rows[j])
			case "swap":
				rows[i], rows[j] = rows[j], rows[i]
			case "cut":
				rows = rows[:i]
			case "text":
				rows[i].Record = rows[j].Record
			case "hash":
				rows[i].Hash = rows[j].Hash
			case "both":
				rows[i].Record, rows[i].Hash = rows[j].Record, rows[j].Hash
			}
		}
		if rapid.Bool().Draw(t, "renumber") {
			renumber(rows)
		}
		slices.SortStableFunc(rows, func(a, b audit.Entry) int { return int(a.Seq - b.Seq) })
		rows = slices.CompactFunc(rows, func(a, b audit.Entry) bool { return a.Seq == b.Seq }) // a number is a key
		want := int64(0)
		for i := range max(len(rows), len(log)) {
			if i >= len(rows) || i >= len(log) || rows[i] != log[i] {
				want = int64(i + 1)
				break
			}
		}
		r := check(head, rows)
		if r.Link() != want {
			t.Fatalf("%s; want %d", r.Sentence(), want)
		}
	})
}

// The same in the database itself, and that its rows are what is checked.
func TestTamperingWithTheDatabase(t *testing.T) {
	s, log, _ := tamperedLog(t)
	for _, c := range []struct {
		script string
		seq    int64
	}{
		{`UPDATE audit SET record = replace(record, '"who":"user"', '"who":"rule"') WHERE seq = 3`, 3},
		{`UPDATE audit SET hash = (SELECT hash FROM audit WHERE seq = 8) WHERE seq = 9`, 9},
		{`UPDATE audit SET workspace = '/elsewhere' WHERE seq = 12`, 12},
		{`UPDATE audit SET seq = 31 WHERE seq = 4`, 4},
		{`DELETE FROM audit WHERE seq = 17`, 17},
		{`INSERT INTO audit SELECT 31, workspace, record, hash FROM audit WHERE seq = 30`, 31},
		{`UPDATE audit SET seq = -seq WHERE seq IN (5, 6); UPDATE audit SET seq = 11 + seq WHERE seq < 0`, 5},
	} {
		dir := copyState(t, s.dir)
		db := raw(t, dir)
		exec(t, db, c.script)
		tampered := storeIn(t, dir)
		brokenAt(t, tampered, c.seq, fmt.Sprintf("record %d", c.seq))
		create(t, tampered, ws) // later records hide nothing
		brokenAt(t, tampered, c.seq)
	}
	for n := range len(log) { // every length of what is left
		dir := copyState(t, s.dir)
		exec(t, raw(t, dir), fmt.Sprintf(`DELETE FROM audit WHERE seq > %d`, n))
		cut := storeIn(t, dir)
		brokenAt(t, cut, int64(n+1), "missing")
		for range 2 {
			create(t, cut, ws)
			brokenAt(t, cut, int64(n+1), "missing", "30")
		}
	}
}
