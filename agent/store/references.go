package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"

	"redline/agent/plan"
)

// references counts how often the revisions of all plans name each text. The database does
// not store that: it matters only when plans are removed.
type references struct {
	count map[[32]byte]int32
	last  int64 // revisions up to this row are counted
}

// scanBatch is how many revisions are counted at once: a decision of this process waits for
// one batch at most.
const scanBatch = 500

// scan counts the revisions not counted yet.
func (r *references) scan(ctx context.Context, db *database) error {
	for n := scanBatch; n == scanBatch; {
		err := db.read(ctx, func(tx *sql.Tx) (err error) {
			n, err = r.advance(tx, scanBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// advance counts the next revisions, at most limit, and returns their number.
func (r *references) advance(tx *sql.Tx, limit int) (n int, err error) {
	err = each(tx, `SELECT rowid, changes FROM revisions WHERE rowid > ? ORDER BY rowid LIMIT ?`, []any{r.last, limit}, func(rows *sql.Rows) error {
		var changes string
		if err := rows.Scan(&r.last, &changes); err != nil {
			return err
		}
		n++
		// The texts of a revision that cannot be read are not counted: they go with the last
		// other plan that names them. Such a revision can neither be shown nor carried out.
		_ = eachBlob(changes, func(key [32]byte, _ plan.Blob) { r.count[key]++ })
		return nil
	})
	return n, err
}

// eachBlob calls yield for each text named in a column of changes.
func eachBlob(changes string, yield func([32]byte, plan.Blob)) error {
	var named []struct {
		Base     plan.Blob `json:"base"`
		Proposed plan.Blob `json:"proposed"`
	}
	if err := fromJSON(changes, &named); err != nil {
		return err
	}
	for _, c := range named {
		for _, blob := range []plan.Blob{c.Base, c.Proposed} {
			digits, _ := strings.CutPrefix(string(blob), "sha256:")
			var key [32]byte
			if n, err := hex.Decode(key[:], []byte(digits)); err != nil || n != len(key) {
				return fmt.Errorf("%w: a text has the name %q", errUnreadable, blob)
			}
			yield(key, blob)
		}
	}
	return nil
}

// remove removes the plan in the row id and the texts that only it names, and returns their size
// in bytes. If dry is true, it only computes the size.
func (r *references) remove(tx *sql.Tx, id int64, dry bool) (freed int64, err error) {
	// Count what other processes have stored since, before anything is removed.
	for n := scanBatch; n == scanBatch; {
		if n, err = r.advance(tx, scanBatch); err != nil {
			return 0, err
		}
	}
	var alone []plan.Blob
	err = each(tx, `SELECT changes, length(description) + length(steps) + length(operations) + length(changes) FROM revisions WHERE plan = ?`,
		[]any{id}, func(rows *sql.Rows) error {
			var changes string
			var size int64
			if err := rows.Scan(&changes, &size); err != nil {
				return err
			}
			freed += size
			_ = eachBlob(changes, func(key [32]byte, blob plan.Blob) { // as far as advance has counted them
				if r.count[key]--; r.count[key] == 0 {
					delete(r.count, key)
					alone = append(alone, blob)
				}
			})
			return nil
		})
	if err != nil {
		return 0, err
	}
	for _, blob := range alone {
		var size int64
		if err := tx.QueryRow(`SELECT coalesce(sum(length(text)), 0) FROM texts WHERE blob = ?`, blob).Scan(&size); err != nil {
			return 0, err
		}
		freed += size
		if dry {
			continue
		}
		if _, err := tx.Exec(`DELETE FROM texts WHERE blob = ?`, blob); err != nil {
			return 0, err
		}
	}
	if dry {
		return freed, nil
	}
	for _, statement := range []string{
		`DELETE FROM traces WHERE (workspace, plan) = (SELECT workspace, number FROM plans WHERE id = ?)`,
		`DELETE FROM conversations WHERE (workspace, name) IN (SELECT workspace, conversation FROM plans AS p WHERE id = ? AND NOT EXISTS (
			SELECT 1 FROM plans AS o WHERE o.workspace = p.workspace AND o.conversation = p.conversation AND o.id <> p.id)
			AND NOT EXISTS (SELECT 1 FROM questions AS q WHERE q.workspace = p.workspace AND q.conversation = p.conversation))`,
		`DELETE FROM reuse WHERE (workspace, plan) = (SELECT workspace, number FROM plans WHERE id = ?)`,
		`DELETE FROM executions WHERE plan = ?`, `DELETE FROM decisions WHERE plan = ?`,
		`DELETE FROM revisions WHERE plan = ?`, `DELETE FROM plans WHERE id = ?`,
	} {
		if _, err := tx.Exec(statement, id); err != nil {
			return 0, err
		}
	}
	// SQLite reuses the numbers of the last rows once these are removed.
	return freed, tx.QueryRow(`SELECT coalesce(max(rowid), 0) FROM revisions`).Scan(&r.last)
}
