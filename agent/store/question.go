package store

import (
	"context"
	"database/sql"
	"time"
)

// questions owns the turns that wait for an answer.
type questions struct {
	db        *database
	answering *locks // the lock of each question whose answer a process works on
}

// Question is a turn that waits for its user's answer. The store does not read the state
// with which the turn continues.
type Question struct {
	ID           int64 // unique across all workspaces, never reused; 0 until it is stored
	Conversation string
	Asked        time.Time
	Record       string // JSON
}

// Ask stores a question and sets its id. It replaces an earlier question of the same
// conversation.
func (qs *questions) Ask(ctx context.Context, workspace string, q *Question) error {
	return qs.db.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`DELETE FROM questions WHERE workspace = ? AND conversation = ?`, workspace, q.Conversation); err != nil {
			return err
		}
		return tx.QueryRow(`INSERT INTO questions (workspace, conversation, asked, record) VALUES (?, ?, ?, ?) RETURNING id`,
			workspace, q.Conversation, nanos(q.Asked), q.Record).Scan(&q.ID)
	})
}

// Questions returns the questions of a workspace that wait for an answer, oldest first. It
// leaves out those whose answer a live process works on.
func (qs *questions) Questions(ctx context.Context, workspace string) ([]Question, error) {
	var list []Question
	err := qs.db.read(ctx, func(tx *sql.Tx) error {
		return each(tx, `SELECT id, conversation, asked, record FROM questions WHERE workspace = ? ORDER BY id`, []any{workspace}, func(rows *sql.Rows) error {
			var q Question
			var asked int64
			err := rows.Scan(&q.ID, &q.Conversation, &asked, &q.Record)
			q.Asked = fromNanos(asked)
			if err == nil && !qs.answering.taken(q.ID) {
				list = append(list, q)
			}
			return err
		})
	})
	return list, err
}

// Answering locks a question for the process that works on its answer; the lock ends with the
// process. ok is false if another process has it, or if the question was
// answered.
func (qs *questions) Answering(ctx context.Context, id int64) (ok bool, err error) {
	if !qs.answering.take(id) {
		return false, nil
	}
	err = qs.db.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRow(`SELECT count(*) > 0 FROM questions WHERE id = ?`, id).Scan(&ok)
	})
	if !ok || err != nil {
		qs.Unanswered(id)
	}
	return ok, err
}

// Unanswered releases the right that Answering took.
func (qs *questions) Unanswered(id int64) { qs.answering.give(id) }

// Answered removes a question that was given up, or answered other than by a revision.
func (qs *questions) Answered(ctx context.Context, id int64) error {
	err := qs.db.write(ctx, func(tx *sql.Tx) error { return settle(tx, []int64{id}) })
	if err == nil {
		qs.Unanswered(id)
	}
	return err
}

// settle removes questions within a transaction.
func settle(tx *sql.Tx, ids []int64) error {
	for _, id := range ids {
		if _, err := tx.Exec(`DELETE FROM questions WHERE id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}
