package turn

import (
	"context"
	"slices"
	"strings"
	"sync"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/report"
	"redline/agent/session"
	"redline/agent/store"
)

// maxReported is how many plans of a conversation a report covers, the newest ones.
const maxReported = 3

// reports are what models read of the fate of plans. Each is kept until something has changed.
type reports struct {
	session *session.Session
	board   *board.Board
	texts   *texts

	mu   sync.Mutex
	made map[string]madeReport // by conversation
}

// madeReport is a report on a conversation's plans.
type madeReport struct {
	text string
	news int // see [board.Board.News]: another value means that something has changed
}

func newReports(s *session.Session, b *board.Board, x *texts) *reports {
	return &reports{session: s, board: b, texts: x, made: map[string]madeReport{}}
}

// kept returns the last report on a conversation.
func (rs *reports) kept(conversation string) (r madeReport, ok bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r, ok = rs.made[conversation]
	return r, ok
}

// keep keeps a report on a conversation.
func (rs *reports) keep(conversation string, r madeReport) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.made[conversation] = r
}

// report returns the report on a conversation's plans that its model reads before a request:
// what has happened to them since they were made. It is made from the store, so it is true
// after a restart and covers what other processes decided. It is "" if there is nothing to
// report.
func (rs *reports) report(ctx context.Context, conv *conversation.Conversation) (string, error) {
	news := rs.board.News(conv.ID)
	if made, ok := rs.kept(conv.ID); ok && made.news == news {
		return made.text, nil
	}
	text, err := rs.makeReport(ctx, conv.ID)
	if err != nil {
		return "", err
	}
	rs.keep(conv.ID, madeReport{text, news})
	return text, nil
}

// makeReport makes the report on a conversation's plans.
func (rs *reports) makeReport(ctx context.Context, conversation string) (string, error) {
	plans, err := rs.session.Store.Plans(ctx, rs.session.Key(), store.Filter{Conversation: conversation, Limit: maxReported})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, p := range slices.Backward(plans) { // oldest first
		decisions, err := rs.session.Store.Decisions(ctx, rs.session.Key(), p.Number)
		if err != nil {
			return "", err
		}
		if line := report.Status(p, decisions); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return rs.texts.prompt("report") + "\n" + strings.Join(lines, "\n"), nil
}

// reported returns a report as a message of the conversation.
func reported(text string) []model.Message {
	if text == "" {
		return nil
	}
	return []model.Message{{Role: model.RoleUser, Content: text}}
}
