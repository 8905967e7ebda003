package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"redline/agent/recall"
)

// keepConversations is how many conversations of a workspace are kept, in addition to those
// that have an open plan or question.
const keepConversations = 200

// spoken is the condition for a conversation that may be removed: it has no open plan, and no
// question that waits for an answer.
const spoken = `NOT EXISTS (SELECT 1 FROM plans AS p WHERE p.workspace = conversations.workspace
	AND p.conversation = conversations.name AND p.open = 1)
	AND NOT EXISTS (SELECT 1 FROM questions AS q WHERE q.workspace = conversations.workspace AND q.conversation = conversations.name)`

// conversations owns the exchanges of conversations, their summaries, and what the user has
// chosen for them.
type conversations struct{ db *database }

// SaveExchange stores an exchange of a conversation, and returns its Seq. If the workspace
// has more than 200 conversations, it removes those that were silent for longest.
func (cs *conversations) SaveExchange(ctx context.Context, workspace, conversation string, e recall.Exchange) (seq int64, err error) {
	err = cs.db.write(ctx, func(tx *sql.Tx) error {
		var id int64
		err := tx.QueryRow(`INSERT INTO conversations (workspace, name, updated, upto, summary) VALUES (?, ?, ?, 0, '{}')
			ON CONFLICT (workspace, name) DO UPDATE SET updated = excluded.updated RETURNING id`,
			workspace, conversation, nanos(e.At)).Scan(&id)
		if err != nil {
			return err
		}
		result, err := tx.Exec(`INSERT INTO exchanges (conversation, at, request, answer, reads) VALUES (?, ?, ?, ?, ?)`, id, nanos(e.At), e.Request, e.Answer, e.Read)
		if err != nil {
			return err
		}
		if seq, err = result.LastInsertId(); err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM conversations WHERE workspace = ?1 AND id IN (
			SELECT id FROM conversations WHERE workspace = ?1 ORDER BY updated DESC, id DESC LIMIT -1 OFFSET ?2) AND `+spoken,
			workspace, keepConversations)
		return err
	})
	return seq, err
}

// Conversation returns the summary of a conversation, and the exchanges with a Seq over after
// that the summary does not cover. For an unknown conversation it returns the zero Memory.
func (cs *conversations) Conversation(ctx context.Context, workspace, conversation string, after int64) (m recall.Memory, err error) {
	err = cs.db.read(ctx, func(tx *sql.Tx) error {
		m = recall.Memory{}
		var id int64
		var summary string
		err := tx.QueryRow(`SELECT id, upto, summary FROM conversations WHERE workspace = ? AND name = ?`, workspace, conversation).
			Scan(&id, &m.Upto, &summary)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fromJSON(summary, &m.Summary); err != nil {
			return err
		}
		return each(tx, `SELECT seq, at, request, answer, reads FROM exchanges WHERE conversation = ? AND seq > ? ORDER BY seq`,
			[]any{id, max(after, m.Upto)}, func(rows *sql.Rows) error {
				var e recall.Exchange
				var at int64
				if err := rows.Scan(&e.Seq, &at, &e.Request, &e.Answer, &e.Read); err != nil {
					return err
				}
				e.At = fromNanos(at)
				m.Exchanges = append(m.Exchanges, e)
				return nil
			})
	})
	return m, err
}

// Choices returns what the user has chosen for a conversation, as JSON; "" for nothing.
func (cs *conversations) Choices(ctx context.Context, workspace, conversation string) (choices string, err error) {
	err = cs.db.read(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRow(`SELECT choices FROM conversations WHERE workspace = ? AND name = ?`, workspace, conversation).Scan(&choices)
		if errors.Is(err, sql.ErrNoRows) {
			choices = ""
			return nil
		}
		return err
	})
	return choices, err
}

// SaveChoices stores what the user has chosen for a conversation, as JSON; "" for nothing.
func (cs *conversations) SaveChoices(ctx context.Context, workspace, conversation, choices string, at time.Time) error {
	return cs.db.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO conversations (workspace, name, updated, upto, summary, choices) VALUES (?, ?, ?, 0, '{}', ?)
			ON CONFLICT (workspace, name) DO UPDATE SET choices = excluded.choices`,
			workspace, conversation, nanos(at), choices)
		return err
	})
}

// SaveSummary stores the summary of the exchanges of a conversation up to the one with the Seq
// upto, and removes these exchanges. It does nothing if another process has summarised as much
// already.
func (cs *conversations) SaveSummary(ctx context.Context, workspace, conversation string, summary recall.Summary, upto int64) error {
	text, err := toJSON("the summary of a conversation", summary)
	if err != nil {
		return err
	}
	return cs.db.write(ctx, func(tx *sql.Tx) error {
		var id int64
		err := tx.QueryRow(`UPDATE conversations SET summary = ?, upto = ? WHERE workspace = ? AND name = ? AND upto < ? RETURNING id`,
			text, upto, workspace, conversation, upto).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM exchanges WHERE conversation = ? AND seq <= ?`, id, upto)
		return err
	})
}

// RemoveConversations removes the conversations of a workspace, "" for all, that were silent
// since before and have neither an open plan nor a question. With the zero time it removes
// none.
func (p *Pruning) RemoveConversations(ctx context.Context, workspace string, before time.Time) error {
	if before.IsZero() {
		return nil
	}
	return p.store.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM conversations WHERE updated < ?1 AND (?2 = '' OR workspace = ?2) AND `+spoken, nanos(before), workspace)
		return err
	})
}
