package store

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"slices"

	"redline/agent/plan"
)

// asShown checks, in the transaction that begins an execution, that the stored revision is
// the one that was decided on: the hash computed from its columns is the decision's, and
// the text of each file in paths has the hash by which the revision names it. It fails with
// [ErrNotAsShown].
func (ps *plans) asShown(tx *sql.Tx, planID int64, number int, d *plan.Decision, paths []string) error {
	r := plan.Revision{Number: d.Revision}
	var predicted, steps, operations, changes string
	err := tx.QueryRow(`SELECT hash, description, text_only, predicted, steps, operations, changes
		FROM revisions WHERE plan = ? AND number = ?`, planID, d.Revision).
		Scan(&r.Hash, &r.Description, &r.TextOnly, &predicted, &steps, &operations, &changes)
	if err == sql.ErrNoRows {
		return notAsShown(number)
	}
	if err != nil {
		return err
	}
	if r.Hash != d.Hash {
		return notAsShown(number)
	}
	row := digest(fmt.Sprint(number, r.Number, r.TextOnly), r.Hash, r.Description, predicted, steps, operations, changes)
	checked := ps.checked.Load()
	known := checked != nil && *checked == row // a user who decides on many hunks, one by one, does not wait for this check each time
	for _, column := range []struct {
		text string
		into any
	}{{predicted, &r.Predicted}, {steps, &r.Steps}, {operations, &r.Operations}, {changes, &r.Changes}} {
		if fromJSON(column.text, column.into) != nil {
			return notAsShown(number) // it was readable when it was shown
		}
	}
	if !known && plan.ApprovalHash(number, &r) != d.Hash {
		return notAsShown(number)
	}
	ps.checked.Store(&row)
	return textsAsNamed(tx, number, &r, paths)
}

// digest returns a hash of all the parts.
func digest(parts ...string) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d ", len(part))
		io.WriteString(h, part)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// textsAsNamed checks that the stored texts of some files have the hashes by which the
// revision names them.
func textsAsNamed(tx *sql.Tx, number int, r *plan.Revision, paths []string) error {
	wanted := map[plan.Blob]bool{}
	paths = slices.Sorted(slices.Values(paths))
	for i := range r.Changes {
		if _, concerned := slices.BinarySearch(paths, r.Changes[i].Path); concerned {
			wanted[r.Changes[i].Base], wanted[r.Changes[i].Proposed] = true, true
		}
	}
	names, err := toJSON("the names of the texts", slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return err
	}
	var text []byte
	err = each(tx, `SELECT blob, text FROM texts WHERE blob IN (SELECT value FROM json_each(?))`, []any{names}, func(rows *sql.Rows) error {
		var name plan.Blob
		if err := rows.Scan(&name, (*sql.RawBytes)(&text)); err != nil {
			return err
		}
		if plan.BlobOf(string(text)) != name {
			return notAsShown(number)
		}
		delete(wanted, name)
		return nil
	})
	if err == nil && len(wanted) > 0 {
		err = notAsShown(number)
	}
	return err
}

func notAsShown(number int) error {
	return &failure{ErrNotAsShown, fmt.Sprintf("plan %d has changed since it was shown: review it again", number), nil}
}
