package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"redline/agent/recall"
	"redline/agent/trace"
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
		found, err := first(tx.QueryRow(`SELECT id, upto, summary FROM conversations WHERE workspace = ? AND name = ?`, workspace, conversation),
			&id, &m.Upto, asJSON{&m.Summary})
		if !found {
			return err
		}
		return each(tx, `SELECT seq, at, request, answer, reads FROM exchanges WHERE conversation = ? AND seq > ? ORDER BY seq`,
			[]any{id, max(after, m.Upto)}, func(rows *sql.Rows) error {
				var e recall.Exchange
				err := rows.Scan(&e.Seq, asTime{&e.At}, &e.Request, &e.Answer, &e.Read)
				m.Exchanges = append(m.Exchanges, e)
				return err
			})
	})
	return m, err
}

// Choices returns what the user has chosen for a conversation, as JSON; "" for nothing.
func (cs *conversations) Choices(ctx context.Context, workspace, conversation string) (choices string, err error) {
	_, err = cs.db.first(ctx, `SELECT choices FROM conversations WHERE workspace = ? AND name = ?`, []any{workspace, conversation}, &choices)
	return choices, err
}

// NewestConversation returns the name of the conversation of a workspace that was last spoken in, or
// that a plan or a question came from since; "" if there is none.
func (cs *conversations) NewestConversation(ctx context.Context, workspace string) (name string, err error) {
	_, err = cs.db.first(ctx, `SELECT name FROM (
			SELECT name, updated AS at FROM conversations WHERE workspace = ?1
			UNION ALL SELECT conversation, created FROM plans WHERE workspace = ?1
			UNION ALL SELECT conversation, asked FROM questions WHERE workspace = ?1
		) WHERE name <> '' ORDER BY at DESC LIMIT 1`, []any{workspace}, &name)
	return name, err
}

// Spoken is a conversation that something was said in.
type Spoken struct {
	Name      string
	Updated   time.Time // when something was said last
	Request   string    // the first that is kept
	Exchanges int       // how many are kept
}

// Spoken returns the conversations of a workspace that something was said in: the newest ones up to a
// limit, the newest first.
func (cs *conversations) Spoken(ctx context.Context, workspace string, limit int) (list []Spoken, err error) {
	err = cs.db.each(ctx, `SELECT name, updated, (SELECT request FROM exchanges WHERE conversation = c.id ORDER BY seq LIMIT 1),
			(SELECT COUNT(*) FROM exchanges WHERE conversation = c.id) AS kept
		FROM conversations AS c WHERE workspace = ? AND kept > 0 ORDER BY updated DESC, id DESC LIMIT ?`, []any{workspace, limit}, func(rows *sql.Rows) error {
		var s Spoken
		err := rows.Scan(&s.Name, asTime{&s.Updated}, &s.Request, &s.Exchanges)
		list = append(list, s)
		return err
	})
	return list, err
}

// SaveChoices stores what the user has chosen for a conversation, as JSON; "" for nothing.
func (cs *conversations) SaveChoices(ctx context.Context, workspace, conversation, choices string, at time.Time) error {
	return cs.db.exec(ctx, `INSERT INTO conversations (workspace, name, updated, upto, summary, choices) VALUES (?, ?, ?, 0, '{}', ?)
		ON CONFLICT (workspace, name) DO UPDATE SET choices = excluded.choices`,
		workspace, conversation, nanos(at), choices)
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
		found, err := first(tx.QueryRow(`UPDATE conversations SET summary = ?, upto = ? WHERE workspace = ? AND name = ? AND upto < ? RETURNING id`,
			text, upto, workspace, conversation, upto), &id)
		if !found {
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
	return p.store.exec(ctx, `DELETE FROM conversations WHERE updated < ?1 AND (?2 = '' OR workspace = ?2) AND `+spoken, nanos(before), workspace)
}

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
	err := qs.db.each(ctx, `SELECT id, conversation, asked, record FROM questions WHERE workspace = ? ORDER BY id`, []any{workspace}, func(rows *sql.Rows) error {
		var q Question
		err := rows.Scan(&q.ID, &q.Conversation, asTime{&q.Asked}, &q.Record)
		if err == nil && !qs.answering.taken(q.ID) {
			list = append(list, q)
		}
		return err
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
	if ok, err = qs.db.first(ctx, `SELECT 1 FROM questions WHERE id = ?`, []any{id}, new(int)); !ok || err != nil {
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

// keepTraces is how many traces of a workspace are kept.
const keepTraces = 200

// traces owns the traces of turns.
type traces struct{ db *database }

// SaveTrace notes the trace of a turn that has ended, and replaces one with the same id. It
// removes the oldest of the workspace if there are more than 200. The trace is stored with what
// this store writes next, or by [Store.Flush].
func (ts *traces) SaveTrace(workspace string, t *trace.Trace) error {
	text, err := toJSON("the trace of a turn", t)
	if err != nil {
		return err
	}
	id, turn, number, ended := t.ID, t.Turn, t.Plan, nanos(t.Ended)
	ts.db.writeBehind(func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO traces (workspace, id, turn, plan, ended, trace) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET plan = excluded.plan, ended = excluded.ended, trace = excluded.trace`,
			workspace, id, turn, number, ended, text)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM traces WHERE workspace = ?1 AND seq <= (
			SELECT seq FROM traces WHERE workspace = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)`, workspace, keepTraces)
		return err
	})
	return nil
}

// TraceFilter selects the traces that match each field that is set.
type TraceFilter struct {
	ID           string // of all sessions
	Turn         string // the id in its session; several sessions may have it
	Conversation string
	Plan         int // of the plan that it made or changed
	Limit        int // the newest; 0 for all
}

// Traces returns the traces of a workspace that a filter selects, oldest first.
func (ts *traces) Traces(ctx context.Context, workspace string, f TraceFilter) ([]trace.Trace, error) {
	ts.db.settle(ctx)
	var list []trace.Trace
	err := ts.db.read(ctx, func(tx *sql.Tx) (err error) {
		limit := f.Limit
		if limit <= 0 {
			limit = keepTraces
		}
		list, err = tracesOf(tx, `SELECT trace FROM (SELECT seq, trace FROM traces
			WHERE workspace = ?1 AND (?2 = '' OR id = ?2) AND (?3 = '' OR turn = ?3) AND (?4 = 0 OR plan = ?4)
			AND (?6 = '' OR json_extract(trace, '$.conversation') = ?6)
			ORDER BY seq DESC LIMIT ?5) ORDER BY seq`, workspace, f.ID, f.Turn, f.Plan, limit, f.Conversation)
		return err
	})
	return list, err
}

// tracesOf returns the traces that a query selects.
func tracesOf(tx *sql.Tx, query string, args ...any) (list []trace.Trace, err error) {
	err = each(tx, query, args, func(rows *sql.Rows) error {
		var t trace.Trace
		err := rows.Scan(asJSON{&t})
		list = append(list, t)
		return err
	})
	return list, err
}

// Fallbacks returns how many traces of turns there are of a workspace, "" for all, that ended at or
// after since, and those of them in which a fallback was taken.
func (ts *traces) Fallbacks(ctx context.Context, workspace string, since time.Time) (all int, taken []trace.Trace, err error) {
	ts.db.settle(ctx)
	const where = ` FROM traces WHERE (?1 = '' OR workspace = ?1) AND ended >= ?2`
	err = ts.db.read(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRow(`SELECT COUNT(*)`+where, workspace, nanos(since)).Scan(&all); err != nil {
			return err
		}
		var err error
		taken, err = tracesOf(tx, `SELECT trace`+where+` AND instr(trace, ?3) > 0 ORDER BY seq`,
			workspace, nanos(since), fmt.Sprintf(`"kind":%q`, trace.Fallback))
		return err
	})
	return all, taken, err
}

// RemoveTraces removes the traces of turns of a workspace, "" for all, that ended before a
// time. With the zero time it removes none.
func (p *Pruning) RemoveTraces(ctx context.Context, workspace string, before time.Time) error {
	if before.IsZero() {
		return nil
	}
	return p.store.exec(ctx, `DELETE FROM traces WHERE ended < ?1 AND (?2 = '' OR workspace = ?2)`, nanos(before), workspace)
}
