package store

import (
	"context"
	"database/sql"
	"time"
)

// Question is a turn that waits for its user's answer. What it needs to go on is
// the agent's own business.
type Question struct {
	ID           int64 // of all workspaces, never given twice; 0 until it is stored
	Conversation string
	Asked        time.Time
	Record       string // JSON
}

// Ask stores a question, in place of one that its conversation has had before, and
// gives it its id.
func (s *Store) Ask(ctx context.Context, workspace string, q *Question) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`DELETE FROM questions WHERE workspace = ? AND conversation = ?`, workspace, q.Conversation); err != nil {
			return err
		}
		return tx.QueryRow(`INSERT INTO questions (workspace, conversation, asked, record) VALUES (?, ?, ?, ?) RETURNING id`,
			workspace, q.Conversation, nanos(q.Asked), q.Record).Scan(&q.ID)
	})
}

// Questions returns the questions of a workspace that wait for an answer, oldest
// first: not those whose answer a live process is working out.
func (s *Store) Questions(ctx context.Context, workspace string) ([]Question, error) {
	var list []Question
	err := s.read(ctx, func(tx *sql.Tx) error {
		return each(tx, `SELECT id, conversation, asked, record FROM questions WHERE workspace = ? ORDER BY id`, []any{workspace}, func(rows *sql.Rows) error {
			var q Question
			var asked int64
			err := rows.Scan(&q.ID, &q.Conversation, &asked, &q.Record)
			q.Asked = fromNanos(asked)
			if err == nil && !s.answering.taken(q.ID) {
				list = append(list, q)
			}
			return err
		})
	})
	return list, err
}

// Answering takes the right to work out the answer to a question, which one process
// has at a time and loses when it ends, however that ends. ok is false if somebody
// else has it, or the question waits no more.
func (s *Store) Answering(ctx context.Context, id int64) (ok bool, err error) {
	if !s.answering.take(id) {
		return false, nil
	}
	err = s.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRow(`SELECT count(*) > 0 FROM questions WHERE id = ?`, id).Scan(&ok)
	})
	if !ok || err != nil {
		s.Unanswered(id)
	}
	return ok, err
}

// Unanswered gives that right back.
func (s *Store) Unanswered(id int64) { s.answering.give(id) }

// Answered removes a question: it was answered otherwise than by a revision, or
// given up.
func (s *Store) Answered(ctx context.Context, id int64) error {
	err := s.write(ctx, func(tx *sql.Tx) error { return settle(tx, []int64{id}) })
	if err == nil {
		s.Unanswered(id)
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
