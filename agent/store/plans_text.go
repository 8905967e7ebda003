package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"

	"redline/agent/plan"
)

// Texts returns [Store.Text] for callers that have no context.
func (ps *plans) Texts(ctx context.Context) func(plan.Blob) (string, error) {
	return func(b plan.Blob) (string, error) { return ps.Text(ctx, b) }
}

// Text returns the text that a blob names. It fails with [ErrNoSuchText], or
// with [ErrDamaged] if the stored text has another hash.
func (ps *plans) Text(ctx context.Context, blob plan.Blob) (string, error) {
	if text, ok := ps.texts.get(blob); ok {
		return text, nil
	}
	var text []byte
	err := ps.db.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRow(`SELECT text FROM texts WHERE blob = ?`, blob).Scan(&text)
	})
	if err == sql.ErrNoRows {
		return "", noSuchText(blob)
	}
	if err != nil {
		return "", err
	}
	if plan.BlobOf(string(text)) != blob {
		return "", ps.db.damaged("a text in it is not what it was", nil)
	}
	ps.texts.put(blob, string(text))
	return string(text), nil
}

// addTexts stores the texts of a revision. Each must be in texts or stored already.
func addTexts(tx *sql.Tx, r *plan.Revision, texts map[plan.Blob]string) error {
	var rows []any         // blob, text, blob, text …
	var stored []plan.Blob // those missing in texts
	done := map[plan.Blob]bool{}
	for i := range r.Changes {
		for _, blob := range [...]plan.Blob{r.Changes[i].Base, r.Changes[i].Proposed} {
			if done[blob] {
				continue
			}
			done[blob] = true
			if text, ok := texts[blob]; !ok {
				stored = append(stored, blob)
			} else if plan.BlobOf(text) != blob {
				return fmt.Errorf("the text of %s is not %s", r.Changes[i].Path, blob)
			} else {
				rows = append(rows, blob, []byte(text))
			}
		}
	}
	if err := haveTexts(tx, stored); err != nil {
		return err
	}
	for chunk := range slices.Chunk(rows, 2*rowsAtOnce) {
		values := strings.Repeat(", (?, ?)", len(chunk)/2)[2:]
		if _, err := tx.Exec(`INSERT INTO texts (blob, text) VALUES `+values+`
			ON CONFLICT (blob) DO UPDATE SET text = excluded.text WHERE texts.text <> excluded.text`, chunk...); err != nil { // repairs a damaged one
			return err
		}
	}
	return nil
}

// rowsAtOnce is how many rows one statement inserts: the driver compiles a
// statement each time, which costs as much as a row.
const rowsAtOnce = 100

// haveTexts checks that all these texts are stored.
func haveTexts(tx *sql.Tx, blobs []plan.Blob) error {
	if len(blobs) == 0 {
		return nil
	}
	list, err := toJSON("the list of texts", blobs)
	if err != nil {
		return err
	}
	var missing plan.Blob
	err = tx.QueryRow(`SELECT value FROM json_each(?) WHERE value NOT IN (SELECT blob FROM texts) LIMIT 1`, list).Scan(&missing)
	switch {
	case err == sql.ErrNoRows:
		return nil
	case err != nil:
		return err
	}
	return noSuchText(missing)
}

func noSuchText(blob plan.Blob) error {
	return &failure{ErrNoSuchText, fmt.Sprintf("the plan database has no text %s", blob), nil}
}

// textCacheSize is the size limit of the text cache in bytes.
const textCacheSize = 8 << 20

// textCache holds the most recently added texts.
type textCache struct {
	mu    sync.Mutex
	texts map[plan.Blob]string
	order []plan.Blob // oldest first
	size  int         // bytes of texts
}

func (c *textCache) get(blob plan.Blob) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.texts[blob]
	return text, ok
}

// put adds a text, unless it is so large that it would displace all others.
func (c *textCache) put(blob plan.Blob, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.texts[blob]; ok || len(text) > textCacheSize/2 {
		return
	}
	if c.texts == nil {
		c.texts = map[plan.Blob]string{}
	}
	c.texts[blob] = text
	c.order = append(c.order, blob)
	for c.size += len(text); c.size > textCacheSize; c.order = c.order[1:] {
		c.size -= len(c.texts[c.order[0]])
		delete(c.texts, c.order[0])
	}
}
