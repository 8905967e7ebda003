package store

import (
	"errors"
	"testing"

	"redline/agent/plan"
)

// A revision that was changed in the database after it was shown is not carried out, and
// nothing of the decision is stored.
func TestBeginRefusesWhatIsNotAsShown(t *testing.T) {
	for what, tamper := range map[string]string{
		"an argument":       `UPDATE revisions SET operations = replace(operations, 'old_string', 'new_string')`,
		"a path to read":    `UPDATE revisions SET operations = replace(operations, 'file1.txt', 'file9.txt')`,
		"an operation less": `UPDATE revisions SET operations = '[]'`,
		"a path":            `UPDATE revisions SET changes = replace(changes, 'file1.txt', 'file9.txt')`,
		"a name of a text":  `UPDATE revisions SET changes = replace(changes, (SELECT blob FROM texts LIMIT 1), (SELECT max(blob) FROM texts))`,
		"the description":   `UPDATE revisions SET description = 'something else'`,
		"the hash":          `UPDATE revisions SET hash = 'sha256:00'`,
		"a text":            `UPDATE texts SET text = CAST('another' AS BLOB)`,
		"a text less":       `DELETE FROM texts WHERE blob = (SELECT max(blob) FROM texts)`,
		"the revision":      `UPDATE revisions SET number = 7`,
	} {
		t.Run(what, func(t *testing.T) {
			s := newStore(t)
			p, texts := sample(2)
			if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
				t.Fatal(err)
			}
			d := &plan.Decision{Revision: 1, Hash: p.Latest().Hash, Verdict: plan.VerdictReject}
			paths := []string{p.Latest().Changes[1].Path, p.Latest().Changes[0].Path}
			other, _ := sample(2) // unchanged: the cache of one revision does not count for another
			if err := s.CreatePlan(t.Context(), ws, other, texts); err != nil {
				t.Fatal(err)
			}
			for _, p := range []*plan.Plan{p, other} {
				if _, err := s.Begin(t.Context(), ws, p, &plan.Decision{Revision: 1, Hash: p.Latest().Hash}, paths); err != nil {
					t.Fatal(err)
				}
			}
			result, err := raw(t, s.dir).Exec(tamper)
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := result.RowsAffected(); n == 0 {
				t.Fatal("nothing was changed")
			}
			version := p.Version
			if _, err := s.Begin(t.Context(), ws, p, d, paths); !errors.Is(err, ErrNotAsShown) {
				t.Errorf("Begin: %v", err)
			}
			var decisions, executions int
			row := raw(t, s.dir).QueryRow(`SELECT (SELECT count(*) FROM decisions), (SELECT count(*) FROM executions)`)
			if err := row.Scan(&decisions, &executions); err != nil || decisions+executions != 4 || p.Version != version {
				t.Errorf("%d decisions and %d executions are stored, %v", decisions, executions, err)
			}
		})
	}
}

// Texts of files that an approval leaves alone do not matter to it.
func TestBeginReadsTheTextsThatItNeeds(t *testing.T) {
	s := newStore(t)
	p, texts := sample(2)
	if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
		t.Fatal(err)
	}
	first, second := p.Latest().Changes[0], p.Latest().Changes[1]
	if _, err := raw(t, s.dir).Exec(`DELETE FROM texts WHERE blob = ?`, second.Base); err != nil {
		t.Fatal(err)
	}
	d := &plan.Decision{Revision: 1, Hash: p.Latest().Hash, Verdict: plan.VerdictApprove}
	if _, err := s.Begin(t.Context(), ws, p, d, []string{first.Path}); err != nil {
		t.Error(err)
	}
}
